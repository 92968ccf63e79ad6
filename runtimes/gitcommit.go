package runtimes

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-git/go-git/v5/plumbing/object"

	"versweep/sweep"
)

// Commit is one commit as people are told of it. It says nothing about who made
// it: a change is searched for, not a person.
type Commit struct {
	Hash    string    `json:"hash"`    // 40 hex digits
	Date    time.Time `json:"date"`    // when it was committed, in UTC; zero when that is no date
	Subject string    `json:"subject"` // first line of its message, printable, at most 100 characters
	Parents []string  `json:"parents"` // hashes; two or more of a merge
	// Version is the commit for Obtain and for plans, whose Listed it needs:
	// its name is unique among all commits, the same in every history, and
	// tells no order.
	Version sweep.Version `json:"version"`
}

// commitPrefix begins the names of versions that are commits, and so of their
// builds in the cache. No release is named so, since a release begins with a
// number.
const commitPrefix = "commit-"

// commitDigits of a hash are told. Among the 100,000 commits of a history two
// share them once in 50,000 histories; those are told by the whole hash.
const commitDigits = 12

// IsCommit tells whether a version is a commit rather than a release.
func IsCommit(v sweep.Version) bool { return strings.HasPrefix(v.Name, commitPrefix) }

// commitVersion makes a version of a commit's hash.
func commitVersion(hash string) sweep.Version {
	return sweep.Version{Name: commitPrefix + hash[:commitDigits], Raw: hash, Source: "git", Commit: hash}
}

func newCommit(c *object.Commit) Commit {
	hash := c.Hash.String()
	made := Commit{Hash: hash, Subject: subjectOf(c.Message), Version: commitVersion(hash), Parents: []string{}}
	// Others cannot be written as JSON, and no commit is older than git's dates.
	if date := c.Committer.When.UTC(); date.Unix() > 0 && date.Year() < 10_000 {
		made.Date = date
	}
	for _, p := range c.ParentHashes {
		made.Parents = append(made.Parents, p.String())
	}
	return made
}

// nameApart gives the whole hash to commits whose names would be the same.
func nameApart(commits []Commit) {
	count := make(map[string]int, len(commits))
	for _, c := range commits {
		count[c.Version.Name]++
	}
	for i, c := range commits {
		if count[c.Version.Name] > 1 {
			commits[i].Version.Name = commitPrefix + c.Hash
		}
	}
}

const (
	maxSubject = 100     // characters
	maxMessage = 4 << 10 // bytes that are looked at
)

// subjectOf is the first line of a message, made safe: anybody can write it.
func subjectOf(message string) string {
	message = strings.TrimLeft(message, "\r\n\t ")
	if len(message) > maxMessage {
		end := maxMessage
		for end > maxMessage-utf8.UTFMax && !utf8.RuneStart(message[end]) {
			end--
		}
		message = message[:end]
	}
	line, _, _ := strings.Cut(message, "\n")
	line = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsPrint(r):
			return r
		case unicode.IsSpace(r), unicode.IsControl(r):
			return ' '
		}
		return -1 // invisible, or turns the direction of writing
	}, strings.ToValidUTF8(line, "\uFFFD"))
	line = strings.Join(strings.Fields(line), " ")
	if characters := []rune(line); len(characters) > maxSubject {
		line = strings.TrimSpace(string(characters[:maxSubject-1])) + "…"
	}
	return line
}
