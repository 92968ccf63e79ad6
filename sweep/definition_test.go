package sweep

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// A target of the user's that has the name of one of the catalogue is another
// question: figures of the two are never judged together, and it is said.
func TestAnotherDefinitionIsLeftOut(t *testing.T) {
	catalogue, yours := Definition{Hash: "aaaaaaaaaaaa"}, Definition{Hash: "bbbbbbbbbbbb", Yours: true}
	newer, edited := Definition{Hash: "cccccccccccc"}, Definition{Hash: "dddddddddddd", Yours: true}
	for _, c := range []struct {
		name     string
		was, is  Definition
		together bool
	}{
		{"the catalogue's twice", catalogue, catalogue, true},
		{"the catalogue's of two versweeps", catalogue, newer, true},
		{"from before it was kept", Definition{}, catalogue, true},
		{"yours, from before it was kept", Definition{}, yours, true},
		{"yours twice", yours, yours, true},
		{"yours in place of the catalogue's", catalogue, yours, false},
		{"the catalogue's again", yours, catalogue, false},
		{"yours, changed", yours, edited, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var history []Sweep
			for i, d := range []Definition{c.was, c.is} {
				m := &memory{}
				sw := newSweep(6, "1.0.0", "2.0.0", "3.0.0")
				sw.ID, sw.Plan.Definition, sw.Plan.Reference = int64(i+1), d, "1.0.0"
				qps := map[string]float64{"1.0.0": 1e5, "2.0.0": 1e5, "3.0.0": 1e5 * float64(1+i)}
				if err := carryOut(t, t.Context(), noisyServer(uint64(i), qps, quiet), m, sw); err != nil {
					t.Fatal(err)
				}
				history = append(history, *sw)
			}
			strands, warnings := strandsOf(history, JudgeOptions{})
			if len(strands) != 1 {
				t.Fatalf("%d strands", len(strands))
			}
			if got := len(strands[0].sweeps) == 2; got != c.together || strands[0].newest().ID != 2 {
				t.Errorf("%d sweeps are judged together", len(strands[0].sweeps))
			}
			said := slices.ContainsFunc(warnings, func(w string) bool { return strings.Contains(w, "another definition of the target are left out") })
			if said == c.together {
				t.Errorf("warnings: %q", warnings)
			}
		})
	}
}

// Plans of sweeps without it stay as they were in the store.
func TestUnknownDefinitionIsNotWritten(t *testing.T) {
	for _, d := range []Definition{{}, {Hash: "aaaaaaaaaaaa", Yours: true}} {
		body, err := json.Marshal(Plan{Definition: d})
		if err != nil || strings.Contains(string(body), "definition") != (d.Hash != "") {
			t.Errorf("%s, %v", body, err)
		}
		var p Plan
		if err := json.Unmarshal(body, &p); err != nil || p.Definition != d {
			t.Errorf("read %+v, %v", p.Definition, err)
		}
	}
}
