package sweep

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestChoose(t *testing.T) {
	found := parseAll(t, strings.Fields(`0.10.47 0.10.48 0.12.18 4.0.0-rc.1 4.9.1 18.0.0 18.19.0 18.20.7 18.20.8
		20.11.1 20.20.2 22.0.0-rc.1 22.0.0 23.0.0-rc.1 23.0.0 24.0.0-pre`)...)
	for _, tt := range []struct {
		name      string
		selection Selection
		want      string
	}{
		{"everything but prereleases", Selection{}, "0.10.47 0.10.48 0.12.18 4.9.1 18.0.0 18.19.0 18.20.7 18.20.8 20.11.1 20.20.2 22.0.0 23.0.0"},
		{"two bounds", Selection{Range: ">=18 <23"}, "18.0.0 18.19.0 18.20.7 18.20.8 20.11.1 20.20.2 22.0.0"},
		{"an open bound leaves out the prereleases of the next", Selection{Range: ">=20.20 <23", Prereleases: true}, "20.20.2 22.0.0-rc.1 22.0.0"},
		{"blanks after operators", Selection{Range: ">= 22 < 23"}, "22.0.0"},
		{"a line", Selection{Range: "0.10.x"}, "0.10.47 0.10.48"},
		{"a list", Selection{Range: "18,20.11.1,latest"}, "18.0.0 18.19.0 18.20.7 18.20.8 20.11.1 23.0.0"},
		{"alternatives as npm writes them", Selection{Range: "0.12 || 4.x"}, "0.12.18 4.9.1"},
		{"caret", Selection{Range: "^18.19.0"}, "18.19.0 18.20.7 18.20.8"},
		{"caret below 1", Selection{Range: "^0.10.47"}, "0.10.47 0.10.48"},
		{"tilde", Selection{Range: "~18.20.7"}, "18.20.7 18.20.8"},
		{"more than", Selection{Range: ">18"}, "20.11.1 20.20.2 22.0.0 23.0.0"},
		{"not", Selection{Range: ">=20 !=20.20.2"}, "20.11.1 22.0.0 23.0.0"},
		{"newest of each line", Selection{Per: PerLine}, "0.10.48 0.12.18 4.9.1 18.20.8 20.20.2 22.0.0 23.0.0"},
		{"newest of each minor", Selection{Range: "18", Per: PerMinor}, "18.0.0 18.19.0 18.20.8"},
		{"a named release survives thinning", Selection{Range: "18,18.19.0", Per: PerLine}, "18.19.0 18.20.8"},
		{"a named prerelease is taken", Selection{Range: "4.0.0-rc.1"}, "4.0.0-rc.1"},
		{"latest is the newest stable", Selection{Range: "latest", Prereleases: true}, "23.0.0"},
		{"a raw name with its prefix", Selection{Range: "v22.0.0"}, "22.0.0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := tt.selection.Choose(found)
			if err != nil {
				t.Fatal(err)
			}
			if want := strings.Fields(tt.want); !slices.Equal(names(c.Versions), want) {
				t.Errorf("got  %v\nwant %v", names(c.Versions), want)
			}
			if n := len(c.Versions) + c.OutOfRange + c.Prereleases + c.Thinned; n != len(found) {
				t.Errorf("%d of %d versions accounted for", n, len(found))
			}
		})
	}
}

func TestChooseTellsWhatItDidNotFind(t *testing.T) {
	found := parseAll(t, "18.0.0", "20.0.0")
	c, err := Selection{Range: "18,19,20.99.1"}.Choose(found)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(c.Missing, []string{"20.99.1"}) || !slices.Equal(c.Empty, []string{"19"}) {
		t.Errorf("missing %q, empty %q", c.Missing, c.Empty)
	}
}

func TestParseRangeRefuses(t *testing.T) {
	for _, text := range []string{"18,,20", ">=", "abc", ">=18 <foo", "18;20", "../..", ","} {
		_, err := ParseRange(text)
		if _, ok := errors.AsType[*RangeError](err); !ok {
			t.Errorf("ParseRange(%q) = %v, want a *RangeError", text, err)
		}
	}
}

func TestLeftSaysWhy(t *testing.T) {
	c := Chosen{OutOfRange: 3, Thinned: 2}
	if got, want := c.Left(), "3 out of range, 2 thinned by --per"; got != want {
		t.Errorf("Left() = %q, want %q", got, want)
	}
}
