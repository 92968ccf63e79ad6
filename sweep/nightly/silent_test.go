package nightly_test

import (
	"strings"
	"testing"

	"versweep/sweep/nightly"
	"versweep/sweep/nightly/simulated"
)

// What fails on the first night is shown and never told, neither then nor when it
// comes; what fails later is. So it is when nobody could be told of the first night.
func TestFailuresOfTheFirstNightAreShownNotTold(t *testing.T) {
	w := simulated.NewWorld(3, 5)
	w.Fails["1.1.0"] = "it ends at once"
	states := func(a nightly.Account) string {
		var words []string
		for _, n := range a.Notices {
			words = append(words, string(n.State)+" "+n.Key)
		}
		return strings.Join(words, ", ")
	}
	const line = "not measured since the first night, and not told: 1.1.0 (it ends at once)"
	first := run(t, w, 0)
	if states(first) != "" || len(first.Open) > 0 || len(first.Told) > 0 || !strings.Contains(strings.Join(w.Said, "\n"), line) {
		t.Errorf("first night: told %q, open %+v, said %q", states(first), first.Open, w.Said)
	}
	broken := w.Release(0)
	w.Fails[broken] = "no port"
	second := run(t, w, 0)
	if got, want := states(second), "missing missing-x-"+broken; got != want || len(second.Open) != 1 {
		t.Errorf("second night: told %q, want %q; open %+v", got, want, second.Open)
	}
	if !strings.Contains(strings.Join(w.Said, "\n"), line) {
		t.Errorf("second night: said %q", w.Said)
	}
	clear(w.Fails)
	var later []string
	for range 6 { // both are tried again after some nights
		if told := states(run(t, w, 0)); told != "" {
			later = append(later, told)
		}
	}
	if got := strings.Join(later, ", "); got != "back missing-x-"+broken {
		t.Errorf("once all can be measured, told %q", got)
	}
	if strings.Contains(strings.Join(w.Said, "\n"), "not measured since") {
		t.Errorf("it has come: %q", w.Said)
	}
}
