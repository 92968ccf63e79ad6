package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"versweep/charts"
	"versweep/store"
	"versweep/sweep/bisect"
)

// maxLogFile bounds a log that is replayed, in bytes.
const maxLogFile = 16 << 20

// Commands at the head of a log's lines. What is about commits is git's own, so
// that git bisect replay takes it too, and passes over the rest.
const (
	commandOfVersions = "versweep bisect"
	commandOfCommits  = "git bisect"
)

func (s *stretch) command() string {
	if s.ofCommits() {
		return commandOfCommits
	}
	return commandOfVersions
}

// newLog begins the log of a search.
func (s *stretch) newLog(w io.Writer) *bisect.Log {
	l := bisect.Labels{
		Command: s.command(),
		Name: func(place int) string {
			if v := s.candidate(place).Version; s.ofCommits() {
				return v.Commit
			}
			return s.candidate(place).Version.Name
		},
		Title: func(place int) string {
			if s.ofCommits() {
				return fmt.Sprintf("[%s] %s", s.candidate(place).Version.Commit, s.candidate(place).Subject)
			}
			return s.candidate(place).Version.Name
		},
	}
	fmt.Fprintln(w, s.section()) // an error comes again with the first record
	if s.ofCommits() && s.o.FirstParent {
		l.Start = " '--first-parent'" // git drops all of what it finds unquoted
	}
	return bisect.NewLog(w, l)
}

// told is what the log that is replayed says of this search.
func (s *stretch) told() (bisect.Told, error) {
	section := logSection(s.o.Replay, s.section())
	records, err := bisect.ReadLog(strings.NewReader(section), 0, len(s.o.Candidates)-1, s.place)
	if e, ok := errors.AsType[*bisect.LogError](err); ok {
		return bisect.Told{}, s.wrongLog("%v", e)
	}
	return bisect.Tell(records), err
}

func (s *stretch) wrongLog(format string, args ...any) error {
	return misuse(fmt.Sprintf("it has to be about %ss from %s to %s", s.noun(), s.short(0), s.short(len(s.o.Candidates)-1)), "--replay: "+format, args...)
}

// checkReplay refuses, before anything is measured, a log that cannot be read. Of
// commits that nobody has found yet it takes any for being between the ends.
func (s *stretch) checkReplay() error {
	if _, err := s.told(); err != nil || !s.o.Commits {
		return err
	}
	of := sectionsOf(s.o.Replay)
	lines := strings.Split(s.o.Replay, "\n")
	var others []string
	about := !s.o.Direct
	for i := 0; i < len(of); {
		end := i + 1
		for end < len(of) && of[end] == of[i] && strings.TrimSpace(lines[end]) != of[i].begins {
			end++
		}
		switch begins := of[i].begins; {
		case begins == s.section():
			about = true
		case begins == "" || of[i].command != commandOfCommits:
		default:
			if strings.HasPrefix(begins, commitsLine) {
				others = append(others, begins)
			}
			// The first line of a section is the one that begins it.
			err := bisect.CheckLog(strings.NewReader(strings.Join(lines[i+1:end], "\n")), mayBeHash)
			if e, ok := errors.AsType[*bisect.LogError](err); ok {
				e.Line += i + 1
				return misuse("versweep bisect log writes it anew from the store", "--replay: %v", e)
			} else if err != nil {
				return err
			}
		}
		i = end
	}
	if !about && len(others) > 0 {
		return s.wrongLog("it is about other commits: %.100q", strings.TrimPrefix(others[0], "#= "))
	}
	return nil
}

// mayBeHash tells whether a word can be a commit's hash, or its beginning.
func mayBeHash(word string) bool {
	return len(word) >= 7 && strings.Trim(word, "0123456789abcdef") == ""
}

// Each section of a log, which is all that one search found, begins with one of
// these lines. git passes over them.
const (
	versionsLine = "#= versions"
	commitsLine  = "#= commits " // and the hashes of both ends
	insideLine   = "#= inside "  // and the hashes of a merge and of both ends of its branch
	outsideLine  = "#= outside"  // ends what insideLine begins
)

// section is the line that begins this search's section.
func (s *stretch) section() string {
	if !s.ofCommits() {
		return versionsLine
	}
	var hashes []string
	begins := commitsLine
	if s.o.Inside != "" {
		begins, hashes = insideLine, append(hashes, s.o.Inside)
	}
	if n := len(s.o.Candidates); n > 0 { // a branch that cannot be searched has none
		hashes = append(hashes, s.candidate(0).Version.Commit, s.candidate(n-1).Version.Commit)
	}
	return begins + strings.Join(hashes, " ")
}

// endLog ends what newLog began.
func (s *stretch) endLog(w io.Writer) {
	if s.o.Inside != "" {
		fmt.Fprintln(w, outsideLine)
	}
}

// lineSection is what a line of a log belongs to.
type lineSection struct {
	begins  string // line that begins the section; empty for none, as in logs by hand, git's own and older ones
	command string // the kind of search: commandOfVersions or commandOfCommits; empty for either
}

