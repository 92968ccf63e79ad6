package imports

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"versweep/sweep"
)

// csvFile gathers what is in a file, before the numbers are read: which sign is
// the decimal one is known at the end only.
type csvFile struct {
	options CSVOptions
	digest  string

	decimals csvDecimals
	metrics  []*csvMetric
	metricAt map[string]int // by key
	series   []*csvSeries
	seriesAt map[csvSeriesName]int
	values   []csvValue
}

// csvMetric is a metric of the file.
type csvMetric struct {
	sweep.Metric
	own     bool // not in sweep.Metrics
	settled bool // its unit is known
	convert map[string]csvConverter
}

type csvSeriesName struct{ target, profile, environment string }

// csvSeries is what becomes one sweep.
type csvSeries struct {
	csvSeriesName
	versions  []sweep.Version // as they first stand in the file
	lines     []int           // in which they do
	versionAt map[string]int  // by name
	parsed    int             // how many names are versions
	rounds    bool            // some row has a round
}

// csvValue is a cell with a figure, or with nothing in it.
type csvValue struct {
	line    int
	series  int
	version int
	round   int // as the file has it; -1 when it does not say
	metric  int
	text    string // empty when unknown
	times   csvConverter
}

func newCSVFile(o CSVOptions, digest string) *csvFile {
	if o.Line == "" {
		o.Line = sweep.LineByMajor
	}
	return &csvFile{options: o, digest: digest, metricAt: map[string]int{}, seriesAt: map[csvSeriesName]int{}}
}

