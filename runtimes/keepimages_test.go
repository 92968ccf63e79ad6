package runtimes

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestSurplusImages(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	day := func(n int) time.Time { return now.Add(-time.Duration(n) * 24 * time.Hour) }
	base := ownImage{id: "base", created: day(900), bytes: 100} // pulled: as old as its maker says
	made := func(id string, days int, bytes int64, base string) ownImage {
		return ownImage{id: id, created: day(days), bytes: bytes, base: base}
	}
	for name, tt := range map[string]struct {
		images []ownImage
		mine   string
		room   int64
		want   string
	}{
		"all have room":              {[]ownImage{made("a", 5, 10, "base"), made("b", 4, 10, "base"), base}, "", 120, ""},
		"the newest stay":            {[]ownImage{made("a", 5, 10, "base"), made("b", 4, 10, "base"), base}, "", 119, "a"},
		"a base goes with its last":  {[]ownImage{base, made("a", 5, 10, "base"), made("b", 4, 10, "")}, "", 15, "a base"},
		"too old":                    {[]ownImage{made("a", 31, 10, ""), made("b", 29, 10, "")}, "", 1000, "a"},
		"others' fresh ones stay":    {[]ownImage{made("a", 0, 10, ""), made("b", 0, 10, "")}, "", 0, ""},
		"this sweep's own may go":    {[]ownImage{made("a", 0, 10, ""), made("b", 0, 10, "")}, "b", 5, "b"},
		"a base that nobody uses":    {[]ownImage{made("a", 1, 10, "gone"), base, made("c", 40, 1, "base")}, "", 1000, "c base"},
		"a base of two, one is gone": {[]ownImage{base, made("a", 40, 10, "base"), made("b", 1, 10, "base")}, "", 1000, "a"},
		"nothing":                    {nil, "", 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, i := range surplusImages(tt.images, map[string]bool{tt.mine: true}, tt.room, now) {
				got = append(got, i.id)
			}
			if want := strings.Fields(tt.want); !slices.Equal(got, want) {
				t.Errorf("goes %v, want %v", got, want)
			}
		})
	}
}

func TestUsedImages(t *testing.T) {
	images := []ownImage{{id: "one"}, {id: "both"}, {id: "a", base: "one"}, {id: "b", base: "both"}, {id: "c", base: "both"}}
	var got []string
	for _, i := range usedImages(images, map[string]bool{"a": true, "b": true}) {
		got = append(got, i.id)
	}
	if want := []string{"a", "b", "one"}; !slices.Equal(got, want) {
		t.Errorf("goes %v, want %v", got, want)
	}
}

func TestImagesAreToldByTheirNames(t *testing.T) {
	const id = "sha256:0123456789abcdef0123456789abcdef"
	for want, tags := range map[string][]string{"versweep/node:20.0.0": {"versweep/node:20.0.0", "x:1"}, "0123456789ab": nil} {
		if got := nameOfImage(tags, id); got != want {
			t.Errorf("%q: %q, want %q", tags, got, want)
		}
	}
	if got := nameOfImage([]string{"<none>:<none>"}, id); got != "0123456789ab" {
		t.Errorf("an engine's word for no tag: %q", got)
	}
	var r Removed
	r.add(ownImage{name: "a", bytes: 2})
	r.add(ownImage{name: "b", bytes: 3})
	if r.Images != 2 || r.Bytes != 5 || len(r.Names) != 2 || r.Names[1] != "b" {
		t.Errorf("%+v", r)
	}
}
