package charts

import (
	"fmt"
	"io"
	"strings"

	"versweep/sweep"
)

// WriteReleaseMarkdown writes a comparison as a page of GitHub Flavored
// Markdown. Text from outside is escaped, so that it shows as it is.
func WriteReleaseMarkdown(w io.Writer, r sweep.Release, o ReleaseOptions) error {
	p := newReleasePage(r, o)
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	heading := func(text string) { line("\n## %s\n", text) }

	line("# %s", markdown(p.Title))
	if p.Verdict != "" {
		line("\n**%s**", markdown(p.Verdict))
	}
	line("\n| metric | unit | %s | %s | change | 95 %% interval | verdict |", markdown(p.Old), markdown(p.New))
	line("|---|---|---:|---:|---:|---:|---|")
	for _, m := range p.Metrics {
		line("| %s | %s | %s | %s | %s | %s | %s |", markdown(m.Name), markdown(m.Unit), markdown(m.Old), markdown(m.New),
			markdown(m.Change), markdown(m.Interval), markdownVerdict(m))
	}
	for _, m := range p.Metrics {
		for _, note := range m.Notes {
			line("\n**%s**: %s", markdown(m.Name), markdown(note))
		}
	}
	line("\nMedian, ± half the distance from lowest to highest sample as a share of it, n samples.")
	if len(p.Steps) > 0 {
		heading("Changes between them")
		for _, s := range p.Steps {
			line("- **%s**, %s: %s", markdown(s.Version), markdown(s.Metric), markdown(s.Words))
			for _, note := range s.Notes {
				line("  - *%s*", markdown(note))
			}
		}
	}
	if len(p.Bundled) > 0 {
		heading("Bundled parts that changed")
		line("| part | %s | %s |\n|---|---|---|", markdown(p.Old), markdown(p.New))
		for _, c := range p.Bundled {
			line("| %s | %s | %s |", markdown(c.Name), markdown(c.Old), markdown(c.New))
		}
	}
	if len(p.Between) > 0 {
		heading("Versions between them")
		line("In order: %s", markdown(strings.Join(p.Between, ", ")))
	}
	if len(p.Missing) > 0 {
		heading("Not measured")
		for _, o := range p.Missing {
			line("- **%s**: %s", markdown(o.Version), markdown(o.Reason))
		}
	}
	heading("What it rests on")
	for _, f := range p.About {
		line("- **%s**: %s", markdown(f.Term), markdown(f.Text))
	}
	for _, warning := range p.Warnings {
		line("- **Warning**: %s", markdown(warning))
	}
	if len(p.Repeat) > 0 {
		heading("To repeat it")
		// Indented: there is nothing in a line that could end such a block.
		line("    %s", strings.Join(p.Repeat, "\n    "))
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("writing the comparison of %s: %w", p.Title, err)
	}
	return nil
}

func markdownVerdict(m releaseMetric) string {
	text := markdown(m.Verdict)
	if m.Kind == sweep.Regression || m.Kind == sweep.Improvement {
		return "**" + text + "**"
	}
	return text
}

// markdown escapes what means something within a line of Markdown or a cell of
// its tables. Text must be printable and must not begin a line.
func markdown(text string) string {
	return markdownEscapes.Replace(text)
}

var markdownEscapes = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "|", `\|`, "~", `\~`,
	"&", "&amp;", "<", "&lt;", ">", "&gt;",
)
