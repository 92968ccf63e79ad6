package imports

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"versweep/sweep"
	"versweep/sweep/load"
)

// noValue is the reason of what the file names without a figure.
const noValue = sweep.NoFigure + " in the file"

// csvSample is a sample while it is put together.
type csvSample struct {
	sweep.Sample
	version int   // in csvSeries.versions
	metrics []int // that its cells are for
	lines   []int // in which they stand
}

// csvSlot is the place of a sample in its series.
type csvSlot struct{ series, version, round int }

// sweeps puts together what read has gathered.
func (f *csvFile) sweeps() ([]sweep.Sweep, error) {
	for _, key := range slices.Sorted(maps.Keys(f.options.Better)) {
		if !slices.ContainsFunc(f.metrics, func(m *csvMetric) bool { return m.Key == key }) {
			return nil, &CSVError{Why: fmt.Sprintf("--better: there is no metric %s in the file", csvQuote(key)), Options: true}
		}
	}
	if !slices.ContainsFunc(f.values, func(v csvValue) bool { return v.text != "" }) {
		return nil, &CSVError{Why: "there is no figure in the file"}
	}
	if err := f.number(); err != nil {
		return nil, err
	}
	samples, err := f.samples()
	if err != nil {
		return nil, err
	}
	var sweeps []sweep.Sweep
	for i, s := range f.series {
		sw, err := f.sweep(s, samples[i])
		if err != nil {
			return nil, err
		}
		sweeps = append(sweeps, sw)
	}
	return sweeps, nil
}

// number gives every value its round. Rounds that the file counts from 0 move
// up by one. In a series without rounds the second row of a version is round 2.
func (f *csvFile) number() error {
	first := 1
	for _, v := range f.values {
		if v.round == 0 {
			first = 0
		}
	}
	rows := map[csvSlot]int{} // by metric in place of a round
	for i := range f.values {
		v := &f.values[i]
		switch {
		case !f.series[v.series].rounds:
			at := csvSlot{v.series, v.version, v.metric}
			rows[at]++
			v.round = rows[at]
		case v.round >= 0:
			v.round += 1 - first
		case v.text != "":
			return &CSVError{Line: v.line, Why: "there is no round, as other rows have it", Hint: "rows of one round are paired; leave the column out when there are no rounds"}
		}
	}
	return nil
}

// samples reads the numbers and sorts them into samples, by series.
func (f *csvFile) samples() ([][]*csvSample, error) {
	decimal := f.options.Decimal
	if decimal == "" || decimal == DecimalAuto {
		var err error
		if decimal, err = f.decimals.decide(); err != nil {
			return nil, err
		}
	}
	out := make([][]*csvSample, len(f.series))
	at := map[csvSlot]*csvSample{}
	for _, v := range f.values {
		if v.round < 0 {
			continue // a version that was not measured
		}
		slot := csvSlot{v.series, v.version, v.round}
		s, ok := at[slot]
		if !ok {
			s = &csvSample{version: v.version}
			s.Round, s.Values = v.round, map[string]float64{}
			at[slot] = s
			out[v.series] = append(out[v.series], s)
		}
		m := f.metrics[v.metric]
		if twice := slices.Index(s.metrics, v.metric); twice >= 0 {
			return nil, &CSVError{
				Line: v.line,
				Why:  fmt.Sprintf("%s of %s in round %d stands in line %d already", m.Key, csvQuote(f.series[v.series].versions[v.version].Raw), v.round, s.lines[twice]),
			}
		}
		s.metrics, s.lines = append(s.metrics, v.metric), append(s.lines, v.line)
		if v.text == "" {
			continue
		}
		var err error
		if s.Values[m.Key], err = m.value(v, decimal); err != nil {
			return nil, csvAtLine(v.line, err)
		}
	}
	return out, nil
}

