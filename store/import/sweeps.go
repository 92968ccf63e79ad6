package imports

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"versweep/sweep"
	"versweep/sweep/load"
)

// Report is the runs of one file.
type Report struct {
	File     string // base name, kept as the origin of the numbers
	Digest   string // of its content
	Version  string // what was measured, where the file does not say; may be empty
	Readings []Reading
}

// ReadReport reads a file's content as Read does. What else is in it is told in a
// note of the first reading.
func ReadReport(format, file string, content []byte) (Report, error) {
	readings, err := Read(format, bytes.NewReader(content), Options{})
	if err == nil {
		for _, other := range besides(format, content) {
			readings[0].notef("line %d looks like a report of %s, which is not read", other.line, other.format)
		}
	}
	return Report{File: file, Digest: digestOf(content), Readings: readings}, err
}

func digestOf(content []byte) string {
	sum := sha256.Sum256(content)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// SweepOptions say what reports leave open.
type SweepOptions struct {
	Target string // must be given

	// Profile and Environment are what load and machine are called. Where they
	// are empty, the load is told by what the report says of it, and the machine
	// is the one that it names.
	Profile, Environment string

	Line   sweep.LineBy            // sweep.LineByMajor when empty
	Order  Order                   // OrderAuto when empty
	Better map[string]sweep.Better // directions of metrics that are not in sweep.Metrics, by key
}

// VersionError says that a report does not tell which version it measured.
type VersionError struct {
	File  string
	Label string // of the run; empty when the report has none
}

func (e *VersionError) Error() string {
	if e.Label == "" {
		return fmt.Sprintf("%s does not say which version was measured", e.File)
	}
	return fmt.Sprintf("%s does not say which version of %q was measured", e.File, e.Label)
}

// Sweeps makes a sweep of each load and machine in reports, in the order in which
// they appear: runs under another number of connections, at another rate or of
// another benchmark are another load. Runs of one version under one load are
// samples of it without pairs. The sweeps have no IDs and no times yet.
//
// It fails with a *VersionError, or with a *CSVError when names or directions
// are at fault.
func Sweeps(reports []Report, o SweepOptions) ([]sweep.Sweep, error) {
	for _, f := range []struct{ what, name string }{{"target", o.Target}, {"profile", o.Profile}, {"environment", o.Environment}} {
		if _, err := csvName(f.name); err != nil {
			return nil, &CSVError{Why: fmt.Sprintf("--%s: %v", f.what, err), Options: true}
		}
	}
	namer := newCSVFile(CSVOptions{Line: o.Line}, "")
	groups := map[groupName]*group{}
	var order []*group
	several := severalLoads(reports)
	for _, report := range reports {
		for _, r := range report.Readings {
			name := groupName{r.Format, o.profile(r, several), o.environment(r)}
			g, ok := groups[name]
			if !ok {
				g = &group{groupName: name, versions: &csvSeries{versionAt: map[string]int{}}, metrics: map[string]sweep.Metric{}}
				groups[name] = g
				order = append(order, g)
			}
			if err := g.add(namer, report, r); err != nil {
				return nil, err
			}
		}
	}
	if err := turn(order, o.Better); err != nil {
		return nil, err
	}
	var sweeps []sweep.Sweep
	for _, g := range order {
		sw, err := g.sweep(o.Target, o.Order)
		if err != nil {
			return nil, err
		}
		sweeps = append(sweeps, sw)
	}
	return sweeps, nil
}

// severalLoads tells whether reports hold more than one load.
func severalLoads(reports []Report) bool {
	loads := map[string]bool{}
	for _, report := range reports {
		for _, r := range report.Readings {
			loads[r.load()] = true
		}
	}
	return len(loads) > 1
}

// profile is what the load of a reading is called.
func (o SweepOptions) profile(r Reading, several bool) string {
	switch {
	case o.Profile == "":
		return r.load()
	case several:
		return strings.TrimSpace(o.Profile + " " + r.load())
	}
	return o.Profile
}

func (o SweepOptions) environment(r Reading) string {
	if o.Environment != "" {
		return o.Environment
	}
	return nameOf(r.Attributes["cpu"])
}

// load is what a reading says of the load: "c=100 rate=5000", or the name of the
// benchmark without its version.
func (r Reading) load() string {
	if r.Attributes != nil {
		name := r.Label
		if v := r.Attributes["version"]; v != "" {
			name = strings.Replace(name, "/version="+v, "", 1)
		}
		return nameOf(strings.TrimSpace(r.Attributes["suite"] + " " + name))
	}
	var parts []string
	if r.Connections > 0 {
		parts = append(parts, "c="+strconv.Itoa(r.Connections))
	}
	if r.Offered > 0 {
		parts = append(parts, "rate="+strconv.FormatFloat(r.Offered, 'f', -1, 64))
	}
	return strings.Join(parts, " ")
}

// nameOf makes a name of what a report says. A long one is cut, and ends in a hash
// that keeps it apart from others.
func nameOf(text string) string {
	name := strings.Join(strings.Fields(text), " ")
	if len(name) > csvNameBytes {
		sum := sha256.Sum256([]byte(name))
		name = strings.ToValidUTF8(name[:csvNameBytes-20], "") + "… " + hex.EncodeToString(sum[:4])
	}
	return strings.Map(func(r rune) rune {
		if unprintable(r) {
			return -1
		}
		return r
	}, name)
}

type groupName struct{ format, profile, environment string }

// group is what becomes one sweep.
type group struct {
	groupName
	versions *csvSeries
	samples  []csvSample
	metrics  map[string]sweep.Metric // that are not in sweep.Metrics
	files    []string
	digests  []string
}

// add takes in one run.
func (g *group) add(namer *csvFile, report Report, r Reading) error {
	name := r.Attributes["version"]
	if name == "" {
		name = report.Version
	}
	if name == "" {
		name = r.Attributes["commit"]
	}
	if name == "" {
		return &VersionError{File: report.File, Label: r.Label}
	}
	version, err := namer.addVersion(g.versions, name, r.Line)
	if err != nil {
		return &CSVError{Line: r.Line, Why: err.Error()}
	}
	s := csvSample{version: version}
	s.Values, s.Status = r.Values, sweep.OK
	switch share := r.Values[sweep.ErrorShare]; {
	case r.Failed:
		s.Status, s.Reason = sweep.Failed, r.Reason
	case len(r.Values) == 0:
		s.Status, s.Reason = sweep.Failed, noValue
	case share > 0:
		s.Status, s.Reason = sweep.Degraded, fmt.Sprintf("%.2g %% of the requests failed (%s)", 100*share, r.Errors)
	}
	g.samples = append(g.samples, s)
	for _, m := range r.Metrics {
		g.metrics[m.Key] = m
	}
	if digest := report.Digest + " " + report.Version; !slices.Contains(g.digests, digest) {
		g.files, g.digests = append(g.files, report.File), append(g.digests, digest)
	}
	return nil
}

// turn gives metrics the directions that were asked for.
func turn(groups []*group, better map[string]sweep.Better) error {
	for _, key := range slices.Sorted(maps.Keys(better)) {
		found := false
		for _, g := range groups {
			if m, ok := g.metrics[key]; ok {
				m.Better, found = better[key], true
				g.metrics[key] = m
			}
		}
		if !found {
			return &CSVError{Why: fmt.Sprintf("--better: there is no metric %s whose direction is open", csvQuote(key)), Options: true}
		}
	}
	return nil
}

// sweep makes the group's sweep.
func (g *group) sweep(target string, o Order) (sweep.Sweep, error) {
	ordered, place, listed, err := g.versions.order(o)
	if err != nil {
		return sweep.Sweep{}, err
	}
	for i := range ordered {
		ordered[i].Source = g.format
	}
	slices.Sort(g.digests)
	file := g.files[0]
	if more := len(g.files) - 1; more > 0 {
		file = fmt.Sprintf("%s and %d more", file, more)
	}
	sw := sweep.Sweep{
		Plan: sweep.Plan{
			Target: target, Source: g.format, Versions: ordered,
			Profile: load.Profile{Shape: load.ShapeForeign, Label: g.profile},
			Foreign: &sweep.Foreign{
				Format: g.format, File: file, Digest: digestOf([]byte(strings.Join(g.digests, "\n"))), Profile: g.profile, Listed: listed,
			},
		},
		Environment: sweep.Environment{Name: g.environment},
	}
	for _, key := range sortedKeys(g.metrics) {
		sw.Plan.Foreign.Metrics = append(sw.Plan.Foreign.Metrics, g.metrics[key])
	}
	rounds := make([]int, len(ordered))
	for _, s := range g.samples {
		at := place[s.version]
		rounds[at]++
		s.Version, s.Round, s.Position = ordered[at].Name, rounds[at], at
		sw.Samples = append(sw.Samples, s.Sample)
	}
	slices.SortStableFunc(sw.Samples, func(a, b sweep.Sample) int { return a.Round - b.Round })
	sw.Plan.Rounds = slices.Max(rounds)
	sw.Plan.Foreign.Unpaired = sw.Plan.Rounds > 1
	return sw, nil
}
