package main

import (
	"cmp"
	"fmt"
	"strings"

	"versweep/charts"
	"versweep/sweep/bisect"
)

// tellBisection prints what was found, and says that more is missing where brokenOff
// is why. The error is not nil when what was found is no single version or commit.
func (a *app) tellBisection(versions *stretch, parts []*stretch, brokenOff string) error {
	if a.json {
		doc := newBisectionJSON(versions, parts)
		doc.BrokenOff = orNull(safe(brokenOff))
		if err := a.printJSON(doc); err != nil {
			return err
		}
	}
	var failed error
	for _, s := range append([]*stretch{versions}, parts...) {
		for _, answer := range s.answers {
			if !a.json && (answer.State != bisect.BrokenOff || answer.Ends.Rounds > 0) {
				a.printAnswer(s, answer)
				if m, ok := s.mergeOf(answer, parts); ok {
					fmt.Fprintf(a.stdout, "merge         %s\n", charts.Printable(m.Text))
				}
			}
			if err := s.failure(answer); err != nil && failed == nil {
				failed = err
			}
		}
	}
	if brokenOff != "" && !a.json {
		fmt.Fprintf(a.stdout, "missing       this is not all: the bisection was broken off: %s\n", safe(brokenOff))
	}
	if !a.json {
		fmt.Fprintf(a.stdout, "log           %s\n", a.commandLine("bisect", "log", fmt.Sprint(versions.b.ID)))
	}
	return failed
}

// unbegun tells whether nothing says so far that the ends differ: those of a part that
// --all follows are known to.
func (s *stretch) unbegun(answer bisect.Answer) bool {
	return !answer.Begun() && answer.Good == 0 && answer.Bad == len(s.o.Candidates)-1
}

// printAnswer prints one answer.
func (a *app) printAnswer(s *stretch, answer bisect.Answer) {
	line := func(head, format string, args ...any) {
		fmt.Fprintf(a.stdout, "%-13s %s\n", head, charts.Printable(fmt.Sprintf(format, args...)))
	}
	fmt.Fprintln(a.stdout, charts.Printable(fmt.Sprintf("%s: %s among %s from %s to %s, by %s", cmp.Or(s.title, s.b.Target), s.headline(answer),
		counted(len(s.o.Candidates), s.noun()), s.short(answer.Good), s.short(answer.Bad), charts.ShortName(s.metric)+s.insideText())))
	switch answer.State {
	case bisect.Found:
		line("first bad", "%s", s.full(answer.FirstBad))
		line("last good", "%s", s.full(answer.LastGood))
		line("step", "%s, in %s of its own", s.changeText(answer.Step), counted(answer.Step.Rounds, "fresh round"))
	case bisect.OneOf:
		for i, place := range answer.Suspects {
			line(map[bool]string{true: "one of", false: ""}[i == 0], "%s", s.full(place))
		}
		line("last good", "%s", s.full(answer.LastGood))
		line("step", "%s over all of them, in %s", s.changeText(answer.Step), counted(answer.Step.Rounds, "fresh round"))
	case bisect.NoDifference, bisect.OtherWay:
	default:
		if s.unbegun(answer) {
			line("ends", "nothing says yet that they differ")
			break
		}
		line("known good", "%s, the last", s.full(answer.LastGood))
		line("known bad", "%s, the first", s.full(answer.FirstBad))
		line("between", "%s", s.betweenText(answer))
		if answer.Step.Rounds > 0 {
			line("step", "%s, in %s", s.changeText(answer.Step), counted(answer.Step.Rounds, "fresh round"))
		}
	}
	if answer.Ends.Rounds > 0 {
		line("ends", "%s against %s: %s, in %s", s.short(answer.Bad), s.short(answer.Good), s.changeText(answer.Ends), counted(answer.Ends.Rounds, "round"))
	}
	measured, passed := 0, 0
	for _, step := range answer.Steps {
		switch step.Verdict {
		case bisect.Skipped:
			passed++
			line("passed over", "%s: %s", s.label(step.Place), step.Reason)
		case bisect.Undecided:
			passed++
			text := fmt.Sprintf("%s: %s from %s, %s from %s", s.label(step.Place), step.FromGood, s.short(step.From), step.FromBad, s.short(step.To))
			if step.RoundsNeeded > 0 { // else a log told it, without its figures
				text += fmt.Sprintf("; about %s would tell", counted(step.RoundsNeeded, "more round"))
			}
			line("undecided", "%s", text)
		default:
			measured++
		}
	}
	line("measured", "%s besides the ends, %d passed over; %s, %s", counted(measured, s.noun()), passed, counted(answer.Rounds, "round"), counted(answer.Samples, "figure"))
	for _, text := range s.doubts(answer) {
		line("doubt", "%s", text)
	}
}

