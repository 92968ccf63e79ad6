package sweep

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestMovedFrom(t *testing.T) {
	for _, c := range []struct {
		name  string
		v, w  Version
		moved bool
	}{
		{"nothing known", Version{}, Version{}, false},
		{"one side unknown", Version{Commit: "a"}, Version{}, false},
		{"the same commit", Version{Commit: "a"}, Version{Commit: "a"}, false},
		{"another commit", Version{Commit: "a"}, Version{Commit: "b"}, true},
		{"another digest", Version{Digest: "sha256:a"}, Version{Digest: "sha256:b"}, true},
		{"known by different things", Version{Commit: "a"}, Version{Digest: "b"}, false},
	} {
		if got := c.v.MovedFrom(c.w); got != c.moved {
			t.Errorf("%s: %v", c.name, got)
		}
		if got := c.w.MovedFrom(c.v); got != c.moved {
			t.Errorf("%s, the other way: %v", c.name, got)
		}
	}
	if id := (Version{Digest: "sha512:0123456789abcdef"}).Identity(); id != "sha512:0123456789ab" {
		t.Error(id)
	}
	if id := (Version{Commit: "0123456789abcdef"}).Identity(); id != "0123456789ab" {
		t.Error(id)
	}
}

// A tag that was moved to a slower build has one level, the new build's.
func TestMovedVersionsAreNotMixed(t *testing.T) {
	shift := func(by float64) func(int) float64 {
		return func(v int) float64 {
			if v == 3 {
				return by
			}
			return 0
		}
	}
	history := func(identities ...string) []Sweep {
		var all []Sweep
		for i, id := range identities {
			by := 0.0
			if i == len(identities)-1 {
				by = -0.3
			}
			sw := figures(int64(i+1), map[string][][]float64{QPS: noisyRows(uint64(i), 8, 8, 1000, 0.01, shift(by))})
			sw.Plan.Versions[3].Commit = id
			all = append(all, sw)
		}
		return all
	}
	moved := Judge(history("a", "", "a", "b"), JudgeOptions{})
	if !slices.ContainsFunc(moved.Warnings, func(w string) bool {
		return w == "1.3.0 was moved to another build: 16 samples of the former one left out"
	}) {
		t.Errorf("warnings: %q", moved.Warnings)
	}
	for _, c := range moved.Neighbours {
		// The eight of the sweep that does not say are of the same build for all
		// that is known.
		if c.To == "1.3.0" && c.New.Samples != 16 {
			t.Errorf("%d samples of the moved version", c.New.Samples)
		}
	}
	same := Judge(history("", "a", "a", ""), JudgeOptions{})
	for _, w := range same.Warnings {
		if strings.Contains(w, "moved") {
			t.Error(w)
		}
	}
	// What is judged is not changed.
	all := history("a", "b")
	before := len(all[0].Samples)
	Judge(all, JudgeOptions{})
	if len(all[0].Samples) != before {
		t.Error("the history lost samples")
	}
}

// Another source, and another machine's build, of the same version is none that
// replaced it.
func TestReplacedByAnotherBuildOnly(t *testing.T) {
	day := time.Date(2026, 11, 30, 1, 0, 0, 0, time.UTC)
	swept := func(id int64, source, digest string) Sweep {
		sw := figures(id, map[string][][]float64{QPS: noisyRows(uint64(id), 8, 8, 1000, 0.01, func(int) float64 { return 0 })})
		sw.Plan.Source, sw.Created = source, day.Add(time.Duration(id)*time.Hour)
		sw.Plan.Versions[3].Digest = digest
		return sw
	}
	two := Judge([]Sweep{swept(1, "npm", "sha512-a"), swept(2, "image", "sha256:a"), swept(3, "npm", "sha512-a")}, JudgeOptions{})
	if len(two.Replaced) > 0 {
		t.Errorf("of two sources: %v", two.Replaced)
	}
	moved := Judge([]Sweep{swept(1, "npm", "sha512-a"), swept(2, "npm", "sha512-b"), swept(3, "npm", "sha512-b")}, JudgeOptions{})
	if at := moved.Replaced["1.3.0"]; len(moved.Replaced) != 1 || !at.Equal(day.Add(2*time.Hour)) {
		t.Errorf("moved: %v", moved.Replaced)
	}
}
