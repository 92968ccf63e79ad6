package sweep

import (
	"slices"
	"testing"
)

func TestCPULists(t *testing.T) {
	for list, want := range map[string][]int{"0": {0}, "0-3,6": {0, 1, 2, 3, 6}, "1, 0": {0, 1}, "2,2-3": {2, 3}} {
		got, err := ParseCPUs(list)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("ParseCPUs(%q) = %v, %v; want %v", list, got, err, want)
		}
	}
	for _, list := range []string{"", "a", "-1", "3-1", "0-", "0-100000", "1,,2"} {
		if got, err := ParseCPUs(list); err == nil {
			t.Errorf("ParseCPUs(%q) = %v, want an error", list, got)
		}
	}
	if got := FormatCPUs([]int{0, 1, 2, 4, 6, 7}); got != "0-2,4,6-7" {
		t.Errorf("FormatCPUs = %q", got)
	}
}

func TestSplitCPUs(t *testing.T) {
	for _, tt := range []struct {
		usable, server, load []int
		n                    int
		shared               bool
	}{
		{[]int{0, 1}, []int{0}, []int{1}, 1, false},
		{[]int{0, 1}, []int{0}, []int{1}, 4, false},
		{[]int{0, 1, 2, 3}, []int{0, 1}, []int{2, 3}, 2, false},
		{[]int{5}, []int{5}, []int{5}, 1, true},
		{nil, nil, nil, 1, true},
	} {
		server, load, shared := SplitCPUs(tt.usable, tt.n)
		if !slices.Equal(server, tt.server) || !slices.Equal(load, tt.load) || shared != tt.shared {
			t.Errorf("SplitCPUs(%v, %d) = %v, %v, %v", tt.usable, tt.n, server, load, shared)
		}
	}
}

func TestEnvironmentHash(t *testing.T) {
	e := ProbeEnvironment()
	e.ServerCPUs = []int{0}
	same := e
	same.ServerCPUs = []int{0}
	if same.Hash() != e.Hash() {
		t.Error("the same environment has two hashes")
	}
	for name, change := range map[string]func(*Environment){
		"kernel": func(e *Environment) { e.Kernel += "x" }, "launcher": func(e *Environment) { e.Launcher = "docker" },
		"pinning": func(e *Environment) { e.ServerCPUs = []int{1} }, "method": func(e *Environment) { e.Method++ },
	} {
		other := e
		change(&other)
		if other.Hash() == e.Hash() {
			t.Errorf("another %s has the same hash", name)
		}
	}
}
