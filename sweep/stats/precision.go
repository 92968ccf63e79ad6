package stats

import "math"

// RoundsFor is how many rounds a comparison of two versions needs to see a change
// of effect, a fraction above 0, with the error rate alpha and 80 % power, when
// one sample has the standard deviation noise (of logarithms, round effects
// removed):
//
//	n = 2 noise² (z(alpha/2) + z(0.2))² / log(1 + effect)²
//
// It is the fixed design of two paired samples (Cohen 1988, section 2.3); looking
// early takes a few rounds more at worst and fewer on average.
func RoundsFor(noise, effect, alpha float64) int {
	z := (normalQuantile(alpha) + Power80) / math.Log1p(effect)
	return max(MinPairs, int(math.Ceil(2*noise*noise*z*z)))
}

// EffectOf is the change, a fraction, that so many rounds show: the other way
// round.
func EffectOf(noise float64, rounds int, alpha float64) float64 {
	return math.Expm1((normalQuantile(alpha) + Power80) * noise * math.Sqrt(2/float64(max(1, rounds))))
}

// Power80 is the normal quantile of 80 % power.
const Power80 = 0.8416212335729143
