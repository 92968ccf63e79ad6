package stats

import (
	"math"
	"slices"
)

// noise is the shape of the noise of one sample around its level: a mixture
// of up to maxComponents normal distributions over a thin uniform floor, as a
// table of -log f. Real noise is seldom normal: a machine has two levels, or a
// neighbour that now and then takes the core. A cost that knows the shape finds
// steps that a sum of squares cannot, and is not misled by outliers.
type noise struct {
	lo, step float64   // first residual of the table and distance between entries
	table    []float64 // -log f, in nats; f is per unit of residual
	floor    float64   // -log f beyond the table
	sd       float64   // standard deviation, the floor left out
	info     float64   // Fisher information about the location
}

const (
	maxComponents = 3
	floorReach    = 20.0 // the floor reaches so many standard deviations to both sides
	tableReach    = 12.0 // beyond so many, only the floor counts
	tableStep     = 0.02 // in standard deviations
	noiseBins     = 256
	emRounds      = 30
	// leastForShape is how many residuals say more than the scale; fewer are
	// taken to have somewhat heavy tails.
	leastForShape = 40
	// leastWidth is the narrowest component, in standard deviations of the
	// whole: rounded figures repeat, and a component must not become a spike.
	leastWidth = 0.2
)

// component is a normal distribution within a mixture.
type component struct{ weight, mean, sd float64 }

// at gives -log f of a residual.
func (d *noise) at(residual float64) float64 {
	i := (residual - d.lo) / d.step
	if !(i >= 0) || i >= float64(len(d.table)-1) {
		return d.floor
	}
	k := int(i)
	w := i - float64(k)
	return d.table[k]*(1-w) + d.table[k+1]*w
}

// cost is the sum of -log f of samples around a level, each stretched by how
// calm it is.
func (d *noise) cost(ys, calm []float64, level float64) (sum float64) {
	for i, y := range ys {
		sum += d.at((y - level) * calm[i])
	}
	return sum
}

// locate is the level between lo and hi that samples cost least at.
func (d *noise) locate(ys, calm []float64, lo, hi float64, points int, tolerance float64) (level, cost float64) {
	return minimise(func(level float64) float64 { return d.cost(ys, calm, level) }, lo, hi, points, tolerance)
}

// fitNoise estimates the noise from residuals, whose scale is about sd > 0.
// floor is the weight of the uniform floor. The number of components is chosen
// by the Bayesian information criterion (Schwarz 1978), each fitted by
// expectation maximisation (Dempster, Laird & Rubin 1977) over bins, from starts
// that do not depend on chance. scale stretches the result, to make up for
// residuals that are too small by the levels that were fitted. Without shaped only
// the scale is told, as of few residuals.
func fitNoise(residuals []float64, floor, scale float64, shaped bool) *noise {
	sd := rootMeanSquare(residuals)
	robust := spreadAround(residuals, 0)
	if robust > 0 {
		sd = min(sd, 3*robust) // a few far values do not set the scale
	}
	sd = max(sd, leastNoise)
	b := binned(residuals, sd)
	best := []component{{1, 0, b.sd()}}
	bestScore := b.logLikelihood(best) - 1*math.Log(b.total)/2
	starts := [][]component{
		{{0.85, 0, 0.7 * sd}, {0.15, 0, 2.2 * sd}},
		{{0.7, 0.5 * sd, 0.5 * sd}, {0.3, -1.2 * sd, 0.6 * sd}},
		{{0.7, -0.5 * sd, 0.5 * sd}, {0.3, 1.2 * sd, 0.6 * sd}},
		{{0.65, 0.5 * sd, 0.5 * sd}, {0.28, -1.2 * sd, 0.5 * sd}, {0.07, 0, 3 * sd}},
		{{0.65, -0.5 * sd, 0.5 * sd}, {0.28, 1.2 * sd, 0.5 * sd}, {0.07, 0, 3 * sd}},
	}
	if len(residuals) < leastForShape || !shaped {
		starts = nil
		best = []component{{0.95, 0, 0.9 * b.sd()}, {0.05, 0, 2.2 * b.sd()}}
	}
	for _, start := range starts {
		fitted := b.fit(start, leastWidth*sd)
		score := b.logLikelihood(fitted) - float64(3*len(fitted)-1)*math.Log(b.total)/2
		if score > bestScore {
			best, bestScore = fitted, score
		}
	}
	for i := range best {
		best[i].mean *= scale
		best[i].sd *= scale
	}
	return newNoise(best, floor)
}

