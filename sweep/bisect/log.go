package bisect

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"versweep/sweep"
)

// Labels say how a log writes candidates.
type Labels struct {
	// Command begins the lines that tell a verdict: "git bisect" makes a log
	// that git bisect replay takes as well.
	Command string
	Start   string                 // flags of its start, such as " '--first-parent'"; empty for none
	Name    func(place int) string // without spaces, and known to Command
	Title   func(place int) string // for people; one line
}

// Log writes records as they come, in the manner of git bisect log: lines that
// tell a verdict, and comments that say why. Comments that begin with "#=" are
// for ReadLog, which finds there what the other lines cannot say.
type Log struct {
	w io.Writer
	l Labels
	// Err is the first error of the writer.
	Err error
}

// NewLog begins a log. Names, titles and reasons may be anybody's: it writes them
// as sweep.Printable does.
func NewLog(w io.Writer, l Labels) *Log {
	name, title := l.Name, l.Title
	l.Name = func(place int) string { return sweep.Printable(name(place)) }
	l.Title = func(place int) string { return sweep.Printable(title(place)) }
	return &Log{w: w, l: l}
}

func (g *Log) line(format string, args ...any) {
	if g.Err == nil {
		_, g.Err = fmt.Fprintf(g.w, format+"\n", args...)
	}
}

// Write adds a record.
func (g *Log) Write(r Record) {
	name := g.l.Name
	switch r.Purpose {
	case Ends:
		differ := strconv.FormatBool(r.Differ)
		if r.OtherWay {
			differ = "other"
		} else if r.Differ { // else git has nothing to look for there
			g.start(r.Bad, r.Good)
		}
		g.line("#= ends %s %s differ=%s %s", name(r.Good), name(r.Bad), differ, figures(r.Change))
	case Probe:
		g.step(r.Step)
	case Confirm:
		g.line("#= confirm %s %s differ=%t %s", name(r.LastGood), name(r.FirstBad), r.Differ, figures(r.Change))
		for _, s := range r.Fresh {
			g.line("# fresh rounds say that %s is %s", g.l.Title(s.Place), s.Verdict)
			g.line("#= fresh %s %s", name(s.Place), s.Verdict)
		}
		for _, d := range r.Doubts {
			g.line("#= doubt %s where=%s kind=%s is=%s change=%s", name(d.Place), hyphens(string(d.Where)), hyphens(string(d.Kind)), d.Is, list(d.Change))
		}
		if len(r.Fresh) > 0 {
			s := r.Fresh[len(r.Fresh)-1]
			g.start(s.Hi, s.Lo) // git takes no verdict back
		} else if r.Differ && r.FirstBad == r.LastGood+1 {
			g.line("# first bad: %s", g.l.Title(r.FirstBad))
		}
	}
}

func (g *Log) start(bad, good int) {
	g.line("%s start%s '%s' '%s'", g.l.Command, g.l.Start, g.l.Name(bad), g.l.Name(good))
}

func (g *Log) step(s Step) {
	why := sweep.Printable(s.Reason)
	if !math.IsNaN(s.FromGood.Change) {
		why = fmt.Sprintf("%s from good, %s from bad, %d rounds", s.FromGood, s.FromBad, s.FromGood.Rounds)
	}
	if s.Where != AtEnd {
		why += ", " + string(s.Where)
	}
	g.line("# %s: %s: %s", s.Verdict, g.l.Title(s.Place), why)
	if s.Verdict != Skipped {
		g.line("#= step %s %s where=%s good=%s bad=%s rounds=%d", g.l.Name(s.Place), s.Verdict, hyphens(string(s.Where)), list(s.FromGood), list(s.FromBad), s.FromGood.Rounds)
	}
	verdict := s.Verdict
	if verdict == Undecided {
		verdict = Skipped
	}
	g.line("%s %s %s", g.l.Command, verdict, g.l.Name(s.Place))
}

