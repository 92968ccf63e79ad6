package nightly_test

import (
	"strings"
	"testing"

	"versweep/sweep"
	"versweep/sweep/nightly"
	"versweep/sweep/nightly/simulated"
)

// A tag that is moved to a slow build, beside a slow release that is known, is news:
// neither what was told of that one nor what people made of it hides it.
func TestMovedTagBesideWhatIsKnown(t *testing.T) {
	for _, acknowledged := range []bool{false, true} {
		w := simulated.NewWorld(11, 8)
		run(t, w, 0)
		slow := w.Release(-0.5)
		told := run(t, w, 0)
		if len(told.Notices) == 0 || told.Notices[0].State != nightly.New || told.Notices[0].Finding.To != slow {
			t.Fatalf("the release is not told: %+v", told.Notices)
		}
		if acknowledged {
			for _, n := range told.Notices {
				f := n.Finding
				w.Acks = append(w.Acks, sweep.Acknowledgement{
					ID: f.ID, Target: "x", Metric: f.Metric.Key, From: f.From, To: f.To, Verdict: f.Verdict, State: sweep.Acknowledged, At: w.Clock,
				})
			}
			run(t, w, 0)
		}
		moved := &w.Released[len(w.Released)-2]
		moved.Commit = strings.Repeat("f", 40)
		w.Levels[moved.Name] = -0.5
		var states []string
		for range 3 {
			for _, n := range run(t, w, 0).Notices {
				if n.Finding != nil && n.Finding.Metric.Key == sweep.QPS {
					states = append(states, string(n.State)+" "+n.Key)
				}
			}
		}
		got := strings.Join(states, ", ")
		if !strings.Contains(got, "new x-qps-"+moved.Name) {
			t.Errorf("acknowledged %v: told are %q, want what the moved %s brings", acknowledged, got, moved.Name)
		}
	}
}
