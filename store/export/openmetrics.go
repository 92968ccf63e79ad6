package exports

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"versweep/sweep"
)

// OpenMetrics writes a table as OpenMetrics 1.0 text: a family of gauges for
// each metric in base units (seconds, bytes, ratios), with the median, lowest
// and highest sample of each version, and one with the number of samples.
func OpenMetrics(w io.Writer, t sweep.Table) error {
	var b bytes.Buffer
	common := labels("target", t.Target, "profile", t.Plan.Profile.Name, "environment", t.Environment.Hash())
	byMetric := map[string][]figure{}
	for _, f := range figures(t) {
		byMetric[f.metric.Key] = append(byMetric[f.metric.Key], f)
	}
	taken := map[string]bool{"versweep_samples": true}
	for _, m := range t.Plan.AllMetrics() {
		figs := byMetric[m.Key]
		name, unit, in := family(m)
		if len(figs) == 0 || taken[name] {
			continue
		}
		taken[name] = true
		header(&b, name, unit, m.Title)
		for _, f := range figs {
			for _, v := range []struct {
				statistic string
				value     float64
			}{{"median", f.Median}, {"lowest", f.Lo}, {"highest", f.Hi}} {
				fmt.Fprintf(&b, "%s{%s,%s} %s\n", name, common, labels("version", f.row.Version.Name, "statistic", v.statistic), plain(v.value/in))
			}
		}
	}
	header(&b, "versweep_samples", "", "Samples that the figures of a version rest on")
	for _, row := range t.Rows {
		fmt.Fprintf(&b, "versweep_samples{%s,%s} %d\n", common, labels("version", row.Version.Name, "status", string(row.Status)), row.Samples)
	}
	b.WriteString("# EOF\n")
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("writing OpenMetrics: %w", err)
	}
	return nil
}

func header(b *bytes.Buffer, name, unit, help string) {
	fmt.Fprintf(b, "# TYPE %s gauge\n", name)
	if unit != "" {
		fmt.Fprintf(b, "# UNIT %s %s\n", name, unit)
	}
	fmt.Fprintf(b, "# HELP %s %s\n", name, escaper.Replace(sweep.Printable(help)))
}

// family names the family of a metric; a unit has to be the end of its name.
// in is the number of the metric's units in one of the family's.
func family(m sweep.Metric) (name, unit string, in float64) {
	switch m.Key {
	case sweep.QPS:
		return "versweep_requests_per_second", "", 1
	case sweep.CPUPerRequest:
		return "versweep_cpu_per_request_seconds", "seconds", 1e6
	case sweep.ErrorShare:
		return "versweep_error_ratio", "ratio", 1
	}
	if base, ok := strings.CutSuffix(m.Key, "_ms"); ok {
		return familyName(base + "_seconds"), "seconds", 1e3
	}
	if strings.HasSuffix(m.Key, "_bytes") {
		return familyName(m.Key), "bytes", 1
	}
	return familyName(m.Key), "", 1
}

func familyName(key string) string {
	return "versweep_" + strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' {
			return r
		}
		return '_'
	}, key)
}

// escaper writes a text as OpenMetrics has it inside quotes, and in help texts.
var escaper = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// labels writes pairs of names and values; those without a value are left out.
func labels(pairs ...string) string {
	var parts []string
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			parts = append(parts, fmt.Sprintf(`%s="%s"`, pairs[i], escaper.Replace(sweep.Printable(pairs[i+1]))))
		}
	}
	return strings.Join(parts, ",")
}
