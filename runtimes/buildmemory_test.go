package runtimes

import (
	"errors"
	"strings"
	"testing"
)

func TestBuildMemoryIsRead(t *testing.T) {
	for text, want := range map[string]int64{
		"": 0, "6GiB": 6 << 30, "1500MiB": 1500 << 20, "256MiB": 256 << 20,
		"255MiB": -1, "0GiB": -1, "4": -1, "4 GiB": -1, "4G": -1, "-4GiB": -1, "1.5GiB": -1, "9999999999999GiB": -1,
	} {
		got, err := ParseBuildMemory(text)
		if err != nil {
			got = -1
		}
		if got != want {
			t.Errorf("%q: %d, %v, want %d", text, got, err, want)
		}
	}
}

func TestBuildMemoryLeavesRoom(t *testing.T) {
	const gib = 1 << 30
	for name, tt := range map[string]struct{ asked, machine, each, all int64 }{
		"a large machine": {0, 64 * gib, 4 * gib, 48 * gib},
		"a small one":     {0, 4 * gib, 3 * gib, 3 * gib},
		"unknown":         {0, 0, 4 * gib, atOnce * 4 * gib},
		"less, as asked":  {gib, 16 * gib, gib, 12 * gib},
		"all, as asked":   {16 * gib, 16 * gib, 16 * gib, 16 * gib},
	} {
		if m := newBuildMemory(tt.asked, tt.machine); m.each != tt.each || m.all != tt.all {
			t.Errorf("%s: %d each, %d all, want %d and %d", name, m.each, m.all, tt.each, tt.all)
		}
	}
}

func TestWhichBuildEndsForItsMemory(t *testing.T) {
	const gib = 1 << 30
	m := newBuildMemory(0, 8*gib) // 4 each, 6 altogether
	for i, step := range []struct {
		build int
		bytes int64
		want  string
	}{
		{1, 4 * gib, ""},
		{1, 4*gib + 1, "more than 4 GiB of memory (VERSWEEP_BUILD_MEMORY=8GiB allows more)"},
		{1, 3 * gib, ""},
		{2, 3 * gib, ""},
		{3, 1, ""}, // too much together, but not for this one
		{2, 3*gib + 1, "together took more than 6 GiB of memory"},
	} {
		err := m.hold(step.build, step.bytes)
		if (err == nil) != (step.want == "") || err != nil && !strings.Contains(err.Error(), step.want) {
			t.Errorf("step %d: %v, want %q", i, err, step.want)
		}
	}
	m.release(2)
	if err := m.hold(1, 3*gib+1); err != nil {
		t.Errorf("a build that has ended counts: %v", err)
	}
}

// What a build shares with itself ends no other one.
func TestNoBuildEndsForRoughFigures(t *testing.T) {
	const gib = 1 << 30
	m := newBuildMemory(0, 8*gib) // 4 GiB each, 6 together
	if !m.fits(1, 5*gib/2) {      // of which it shares a half
		t.Fatal("the first one does not fit")
	}
	if m.fits(2, 18*gib/5) {
		t.Error("6.1 GiB fit into 6")
	}
	if err := m.hold(2, 18*gib/5); err != nil {
		t.Errorf("ended for what the other shares: %v", err)
	}
	if m.fits(1, 5*gib/2) || m.hold(1, 13*gib/10) != nil {
		t.Error("the first one is not looked at again")
	}
	if err := m.hold(2, 18*gib/5); err != nil {
		t.Errorf("4.9 of 6 GiB: %v", err)
	}
	if m.hold(1, 3*gib) != nil || m.hold(2, 18*gib/5) == nil {
		t.Error("the largest of 6.6 GiB goes on")
	}
}

// What the engine says is shown; what looks as if the kernel had killed something
// says so too.
func TestKilledBuildsInContainersAreExplained(t *testing.T) {
	for name, tt := range map[string]struct {
		reason, log string
		want        bool
	}{
		"Docker":         {"The command '/bin/sh -c x' returned a non-zero code: 137", "", true},
		"Podman":         {`building at STEP "RUN x": while running runtime: exit status 137`, "", true},
		"below a shell":  {"returned a non-zero code: 2", "Killed", true},
		"below gcc":      {"returned a non-zero code: 2", "g++: fatal error: Killed signal terminated program cc1plus", true},
		"below go":       {"returned a non-zero code: 1", "x: /usr/lib/go/compile: signal: killed", true},
		"something else": {"returned a non-zero code: 13", "unskilled: error 1370", false},
	} {
		failed := &BuildError{Reason: tt.reason, Log: []string{tt.log}}
		explainKilled(failed, 4<<30)
		if explained := strings.HasSuffix(failed.Reason, "perhaps for taking more than 4 GiB of memory (VERSWEEP_BUILD_MEMORY=8GiB allows more)"); explained != tt.want || !strings.HasPrefix(failed.Reason, tt.reason) {
			t.Errorf("%s: %s", name, failed.Reason)
		}
	}
}

// What npm and go have written before they were ended is not why.
func TestEndedCommandsSayWhy(t *testing.T) {
	ended := &boundError{errors.New("not done within 1s")}
	lines := []string{"npm error code E404", "go: error: no such module"}
	if err := npmError([]byte(`{"error":{"code":"E404","summary":"x"}}`), lines, ended); err.Error() != "npm: not done within 1s" {
		t.Error(err)
	}
	if got := goComplaint(lines, ended); got != "go: not done within 1s" {
		t.Error(got)
	}
}
