package charts

import (
	"slices"
	"strings"

	"versweep/sweep"
)

// Heading is what stands over a picture that is not about a single table.
type Heading struct {
	Title    string
	Captions []string // what the figures rest on: load, machine; at most 4 are shown
}

const maxCaptions = 4

// head puts h over f.
func (f *frame) head(h Heading) {
	f.title = Printable(h.Title)
	for _, c := range h.Captions[:min(len(h.Captions), maxCaptions)] {
		f.captions = append(f.captions, Printable(c))
	}
}

// NewHeading is a title over what t's figures rest on.
func NewHeading(title string, t sweep.Table) Heading {
	return Heading{Title: title, Captions: captionsOf(t)}
}

// Add says what was different for a further table, called by a name.
func (h *Heading) Add(name string, t sweep.Table) {
	if other := differing(h.Captions, captionsOf(t)); other != "" {
		h.Captions = append(h.Captions, name+": "+other)
	}
}

func captionsOf(t sweep.Table) []string {
	return []string{loadCaption(t), machineCaption(t.Environment)}
}

// differing is those of other's captions that are not among captions.
func differing(captions, other []string) string {
	other = slices.DeleteFunc(slices.Clone(other), func(c string) bool { return slices.Contains(captions, c) })
	return strings.Join(other, "; ")
}
