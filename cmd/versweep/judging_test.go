package main

import (
	"errors"
	"strings"
	"testing"

	"versweep/sweep"
)

// A gate does not pass because builds have a size, when the machine spoilt every
// sample; who asks for the build size is answered.
func TestBuildSizesAloneAreNothingToJudge(t *testing.T) {
	size, _ := sweep.MetricByKey(sweep.BuildSize)
	j := sweep.Judgement{Versions: make([]sweep.Version, 1), Metrics: []sweep.Metric{size}, NotMeasured: make([]sweep.Outcome, 1)}
	if err := judged("x", nil, j, sweep.JudgeOptions{}); !errors.Is(err, errNothingToJudge) {
		t.Errorf("all spoilt: %v", err)
	}
	if err := judged("x", nil, j, sweep.JudgeOptions{}); !strings.Contains(hintOf(err), "versweep check x --metric build_bytes judges the builds") {
		t.Errorf("the hint is %q", hintOf(err))
	}
	j.NotMeasured = nil
	if err := judged("x", nil, j, sweep.JudgeOptions{}); err != nil {
		t.Errorf("with a figure: %v", err)
	}
}

func hintOf(err error) string {
	hinted, _ := errors.AsType[*hintedError](err)
	if hinted == nil {
		return ""
	}
	return hinted.hint
}
