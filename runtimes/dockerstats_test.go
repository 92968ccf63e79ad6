package runtimes

import (
	"strings"
	"testing"
	"time"
)

// C8, as an engine writes it.
func TestEngineStats(t *testing.T) {
	for name, tt := range map[string]struct {
		text     string
		cpu      time.Duration
		cpuKnown bool
		memory   int64 // 0 for unknown
	}{
		"version 2": {`{"cpu_stats":{"cpu_usage":{"total_usage":1400000000},"system_cpu_usage":12000000000,"online_cpus":4},
			"precpu_stats":{"cpu_usage":{"total_usage":1200000000},"system_cpu_usage":10000000000},
			"memory_stats":{"usage":157286400,"stats":{"inactive_file":52428800}}}`, 1400 * time.Millisecond, true, 104857600},
		"version 1": {`{"cpu_stats":{"cpu_usage":{"total_usage":1200000000,"percpu_usage":[600000000,600000000]},"online_cpus":0},
			"memory_stats":{"usage":157286400,"stats":{"inactive_file":1,"total_inactive_file":52428800}}}`, 1200 * time.Millisecond, true, 104857600},
		"more cached than used": {`{"cpu_stats":{"cpu_usage":{"total_usage":1}},"memory_stats":{"usage":1000,"stats":{"inactive_file":2000}}}`, 1, true, 1000},
		"a first frame with zero precpu": {`{"cpu_stats":{"cpu_usage":{"total_usage":250}},"precpu_stats":{"cpu_usage":{"total_usage":0}},
			"memory_stats":{"usage":5}}`, 250, true, 5},
		"a container that has ended": {`{"cpu_stats":{"cpu_usage":{"total_usage":0}},"memory_stats":{}}`, 0, false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := readStats(strings.NewReader(tt.text))
			if err != nil {
				t.Fatal(err)
			}
			if cpu, known := s.cpu(); cpu != tt.cpu || known != tt.cpuKnown {
				t.Errorf("CPU time %v, known %v", cpu, known)
			}
			if memory, known := s.memory(); memory != tt.memory || known != (tt.memory > 0) {
				t.Errorf("memory %d, known %v", memory, known)
			}
		})
	}
}
