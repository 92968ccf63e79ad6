package exports

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"unicode"

	"golang.org/x/perf/benchfmt"

	"versweep/sweep"
)

// GoBenchmark writes a sweep in Go's benchmark format: a line for each sample
// that did not fail, then which direction of each unit is better. Units are the
// keys of the metrics. The A/A twin is left out. benchstat compares versions
// with -col /version.
func GoBenchmark(w io.Writer, sw sweep.Sweep) error {
	metrics, config := sw.Plan.AllMetrics(), goConfig(sw)
	out := benchfmt.NewWriter(w)
	known := map[string]bool{}
	for _, s := range sw.Samples {
		if s.Twin || s.Status == sweep.Failed {
			continue
		}
		res := &benchfmt.Result{Config: config, Name: benchfmt.Name(benchmarkName(sw.Plan, s.Version)), Iters: 1}
		if s.Load != nil && s.Load.OK > 0 {
			res.Iters = int(s.Load.OK)
		}
		for _, m := range metrics {
			if v, ok := s.Values[m.Key]; ok && finite(v) {
				known[m.Key] = true
				res.Values = append(res.Values, benchfmt.Value{Value: v, Unit: word(m.Key)})
			}
		}
		if len(res.Values) == 0 {
			continue
		}
		if err := out.Write(res); err != nil {
			return fmt.Errorf("writing Go benchmarks: %w", err)
		}
	}
	for _, m := range metrics {
		if !known[m.Key] {
			continue
		}
		unit := &benchfmt.UnitMetadata{
			UnitMetadataKey: benchfmt.UnitMetadataKey{Unit: word(m.Key), Key: "better"}, OrigUnit: word(m.Key), Value: string(m.Better),
		}
		if err := out.Write(unit); err != nil {
			return fmt.Errorf("writing Go benchmarks: %w", err)
		}
	}
	return nil
}

// benchmarkName ends in a number of connections, or where another tool measured
// under a number that is unknown, in the load's name and that tool's format: a
// version such as 18.11.0-3310705323 at the end would be taken for one and a
// count of CPUs.
func benchmarkName(p sweep.Plan, version string) string {
	target := []rune(word(p.Target))
	if len(target) > 0 {
		target[0] = unicode.ToUpper(target[0])
	}
	name := string(target) + "/version=" + word(version)
	if p.Profile.Connections > 0 {
		return fmt.Sprintf("%s/connections=%d", name, p.Profile.Connections)
	}
	if p.Profile.Label != "" {
		name += "/load=" + word(p.Profile.Label)
	}
	return name + "/source=" + word(cmp.Or(p.Source, "unknown"))
}

// word makes a text one part of a benchmark's name.
func word(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '/' || !unicode.IsPrint(r) {
			return '_'
		}
		return r
	}, text)
}

// goConfig says what the samples were taken on. benchstat keeps results of
// different configurations apart.
func goConfig(sw sweep.Sweep) []benchfmt.Config {
	var out []benchfmt.Config
	for _, c := range [][2]string{
		{"target", sw.Plan.Target}, {"cpu", sw.Environment.CPU}, {"launcher", sw.Environment.Launcher}, {"environment", sw.Environment.Hash()},
	} {
		if value := sweep.Printable(strings.Join(strings.Fields(c[1]), " ")); value != "" {
			out = append(out, benchfmt.Config{Key: c[0], Value: []byte(value), File: true})
		}
	}
	return out
}