func hyphens(s string) string { return strings.ReplaceAll(s, " ", "-") }
func spaces(s string) string  { return strings.ReplaceAll(s, "-", " ") }

// String is a change as a log has it for people.
func (c Change) String() string {
	return fmt.Sprintf("%+.1f %% (%+.1f to %+.1f)", 100*c.Change, 100*c.Lo, 100*c.Hi)
}

func list(c Change) string { return fmt.Sprintf("%.6g,%.6g,%.6g", c.Change, c.Lo, c.Hi) }

func figures(c Change) string { return fmt.Sprintf("change=%s rounds=%d", list(c), c.Rounds) }

// LogError is a line of a log that cannot be read.
type LogError struct {
	Line    int // from 1
	Problem string
}

func (e *LogError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Problem) }

// mostLines bounds a log.
const mostLines = 1_000_000

// ReadLog reads what Log wrote, or git bisect log, or lines such as "good 1.2.3".
// place finds a candidate by what a log calls it; first and last are the ends of
// the search, which verdicts of logs without "#=" are about. An error is a
// *LogError or the reader's.
func ReadLog(r io.Reader, first, last int, place func(name string) (int, bool)) ([]Record, error) {
	reading := logReading{good: first, bad: last, place: place}
	err := reading.read(r)
	return reading.records, err
}

// CheckLog finds what ReadLog would find wrong in a log, as far as that can be told
// before candidates are known: name tells which words may name one. Whether they are
// between the ends it does not tell. An error is as of ReadLog.
func CheckLog(r io.Reader, name func(word string) bool) error {
	reading := logReading{unordered: true, place: func(word string) (int, bool) { return 0, name(word) }}
	return reading.read(r)
}

func (l *logReading) read(r io.Reader) error {
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		if l.line++; l.line > mostLines {
			return &LogError{l.line, "there are more lines than any bisection has"}
		}
		if problem := l.take(strings.Fields(lines.Text())); problem != "" {
			return &LogError{l.line, problem}
		}
	}
	return lines.Err()
}

type logReading struct {
	unordered bool // places say nothing
	good, bad int  // ends of the stretch
	place     func(string) (int, bool)
	line      int
	records   []Record
	measured  map[int]Step // from "#= step", before the line that tells the verdict
}

func (l *logReading) take(words []string) (problem string) {
	if len(words) >= 2 && words[0] == "#=" {
		return l.figures(words[1], words[2:])
	}
	if len(words) == 0 || strings.HasPrefix(words[0], "#") {
		return ""
	}
	if len(words) > 2 && words[1] == "bisect" && (words[0] == "git" || words[0] == "versweep") {
		words = words[2:]
	}
	verdict := Verdict(words[0])
	switch verdict {
	case "start":
		return ""
	case Good, Bad, Skipped:
	default:
		return fmt.Sprintf("%q is none of start, good, bad and skip", words[0])
	}
	if len(words) == 1 {
		return string(verdict) + " of what?"
	}
	for _, name := range words[1:] {
		p, ok := l.place(name)
		switch {
		case !ok:
			return fmt.Sprintf("%q is not between the ends", name)
		case p == l.good && verdict == Good, p == l.bad && verdict == Bad:
			continue // git's log says so of the ends
		case !l.unordered && (p <= l.good || p >= l.bad):
			return fmt.Sprintf("%q is at or beyond an end, and cannot be %s", name, verdict)
		}
		step, ok := l.measured[p]
		if !ok {
			step = Step{Place: p, FromGood: unknownChange(), FromBad: unknownChange(), Reason: "the log says so"}
		}
		if step.Verdict != Undecided || verdict != Skipped {
			step.Verdict = verdict // perhaps edited
		}
		l.records = append(l.records, Record{Purpose: Probe, Good: l.good, Bad: l.bad, Step: step, Told: true})
	}
	return ""
}

