package stats

import (
	"encoding/json"
	"math"
	"os"
	"testing"
)

// reference is what R answers: see testdata/reference.R.
type reference struct {
	Student [][4]float64 // level, degrees of freedom, quantile, tail at 0.9 of it
	Few     []struct {
		D          []float64
		Confidence [1]float64
		Answer     [4]float64 // mean, lo, hi, p
	}
	Huber []struct {
		D      []float64
		Answer [3]float64 // centre, scale, standard error
	}
	Rank      []ranked
	LargeRank ranked `json:"large_rank"`
	Trend     []struct {
		Y      []float64
		Answer [3]float64 // S, p, slope
	}
	Family []struct{ P, Adjusted []float64 }
	Prior  []struct {
		Pairs    [1]int
		Variance []float64
		Answer   [2]float64 // variance, degrees of freedom
	}
	Looks []struct {
		Min, Max [1]int
		Alpha    [1]float64
		Critical []float64
	}
}

type ranked struct {
	A, B []float64
	P    [1]float64
}

func readReference(t *testing.T) reference {
	t.Helper()
	text, err := os.ReadFile("testdata/reference.json")
	if err != nil {
		t.Fatal(err)
	}
	var r reference
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Student) == 0 || len(r.Few) == 0 || len(r.Huber) == 0 || len(r.Rank) == 0 || len(r.Trend) == 0 || len(r.Family) == 0 || len(r.Prior) == 0 || len(r.Looks) == 0 {
		t.Fatal("testdata/reference.json lacks a part")
	}
	return r
}

// near checks within a relative tolerance.
func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*math.Max(math.Abs(want), 1e-300)) {
		t.Errorf("%s is %.12g, want %.12g", what, got, want)
	}
}

func TestStudentAsInR(t *testing.T) {
	for _, s := range readReference(t).Student {
		near(t, "quantile", studentQuantile(s[0], s[1]), s[2], 1e-8)
		near(t, "tail", student(0.9*s[2], s[1]), s[3], 1e-8)
	}
	near(t, "normal quantile", studentQuantile(0.05, math.Inf(1)), 1.959963984540054, 1e-12)
	near(t, "normal tail", student(1.959963984540054, math.Inf(1)), 0.05, 1e-12)
}

func TestFewPairsAsInR(t *testing.T) {
	for _, f := range readReference(t).Few {
		p := ComparePairs(f.D, PairOptions{Confidence: f.Confidence[0]})
		for i, got := range []float64{p.Change, p.Lo, p.Hi, p.P} {
			near(t, []string{"mean", "lo", "hi", "p"}[i], got, f.Answer[i], 1e-7)
		}
	}
}

func TestHuberAsInR(t *testing.T) {
	for _, h := range readReference(t).Huber {
		l := locate(h.D)
		near(t, "centre", l.centre, h.Answer[0], 1e-7)
		near(t, "standard error", l.sd/math.Sqrt(float64(len(h.D))), h.Answer[2], 1e-6)
	}
}

func TestRankTestAsInR(t *testing.T) {
	r := readReference(t)
	for _, c := range append(r.Rank, r.LargeRank) {
		near(t, "p", RankTest(c.A, c.B), c.P[0], 1e-10)
		near(t, "p the other way", RankTest(c.B, c.A), c.P[0], 1e-10)
	}
}

func TestTrendAsInR(t *testing.T) {
	for _, c := range readReference(t).Trend {
		got := MannKendall(c.Y)
		near(t, "S", float64(got.S), c.Answer[0], 0)
		near(t, "p", got.P, c.Answer[1], 1e-12)
		near(t, "slope", got.Slope, c.Answer[2], 1e-12)
	}
}

func TestFalseDiscoveryAsInR(t *testing.T) {
	for _, c := range readReference(t).Family {
		for i, got := range FalseDiscovery(c.P, nil) {
			near(t, "adjusted", got, c.Adjusted[i], 1e-12)
		}
	}
}

func TestPriorAsInLimma(t *testing.T) {
	for _, c := range readReference(t).Prior {
		var pairs []Pair
		for _, v := range c.Variance {
			pairs = append(pairs, Pair{N: c.Pairs[0], SD: math.Sqrt(v)})
		}
		got := FitPrior(pairs)
		near(t, "variance", got.Variance, c.Answer[0], 1e-6)
		near(t, "degrees of freedom", got.DF, c.Answer[1], 1e-6)
	}
}

func TestLooksAsInRpact(t *testing.T) {
	for _, c := range readReference(t).Looks {
		for i, want := range c.Critical {
			l := Looks{Min: c.Min[0], Max: c.Max[0], Now: c.Min[0] + i}
			near(t, "critical value", l.Critical(c.Alpha[0]), want, 2e-6)
		}
	}
}
