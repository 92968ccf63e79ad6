package charts

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"

	"versweep/sweep"
	"versweep/sweep/stats"
)

// Scatter draws every sample of sw in the order in which it was taken: rounds
// from left to right, within a round by its place in the shuffled order. So
// drift shows as a slope, and a round that was disturbed as a column out of
// line.
//
// Up to six versions, the reference's A/A twin counted as one, have a colour
// and shape each. Of more, every sample is shown as its difference from its
// own version's median, so that all can be seen on one scale, with the
// reference marked and a line through the rounds' medians. A metric that can
// be zero has no such difference and is drawn as it is. The y axis does not
// begin at zero, and says so: drift is small.
//
// It returns an error that wraps ErrNothingToDraw when no sample has a figure.
func Scatter(w io.Writer, sw sweep.Sweep, m sweep.Metric, o Options) error {
	o, err := o.withDefaults()
	if err != nil {
		return err
	}
	f, err := scatterFrame(sw, m, o)
	if err != nil {
		return err
	}
	if err := f.layout(o.size()); err != nil {
		return err
	}
	if err := render(w, o, f.draw); err != nil {
		return fmt.Errorf("drawing the samples of %s: %w", Printable(sw.Plan.Target), err)
	}
	return nil
}

// cloud is the samples of one series of a scatter; that of samples of versions
// without any figure has no title.
type cloud struct {
	title string
	list  []point
}

const (
	markedSamples  = "in doubt: requests failed, or machine or load engine spoilt it"
	relativeHeight = "from its version's median (%)"
)

func scatterFrame(sw sweep.Sweep, m sweep.Metric, o Options) (*frame, error) {
	rounds := roundsOf(sw)
	medians := sampleMedians(sw, m)
	relative := len(medians) > maxSeries
	for _, v := range medians {
		relative = relative && v > 0
	}
	clouds := cloudsOf(sw, m, medians, relative, o.LogY && !relative, rounds)
	var lists [][]point
	for _, c := range clouds {
		lists = append(lists, c.list)
	}
	log := o.LogY && !relative
	lo, hi, ok := rangeOf(log, lists...)
	t := sweep.NewTable(sw)
	if !ok {
		return nil, fmt.Errorf("%w: none of the %s of %s has a figure for %s",
			ErrNothingToDraw, count(int64(len(sw.Samples)), "sample"), targetTitle(t), withinSentence(m.Title))
	}
	y := zoomedAxis(lo, hi, yTicks)
	switch {
	case log:
		y = logAxis(lo, hi, yTicks)
	case relative:
		y = linearAxis(lo, hi, yTicks)
	}

	f := newFrame(o.Theme.look())
	f.title = heading(t, m) + " of every sample"
	f.captions = []string{loadCaption(t), machineCaption(t.Environment)}
	names := make([]string, len(rounds))
	bands := make([]releaseLine, len(rounds))
	for number, r := range rounds {
		names[r.index] = strconv.Itoa(number)
		bands[r.index].interval = interval{r.index, r.index + 1}
	}
	title := metricTitle(m, y)
	if relative {
		title = Printable(m.Title) + ", " + relativeHeight
	}
	p := f.addPanel(nameAxis(names, "Round, within it in the order of sampling"), y, title)
	p.plot.Add(lineBands{lines: bands, look: f.theme, face: f.labelFace, unnamed: true}, gridLines{ticks: y.ticks, look: f.theme})
	for i, c := range clouds {
		marks := points{list: c.list, look: f.theme, series: i, of: len(clouds)}
		switch {
		case c.title == "":
			marks.ink = f.theme.ink
		case relative && i == 0:
			marks.ink = f.theme.reference
		}
		p.plot.Add(marks)
		if c.title == "" {
			continue
		}
		f.legend = append(f.legend, legendEntry{fitLabel(c.title, maxTitleWidth, f.captionFace), marks.sample})
	}
	if relative {
		middle := points{list: roundMedians(lists, len(rounds)), joined: true, bare: true, look: f.theme, ink: f.theme.ink, of: 1}
		p.plot.Add(middle)
		f.legend = append(f.legend, legendEntry{"median of the round", middle.sample})
	}
	for _, e := range footLegend(f.theme, lists...) {
		if e.text == degradedText {
			e.text = markedSamples
		}
		f.legend = append(f.legend, e)
	}
	return f, nil
}

