package bisect

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func labels() Labels {
	name := func(p int) string { return fmt.Sprintf("c%02d", p) }
	return Labels{Command: "git bisect", Start: " '--first-parent'", Name: name, Title: func(p int) string { return "[" + name(p) + "] subject" }}
}

func placeOf(name string) (int, bool) {
	var p int
	n, err := fmt.Sscanf(name, "c%02d", &p)
	return p, n == 1 && err == nil && p < 60
}

// A log that is written and read back replays to the same answers, whatever
// happened: skipped and undecided ones, ones in between, steps that were taken
// back, several stretches.
func TestLogComesBack(t *testing.T) {
	for name, h := range map[string]*history{
		"plain":         newHistory(1, 60, 0.03, map[int]float64{41: -0.2}),
		"noisy":         newHistory(3, 60, 0.09, map[int]float64{41: -0.12}),
		"several":       newHistory(3, 60, 0.03, map[int]float64{12: -0.1, 45: -0.12}),
		"not monotonic": newHistory(1, 60, 0.03, map[int]float64{10: -0.2, 30: 0.25, 50: -0.2}),
		"taken back":    newHistory(5, 60, 0.03, map[int]float64{40: -0.2}),
	} {
		h.broken[29], h.broken[30] = name == "plain", name == "plain"
		measure := func(ctx context.Context, trial Trial, rounds int) (Reading, error) {
			if name == "taken back" && trial.Purpose == Probe && slices.Contains(trial.Others, 29) {
				h.levels[29] -= 0.25
				defer func() { h.levels[29] += 0.25 }()
			}
			return h.measure(ctx, trial, rounds)
		}
		var written bytes.Buffer
		log := NewLog(&written, labels())
		o := Options{MinRounds: 5, MaxRounds: 30, All: true, Record: log.Write}
		want, err := Search(t.Context(), 60, measure, o)
		if err != nil || log.Err != nil {
			t.Fatal(name, err, log.Err)
		}
		records, err := ReadLog(bytes.NewReader(written.Bytes()), 0, 59, placeOf)
		if err != nil {
			t.Fatalf("%s: %v in\n%s", name, err, written.String())
		}
		var again bytes.Buffer
		o.Told, o.Record = Tell(records), NewLog(&again, labels()).Write
		got, err := Search(t.Context(), 60, func(context.Context, Trial, int) (Reading, error) { return Reading{}, errors.New("measured") }, o)
		if want[0].State != Found && err != nil {
			continue // what could not be told is measured again
		}
		if err != nil || len(got) != len(want) || withoutRemarks(again.String()) != withoutRemarks(written.String()) {
			t.Fatalf("%s: %d of %d answers, %v; the log was\n%s\nand is\n%s", name, len(got), len(want), err, written.String(), again.String())
		}
		for i := range got {
			if got[i].State != want[i].State || got[i].FirstBad != want[i].FirstBad || !slices.Equal(got[i].Suspects, want[i].Suspects) {
				t.Errorf("%s: %s at %d, was %s at %d", name, got[i].State, got[i].FirstBad, want[i].State, want[i].FirstBad)
			}
		}
		for _, line := range strings.Split(written.String(), "\n") {
			if !strings.HasPrefix(line, "#") && line != "" && !strings.HasPrefix(line, "git bisect ") {
				t.Errorf("%s: a line that git does not know: %q", name, line)
			}
		}
	}
}

// Logs by hand, and git's own.
func TestLogByHand(t *testing.T) {
	records, err := ReadLog(strings.NewReader(`git bisect start
# status: waiting for both good and bad commits
# good: [c00] first
git bisect good c00
# bad: [c59] last
git bisect bad c59
good c30
versweep bisect skip c31 c32
bad c45
`), 0, 59, placeOf)
	var got []string
	for _, r := range records {
		got = append(got, fmt.Sprintf("%s %d", r.Step.Verdict, r.Step.Place))
	}
	if err != nil || strings.Join(got, ", ") != "good 30, skip 31, skip 32, bad 45" {
		t.Errorf("%v, %v", got, err)
	}
	for text, want := range map[string]string{
		"fine c30":                   `line 1: "fine" is none of start, good, bad and skip`,
		"good c30\ngood x":           `line 2: "x" is not between the ends`,
		"good":                       "line 1: good of what?",
		"bad c00":                    `line 1: "c00" is at or beyond an end, and cannot be bad`,
		"#= fresh c30 good":          "line 1: #= fresh does not follow a confirmation",
		"#= ends c30 differ=true":    "line 1: #= ends does not look like what versweep writes",
		"#= wings c30 c31 differ=no": "line 1: #= wings does not look like what versweep writes",
		"#= confirm c30 c31 change=NaN,NaN,NaN rounds=5 differ=true":     "line 1: change=NaN,NaN,NaN is no change with its interval",
		"#= confirm c30 c31 change=-5,-9,9 rounds=5 differ=true":         "line 1: change=-5,-9,9 is no change with its interval",
		"#= confirm c30 c31 change=0.2,0.3,0.1 rounds=5 differ=true":     "line 1: change=0.2,0.3,0.1 is no change with its interval",
		"#= confirm c30 c31 change=0.2,0.1,9e999 rounds=5 differ=true":   "line 1: change=0.2,0.1,9e999 is no change with its interval",
		"#= confirm c30 c31 change=0.2,0.1,0.3 rounds=-5 differ=true":    `line 1: "-5" is no number of rounds`,
		"#= step c30 good good=-2,-3,-1 bad=0,0,0 rounds=99999999999999": `line 1: "99999999999999" is no number of rounds`,
	} {
		if _, err := ReadLog(strings.NewReader(text), 0, 59, placeOf); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// withoutRemarks leaves out the lines that are for people.
func withoutRemarks(log string) string {
	lines := slices.DeleteFunc(strings.Split(log, "\n"), func(line string) bool { return strings.HasPrefix(line, "# ") })
	return strings.Join(lines, "\n")
}

// Before candidates are known, what no log can say is found, and the order is not
// judged.
func TestCheckLog(t *testing.T) {
	name := func(word string) bool { return strings.HasPrefix(word, "c") }
	text := "#= ends c59 c00 differ=true change=-0.2,-0.3,-0.1 rounds=5\ngit bisect bad c60\ngit bisect good c70\n"
	if err := CheckLog(strings.NewReader(text), name); err != nil {
		t.Error(err)
	}
	for line, want := range map[string]string{
		"good x": `line 4: "x" is not between the ends`,
		"#= confirm c30 c31 change=0.2,0.3,0.1 rounds=5 differ=true": "line 4: change=0.2,0.3,0.1 is no change with its interval",
	} {
		if err := CheckLog(strings.NewReader(text+line), name); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", line, err, want)
		}
	}
}