// figures takes a "#=" line.
func (l *logReading) figures(kind string, words []string) (problem string) {
	var places []int
	var verdict Verdict
	values := map[string]string{}
	for i, w := range words {
		key, value, isValue := strings.Cut(w, "=")
		p, known := l.place(w)
		switch {
		case isValue:
			values[key] = value
		case known:
			places = append(places, p)
		case i > 0:
			verdict = Verdict(w)
		default:
			return fmt.Sprintf("%q is not between the ends", w)
		}
	}
	wants := map[string]int{"ends": 2, "confirm": 2, "step": 1, "fresh": 1, "doubt": 1}
	if n, known := wants[kind]; !known || len(places) != n {
		return fmt.Sprintf("#= %s does not look like what versweep writes", kind)
	}
	rounds, err := strconv.Atoi(cmp.Or(values["rounds"], "0"))
	if err != nil || rounds < 0 || rounds > mostRounds {
		return fmt.Sprintf("%q is no number of rounds", values["rounds"])
	}
	for _, key := range []string{"change", "good", "bad"} {
		if c := changeOf(values[key]); !c.possible() || key == "change" && values["differ"] == "true" && math.IsNaN(c.Change+c.Lo+c.Hi) {
			return fmt.Sprintf("%s=%s is no change with its interval", key, values[key])
		}
	}
	r := Record{Good: l.good, Bad: l.bad, Change: changeOf(values["change"]), Differ: values["differ"] == "true", OtherWay: values["differ"] == "other", Told: true}
	r.Change.Rounds = rounds
	switch kind {
	case "ends":
		l.good, l.bad, l.measured = places[0], places[1], map[int]Step{}
		r.Purpose, r.Good, r.Bad = Ends, l.good, l.bad
	case "confirm":
		r.Purpose, r.LastGood, r.FirstBad = Confirm, places[0], places[1]
	case "step":
		if l.measured == nil {
			l.measured = map[int]Step{}
		}
		step := Step{Place: places[0], Verdict: verdict, Where: Where(spaces(values["where"])), FromGood: changeOf(values["good"]), FromBad: changeOf(values["bad"])}
		step.FromGood.Rounds, step.FromBad.Rounds = rounds, rounds
		l.measured[places[0]] = step
		return ""
	case "fresh", "doubt":
		last := len(l.records) - 1
		if last < 0 || l.records[last].Purpose != Confirm {
			return "#= " + kind + " does not follow a confirmation"
		}
		if kind == "doubt" {
			l.records[last].Doubts = append(l.records[last].Doubts, Doubt{Kind: DoubtKind(spaces(values["kind"])), Place: places[0], Where: Where(spaces(values["where"])), Is: Verdict(values["is"]), Change: r.Change})
			return ""
		}
		l.records[last].Fresh = append(l.records[last].Fresh, Step{Place: places[0], Verdict: verdict, FromGood: unknownChange(), FromBad: unknownChange()})
		return ""
	}
	l.records = append(l.records, r)
	return ""
}

// mostRounds bounds what a log may claim.
const mostRounds = 1_000_000

// possible tells whether a change is one that rounds can show, as far as it is
// known: nothing falls by more than all that there is, and the change lies in its
// interval.
func (c Change) possible() bool {
	for _, v := range []float64{c.Change, c.Lo, c.Hi} {
		if v < -1 || math.IsInf(v, 0) {
			return false
		}
	}
	return !(c.Lo > c.Change) && !(c.Change > c.Hi)
}

// changeOf reads "-0.2,-0.25,-0.15"; what is not there is unknown.
func changeOf(text string) Change {
	c := unknownChange()
	parts := strings.Split(text, ",")
	for i, into := range []*float64{&c.Change, &c.Lo, &c.Hi} {
		if i < len(parts) {
			if v, err := strconv.ParseFloat(parts[i], 64); err == nil {
				*into = v
			}
		}
	}
	return c
}