// scatterRound is the place of a round on the x axis.
type scatterRound struct {
	index  int // from 0
	places int // for samples within it
}

// roundsOf are the rounds that have samples, by number.
func roundsOf(sw sweep.Sweep) map[int]scatterRound {
	rounds := map[int]scatterRound{}
	for _, s := range sw.Samples {
		r := rounds[s.Round]
		r.places = max(r.places, s.Position+1)
		rounds[s.Round] = r
	}
	for i, number := range slices.Sorted(maps.Keys(rounds)) {
		r := rounds[number]
		r.index = i
		rounds[number] = r
	}
	return rounds
}

// sampleMedians is the median of each version's samples, by name, and of the
// twin's by twinLabel.
func sampleMedians(sw sweep.Sweep, m sweep.Metric) map[string]float64 {
	values := map[string][]float64{}
	for _, s := range sw.Samples {
		if v, ok := s.Values[m.Key]; ok && s.Status != sweep.Failed && drawable(v) {
			values[cloudName(s)] = append(values[cloudName(s)], v)
		}
	}
	medians := map[string]float64{}
	for name, vs := range values {
		medians[name] = stats.Median(vs)
	}
	return medians
}

func cloudName(s sweep.Sample) string {
	if s.Twin {
		return twinLabel
	}
	return s.Version
}

// cloudsOf sorts samples into series, in version order: one a version, or
// when relative all but the reference's, and those.
func cloudsOf(sw sweep.Sweep, m sweep.Metric, medians map[string]float64, relative, log bool, rounds map[int]scatterRound) []cloud {
	var clouds []cloud
	at := map[string]int{}
	add := func(name, title string) {
		at[name] = len(clouds)
		clouds = append(clouds, cloud{title: title})
	}
	reference := sw.Plan.Reference
	switch {
	case relative:
		add("", "a sample")
		if _, ok := medians[reference]; ok {
			add(reference, "of the reference "+reference)
		}
	case len(medians) > maxSeries:
		add("", "a sample")
	default:
		for _, v := range sw.Plan.Versions {
			if _, ok := medians[v.Name]; ok {
				add(v.Name, v.Name)
			}
		}
		if _, ok := medians[twinLabel]; ok {
			add(twinLabel, twinLabel)
		}
	}
	shown := displayOf(m)
	for _, s := range sw.Samples {
		name := cloudName(s)
		if relative && s.Twin {
			name = reference
		}
		i, ok := at[name]
		if !ok {
			i, ok = at[""]
		}
		if !ok {
			add("", "")
			i = at[""]
		}
		r := rounds[s.Round]
		x := float64(r.index) - 0.5 + (float64(s.Position)+0.5)/float64(max(r.places, 1))
		v, known := s.Values[m.Key]
		if !known {
			v = math.NaN()
		}
		q := newPoint(x, v*shown.factor, log)
		if relative {
			q = newPoint(x, 100*(v/medians[cloudName(s)]-1), false)
		}
		switch {
		case s.Status == sweep.Failed:
			q.kind = markFailed
		case q.hasFigure() && (s.Status == sweep.Degraded || !s.Bears(m.Key) || s.Load != nil && s.Load.ClientBound):
			q.kind = markDegraded
		}
		clouds[i].list = append(clouds[i].list, q)
	}
	return clouds
}

// roundMedians is the median of each round that has samples.
func roundMedians(lists [][]point, rounds int) []point {
	values := make([][]float64, rounds)
	for _, list := range lists {
		for _, q := range list {
			if round := int(math.Floor(q.x + 0.5)); q.hasFigure() && round >= 0 && round < rounds {
				values[round] = append(values[round], q.y)
			}
		}
	}
	var list []point
	for round, vs := range values {
		if len(vs) > 0 {
			list = append(list, newPoint(float64(round), stats.Median(vs), false))
		}
	}
	return list
}
