package runtimes

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"versweep/sweep"
)

// readTags reads tags and shows versions as "name=tag" and what was skipped as
// "tag: reason".
func readTags(t *testing.T, form string, tags ...string) (versions, skipped []string) {
	t.Helper()
	f, err := parseVersionForm(form)
	if err != nil {
		t.Fatal(err)
	}
	found, left := versionsOfTags(tags, f, []string{"server", "my-server"}, "git", sweep.LineByMajor)
	for _, v := range found {
		if v.Source != "git" || v.Line == "" {
			t.Errorf("%+v", v)
		}
		name := v.Name + "=" + v.Raw
		if v.Prerelease {
			name += " (prerelease)"
		}
		versions = append(versions, name)
	}
	for _, s := range left {
		skipped = append(skipped, s.Raw+": "+s.Reason)
	}
	slices.Sort(skipped)
	return versions, skipped
}

func TestTagFamilies(t *testing.T) {
	for name, tt := range map[string]struct {
		form              string
		tags              []string
		versions, skipped []string
	}{
		"V2: the prefix changes in mid-history, and another family is there": {
			tags:     []string{"v3.0.7", "3.1.0", "release-3.2.0", "std/0.80.0", "std/0.81.0", "nightly", "my-gpg-key"},
			versions: []string{"3.0.7=v3.0.7", "3.1.0=3.1.0", "3.2.0=release-3.2.0"},
			skipped: []string{
				"my-gpg-key: not a version", "nightly: not a version",
				"std/0.80.0: another family: std/*", "std/0.81.0: another family: std/*",
			},
		},
		"V6: the highest build of a version counts": {
			form:     "{version}-{build}",
			tags:     []string{"18.11.0-3310705323", "18.11.0-20201010.1", "18.10.0-555"},
			versions: []string{"18.10.0=18.10.0-555", "18.11.0=18.11.0-3310705323"},
			skipped:  []string{"18.11.0-20201010.1: superseded by build 18.11.0-3310705323"},
		},
		"builds count as numbers, and a label before the build makes a prerelease": {
			form:     "{version}-{build}",
			tags:     []string{"1.0.0-9", "1.0.0-10", "1.1.0-rc1-3", "1.1.0"},
			versions: []string{"1.0.0=1.0.0-10", "1.1.0-rc1=1.1.0-rc1-3 (prerelease)"},
			skipped:  []string{"1.0.0-9: superseded by build 1.0.0-10", "1.1.0: not of the form {version}-{build}"},
		},
		"brackets need not be there": {
			form:     "jetty-{version}[.v{build}]",
			tags:     []string{"jetty-9.4.50.v20221201", "jetty-12.0.5", "9.4.0", "jetty-12.0.0.beta1"},
			versions: []string{"9.4.50=jetty-9.4.50.v20221201", "12.0.0.beta1=jetty-12.0.0.beta1 (prerelease)", "12.0.5=jetty-12.0.5"},
			skipped:  []string{"9.4.0: not of the form jetty-{version}[.v{build}]"},
		},
		"a form takes nothing else": {
			form:     "v{version}",
			tags:     []string{"v1.0.0", "1.1.0", "xv1.2.0", "v1.3.0/x", "nightly", "V1.4.0"},
			versions: []string{"1.0.0=v1.0.0"},
			skipped: []string{
				"1.1.0: not of the form v{version}", "V1.4.0: not of the form v{version}", "nightly: not a version",
				"v1.3.0/x: not a version", "xv1.2.0: not of the form v{version}",
			},
		},
		"the project's own name makes no family": {
			tags:     []string{"v1.0.0", "server-1.1.0", "my-server-v1.2.0", "Server_1_3", "release/v1.4.0", "my-client-1.5.0"},
			versions: []string{"1.0.0=v1.0.0", "1.1.0=server-1.1.0", "1.2.0=my-server-v1.2.0", "1.3=Server_1_3", "1.4.0=release/v1.4.0"},
			skipped:  []string{"my-client-1.5.0: another family: my-client-*"},
		},
		"the family with most versions, whatever its name": {
			tags:     []string{"cli-v1.0.0", "cli-1.1.0", "core-1.0.0", "v9"},
			versions: []string{"1.0.0=cli-v1.0.0", "1.1.0=cli-1.1.0"},
			skipped:  []string{"core-1.0.0: another family: core-*", "v9: another family: tags without a name of their own"},
		},
		"a number in the name, and one alone": {
			tags:     []string{"v5", "http2-server-1.2.3", "my-key2", "vv1.0", "2"},
			versions: []string{"2=2", "5=v5"},
			skipped:  []string{"http2-server-1.2.3: another family: http2-server-*", "my-key2: not a version", "vv1.0: another family: vv*"},
		},
		"numbers joined by underscores": {
			tags:     []string{"REL_15_2", "REL_15_10", "x86_64-http2-1.2.3", "curl-7_88_1"},
			versions: []string{"15.2=REL_15_2", "15.10=REL_15_10"},
			skipped:  []string{"curl-7_88_1: another family: curl-*", "x86_64-http2-1.2.3: another family: x86_64-http2-*"},
		},
		"one version under two names": {
			tags:     []string{"v1.0.0", "1.0.0"},
			versions: []string{"1.0.0=1.0.0"},
			skipped:  []string{"v1.0.0: the same version as 1.0.0"},
		},
		"hostile names": {
			tags: []string{"; rm -rf /", "../x", "v1.0.0\x1b[2J", "v1.0.\u202e0", "$(id)-1.0", "v1.0.0/../../x", "-1.0.0", "v1.0.0^{}", "", "v"},
			// "-1.0.0" is 1.0.0: its raw name is only ever looked up.
			versions: []string{"1.0.0=-1.0.0"},
			skipped: []string{
				"$(id)-1.0: another family: $(id)-*", "../x: not a version", ": not a version", "; rm -rf /: not a version",
				"v1.0.0/../../x: not a version", "v1.0.0\x1b[2J: not a version", "v1.0.0^{}: not a version", "v1.0.\u202e0: not a version", "v: not a version",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			versions, skipped := readTags(t, tt.form, tt.tags...)
			if !slices.Equal(versions, tt.versions) {
				t.Errorf("versions %q\nwant     %q", versions, tt.versions)
			}
			slices.Sort(tt.skipped)
			if !slices.Equal(skipped, tt.skipped) {
				t.Errorf("skipped %q\nwant    %q", skipped, tt.skipped)
			}
		})
	}
}

