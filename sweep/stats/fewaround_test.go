package stats

import (
	"math/rand/v2"
	"testing"
)

// nights are what a series of nights leaves: most rounds have two versions and the
// reference's twin, of which the change between places 0 and 2 is asked.
func nights(r *rand.Rand, change float64) []Observation {
	var all []Observation
	level := []float64{0, change, change}
	for round := range 24 {
		effect := 0.2 * r.NormFloat64()
		places := []int{0, 2, 2}
		if round >= 18 {
			places = []int{0, 1, 2, 2}
		}
		for _, p := range places {
			all = append(all, Observation{Place: p, Round: round, Y: level[p] + effect + 0.2*r.NormFloat64()})
		}
	}
	return all
}

// Rounds of few versions must not make the noise look small: what is taken for the
// effect of a round takes one of its samples with it.
func TestIntervalsOfSmallRounds(t *testing.T) {
	const runs = 400
	found, held, alarms := 0, 0, 0
	for seed := range uint64(runs) {
		r := rand.New(rand.NewPCG(seed, 17))
		for _, s := range FindSteps(nights(r, -0.35), StepOptions{Alpha: 0.05}).Steps {
			found++
			if s.Lo <= -0.35 && -0.35 <= s.Hi {
				held++
			}
		}
		if len(FindSteps(nights(r, 0), StepOptions{Alpha: 0.05}).Steps) > 0 {
			alarms++
		}
	}
	t.Logf("%d found, %d intervals hold, %d false alarms of %d", found, held, alarms, runs)
	if found < runs*9/10 || held < found*92/100 || alarms > runs*8/100 {
		t.Errorf("%d found, %d intervals hold, %d false alarms of %d", found, held, alarms, runs)
	}
}
