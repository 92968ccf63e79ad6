package charts

import (
	"strings"
	"testing"

	"versweep/sweep"
)

func TestMarksAreTold(t *testing.T) {
	for _, kind := range sweep.MarkKinds {
		if markWords[kind] == "" {
			t.Errorf("no words for %s", kind)
		}
	}
	table := sweep.Table{
		Samples: 12, LeftOut: 2, Again: 1, Marks: map[sweep.MarkKind]int{sweep.Steal: 3, sweep.OtherWork: 1},
	}
	want := "doubts in 12 samples: other work took CPU in 1, the hypervisor took CPU in 3; 2 left out of the figures\n" +
		"1 sample taken again because the machine spoilt the attempt before"
	if got := strings.Join(markLines(table), "\n"); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if got := markLines(sweep.Table{Samples: 12}); len(got) > 0 {
		t.Errorf("without marks: %q", got)
	}
}