// sectionsOf tells what each line of a log belongs to. Outside of sections the last
// command says which kind of search a line is about.
func sectionsOf(log string) []lineSection {
	var of []lineSection
	var at lineSection
	for line := range strings.SplitSeq(log, "\n") {
		line = strings.TrimSpace(line)
		switch {
		case line == versionsLine:
			at = lineSection{line, commandOfVersions}
		case strings.HasPrefix(line, commitsLine), strings.HasPrefix(line, insideLine):
			at = lineSection{line, commandOfCommits}
		case line == outsideLine:
			at = lineSection{"", commandOfCommits}
		}
		for _, known := range []string{commandOfVersions, commandOfCommits} {
			if strings.HasPrefix(line, known+" ") && at.command != known {
				at = lineSection{"", known} // added by hand to a section of the other kind
			}
		}
		of = append(of, at)
	}
	return of
}

// logSection blanks out the lines of a log that are not about the search whose
// section begins so, so that those that stay keep their numbers. Lines outside of
// sections are about any search of their kind but those inside of merges.
func logSection(log, begins string) string {
	command := commandOfCommits
	if begins == versionsLine {
		command = commandOfVersions
	}
	lines := strings.Split(log, "\n")
	for i, of := range sectionsOf(log) {
		ours := of.begins == begins
		if of.begins == "" {
			ours = (of.command == "" || of.command == command) && !strings.HasPrefix(begins, insideLine)
		}
		if line := strings.TrimSpace(lines[i]); !ours || line == begins || line == outsideLine {
			lines[i] = ""
		}
	}
	return strings.Join(lines, "\n")
}

func readLogFile(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", misuse("name a file that --log has written", "--replay: %v", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxLogFile+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("reading %s: %w", name, err)
	case len(text) > maxLogFile:
		return "", misuse("name a file that --log has written", "--replay: %s is longer than %d MiB", name, maxLogFile>>20)
	}
	return string(text), nil
}

func (a *app) bisectLogCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "log [BISECTION]",
		Short: "Print what each step of a bisection found, the latest or the one of a number",
		Long: `log prints the steps of a bisection from what is stored, in the manner of git
bisect log, and measures nothing. bisect --replay takes such a log; so does git
bisect replay, of the part that is about commits.`,
		Example: "  versweep bisect log 3 > slow.log",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			number := resumeLatest
			if len(args) == 1 {
				number = args[0]
			}
			return a.bisectLog(cmd.Context(), number)
		},
	}
}

func (a *app) bisectLog(ctx context.Context, number string) error {
	st, err := store.OpenReadOnly(ctx, a.db)
	if err != nil {
		return &dbError{err}
	}
	defer st.Close()
	b, err := findBisection(ctx, st, number, false)
	if err != nil {
		return err
	}
	versions, parts, err := a.recall(ctx, st, b)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(newBisectionJSON(versions, parts))
	}
	state := "unfinished"
	if !b.Finished.IsZero() {
		state = "finished " + b.Finished.Format("2006-01-02 15:04:05Z")
	}
	fmt.Fprintf(a.stdout, "# bisection %d of %s from %s to %s by %s, begun %s, %s\n", b.ID, charts.Printable(b.Target), charts.Printable(b.Good), charts.Printable(b.Bad), b.Metric, b.Created.Format("2006-01-02 15:04:05Z"), state)
	for _, s := range append([]*stretch{versions}, parts...) {
		if len(s.records) == 0 {
			continue
		}
		log := s.newLog(a.stdout)
		for _, r := range s.records {
			log.Write(r)
		}
		s.endLog(a.stdout)
		if log.Err != nil {
			return log.Err
		}
	}
	return nil
}

// recall searches again in what is stored.
func (a *app) recall(ctx context.Context, st *store.Store, b store.Bisection) (*stretch, []*stretch, error) {
	versions, err := newStretch(b)
	if err != nil {
		return nil, nil, err
	}
	stretches := []*stretch{}
	if !versions.o.Direct {
		stretches = append(stretches, versions)
	}
	known, err := st.Bisections(ctx, store.BisectionFilter{PartOf: b.ID})
	if err != nil {
		return nil, nil, err
	}
	var parts []*stretch
	for i := range known {
		part, err := newStretch(known[len(known)-1-i])
		if err != nil {
			return nil, nil, err
		}
		parts = append(parts, part)
	}
	for _, s := range append(stretches, parts...) {
		if s.o.Unsearched != "" {
			continue
		}
		m, err := newTrials(ctx, a, st, nil, s, &budgetClock{})
		if err != nil {
			return nil, nil, err
		}
		told, err := s.told()
		if err != nil {
			return nil, nil, err
		}
		s.answers, err = bisect.Search(ctx, len(s.o.Candidates), m.measure, bisect.Options{
			Effect: s.b.Effect, MinRounds: s.o.MinRounds, MaxRounds: s.o.MaxRounds, All: s.o.All, Way: s.o.Way, Told: told,
			Record: func(r bisect.Record) { s.records = append(s.records, r) },
		})
		for i := range s.answers {
			if s.answers[i].State == bisect.OutOfBudget { // no more is stored, whatever ended it
				s.answers[i].State = bisect.BrokenOff
			}
		}
		if s.cannotBeSearched(err) {
			continue
		}
		if _, ends := errors.AsType[*endError](err); err != nil && !ends { // what was found before is told
			return nil, nil, err
		}
	}
	return versions, parts, nil
}