// value reads a number into the metric's unit.
func (m *csvMetric) value(v csvValue, d Decimal) (float64, error) {
	x, err := parseDecimal(v.text, d)
	if err != nil {
		return 0, &CSVError{Why: fmt.Sprintf("%s: %s is not a number", m.Key, csvQuote(v.text)), Hint: "the cell of an unknown value is empty"}
	}
	x = v.times.convert(x)
	switch {
	case x < 0:
		return 0, fmt.Errorf("%s: %s is negative", m.Key, csvQuote(v.text))
	case math.IsInf(x, 0):
		return 0, fmt.Errorf("%s: %s is too large", m.Key, csvQuote(v.text))
	case m.Key == sweep.ErrorShare && x > 1:
		return 0, &CSVError{Why: fmt.Sprintf("%s: %s is more than 1", m.Key, csvQuote(v.text)), Hint: "it is a fraction; 12% and 0.12 are the same"}
	}
	return x + 0, nil // −0 is 0
}

// sweep makes one series' sweep.
func (f *csvFile) sweep(s *csvSeries, samples []*csvSample) (sweep.Sweep, error) {
	ordered, place, listed, err := s.order(f.options.Order)
	if err != nil {
		return sweep.Sweep{}, err
	}
	has := make([]bool, len(ordered)) // a figure, by place
	inUse := map[string]bool{}
	rounds := 0
	for _, m := range samples {
		rounds = max(rounds, m.Round)
		for key := range m.Values {
			inUse[key] = true
			has[place[m.version]] = true
		}
	}
	sw := sweep.Sweep{
		Plan: sweep.Plan{
			Target: s.target, Source: csvFormat, Versions: ordered, Rounds: rounds,
			Profile: load.Profile{Shape: load.ShapeForeign, Label: s.profile},
			Foreign: &sweep.Foreign{
				Format: csvFormat, File: f.options.File, Digest: f.digest, Profile: s.profile,
				Unpaired: !s.rounds && rounds > 1, Listed: listed,
			},
		},
		Environment: sweep.Environment{Name: s.environment},
	}
	for _, m := range f.metrics {
		if m.own && inUse[m.Key] {
			sw.Plan.Foreign.Metrics = append(sw.Plan.Foreign.Metrics, m.Metric)
		}
	}
	for i, v := range ordered {
		if !has[i] {
			sw.Outcomes = append(sw.Outcomes, sweep.Outcome{Version: v.Name, Reason: noValue})
		}
	}
	slices.SortStableFunc(samples, func(a, b *csvSample) int { return cmp.Compare(a.Round, b.Round) })
	position, round := 0, 0
	for _, m := range samples {
		at := place[m.version]
		if !has[at] {
			continue
		}
		if m.Round != round {
			position, round = 0, m.Round
		}
		m.Version, m.Position = ordered[at].Name, position
		position++
		m.Status, m.Reason = f.judge(m)
		sw.Samples = append(sw.Samples, m.Sample)
	}
	return sw, nil
}

// judge says how far a sample can be trusted. A rate of 0 is no slow version but
// one that failed: nothing can be compared with it.
func (f *csvFile) judge(m *csvSample) (sweep.Status, string) {
	if len(m.Values) == 0 {
		return sweep.Failed, noValue
	}
	for _, at := range m.metrics {
		metric := f.metrics[at]
		if v, known := m.Values[metric.Key]; !known || v != 0 {
			continue
		}
		if metric.Key == sweep.QPS {
			return sweep.Failed, "throughput 0"
		}
		if metric.own && metric.Better == sweep.Higher && csvIsRate(metric.Key, metric.Unit) {
			return sweep.Failed, metric.Key + " 0"
		}
	}
	switch share := m.Values[sweep.ErrorShare]; {
	case share == 1:
		return sweep.Failed, "all requests failed"
	case share > 0:
		return sweep.Degraded, fmt.Sprintf("%.2g %% of the requests failed", 100*share)
	}
	return sweep.OK, ""
}
