package sweep

import (
	"slices"
	"strings"
	"testing"
)

// Sweeps of commits keep the order of their lists, and one between two commits
// of another comes between them.
func TestListedSweepsKeepTheirOrder(t *testing.T) {
	for name, tt := range map[string]struct {
		lists []string
		want  string
	}{
		"one":               {[]string{"c a b"}, "c a b"},
		"between":           {[]string{"good bad", "good x bad", "good y x bad"}, "good y x bad"},
		"at both ends":      {[]string{"b", "a b c"}, "a b c"},
		"part of it":        {[]string{"d c b a", "c a"}, "d c b a"},
		"nothing in common": {[]string{"b a", "d c"}, "b a d c"},
		"twice":             {[]string{"b a a", "a a x"}, "b a x"},
	} {
		t.Run(name, func(t *testing.T) {
			var sweeps []Sweep
			for _, list := range tt.lists {
				p := Plan{Listed: true}
				for name := range strings.FieldsSeq(list) {
					p.Versions = append(p.Versions, Version{Name: name})
				}
				sweeps = append(sweeps, Sweep{Plan: p})
			}
			if got := strings.Join(names(axisOf(sweeps)), " "); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
			for i := range sweeps {
				sweeps[i].Plan.Listed = false
			}
			sorted := strings.Fields(tt.want)
			slices.Sort(sorted)
			if got := strings.Join(names(axisOf(sweeps)), " "); got != strings.Join(sorted, " ") {
				t.Errorf("without an order of its own: %s", got)
			}
		})
	}
}
