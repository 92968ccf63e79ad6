package runtimes

import (
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// engineStats is what is used of an engine's figures of a container. CPU comes
// as the time used since the start, in nanoseconds; the differences are taken
// between readings of our own, so that neither the engine's "precpu", which is
// 0 in a first answer, nor its number of CPUs is needed.
type engineStats struct {
	CPU struct {
		Usage struct {
			Total uint64 `json:"total_usage"`
		} `json:"cpu_usage"`
		Throttling struct {
			Time uint64 `json:"throttled_time"` // ns that a quota held it back, over its CPUs
		} `json:"throttling_data"`
	} `json:"cpu_stats"`
	Memory struct {
		Usage uint64            `json:"usage"` // bytes, cached files included
		Stats map[string]uint64 `json:"stats"` // the control group's memory.stat
	} `json:"memory_stats"`
}

func readStats(r io.Reader) (engineStats, error) {
	var s engineStats
	if err := json.NewDecoder(r).Decode(&s); err != nil {
		return s, fmt.Errorf("reading the engine's figures: %w", err)
	}
	return s, nil
}

// cpu is the time used since the start; false where the engine does not know,
// which it writes as 0.
func (s engineStats) cpu() (time.Duration, bool) {
	return time.Duration(s.CPU.Usage.Total), s.CPU.Usage.Total > 0
}

// memory is what is used at this moment without the cached files that the
// kernel would give back, in bytes; false where the engine does not know. The
// count is inactive_file in a control group of version 2, and in version 1
// total_inactive_file, where inactive_file leaves out the groups below.
func (s engineStats) memory() (int64, bool) {
	cached, v1 := s.Memory.Stats["total_inactive_file"]
	if !v1 {
		cached = s.Memory.Stats["inactive_file"]
	}
	if cached > s.Memory.Usage { // read at another moment
		cached = 0
	}
	return int64(s.Memory.Usage - cached), s.Memory.Usage > 0
}
