package imports

import (
	"encoding/json"
	"regexp"
	"strings"
	"time"

	"versweep/sweep"
)

// actionEntry is one figure of github-action-benchmark's JSON.
type actionEntry struct {
	Name  *string  `json:"name"`
	Unit  string   `json:"unit"`
	Value *float64 `json:"value"`
	Range any      `json:"range"`
	Extra string   `json:"extra"`
}

// exportedExtra is what store/export says of a figure.
var exportedExtra = regexp.MustCompile(`, median of [0-9,]+ samples?$`)

// actionPrefix begins the file in which the action keeps its history.
const actionPrefix = "window.BENCHMARK_DATA ="

// readActionBench reads the array that github-action-benchmark takes, and the
// data.js in which it keeps what it took, a reading for each figure.
func readActionBench(d document, o Options) ([]Reading, error) {
	if text, ok := strings.CutPrefix(strings.TrimSpace(d.text), actionPrefix); ok {
		return readActionHistory(d, text, o)
	}
	objects, err := d.objects()
	if err != nil {
		return nil, err
	}
	var out []Reading
	for _, obj := range objects {
		var entries []actionEntry
		if err := json.Unmarshal(obj.raw, &entries); err != nil {
			return nil, d.fail(obj.line, "%v", err)
		}
		for i, e := range entries {
			r, err := e.reading(d, obj.line, i, o.Better)
			if err != nil {
				return nil, err
			}
			out = append(out, r)
		}
	}
	return out, nil
}

func readActionHistory(d document, text string, o Options) ([]Reading, error) {
	var history struct {
		Entries map[string][]struct {
			Commit struct {
				ID string `json:"id"`
			} `json:"commit"`
			Date    float64       `json:"date"` // ms since 1970
			Tool    string        `json:"tool"`
			Benches []actionEntry `json:"benches"`
		} `json:"entries"`
	}
	if err := json.NewDecoder(strings.NewReader(text)).Decode(&history); err != nil {
		return nil, d.fail(0, "the history cannot be read: %v", err)
	}
	var out []Reading
	for _, suite := range sortedKeys(history.Entries) {
		for _, run := range history.Entries[suite] {
			better := o.Better
			switch run.Tool {
			case "customBiggerIsBetter":
				better = sweep.Higher
			case "customSmallerIsBetter":
				better = sweep.Lower
			}
			for i, e := range run.Benches {
				r, err := e.reading(d, 1, i, better)
				if err != nil {
					return nil, err
				}
				r.Attributes["suite"], r.Attributes["commit"] = shortened(suite), shortened(run.Commit.ID)
				if run.Date > 0 && run.Date < 1e14 {
					r.Attributes["date"] = time.UnixMilli(int64(run.Date)).UTC().Format(time.RFC3339)
				}
				out = append(out, r)
				if len(out) > maxBlocks {
					return out, nil
				}
			}
		}
	}
	return out, nil
}

func (e actionEntry) reading(d document, line, i int, better sweep.Better) (Reading, error) {
	if e.Name == nil || e.Value == nil {
		return Reading{}, d.fail(line, "entry %d has no name or no value", i+1)
	}
	if exportedExtra.MatchString(e.Extra) {
		return Reading{}, d.fail(line, "versweep export github-action wrote this, and it holds medians and no samples: import what versweep export csv writes")
	}
	r := newReading(line)
	r.Label, r.Attributes = *e.Name, map[string]string{}
	if spread, ok := e.Range.(string); ok {
		r.Attributes["range"] = shortened(spread)
	}
	if e.Extra != "" {
		r.Attributes["extra"] = shortened(e.Extra)
	}
	unit := e.Unit
	if unit == "" {
		unit = "value"
	}
	r.setUnit(unit, *e.Value, better)
	return r, nil
}