// newNoise tabulates a mixture over its floor, centred as it is.
func newNoise(mixture []component, floor float64) *noise {
	var mean, square float64
	for _, c := range mixture {
		mean += c.weight * c.mean
		square += c.weight * (c.sd*c.sd + c.mean*c.mean)
	}
	d := &noise{sd: math.Sqrt(square - mean*mean)}
	d.lo, d.step = mean-tableReach*d.sd, tableStep*d.sd
	thin := floor / (2 * floorReach * d.sd)
	d.floor = -math.Log(thin)
	entries := int(2*tableReach/tableStep) + 1
	d.table = make([]float64, entries)
	for i := range d.table {
		x := d.lo + float64(i)*d.step
		f := thin
		for _, c := range mixture {
			z := (x - c.mean) / c.sd
			f += (1 - floor) * c.weight * math.Exp(-z*z/2) / (c.sd * math.Sqrt(2*math.Pi))
		}
		d.table[i] = -math.Log(f)
	}
	for i := 1; i < entries-1; i++ {
		score := (d.table[i+1] - d.table[i-1]) / (2 * d.step)
		d.info += score * score * math.Exp(-d.table[i]) * d.step
	}
	return d
}

// bins hold residuals, so that fitting takes the same time for any number.
type bins struct {
	at    []float64
	count []float64
	total float64
}

func binned(residuals []float64, sd float64) bins {
	reach := 8 * sd
	width := 2 * reach / noiseBins
	count := make([]float64, noiseBins)
	b := bins{}
	for _, r := range residuals {
		if !(math.Abs(r) < reach) {
			continue // left to the floor
		}
		count[min(int((r+reach)/width), noiseBins-1)]++
		b.total++
	}
	for i, c := range count {
		if c > 0 {
			b.at = append(b.at, -reach+(float64(i)+0.5)*width)
			b.count = append(b.count, c)
		}
	}
	return b
}

func (b bins) sd() float64 {
	var square float64
	for i, x := range b.at {
		square += b.count[i] * x * x
	}
	return math.Sqrt(square / b.total)
}

func (b bins) logLikelihood(mixture []component) float64 {
	var sum float64
	for i, x := range b.at {
		sum += b.count[i] * math.Log(mixtureAt(mixture, x)+1e-300)
	}
	return sum
}

func mixtureAt(mixture []component, x float64) float64 {
	var f float64
	for _, c := range mixture {
		z := (x - c.mean) / c.sd
		f += c.weight * math.Exp(-z*z/2) / (c.sd * math.Sqrt(2*math.Pi))
	}
	return f
}

// fit improves a mixture by expectation maximisation; no component gets
// narrower than least.
func (b bins) fit(start []component, least float64) []component {
	mixture := slices.Clone(start)
	share := make([]float64, len(mixture))
	for range emRounds {
		type sums struct{ n, x, xx float64 }
		acc := make([]sums, len(mixture))
		for i, x := range b.at {
			var total float64
			for k, c := range mixture {
				z := (x - c.mean) / c.sd
				share[k] = c.weight * math.Exp(-z*z/2) / c.sd
				total += share[k]
			}
			if total == 0 {
				continue
			}
			for k := range mixture {
				w := b.count[i] * share[k] / total
				acc[k].n += w
				acc[k].x += w * x
				acc[k].xx += w * x * x
			}
		}
		for k := range mixture {
			a := acc[k]
			if a.n < 1e-9 {
				mixture[k].weight = 0
				continue
			}
			mean := a.x / a.n
			mixture[k] = component{a.n / b.total, mean, max(least, math.Sqrt(max(0, a.xx/a.n-mean*mean)))}
		}
	}
	return mixture
}

func rootMeanSquare(xs []float64) float64 {
	var sum float64
	for _, x := range xs {
		sum += x * x
	}
	return math.Sqrt(sum / float64(len(xs)))
}

// spreadAround is the median absolute distance from a centre, as the standard
// deviation of a normal distribution with it.
func spreadAround(xs []float64, centre float64) float64 {
	far := make([]float64, len(xs))
	for i, x := range xs {
		far[i] = math.Abs(x - centre)
	}
	return Median(far) / 0.6744897501960817
}
