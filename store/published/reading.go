package published

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"versweep/sweep"
)

// header is the first line of every NAME.csv.
const header = "target,profile,environment,version,round,metric,value,unit"

// read reads NAME.json and NAME.csv and holds them against each other: every
// name that one uses is in the other, every figure is finite and given once, and
// every version without a figure has a reason.
func read(files fs.FS, name string) (Dataset, error) {
	d := Dataset{Name: name}
	about, err := fs.ReadFile(files, name+".json")
	if err != nil {
		return Dataset{}, fmt.Errorf("reading published figures: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(about))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&d); err != nil {
		return Dataset{}, fmt.Errorf("reading published figures: %s.json: %w", name, err)
	}
	figures, err := fs.ReadFile(files, name+".csv")
	if err != nil {
		return Dataset{}, fmt.Errorf("reading published figures: %w", err)
	}
	if d.Rows, err = readRows(figures); err != nil {
		return Dataset{}, fmt.Errorf("reading published figures: %s.csv: %w", name, err)
	}
	if err := d.check(); err != nil {
		return Dataset{}, fmt.Errorf("reading published figures: %s: %w", name, err)
	}
	return d, nil
}

func readRows(text []byte) ([]Row, error) {
	r := csv.NewReader(bytes.NewReader(text))
	first, err := r.Read()
	if err != nil {
		return nil, err
	}
	if got := strings.Join(first, ","); got != header {
		return nil, fmt.Errorf("line 1: columns %q, not %q", got, header)
	}
	var rows []Row
	for {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, err
		}
		line, _ := r.FieldPos(0)
		row := Row{Target: cells[0], Profile: cells[1], Environment: cells[2], Version: cells[3], Metric: cells[5], Unit: cells[7]}
		if row.Round, err = strconv.Atoi(cells[4]); err != nil || row.Round < 1 {
			return nil, fmt.Errorf("line %d: round %q: not a number from 1", line, cells[4])
		}
		if cells[6] != "" {
			row.Value, err = strconv.ParseFloat(cells[6], 64)
			if err != nil || math.IsNaN(row.Value) || math.IsInf(row.Value, 0) {
				return nil, fmt.Errorf("line %d: value %q: not a number", line, cells[6])
			}
			row.Known = true
		}
		rows = append(rows, row)
	}
}

// place is where a figure stands; there is one for each.
type place struct {
	target, profile, environment, version string
	round                                 int
	metric                                string
}

func (d Dataset) check() error {
	if d.Title == "" || d.Source == "" {
		return errors.New("it needs a title and a source")
	}
	if d.Date != "" && !isDate(d.Date) {
		return fmt.Errorf("date %q: not as 2011-05-16 or 2014-05", d.Date)
	}
	seen := map[place]bool{}
	used := map[string]bool{}
	for i, row := range d.Rows {
		if err := d.checkRow(row); err != nil {
			return fmt.Errorf("row %d: %w", i+1, err)
		}
		at := place{row.Target, row.Profile, row.Environment, row.Version, row.Round, row.Metric}
		if seen[at] {
			return fmt.Errorf("row %d: the same place as an earlier one", i+1)
		}
		seen[at] = true
		for _, name := range []string{row.Target, row.Profile, row.Environment, row.Metric} {
			used[name] = true
		}
	}
	for _, name := range slices.Concat(slices.Collect(maps.Keys(d.Systems)), slices.Collect(maps.Keys(d.Profiles)), slices.Collect(maps.Keys(d.Environments))) {
		if !used[name] {
			return fmt.Errorf("no row has %q", name)
		}
	}
	for _, m := range d.Metrics {
		_, known := sweep.MetricByKey(m.Key)
		switch {
		case known:
			return fmt.Errorf("metric %s is described already", m.Key)
		case !used[m.Key]:
			return fmt.Errorf("no row has metric %s", m.Key)
		case m.Title == "" || m.Unit == "" || m.Better != sweep.Higher && m.Better != sweep.Lower:
			return fmt.Errorf("metric %s needs title, unit and direction", m.Key)
		}
	}
	return d.checkUnknown()
}

func (d Dataset) checkRow(row Row) error {
	m, ok := d.Metric(row.Metric)
	switch {
	case !ok:
		return fmt.Errorf("metric %q is not described", row.Metric)
	case m.Unit != row.Unit:
		return fmt.Errorf("metric %s in %q, not in %q", row.Metric, row.Unit, m.Unit)
	case d.Systems[row.Target].Title == "":
		return fmt.Errorf("system %q is not described", row.Target)
	case d.Profiles[row.Profile] == "":
		return fmt.Errorf("profile %q is not described", row.Profile)
	case d.Environments[row.Environment].Name == "":
		return fmt.Errorf("environment %q is not described", row.Environment)
	case row.Version != "":
		if _, err := sweep.ParseVersion(row.Version, d.Systems[row.Target].Line); err != nil {
			return fmt.Errorf("version %q: %w", row.Version, err)
		}
	}
	return nil
}

// checkUnknown makes sure that a version has a reason just when it has no figure
// under any profile or in any environment that its rows name.
func (d Dataset) checkUnknown() error {
	figures := map[place]int{} // of each sample to be
	for _, row := range d.Rows {
		at := place{target: row.Target, profile: row.Profile, environment: row.Environment, version: row.Version}
		n := 0
		if row.Known {
			n = 1
		}
		figures[at] += n
	}
	without := map[[2]string]bool{}
	for at, n := range figures {
		reason := d.reason(at.target, at.version)
		switch {
		case n == 0 && reason == "":
			return fmt.Errorf("%s %s has no figure under %s, and no reason for that", at.target, at.version, at.profile)
		case n > 0 && reason != "":
			return fmt.Errorf("%s %s has figures and a reason why not", at.target, at.version)
		}
		without[[2]string{at.target, at.version}] = n == 0
	}
	for _, u := range d.Unknown {
		for _, v := range u.Versions {
			if !without[[2]string{u.System, v}] {
				return fmt.Errorf("no row has %s %s, which is to be unknown", u.System, v)
			}
		}
	}
	return nil
}

// reason is why a version has no figure; empty when it has some.
func (d Dataset) reason(target, version string) string {
	for _, u := range d.Unknown {
		if u.System == target && slices.Contains(u.Versions, version) {
			return u.Reason
		}
	}
	return ""
}

// Metric finds a metric by its key, the dataset's own included.
func (d Dataset) Metric(key string) (sweep.Metric, bool) {
	for _, m := range d.Metrics {
		if m.Key == key {
			return m, true
		}
	}
	return sweep.MetricByKey(key)
}

var dateLayouts = []string{"2006-01-02", "2006-01"}

func isDate(text string) bool {
	return slices.ContainsFunc(dateLayouts, func(layout string) bool {
		_, err := time.Parse(layout, text)
		return err == nil
	})
}
