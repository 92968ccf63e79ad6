package sweep

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// glance is a sweep whose versions were sampled in so many rounds each: "a:5",
// or "a:5:2" where two of them were spoilt.
func glance(id int64, kind, reference string, versions ...string) Glance {
	g := Glance{ID: id, Kind: kind, Reference: reference, Created: time.Unix(id*1000, 0)}
	for _, v := range versions {
		var name string
		var rounds, spoilt int
		for i, field := range strings.Split(v, ":") {
			switch i {
			case 0:
				name = field
			case 1:
				fmt.Sscan(field, &rounds)
			case 2:
				fmt.Sscan(field, &spoilt)
			}
		}
		g.Versions = append(g.Versions, GlanceVersion{name, rounds, spoilt})
	}
	return g
}

// told is what is read of sweeps: "3" for a whole one, "2[a c]" for some versions.
func told(latestFirst []Glance, shares []Share) []string {
	var out []string
	for _, s := range shares {
		text := fmt.Sprint(s.ID)
		if s.Places != nil {
			i := slices.IndexFunc(latestFirst, func(g Glance) bool { return g.ID == s.ID })
			var names []string
			for _, place := range s.Places {
				names = append(names, latestFirst[i].Versions[place].Name)
			}
			text += fmt.Sprint(names)
		}
		out = append(out, text)
	}
	return out
}

func TestRecent(t *testing.T) {
	nights := []Glance{
		glance(6, "npm", "a", "a:5", "d:5", "e:5"),
		glance(5, "npm", "a", "a:5", "d:5", "e:5"),
		glance(4, "npm", "a", "a:5", "b:5", "c:5", "d:5", "e:5"),
		glance(3, "npm", "a", "a:5", "b:5", "c:5", "d:5", "e:5"),
		glance(2, "npm", "a", "a:5", "b:5", "c:5", "d:5", "e:5"),
		glance(1, "npm", "a", "a:5", "b:5", "c:5", "d:5", "e:5"),
	}
	for _, c := range []struct {
		name  string
		list  []Glance
		span  Span
		want  []string
		older int
	}{
		{"all that there is while there is not enough", nights, Span{}, []string{"1", "2", "3", "4", "5", "6"}, 0},
		{"enough of each version, and no more than needed", nights, Span{Rounds: 10}, []string{"3[a b c d]", "4[a b c d]", "5", "6"}, 2},
		{"a version that is wanted of every sweep", nights, Span{Rounds: 10, Also: []string{"e"}}, []string{"3[a b c d e]", "4[a b c d e]", "5", "6"}, 2},
		{"one round is one sweep", nights, Span{Rounds: 1}, []string{"4[a b c d]", "6"}, 4},
		{"as many as were asked for, whole", nights, Span{Sweeps: 2}, []string{"5", "6"}, 4},
		{"since a time, whole", nights, Span{Since: time.Unix(4000, 0)}, []string{"4", "5", "6"}, 3},
		{"the narrower of two bounds", nights, Span{Since: time.Unix(4000, 0), Sweeps: 2}, []string{"5", "6"}, 4},
		{"all", nights, Span{All: true, Rounds: 1}, []string{"1", "2", "3", "4", "5", "6"}, 0},
		{"none", nil, Span{}, nil, 0},
		{"a failed version keeps the sweep that told why", []Glance{
			glance(3, "npm", "a", "a:5"), glance(2, "npm", "a", "a:5"), glance(1, "npm", "a", "a:5", "z:0"),
		}, Span{Rounds: 5}, []string{"1[a z]", "3"}, 1},
		{"spoilt rounds do not count", []Glance{
			glance(3, "npm", "a", "a:5:5", "b:5:5"), glance(2, "npm", "a", "a:5", "b:5"), glance(1, "npm", "a", "a:5", "b:5"),
		}, Span{Rounds: 5}, []string{"2", "3"}, 1},
		{"but a machine that is always busy has an end", []Glance{
			glance(3, "npm", "a", "a:10:10"), glance(2, "npm", "a", "a:10:10"), glance(1, "npm", "a", "a:10"),
		}, Span{Rounds: 5}, []string{"2", "3"}, 1},
		{"kinds are apart", []Glance{
			glance(4, "npm", "a", "a:5"), glance(3, "csv", "", "a:1"), glance(2, "npm", "a", "a:5"), glance(1, "csv", "", "a:1"),
		}, Span{Rounds: 5}, []string{"1", "3", "4"}, 1},
		{"without a reference a sweep is whole", []Glance{
			glance(2, "csv", "", "a:5"), glance(1, "csv", "", "a:5", "b:5"),
		}, Span{Rounds: 5}, []string{"1", "2"}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			shares, older := Recent(c.list, c.span)
			if got := told(c.list, shares); !slices.Equal(got, c.want) || older != c.older {
				t.Errorf("read %q, %d older; want %q, %d", got, older, c.want, c.older)
			}
		})
	}
}
