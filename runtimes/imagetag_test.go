package runtimes

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"versweep/sweep"
)

// V8, and tags of the kinds that real repositories have.
func TestSelectTags(t *testing.T) {
	v8 := strings.Fields("1.25.3-alpine 1.25.3-alpine-perl 1.25-alpine 1-alpine alpine 1.25.3 v1.25.2 1.25.4-alpine3.18 stable-alpine mainline")
	for name, tt := range map[string]struct {
		tags    []string
		flavour string
		want    []string          // name=tag, in version order
		reasons map[string]string // part of the reason, by tag
	}{
		"V8, alpine": {v8, "alpine", []string{"1.25.3=1.25.3-alpine"}, map[string]string{
			"1.25.3-alpine-perl": "another flavour: alpine-perl", "1.25-alpine": "moving", "1-alpine": "moving", "alpine": "moving",
			"1.25.3": "without the flavour alpine", "v1.25.2": "without the flavour", "1.25.4-alpine3.18": "another flavour: alpine3.18",
			"stable-alpine": "moving", "mainline": "moving",
		}},
		"V8, no flavour": {v8, "", []string{"1.25.2=v1.25.2", "1.25.3=1.25.3"}, map[string]string{
			"1.25.3-alpine": "another flavour: alpine", "mainline": "moving",
		}},
		"two numbers a release": {strings.Fields("16.1 16 16.10 16.9 17 17.0 latest"), "", []string{"16.1=16.1", "16.9=16.9", "16.10=16.10", "17.0=17.0"},
			map[string]string{"16": "moving: less precise than 16.", "17": "moving: less precise than 17.0"}},
		"a less precise tag whose releases are gone": {strings.Fields("1.25.3 1.25.2 1.9 2"), "", []string{"1.25.2=1.25.2", "1.25.3=1.25.3"},
			map[string]string{"1.9": "which have 3 numbers", "2": "which have 3 numbers"}},
		"four numbers now and then": {strings.Fields("26.2.5 26.2.5.1 26.2.4 26.2 25.0.1"), "", []string{"25.0.1=25.0.1", "26.2.4=26.2.4", "26.2.5.1=26.2.5.1"},
			map[string]string{"26.2.5": "moving: less precise than 26.2.5.1"}},
		"prereleases": {strings.Fields("3.13.0a1-slim 3.13.0rc10-slim 3.13.0rc9-slim 3.13-rc-slim 3.13.0-slim 3.13.0-slim-trixie 8.0-rc1-slim"), "slim",
			[]string{"3.13.0a1=3.13.0a1-slim", "3.13.0rc9=3.13.0rc9-slim", "3.13.0rc10=3.13.0rc10-slim", "3.13.0=3.13.0-slim", "8.0-rc1=8.0-rc1-slim"},
			map[string]string{"3.13-rc-slim": "moving", "3.13.0-slim-trixie": "another flavour: slim-trixie"}},
		"prefork is no prerelease": {strings.Fields("2.4.1-prefork 2.4.1"), "prefork", []string{"2.4.1=2.4.1-prefork"}, nil},
		"one version twice":        {strings.Fields("1.0.0 v1.0.0"), "", []string{"1.0.0=1.0.0"}, map[string]string{"v1.0.0": "the same version as 1.0.0"}},
		"no versions": {[]string{"3f2a9bc", "sha256-" + strings.Repeat("0a", 32) + ".sig", "1.0.0_x", "latest"}, "", nil, map[string]string{
			"3f2a9bc": "names no version", "sha256-" + strings.Repeat("0a", 32) + ".sig": "belongs to another image", "1.0.0_x": "names no version",
		}},
		"nothing": {nil, "", nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			versions, skipped := selectTags(tt.tags, tt.flavour, sweep.LineByMajor)
			var got []string
			for _, v := range versions {
				got = append(got, v.Name+"="+v.Raw)
				if v.Source != "image" {
					t.Errorf("%s is from source %q", v.Name, v.Source)
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("versions %v, want %v", got, tt.want)
			}
			if len(versions)+len(skipped) != len(tt.tags) {
				t.Errorf("%d versions and %d skipped of %d tags", len(versions), len(skipped), len(tt.tags))
			}
			reasons := map[string]string{}
			for _, s := range skipped {
				reasons[s.Raw] = s.Reason
			}
			for _, tag := range slices.Sorted(maps.Keys(tt.reasons)) {
				if !strings.Contains(reasons[tag], tt.reasons[tag]) {
					t.Errorf("%s: %q, want %q", tag, reasons[tag], tt.reasons[tag])
				}
			}
		})
	}
}

func FuzzSelectTags(f *testing.F) {
	f.Add("1.25.3-alpine 1.25-alpine v1.2.3 latest", "alpine")
	f.Add("1.0.0-rc.1 1.0.0-rc 1..2 -", "")
	f.Fuzz(func(t *testing.T, tags, flavour string) {
		raw := strings.Fields(tags)
		versions, skipped := selectTags(raw, flavour, sweep.LineByMajor)
		if len(versions)+len(skipped) != len(raw) {
			t.Errorf("%d versions and %d skipped of %d tags", len(versions), len(skipped), len(raw))
		}
		for _, v := range versions {
			if !slices.Contains(raw, v.Raw) || !strings.HasSuffix(v.Raw, flavour) {
				t.Errorf("%q in flavour %q is the version %q", v.Raw, flavour, v.Name)
			}
		}
	})
}
