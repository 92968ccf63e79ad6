package charts

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"versweep/sweep"
	"versweep/sweep/load"
)

// sweepOf is a sweep over the given versions, in which the machine slows down
// from round to round and one sample failed.
func sweepOf(names []string, rounds int, created time.Time) sweep.Sweep {
	noise := rand.New(rand.NewPCG(21, uint64(len(names))))
	qps := make([]float64, len(names))
	for i := range qps {
		qps[i] = 30000 + 1500*float64(i)
	}
	table := tableOf(names, qps)
	sw := sweep.Sweep{ID: 1, Plan: table.Plan, Environment: table.Environment, Created: created, Finished: created.Add(time.Hour)}
	sw.Plan.Rounds = rounds
	for round := 1; round <= rounds; round++ {
		for position, i := range noise.Perm(len(names) + 1) {
			s := sweep.Sample{Round: round, Position: position, Status: sweep.OK, Load: &load.Result{}}
			if i == len(names) {
				s.Version, s.Twin = sw.Plan.Reference, true
				i--
			} else {
				s.Version = names[i]
			}
			v := qps[i] * (1 - 0.006*float64(round)) * (1 + 0.01*noise.NormFloat64())
			s.Values = map[string]float64{sweep.QPS: v, sweep.ErrorShare: 0}
			switch {
			case round == 3 && position == 2:
				s.Status, s.Reason, s.Values = sweep.Failed, "exit status 1", nil
			case round == 5 && position == 1:
				s.Status = sweep.Degraded
			}
			sw.Samples = append(sw.Samples, s)
		}
	}
	return sw
}

func TestScatterGolden(t *testing.T) {
	few := sweepOf([]string{"18.20.8", "20.20.2", "22.18.0"}, 12, time.Unix(0, 0))
	names, _ := nodeReleases()
	many := sweepOf(names, 8, time.Unix(0, 0))
	themed(t, "scatter", func(w io.Writer, o Options) error { return Scatter(w, few, metric(t, sweep.QPS), o) })
	themed(t, "scatter-many", func(w io.Writer, o Options) error { return Scatter(w, many, metric(t, sweep.QPS), o) })
}

// Each sample is drawn once, where it was taken and as what it was.
func TestScatterShowsEverySample(t *testing.T) {
	for _, names := range [][]string{{"1.0", "1.1"}, strings.Fields("1 2 3 4 5 6 7 8")} {
		sw := sweepOf(names, 7, time.Unix(0, 0))
		m := metric(t, sweep.QPS)
		medians := sampleMedians(sw, m)
		relative := len(names) > maxSeries
		kinds, n, last := map[markKind]int{}, 0, -1.0
		var xs []float64
		for _, c := range cloudsOf(sw, m, medians, relative, false, roundsOf(sw)) {
			for _, q := range c.list {
				kinds[q.kind]++
				n++
				xs = append(xs, q.x)
			}
		}
		slices.Sort(xs)
		for _, x := range xs {
			if x <= last {
				t.Fatalf("two samples at %v", x)
			}
			last = x
		}
		if n != len(sw.Samples) || kinds[markFailed] != 1 || kinds[markDegraded] != 1 {
			t.Errorf("%d versions: %d of %d samples, kinds %v", len(names), n, len(sw.Samples), kinds)
		}
		if xs[0] < -0.5 || last > 6.5 {
			t.Errorf("from %v to %v", xs[0], last)
		}
	}
}

// The rounds' medians follow the drift that the fixture has: -0.6 % a round.
func TestScatterShowsDrift(t *testing.T) {
	sw := sweepOf(strings.Fields("1 2 3 4 5 6 7 8 9 10"), 10, time.Unix(0, 0))
	m := metric(t, sweep.QPS)
	var lists [][]point
	for _, c := range cloudsOf(sw, m, sampleMedians(sw, m), true, false, roundsOf(sw)) {
		lists = append(lists, c.list)
	}
	list := roundMedians(lists, 10)
	if drift := list[9].y - list[0].y; len(list) != 10 || math.Abs(drift+5.4) > 1.5 {
		t.Errorf("drift of %v %% over %d rounds", drift, len(list))
	}
}

// Samples of a version without any figure are no other version's.
func TestScatterOfFailedVersion(t *testing.T) {
	sw := sweepOf([]string{"1.0", "1.1"}, 4, time.Unix(0, 0))
	failed := 0
	for i := range sw.Samples {
		if s := &sw.Samples[i]; s.Version == "1.1" && !s.Twin {
			s.Status, s.Values = sweep.Failed, nil
			failed++
		}
	}
	m := metric(t, sweep.QPS)
	medians := sampleMedians(sw, m)
	clouds := cloudsOf(sw, m, medians, false, false, roundsOf(sw))
	if last := clouds[len(clouds)-1]; last.title != "" || len(last.list) != failed {
		t.Errorf("the last of %d clouds is %q with %d samples, want %d", len(clouds), last.title, len(last.list), failed)
	}
	o, err := Options{}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	f, err := scatterFrame(sw, m, o)
	if err != nil {
		t.Fatal(err)
	}
	if texts := legendTexts(f); slices.Contains(texts, "") || !slices.Contains(texts, "failed") {
		t.Errorf("legend %q", texts)
	}
}