func (s *stretch) headline(answer bisect.Answer) string {
	switch answer.State {
	case bisect.Found:
		return "first bad " + s.noun() + " found"
	case bisect.OneOf:
		return fmt.Sprintf("first bad %s is one of %d", s.noun(), len(answer.Suspects))
	case bisect.NoDifference:
		return "no difference"
	case bisect.OtherWay:
		return "a difference, but the other way,"
	case bisect.Unconfirmed:
		return "first bad " + s.noun() + " not confirmed"
	case bisect.Contradictory:
		return "no answer that holds"
	}
	return "search broken off"
}

// betweenText is what a search that did not end leaves open.
func (s *stretch) betweenText(answer bisect.Answer) string {
	switch n := answer.Between(); n {
	case 0:
		return "nothing: they are next to each other"
	case 1:
		return "1 " + s.noun() + "; the first bad one is that or the known bad one"
	default:
		return fmt.Sprintf("%d %ss; the first bad one is among those or the known bad one", n, s.noun())
	}
}

// full is a candidate with all that is known: hash, date and subject, or name.
func (s *stretch) full(place int) string {
	c := s.candidate(place)
	if !s.ofCommits() {
		return c.Version.Name
	}
	parts := []string{c.Version.Commit}
	if !c.Date.IsZero() {
		parts = append(parts, c.Date.UTC().Format(minuteOfDay))
	}
	if c.Merge {
		parts = append(parts, "(merge)")
	}
	return strings.Join(append(parts, c.Subject), "  ")
}

// doubts tells what speaks against an answer, or beside it.
func (s *stretch) doubts(answer bisect.Answer) []string {
	var texts []string
	add := func(format string, args ...any) { texts = append(texts, fmt.Sprintf(format, args...)) }
	several := false
	for _, d := range answer.Doubts {
		name := s.short(d.Place)
		switch d.Kind {
		case bisect.SeveralChanges:
			several = true
			if d.Where == bisect.Between {
				add("%s is surely between good and bad: there is another change", name)
			} else {
				add("%s is beyond %s: there is another change", name, strings.TrimPrefix(string(d.Where), "beyond "))
			}
		case bisect.Reversed:
			add("%s was taken for %s, and fresh rounds say %s: the search went back", name, d.Was, d.Is)
		case bisect.OtherSide:
			several = true
			add("%s is like %s though it is on the other side: the history is not monotonic, and there are more changes", name, d.Is)
		case bisect.GoodDiffers:
			several = true
			add("the last good one against %s: %s, so there is another change before", s.short(answer.From), s.changeText(d.Change))
		case bisect.BadDiffers:
			several = true
			add("the first bad one against %s: %s, so there is another change after", s.short(answer.To), s.changeText(d.Change))
		case bisect.EndsUnlike:
			add("fresh rounds show the difference the other way round")
		}
	}
	if several && !s.o.All {
		add("--all follows further changes")
	}
	for _, step := range answer.Steps {
		if step.Told {
			add("some verdicts are from a log and were not measured")
			break
		}
	}
	return texts
}

// failure is why an answer is no single candidate; nil when it is.
func (s *stretch) failure(answer bisect.Answer) error {
	ends := fmt.Sprintf("%s of %s from %s to %s", s.metric.Key, s.b.Target, s.short(answer.Good), s.short(answer.Bad))
	more := func(n int) string {
		most := s.o.MaxRounds + n
		return fmt.Sprintf("about %s would tell; --rounds %d:%d has half as many again to spare", counted(n, "more round"), s.o.MinRounds, most+most/2)
	}
	switch answer.State {
	case bisect.Found, bisect.OtherWay:
		return nil
	case bisect.OneOf:
		return &hintedError{fmt.Errorf("bisecting %s: one of %d, which could not be told apart", ends, len(answer.Suspects)), "what was passed over is listed with its reason"}
	case bisect.NoDifference:
		if s.o.Inside != "" && answer.RoundsNeeded == 0 {
			return nil // the merge is the answer
		}
		hint := fmt.Sprintf("they are the same within --effect, %g %%", 100*s.b.Effect)
		if answer.RoundsNeeded > 0 {
			hint = more(answer.RoundsNeeded)
		}
		return &hintedError{fmt.Errorf("bisecting %s: the ends are not different (%s)", ends, s.changeText(answer.Ends)), hint}
	case bisect.Unconfirmed:
		what := s.short(answer.FirstBad)
		if n := answer.Between() + 1; n > 1 {
			what = fmt.Sprintf("that it is one of %d up to %s", n, what)
		}
		return &hintedError{fmt.Errorf("bisecting %s: fresh rounds did not confirm %s", ends, what), more(max(answer.RoundsNeeded, 1))}
	case bisect.Contradictory:
		return &hintedError{fmt.Errorf("bisecting %s: fresh rounds contradicted every answer", ends), "versweep doctor may say what disturbs this machine; --rounds with a larger MIN hardens each step"}
	}
	if answer.State == bisect.BrokenOff {
		return nil // the error that broke it off is told
	}
	return &hintedError{fmt.Errorf("bisecting %s: the budget is used up with %d left", ends, answer.FirstBad-answer.LastGood), fmt.Sprintf("versweep bisect --resume %d goes on", cmp.Or(s.b.PartOf, s.b.ID))}
}
