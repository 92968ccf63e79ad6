package exports

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"versweep/sweep"
)

type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Failure *junitOutcome `xml:"failure,omitempty"`
	Skipped *junitOutcome `xml:"skipped,omitempty"`
	Output  string        `xml:"system-out,omitempty"`
}

type junitOutcome struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

// JUnit writes a judgement as JUnit's XML: a case for each version compared with
// the one before, for each finding about anything else, and for each version
// that was not measured. A regression that is open fails; one that was
// acknowledged or expected passes; what is undecided or not measured is skipped.
func JUnit(w io.Writer, j sweep.Judgement) error {
	suite := junitSuite{Name: sweep.Printable("versweep " + j.Target)}
	type place struct{ to, metric string }
	findings := map[place]sweep.Finding{}
	for _, f := range j.Findings {
		if f.Kind != sweep.KindCreep {
			findings[place{f.To, f.Metric.Key}] = f
		}
	}
	for _, c := range j.Neighbours {
		at := place{c.To, c.Metric.Key}
		tc := comparisonCase(j, c)
		if f, ok := findings[at]; ok {
			if tc.Failure != nil && f.State != sweep.Open {
				tc.Output = lines(tc.Failure.Message, tc.Failure.Text, tc.Output)
				tc.Failure = nil
			}
			tc.Output = lines(tc.Output, "finding "+f.ID+", "+string(f.State))
			delete(findings, at)
		}
		suite.add(tc)
	}
	for _, f := range j.Findings {
		if _, left := findings[place{f.To, f.Metric.Key}]; left || f.Kind == sweep.KindCreep {
			suite.add(findingCase(j, f))
		}
	}
	for _, o := range j.NotMeasured {
		suite.add(junitCase{
			Class: "versweep." + j.Target, Name: o.Version,
			Skipped: &junitOutcome{Message: "not measured: " + o.Reason, Text: strings.Join(o.Log, "\n")},
		})
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return fmt.Errorf("writing JUnit XML: %w", err)
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(struct {
		XMLName xml.Name `xml:"testsuites"`
		Suite   junitSuite
	}{Suite: suite}); err != nil {
		return fmt.Errorf("writing JUnit XML: %w", err)
	}
	if _, err := io.WriteString(w, "\n"); err != nil {
		return fmt.Errorf("writing JUnit XML: %w", err)
	}
	return nil
}

// add counts a case in. What is told of it is made printable, line by line.
func (s *junitSuite) add(c junitCase) {
	c.Class, c.Name, c.Output = sweep.Printable(c.Class), sweep.Printable(c.Name), printableLines(c.Output)
	for _, o := range []*junitOutcome{c.Failure, c.Skipped} {
		if o != nil {
			o.Message, o.Text = sweep.Printable(o.Message), printableLines(o.Text)
		}
	}
	s.Tests++
	if c.Failure != nil {
		s.Failures++
	}
	if c.Skipped != nil {
		s.Skipped++
	}
	s.Cases = append(s.Cases, c)
}

func comparisonCase(j sweep.Judgement, c sweep.Comparison) junitCase {
	tc := junitCase{
		Class: "versweep." + j.Target, Name: c.From + " to " + c.To + ": " + c.Metric.Title,
		Output: strings.Join(c.Notes, "\n"),
	}
	figures := fmt.Sprintf("%s %s (%s) after %s (%s)", rounded(c.New.Median), c.Metric.Unit, samples(c.New.Samples), rounded(c.Old.Median), samples(c.Old.Samples))
	switch c.Verdict {
	case sweep.Regression:
		tc.Failure = &junitOutcome{Message: c.Metric.Title + change(c.Change, c.Lo, c.Hi), Type: string(c.Verdict), Text: figures}
	case sweep.Undecided:
		tc.Skipped = &junitOutcome{Message: fmt.Sprintf("undecided: %d more rounds would probably tell", c.RoundsNeeded)}
	case sweep.NotMeasured, sweep.EnvironmentChange:
		tc.Skipped = &junitOutcome{Message: string(c.Verdict)}
	default:
		tc.Output = lines(string(c.Verdict)+change(c.Change, c.Lo, c.Hi), figures, tc.Output)
	}
	return tc
}

func findingCase(j sweep.Judgement, f sweep.Finding) junitCase {
	tc := junitCase{
		Class: "versweep." + j.Target, Name: fmt.Sprintf("%s to %s: %s (%s)", f.From, f.To, f.Metric.Title, f.Kind),
		Output: lines("finding "+f.ID+", "+string(f.State), string(f.Verdict)+change(f.Change, f.Lo, f.Hi), strings.Join(f.Notes, "\n")),
	}
	if f.Verdict == sweep.Regression && f.State == sweep.Open {
		tc.Failure = &junitOutcome{Message: f.Metric.Title + change(f.Change, f.Lo, f.Hi), Type: string(f.Verdict)}
	}
	return tc
}

// change says how much with its interval; nothing when there is no ratio.
func change(by, lo, hi float64) string {
	switch {
	case !finite(by):
		return ""
	case !finite(lo) || !finite(hi):
		return fmt.Sprintf(" %+.1f %%", 100*by)
	}
	return fmt.Sprintf(" %+.1f %% (95 %%: %+.1f to %+.1f)", 100*by, 100*lo, 100*hi)
}

func printableLines(text string) string {
	all := strings.Split(text, "\n")
	for i, line := range all {
		all[i] = sweep.Printable(line)
	}
	return strings.Join(all, "\n")
}

// lines joins what is not empty.
func lines(parts ...string) string {
	var out []string
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, "\n")
}
