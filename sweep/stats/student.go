package stats

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// student is the two-sided tail of Student's t with df degrees of freedom: the
// probability of a value at least as far from 0 as t. df is above 0 and may be
// infinite.
//
// P(|T| >= t) = I_x(df/2, 1/2) with x = df/(df + t²) and I the regularized
// incomplete beta function (Abramowitz & Stegun 26.7.1).
func student(t, df float64) float64 {
	if df > normalDF {
		return math.Erfc(math.Abs(t) / math.Sqrt2)
	}
	if math.IsInf(t, 0) {
		return 0
	}
	return mathext.RegIncBeta(df/2, 0.5, df/(df+t*t))
}

// studentQuantile is the t that student gives the level to, 0 < level < 1.
//
// It is found by Newton's method on the logarithms of both, between which the
// tail is concave, so the method cannot run away. (mathext.InvRegIncBeta takes
// ten times as long, which judging a sweep would feel.)
func studentQuantile(level, df float64) float64 {
	t := normalQuantile(level)
	if df > normalDF {
		return t
	}
	a, _ := math.Lgamma((df + 1) / 2)
	b, _ := math.Lgamma(df / 2)
	scale := math.Exp(a-b) / math.Sqrt(df*math.Pi)
	for range 100 {
		tail := student(t, df)
		density := scale * math.Pow(1+t*t/df, -(df+1)/2)
		step := math.Log(tail/level) * tail / (2 * density * t)
		t *= math.Exp(step)
		if math.Abs(step) < 1e-9 {
			break
		}
	}
	return t
}

// normalQuantile is the z that a standard normal value is at least as far from
// 0 as with the probability level.
func normalQuantile(level float64) float64 {
	return -mathext.NormalQuantile(level / 2)
}

// normalDF is where Student's t and the normal distribution agree to six digits.
const normalDF = 1e7
