package imports

import (
	"errors"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"

	"versweep/sweep"
)

// readGoBench reads Go's benchmark format, a reading for each line of results;
// lines of the same name are samples of it. Units are those that benchstat
// shows: ns/op is sec/op, MB/s is B/s.
func readGoBench(d document, o Options) ([]Reading, error) {
	in := benchfmt.NewReader(strings.NewReader(d.text), "")
	var out []Reading
	for in.Scan() && len(out) <= maxBlocks {
		switch rec := in.Result().(type) {
		case *benchfmt.SyntaxError:
			_, at := rec.Pos()
			return nil, d.fail(at, "%s", rec.Msg)
		case *benchfmt.Result:
			_, at := rec.Pos()
			r := newReading(at)
			r.Label = string(rec.Name.Full())
			r.Attributes = map[string]string{}
			for _, c := range rec.Config {
				if c.File && len(r.Attributes) < maxNotes {
					r.Attributes[shortened(c.Key)] = shortened(string(c.Value))
				}
			}
			_, parts := rec.Name.Parts()
			for _, part := range parts {
				if key, value, ok := strings.Cut(strings.TrimPrefix(string(part), "/"), "="); ok && len(r.Attributes) < maxNotes {
					r.Attributes[shortened(key)] = shortened(value)
				}
			}
			for _, v := range rec.Values {
				r.setUnit(v.Unit, v.Value, o.Better)
			}
			out = append(out, r)
		}
	}
	if err := in.Err(); err != nil {
		return nil, d.fail(0, "%v", errors.Unwrap(err))
	}
	if last := d.lines; len(out) > 0 && last[len(last)-1].open && out[len(out)-1].Line == last[len(last)-1].number {
		return nil, d.fail(last[len(last)-1].number, "the output is cut in this line, which has no line end")
	}
	// Unit lines may stand anywhere and hold for the whole file.
	for _, r := range out {
		for i, m := range r.Metrics {
			switch in.Units().GetBetter(m.Unit) {
			case 1:
				r.Metrics[i].Better = sweep.Higher
			case -1:
				r.Metrics[i].Better = sweep.Lower
			}
		}
	}
	return out, nil
}

// setUnit keeps a value that is known by its unit only. A unit that is the key
// of a metric is that metric: export writes them so.
func (r *Reading) setUnit(unit string, v float64, better sweep.Better) {
	key := unitKey(unit)
	if _, twice := r.Values[key]; key == "" || twice {
		r.notef("%q is left out: its unit makes no key of its own", unit)
		return
	}
	r.set(key, v)
	if better == "" {
		better = betterOf(unit)
	}
	r.Metrics = append(r.Metrics, sweep.Metric{Key: key, Title: unit, Unit: unit, Better: better})
}

// unitKey makes a metric key of a unit: "sec/op" is sec_per_op.
func unitKey(unit string) string {
	if unit != "" && slices.ContainsFunc(sweep.Metrics, func(m sweep.Metric) bool { return m.Key == unit }) {
		return unit
	}
	var b strings.Builder
	for _, c := range strings.ToLower(strings.ReplaceAll(unit, "/", "_per_")) {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
			b.WriteRune(c)
		} else if b.Len() > 0 && !strings.HasSuffix(b.String(), "_") {
			b.WriteByte('_')
		}
	}
	key := strings.Trim(b.String(), "_")
	return key[:min(len(key), 60)]
}

// betterOf guesses a direction: what is counted per second is better when there
// is more of it.
func betterOf(unit string) sweep.Better {
	u := strings.ToLower(unit)
	for _, end := range []string{"/s", "/sec", "/second", "per second", "qps", "rps"} {
		if strings.HasSuffix(u, end) {
			return sweep.Higher
		}
	}
	return sweep.Lower
}
