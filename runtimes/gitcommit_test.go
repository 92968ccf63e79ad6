package runtimes

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/go-git/go-git/v5/plumbing/object"
)

// Messages and dates from outside: one short line without anything that a
// terminal or a page could take amiss, and dates that JSON can hold.
func TestCommitsFromOutside(t *testing.T) {
	for message, want := range map[string]string{
		"plain\n\nbody\n":                         "plain",
		"\n\n  later \n":                          "later",
		"":                                        "",
		"windows\r\nbody":                         "windows",
		"\x1b[31mred\x07\x00 \t and\u009b more":   "[31mred and more",
		"a\u202eb\u2066c\u200bd\ufeffe":           "abcde",
		"bad \xff\xfe bytes":                      "bad \uFFFD bytes",
		"Ünïcödé ✓ 日本":                            "Ünïcödé ✓ 日本",
		"<script>alert(1)</script>":               "<script>alert(1)</script>",
		"line\u2028separator\u00a0and no-break":   "line separator and no-break",
		strings.Repeat("x", 100):                  strings.Repeat("x", 100),
		strings.Repeat("é", 10_000) + "\n":        strings.Repeat("é", 99) + "…",
		"cr\ronly":                                "cr only",
		strings.Repeat("\u202e", 10_000) + "tail": "",
	} {
		got := subjectOf(message)
		if got != want || !utf8.ValidString(got) {
			t.Errorf("%.60q: %q, want %q", message, got, want)
		}
	}
	for _, date := range []time.Time{time.Unix(-5, 0), time.Unix(1<<50, 0), {}} {
		c := newCommit(&object.Commit{Committer: object.Signature{When: date}})
		if _, err := json.Marshal(c); err != nil || !c.Date.IsZero() {
			t.Errorf("%v: %v, %v", date, c.Date, err)
		}
	}
}

// Commits whose names would be the same are told by their whole hash.
func TestCommitNamesAreUnique(t *testing.T) {
	var commits []Commit
	for _, hash := range []string{strings.Repeat("a", 40), strings.Repeat("a", 39) + "b", strings.Repeat("c", 40)} {
		commits = append(commits, Commit{Hash: hash, Version: commitVersion(hash)})
	}
	nameApart(commits)
	for i, want := range []string{"commit-" + commits[0].Hash, "commit-" + commits[1].Hash, "commit-cccccccccccc"} {
		if commits[i].Version.Name != want || !IsCommit(commits[i].Version) {
			t.Errorf("%+v", commits[i])
		}
	}
}