// read reads all rows.
func (f *csvFile) read(t *csvText) error {
	f.decimals.pointLeads = t.comma != ';'
	header, line, err := t.next()
	if err != nil {
		return err
	}
	columns, err := newCSVColumns(slices.Clone(header), line)
	if err != nil {
		return err
	}
	for rows := 0; ; rows++ {
		row, line, err := t.next()
		if errors.Is(err, io.EOF) && rows == 0 {
			return &CSVError{Why: "there is no row below the header"}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if rows == csvRows {
			return &CSVError{Line: line, Why: "more than 1,000,000 rows", Hint: "import it in parts, a target or a year each"}
		}
		if err := columns.fit(row, line); err != nil {
			return err
		}
		if err := f.addRow(columns, row, line); err != nil {
			return csvAtLine(line, err)
		}
	}
}

// csvAtLine makes a *CSVError of an error about a line.
func csvAtLine(line int, err error) error {
	e, ok := errors.AsType[*CSVError](err)
	if !ok {
		return &CSVError{Line: line, Why: err.Error()}
	}
	e.Line = line
	return e
}

func (f *csvFile) addRow(c csvColumns, row []string, line int) error {
	series, err := f.addSeries(c, row)
	if err != nil {
		return err
	}
	version, err := f.addVersion(f.series[series], row[c.version], line)
	if err != nil {
		return err
	}
	v := csvValue{line: line, series: series, version: version}
	if v.round, err = csvRound(csvCell(row, c.round)); err != nil {
		return err
	}
	if v.round >= 0 {
		f.series[series].rounds = true
	}
	if c.long() {
		unit, err := csvName(csvCell(row, c.unit))
		if err != nil {
			return fmt.Errorf("unit %w", err)
		}
		return f.addValue(v, row[c.metric], row[c.value], unit)
	}
	for _, m := range c.metrics {
		if err := f.addValue(v, m.key, row[m.at], ""); err != nil {
			return err
		}
	}
	return nil
}

// addSeries finds the series of a row, making it when it is new.
func (f *csvFile) addSeries(c csvColumns, row []string) (int, error) {
	var n csvSeriesName
	for _, part := range []struct {
		what   string
		column int
		flag   string
		name   *string
	}{
		{"target", c.target, f.options.Target, &n.target},
		{"profile", c.profile, f.options.Profile, &n.profile},
		{"environment", c.environment, f.options.Environment, &n.environment},
	} {
		name, err := csvName(csvCell(row, part.column))
		if err != nil {
			return 0, fmt.Errorf("%s %w", part.what, err)
		}
		if name != "" && part.flag != "" && name != part.flag {
			return 0, &CSVError{
				Why:  fmt.Sprintf("the %s is %s, and --%s says %s", part.what, csvQuote(name), part.what, csvQuote(part.flag)),
				Hint: "leave the flag out, or the column", Options: true,
			}
		}
		if *part.name = name; name == "" {
			*part.name = part.flag
		}
	}
	if n.target == "" {
		return 0, &CSVError{Why: "no target is named", Hint: "--target NAME names it", Options: true}
	}
	if at, ok := f.seriesAt[n]; ok {
		return at, nil
	}
	if len(f.series) == csvSweeps {
		return 0, fmt.Errorf("more than %d combinations of target, profile and environment", csvSweeps)
	}
	// Cells are pieces of their whole row, which is not to be kept.
	n = csvSeriesName{strings.Clone(n.target), strings.Clone(n.profile), strings.Clone(n.environment)}
	f.series = append(f.series, &csvSeries{csvSeriesName: n, versionAt: map[string]int{}})
	f.seriesAt[n] = len(f.series) - 1
	return len(f.series) - 1, nil
}

// addVersion finds a version of a series, adding it when it is new.
func (f *csvFile) addVersion(s *csvSeries, cell string, line int) (int, error) {
	raw, err := csvName(cell)
	if err != nil {
		return 0, fmt.Errorf("version %w", err)
	}
	if raw == "" {
		return 0, errors.New("no version is named")
	}
	if at, ok := s.versionAt[raw]; ok {
		return at, nil
	}
	raw = strings.Clone(raw)
	v, err := sweep.ParseVersion(raw, f.options.Line)
	if err != nil {
		v = sweep.Version{Name: raw, Raw: raw}
	}
	v.Source = csvFormat
	if at, ok := s.versionAt[v.Name]; ok { // v1.0 beside 1.0
		return at, nil
	}
	if len(s.versions) == csvVersions {
		return 0, fmt.Errorf("more than %d versions of %s", csvVersions, csvQuote(s.target))
	}
	if err == nil {
		s.parsed++
	}
	at := len(s.versions)
	s.versions, s.lines = append(s.versions, v), append(s.lines, line)
	s.versionAt[v.Name], s.versionAt[raw] = at, at
	return at, nil
}

// csvRound reads the number of a round; -1 when it is unknown.
func csvRound(cell string) (int, error) {
	if csvUnknown(cell) {
		return -1, nil
	}
	n, err := strconv.Atoi(cell)
	if err != nil || n < 0 || n > csvHighestRound {
		return 0, fmt.Errorf("round %s is not a number from 1 to %d", csvQuote(cell), csvHighestRound)
	}
	return n, nil
}

// csvUnknown tells whether a cell says that there is no value.
func csvUnknown(cell string) bool {
	switch strings.ToLower(cell) {
	case "", "-", "–", "—", "na", "n/a", "null":
		return true
	}
	return false
}

// addValue adds a cell of figures, text as the file has it.
func (f *csvFile) addValue(v csvValue, key, text, unit string) error {
	at, err := f.addMetric(key)
	if err != nil {
		return err
	}
	m := f.metrics[at]
	v.metric = at
	if !csvUnknown(text) {
		if number, ok := strings.CutSuffix(text, "%"); ok && number != "" {
			if unit != "" && unit != "%" {
				return fmt.Errorf("%s is in per cent, its unit %s is not", csvQuote(text), csvQuote(unit))
			}
			text, unit = number, "%"
		}
		if v.times, err = m.in(unit); err != nil {
			return err
		}
		v.text = strings.Clone(text) // not the whole row
		f.decimals.add(v.line, v.text)
	}
	if len(f.values) == csvValues {
		return fmt.Errorf("more than %d figures", csvValues)
	}
	f.values = append(f.values, v)
	return nil
}

// addMetric finds a metric of the file, adding it when it is new. Those that
// versweep knows are found whatever their case.
func (f *csvFile) addMetric(cell string) (int, error) {
	if at, ok := f.metricAt[cell]; ok {
		return at, nil
	}
	key, err := csvName(cell)
	if err != nil {
		return 0, fmt.Errorf("metric %w", err)
	}
	if key == "" {
		return 0, errors.New("no metric is named")
	}
	known, ok := sweep.MetricByKey(strings.ToLower(key))
	m := &csvMetric{Metric: known, settled: ok, own: !ok, convert: map[string]csvConverter{}}
	if !ok {
		key = strings.Clone(key)
		m.Metric = sweep.Metric{Key: key, Title: key}
	}
	better, told := f.options.Better[m.Key]
	switch {
	case m.own && told:
		m.Better = better
	case told && better != m.Better:
		return 0, &CSVError{Why: fmt.Sprintf("--better: of %s %s is better, always", m.Key, m.Better), Options: true}
	}
	at := slices.IndexFunc(f.metrics, func(have *csvMetric) bool { return have.Key == m.Key })
	if at < 0 {
		if len(f.metrics) == csvMetrics {
			return 0, fmt.Errorf("more than %d metrics", csvMetrics)
		}
		at = len(f.metrics)
		f.metrics = append(f.metrics, m)
	}
	f.metricAt[strings.Clone(cell)] = at
	return at, nil
}

// in finds how values in a unit become values in the metric's own, which is
// the first one for a metric that versweep does not know.
func (m *csvMetric) in(unit string) (csvConverter, error) {
	if c, ok := m.convert[unit]; ok {
		return c, nil
	}
	if !m.settled {
		m.settled = true
		if m.Unit = strings.Clone(unit); unit == "" {
			m.Unit = csvUnitOfKey(m.Key)
		}
		if m.Better == "" {
			m.Better = csvBetterOf(m.Key, m.Unit)
		}
	}
	c, ok := csvConversion(unit, m.Unit)
	switch {
	case unit == "":
		c = csvConverter{1, 1}
	case !ok:
		return c, &CSVError{
			Why:  fmt.Sprintf("the unit of %s is %s, and %s cannot be converted into it", m.Key, csvQuote(m.Unit), csvQuote(unit)),
			Hint: csvUnitsLike(m.Unit),
		}
	}
	m.convert[strings.Clone(unit)] = c
	return c, nil
}