func TestScatterOfOddSweeps(t *testing.T) {
	one := sweepOf([]string{"1.0"}, 1, time.Unix(0, 0))
	one.Samples = one.Samples[:1]
	hostile := sweepOf([]string{"\x1b[31m", "é版本", strings.Repeat("9", 120)}, 2, time.Unix(0, 0))
	hostile.Samples[0].Values[sweep.QPS] = math.NaN()
	hostile.Samples[1].Values[sweep.QPS] = math.Inf(1)
	hostile.Samples[2].Values[sweep.QPS] = 0
	hostile.Samples[3].Round = 1 << 40
	many := sweepOf(strings.Fields(strings.Repeat("1.0 ", 40)), 100, time.Unix(0, 0))
	for i := range many.Samples {
		many.Samples[i].Version = fmt.Sprintf("1.%d", i%40)
	}
	for name, sw := range map[string]sweep.Sweep{"one": one, "hostile": hostile, "many": many} {
		for _, o := range []Options{{Scale: 1}, {Scale: 1, LogY: true}, {Scale: 1, Zoom: true}} {
			if file := picture(t, func(w io.Writer) error { return Scatter(w, sw, metric(t, sweep.QPS), o) }); len(file) > 2<<20 {
				t.Errorf("%s: %d bytes", name, len(file))
			}
		}
	}
	if err := Scatter(io.Discard, many, metric(t, sweep.ErrorShare), Options{Scale: 1}); err != nil {
		t.Errorf("a metric that is zero: %v", err)
	}
	for name, sw := range map[string]sweep.Sweep{"empty": {}, "no figure": {Samples: []sweep.Sample{{Round: 1, Status: sweep.Failed}}}} {
		if err := Scatter(io.Discard, sw, metric(t, sweep.QPS), Options{}); !errors.Is(err, ErrNothingToDraw) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// nights are sweeps on n days, on another machine from two thirds on, with one
// night in which the version failed.
func nights(n int) []sweep.Sweep {
	noise := rand.New(rand.NewPCG(31, 32))
	var all []sweep.Sweep
	for i := range n {
		sw := sweepOf([]string{"22.18.0", "26.12.1"}, 3, time.Date(2026, time.September, 20+i, 3, 0, 0, 0, time.UTC))
		factor := 1 + 0.01*noise.NormFloat64()
		if i >= 2*n/3 {
			sw.Environment.CPU = "AMD EPYC 7B13"
			factor *= 1.15
		}
		for j := range sw.Samples {
			if v, ok := sw.Samples[j].Values[sweep.QPS]; ok {
				sw.Samples[j].Values[sweep.QPS] = v * factor
			}
			if i == n/4 && sw.Samples[j].Version == "22.18.0" {
				sw.Samples[j].Status = sweep.Failed
			}
		}
		sw.ID = int64(i + 1)
		all = append(all, sw)
	}
	return all
}

func TestHistoryGolden(t *testing.T) {
	themed(t, "history", func(w io.Writer, o Options) error { return History(w, nights(60), "22.18.0", metric(t, sweep.QPS), o) })
}

func TestHistoryBreaksAtSeams(t *testing.T) {
	sweeps := nights(30)
	slices.Reverse(sweeps) // sorted by date, whatever comes
	f, err := historyFrame(sweeps, "22.18.0", metric(t, sweep.QPS), Options{Theme: Light})
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(sweeps)
	h := newHistory(sweeps, "22.18.0", metric(t, sweep.QPS), false)
	if len(h.version) != 30 || len(h.reference) != 30 || !slices.Equal(h.versionBreaks, []int{20}) || len(h.seams) != 1 || h.version[7].kind != markFailed {
		t.Errorf("%d and %d points, breaks %v, seams %v", len(h.version), len(h.reference), h.versionBreaks, h.seams)
	}
	if want := days(sweeps[19].Created) + 0.5; h.seams[0] != want {
		t.Errorf("seam at %v, want %v", h.seams[0], want)
	}
	if texts := legendTexts(f); !slices.Contains(texts, "environment changed") || !slices.Contains(texts, "failed") {
		t.Errorf("legend %q", texts)
	}
}

func TestHistoryOfOddSweeps(t *testing.T) {
	many := nights(400)
	for name, sweeps := range map[string][]sweep.Sweep{"one": many[:1], "two": many[:2], "many": many} {
		for _, o := range []Options{{Scale: 1}, {Scale: 1, LogY: true}, {Scale: 1, Zoom: true}} {
			if err := History(io.Discard, sweeps, "26.12.1", metric(t, sweep.QPS), o); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	undated := nights(2)
	undated[0].Created, undated[1].Created = time.Time{}, time.Time{}
	if err := History(io.Discard, undated, "22.18.0", metric(t, sweep.QPS), Options{Scale: 1}); err != nil {
		t.Errorf("undated: %v", err)
	}
	for name, sweeps := range map[string][]sweep.Sweep{"none": nil, "another version": many[:3]} {
		if err := History(io.Discard, sweeps, "1.0", metric(t, sweep.QPS), Options{}); !errors.Is(err, ErrNothingToDraw) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestTimeAxis(t *testing.T) {
	from := time.Date(2026, time.September, 20, 3, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		length time.Duration
		first  string
	}{
		{0, "19 Sep 18:00"}, {3 * time.Second, "03:00:00"}, {20 * time.Minute, "20 Sep 03:00"}, {5 * time.Hour, "20 Sep 03:00"}, {6 * 24 * time.Hour, "21 Sep 2026"}, {40 * 24 * time.Hour, "24 Sep 2026"},
		{300 * 24 * time.Hour, "Oct 2026"}, {3000 * 24 * time.Hour, "2027"}, {100000 * 24 * time.Hour, "2040"},
	} {
		x := timeAxis(from, from.Add(c.length), timeTicks)
		if len(x.ticks) < 1 || len(x.ticks) > 2*timeTicks || x.ticks[0].Label != c.first {
			t.Errorf("%v: %v", c.length, x.ticks)
		}
		for _, tick := range x.ticks {
			if tick.Value < x.min || tick.Value > x.max {
				t.Errorf("%v: tick %v outside", c.length, tick)
			}
		}
	}
}
