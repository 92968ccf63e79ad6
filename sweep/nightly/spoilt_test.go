package nightly

import (
	"testing"

	"versweep/sweep"
)

// Of a version whose samples the machine spoilt all the size of its build is known: a
// change of that can be asked about between the two.
func TestQuestionAboutBuildsOfSpoiltSamples(t *testing.T) {
	versions := []sweep.Version{release("1.0.0", ""), release("1.1.0", "")}
	size, _ := sweep.MetricByKey(sweep.BuildSize)
	f := sweep.Finding{ID: "x-build_bytes-1.1.0", Metric: size, From: "1.0.0", To: "1.1.0"}
	j := sweep.Judgement{Versions: versions, NotMeasured: []sweep.Outcome{{Version: "1.0.0"}, {Version: "1.1.0"}}}
	q := Questions([]Suspicion{{Finding: f, Standing: Suspected}}, j, versions)
	if len(q) != 1 || q[0].Unanswerable != "" || q[0].From != "1.0.0" || q[0].To != "1.1.0" {
		t.Errorf("%+v", q)
	}
}