// Tags come in any order; what is read of them does not depend on it.
func TestTagsInAnyOrder(t *testing.T) {
	tags := []string{"v1.0.0", "1.0.0", "release-1.0.0", "a-1.0", "b-1.0", "c-1.0"}
	want := ""
	for range len(tags) {
		tags = append(tags[1:], tags[0])
		versions, skipped := readTags(t, "", tags...)
		got := fmt.Sprint(versions, skipped)
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
}

func TestTagThatNobodyWouldMake(t *testing.T) {
	long := "v1." + strings.Repeat("0", 10_000)
	versions, skipped := readTags(t, "", long, "v1.0.0")
	if len(versions) != 1 || len(skipped) != 1 {
		t.Errorf("%d versions, %d skipped", len(versions), len(skipped))
	}
}

func TestTagFormsThatAreNone(t *testing.T) {
	for _, form := range []string{"v", "{version}{version}", "{version}-{build}-{build}", "{version}[-{build}", "{build}"} {
		if _, err := parseVersionForm(form); err == nil || !strings.Contains(err.Error(), form) {
			t.Errorf("%s: %v", form, err)
		}
	}
}

func FuzzVersionsOfTags(f *testing.F) {
	f.Add("v3.0.7", "std/0.80.0", "")
	f.Add("18.11.0-3310705323", "18.11.0-20201010.1", "{version}-{build}")
	f.Add("vv", "v1_2", "v{version}")
	f.Fuzz(func(t *testing.T, a, b, text string) {
		form, err := parseVersionForm(text)
		if err != nil {
			return
		}
		versions, skipped := versionsOfTags([]string{a, b}, form, []string{"x"}, "git", sweep.LineByMajor)
		if len(versions)+len(skipped) != 2 {
			t.Errorf("of two tags %d are versions and %d skipped", len(versions), len(skipped))
		}
		for _, v := range versions {
			if v.Name == "" || strings.ContainsAny(v.Name, "/\\ \x00") || v.Raw != a && v.Raw != b {
				t.Errorf("%+v", v)
			}
		}
	})
}
