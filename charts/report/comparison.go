package report

import (
	"html/template"

	"versweep/charts"
)

// comparisonPage is a release comparison, as versweep compare writes it.
type comparisonPage struct {
	titled
	Body template.HTML
}

func (s Site) comparison(t *subject, c Comparison) (headed, error) {
	body, title, err := charts.ReleaseBody(c.Release, charts.ReleaseOptions{Repeat: c.Repeat})
	return comparisonPage{s.heading(title, t.title()), body}, err
}
