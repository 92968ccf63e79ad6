//go:build linux

package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

// Each fault ends as it should, and as docs/faults.md says. Named as the tests
// that need an engine are: they run, and fail where they cannot, where
// $VERSWEEP_TEST_ENGINE is set, as .ci/run does, and are left out elsewhere.
func TestEngineFaults(t *testing.T) {
	if os.Getenv("VERSWEEP_TEST_ENGINE") == "" {
		t.Skip("left out: set VERSWEEP_TEST_ENGINE=1, as root, or call make faults")
	}
	s, err := newSuite(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.close(); err != nil {
			t.Error(err)
		}
	}()
	told, err := os.ReadFile("../../docs/faults.md")
	if err != nil {
		t.Fatal(err)
	}
	results := carryOutAll(t.Context(), s, regexp.MustCompile(""), atOnceUsually, func(result, time.Duration) {})
	for _, r := range results {
		t.Run(r.scenario.name, func(t *testing.T) {
			for _, p := range r.problems {
				t.Error(p)
			}
			if len(r.problems) == 0 && !strings.Contains(string(told), r.row.String()+"\n") {
				t.Errorf("docs/faults.md does not say so; make faults writes it anew:\n%s", r.row)
			}
		})
	}
	if want, got := strings.Count(heading, "\n")+len(results), strings.Count(string(told), "\n"); want != got {
		t.Errorf("docs/faults.md has %d lines, want %d: make faults writes it anew", got, want)
	}
}
