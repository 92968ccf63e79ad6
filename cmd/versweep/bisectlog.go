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
	if s.o.Inside != "" {
		fmt.Fprintf(w, "%s%s\n", insideLine, s.insideKey()) // an error comes again with the first record
	}
	if s.ofCommits() && s.o.FirstParent {
		l.Start = " '--first-parent'" // git drops all of what it finds unquoted
	}
	return bisect.NewLog(w, l)
}

// told is what the log that is replayed says of this search.
func (s *stretch) told() (bisect.Told, error) {
	section := logSection(s.o.Replay, s.command(), s.insideKey())
	records, err := bisect.ReadLog(strings.NewReader(section), 0, len(s.o.Candidates)-1, s.place)
	if e, ok := errors.AsType[*bisect.LogError](err); ok {
		return bisect.Told{}, misuse(fmt.Sprintf("it has to be about %ss from %s to %s", s.noun(), s.short(0), s.short(len(s.o.Candidates)-1)), "--replay: %v", e)
	}
	return bisect.Tell(records), err
}

// Lines of a log around what is about the branch of a merge.
const (
	insideLine  = "#= inside "
	outsideLine = "#= outside"
)

// insideKey tells a merged branch from others in a log: the hashes of its merge and
// of both ends. It is empty for other searches.
func (s *stretch) insideKey() string {
	if s.o.Inside == "" || len(s.o.Candidates) == 0 {
		return s.o.Inside
	}
	return s.o.Inside + " " + s.candidate(0).Version.Commit + " " + s.candidate(len(s.o.Candidates)-1).Version.Commit
}

// endLog ends what newLog began.
func (s *stretch) endLog(w io.Writer) {
	if s.o.Inside != "" {
		fmt.Fprintln(w, outsideLine)
	}
}

// logSection blanks out the lines of a log that are about the other kind of
// search, so that those that stay keep their numbers. Each start says which kind
// follows; lines without a command may be either.
func logSection(log, command, inside string) string {
	lines := strings.Split(log, "\n")
	ours, at := true, ""
	for i, line := range lines {
		line = strings.TrimSpace(line)
		for _, known := range []string{commandOfVersions, commandOfCommits} {
			if strings.HasPrefix(line, known+" ") {
				ours = known == command
			}
		}
		key, begins := strings.CutPrefix(line, insideLine)
		if begins || line == outsideLine {
			at = key
			if !begins {
				at = ""
			}
			lines[i] = ""
		}
		if !ours || at != inside {
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
		if s.cannotBeSearched(err) {
			continue
		}
		if _, ends := errors.AsType[*endError](err); err != nil && !ends { // what was found before is told
			return nil, nil, err
		}
	}
	return versions, parts, nil
}
