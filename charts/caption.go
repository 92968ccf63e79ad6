package charts

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"versweep/sweep"
	"versweep/sweep/load"
)

// targetTitle is the target's name for people.
func targetTitle(t sweep.Table) string {
	if t.Title != "" {
		return Printable(t.Title)
	}
	return Printable(t.Target)
}

// heading is "Node.js: throughput".
func heading(t sweep.Table, m sweep.Metric) string {
	return targetTitle(t) + ": " + Printable(withinSentence(m.Title))
}

// withinSentence lowers the first letter of a title, unless the title starts
// with an abbreviation.
func withinSentence(title string) string {
	first, n := utf8.DecodeRuneInString(title)
	second, _ := utf8.DecodeRuneInString(title[n:])
	if unicode.IsUpper(second) {
		return title
	}
	return string(unicode.ToLower(first)) + title[n:]
}

// loadCaption says how the load was put on: "64 connections, 3 s window
// after 1 s of warm-up, 5 rounds".
func loadCaption(t sweep.Table) string {
	p := t.Plan.Profile
	if f := t.Plan.Foreign; f != nil {
		return foreignCaption(*f, t.Plan.Rounds)
	}
	var parts []string
	switch p.Shape {
	case load.ShapeRate:
		parts = append(parts, number(p.Rate)+" requests/s")
	case load.ShapeRamp:
		parts = append(parts, fmt.Sprintf("ramp of %d steps", len(p.Steps)))
	}
	parts = append(parts, count(int64(p.Connections), "connection"))
	if p.Calls > 0 {
		parts = append(parts, count(int64(p.Calls), "request")+" each")
	}
	if p.HTTP10 {
		parts = append(parts, "HTTP/1.0")
	}
	window := ""
	switch {
	case p.Duration > 0:
		window = span(p.Duration) + " window"
	case p.Requests > 0:
		window = count(p.Requests, "request") + " a sample"
	}
	if p.Warmup > 0 {
		window = strings.TrimSpace(window + " after " + span(p.Warmup) + " of warm-up")
	}
	if window != "" {
		parts = append(parts, window)
	}
	if t.Plan.LatencyRate > 0 {
		parts = append(parts, "second pass at "+number(t.Plan.LatencyRate)+" requests/s")
	}
	rounds := count(int64(t.Plan.Rounds), "round")
	switch {
	case !t.Finished:
		rounds += " planned, sweep not finished"
	case t.Rounds > 0:
		rounds = count(int64(t.Rounds), "round")
	}
	return strings.Join(append(parts, rounds), ", ")
}

// foreignCaption is "c100, imported from nightly.csv (csv), 5 rounds": what is
// known of a load that another tool put on.
func foreignCaption(f sweep.Foreign, rounds int) string {
	text := "imported"
	if f.File != "" {
		text += " from " + Printable(f.File)
	}
	if f.Format != "" {
		text += " (" + Printable(f.Format) + ")"
	}
	if f.Profile != "" {
		text = Printable(f.Profile) + ", " + text
	}
	switch {
	case f.Unpaired:
		return text + ", samples not paired"
	case rounds > 1:
		return text + ", " + count(int64(rounds), "round")
	}
	return text
}

// machineCaption says what the sweep ran on: "AMD EPYC 7B13, 2 cores, linux/amd64
// 6.8.0, process launcher". Unknown parts are left out. A machine that imported
// figures name comes by its name first.
func machineCaption(e sweep.Environment) string {
	var parts []string
	if e.Name != "" {
		parts = append(parts, Printable(e.Name))
	}
	if cpu := strings.Join(strings.Fields(trademarks().Replace(e.CPU)), " "); cpu != "" {
		parts = append(parts, Printable(cpu))
	}
	if e.Cores > 0 {
		parts = append(parts, count(int64(e.Cores), "core"))
	}
	if system := strings.TrimSpace(e.OS + " " + e.Kernel); system != "" {
		parts = append(parts, Printable(system))
	}
	if e.Launcher != "" {
		launcher := e.Launcher + " launcher"
		if e.Engine != "" {
			launcher += " (" + e.Engine + ")"
		}
		parts = append(parts, Printable(launcher))
	}
	if len(parts) == 0 {
		return machineUnknown
	}
	return strings.Join(parts, ", ")
}

const machineUnknown = "machine unknown"

// machineLine is machineCaption as a line below a table.
func machineLine(e sweep.Environment) string {
	if caption := machineCaption(e); caption != machineUnknown {
		return "machine: " + caption
	}
	return machineUnknown
}

func trademarks() *strings.Replacer {
	return strings.NewReplacer("(R)", "", "(r)", "", "(TM)", "", "(tm)", "")
}

// count is "1 round", "5 rounds", "1,000 requests".
func count(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fixed(float64(n), 0) + " " + noun
}

// countRange is "5 samples" or "3 to 5 samples".
func countRange(least, most int, noun string) string {
	if least == most {
		return count(int64(most), noun)
	}
	return strconv.Itoa(least) + " to " + count(int64(most), noun)
}

// span is a duration in words of one unit: "500 ms", "2.5 s", "5 min".
func span(d time.Duration) string {
	switch {
	case d >= time.Minute && d%time.Minute == 0:
		return strconv.FormatInt(int64(d/time.Minute), 10) + " min"
	case d >= time.Second:
		return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + " s"
	default:
		return strconv.FormatFloat(float64(d)/float64(time.Millisecond), 'f', -1, 64) + " ms"
	}
}
