package stats

import (
	"math"
	"sync"
	"testing"
)

// Published constants of boundaries for five looks at equal distances and a
// two-sided error of 0.05: Jennison & Turnbull, Group Sequential Methods (2000),
// tables 2.1 (Pocock, 2.413) and 2.3 (O'Brien & Fleming, 2.040); and for ten
// looks 2.555 and 2.087.
func TestPublishedBoundariesSpendTheirError(t *testing.T) {
	for _, tt := range []struct {
		name     string
		looks    int
		critical func(k, looks int) float64
	}{
		{"Pocock", 5, func(int, int) float64 { return 2.413 }},
		{"Pocock", 10, func(int, int) float64 { return 2.555 }},
		{"O'Brien & Fleming", 5, func(k, looks int) float64 { return 2.040 * math.Sqrt(float64(looks)/float64(k)) }},
		{"O'Brien & Fleming", 10, func(k, looks int) float64 { return 2.087 * math.Sqrt(float64(looks)/float64(k)) }},
	} {
		var b boundary
		b.first(1, tt.critical(1, tt.looks))
		spent := math.Erfc(tt.critical(1, tt.looks) / math.Sqrt2)
		for k := 2; k <= tt.looks; k++ {
			edge := tt.critical(k, tt.looks) * math.Sqrt(float64(k))
			p, _ := b.outside(edge)
			spent += p
			b.further(k, edge)
		}
		// The tables round to half a unit of the third digit.
		near(t, tt.name, spent, 0.05, 2e-3)
	}
}

func TestSingleLook(t *testing.T) {
	for _, l := range []Looks{{}, {Now: 7}, {Min: 10, Max: 10, Now: 10}, {Min: 12, Max: 5, Now: 5}} {
		near(t, "critical value", l.Critical(0.05), 1.959963984540054, 1e-12)
		near(t, "level", l.Level(0.05), 0.05, 1e-12)
		near(t, "p", l.P(0.013), 0.013, 1e-12)
	}
}

func TestLooksBeforeAndAfterThePlan(t *testing.T) {
	plan := Looks{Min: 5, Max: 30}
	at := func(now int) float64 { l := plan; l.Now = now; return l.Critical(0.05) }
	if at(3) != at(5) || at(0) != at(5) {
		t.Error("a look before Min is not the first look")
	}
	if !(at(31) > at(30)) || !(at(60) > at(31)) || !(at(1000) < 10) {
		t.Errorf("past the plan the boundary is %v, %v, %v, %v", at(30), at(31), at(60), at(1000))
	}
	l := plan
	l.Now = math.MaxInt
	if got := l.Critical(0.05); !(got > at(1000)) {
		t.Errorf("the last look of all has %v", got)
	}
	if got := (Looks{Min: -3, Max: 10, Now: -1}).Critical(0.05); got != (Looks{Min: 1, Max: 10, Now: 1}).Critical(0.05) {
		t.Errorf("looks from round -3 on have %v", got)
	}
}

// The p-value that allows for all looks is at most alpha where the level of the
// look is reached, and it grows with p.
func TestRepeatedP(t *testing.T) {
	for _, l := range []Looks{
		{Min: 5, Max: 30, Now: 5}, {Min: 5, Max: 30, Now: 17}, {Min: 5, Max: 30, Now: 30}, {Min: 5, Max: 30, Now: 45}, {Min: 5, Max: 30, Now: 9, Early: true},
	} {
		for _, alpha := range []float64{0.3, 0.05, 0.01, 1e-4, 2e-7} {
			near(t, "P(Level(alpha))", l.P(l.Level(alpha)), alpha, 0.02)
		}
		last := -1.0
		for _, p := range []float64{0, 1e-300, 1e-20, 1e-9, 1e-3, 0.02, 0.2, 0.7, 0.999, 1} {
			got := l.P(p)
			if got <= last || got < p || got > 1 {
				t.Errorf("%v: P(%v) is %v, after %v", l, p, got, last)
			}
			last = got
		}
		if !math.IsNaN(l.P(math.NaN())) {
			t.Error("an unknown p is known")
		}
	}
}

// An axis is asked for about the same at every look.
func TestEarlyLooksAreAlike(t *testing.T) {
	for now := 5; now <= 30; now++ {
		late := Looks{Min: 5, Max: 30, Now: now}
		early := late
		early.Early = true
		if z := early.Critical(0.05); z < 2.3 || z > 2.9 {
			t.Errorf("after %d rounds the critical value is %v", now, z)
		}
		if now > 5 && now < 20 && early.Critical(0.05) >= late.Critical(0.05) {
			t.Errorf("after %d rounds early looks are no easier", now)
		}
	}
}

// What is remembered does not depend on who asked first.
func TestBoundariesFromManyGoroutines(t *testing.T) {
	want := Looks{Min: 4, Max: 33, Now: 33}.Critical(0.013)
	clear(boundaries.known)
	var wg sync.WaitGroup
	for now := 4; now <= 33; now++ {
		wg.Go(func() { Looks{Min: 4, Max: 33, Now: now}.Critical(0.013) })
	}
	wg.Wait()
	if got := (Looks{Min: 4, Max: 33, Now: 33}).Critical(0.013); got != want {
		t.Errorf("%v, and at first %v", got, want)
	}
}

func BenchmarkCritical(b *testing.B) {
	for b.Loop() {
		clear(boundaries.known)
		Looks{Min: 5, Max: 100, Now: 100}.Critical(0.05)
	}
}
