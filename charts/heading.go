package charts

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
