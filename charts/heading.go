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
	return Heading{Title: title, Captions: []string{loadCaption(t), machineCaption(t.Environment)}}
}

// Add says what was different for a further table, called by a name.
func (h *Heading) Add(name string, t sweep.Table) {
	other := NewHeading("", t)
	if !slices.Equal(other.Captions, h.Captions[:min(len(h.Captions), len(other.Captions))]) {
		h.Captions = append(h.Captions, name+": "+strings.Join(other.Captions, "; "))
	}
}
