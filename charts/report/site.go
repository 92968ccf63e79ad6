// Package report makes pages about what sweeps found: an overview, a page a
// target with its trend to explore, a page a version, pages that compare the
// newest version with others, one about the method, and the data to download.
//
// Every page stands alone. Style and scripts are in it, named by their hashes in
// a policy that lets it load nothing, so that a folder of pages works from a
// disk, from any server and below any path; links between pages are relative.
// Whatever comes from outside goes through charts.Printable and is escaped.
//
// Site.Files lists the pages and renders each when asked: Write puts them into a
// folder, and versweep serve sends them one by one. The words and figures are
// those of package charts, which also draws the pictures.
package report

import (
	"io"
	"path"
	"time"

	"versweep/charts"
	"versweep/sweep"
)

// Site is what the pages are about.
type Site struct {
	Targets []Target // in the order in which they are shown
	Made    time.Time
	Program string // the build that made it: "v1.2.0 go1.26"
}

// Target is one target and what is known of it.
type Target struct {
	History     []sweep.Sweep // oldest first, at least one
	Judgement   sweep.Judgement
	Comparisons []Comparison
	Repeat      []string // lines of the commands that sweep it again
	Downloads   []Download
	// Standing is what the night that writes the pages says of a finding besides its
	// state, such as "not watched by the night"; empty for what it tells. It is nil
	// where no night writes them. What has a word comes after what has none.
	Standing func(sweep.Finding) string
}

// Comparison is a release comparison that gets a page.
type Comparison struct {
	Name    string // of its file: "newest-and-before"
	Link    string // "the version before"
	Release sweep.Release
	Repeat  []string
}

// Download is a file of data beside a target's page.
type Download struct {
	Name  string // "data.json"
	About string // "every figure of the table (JSON)"
	Write func(io.Writer) error
}

// File is one file of the report.
type File struct {
	Path  string // below the report's folder, with slashes
	Type  string // media type
	Write func(io.Writer) error
}

// Media types.
const (
	typeHTML = "text/html; charset=utf-8"
	typeJSON = "application/json"
	typeCSV  = "text/csv; charset=utf-8"
	typePNG  = "image/png"
	typeSVG  = "image/svg+xml"
)

// indexName is the name of a folder's own page.
const indexName = "index.html"

// Files lists every file, the overview first. Nothing is rendered before a
// file's Write is called, which may be at any time and from any goroutine.
func (s Site) Files() ([]File, error) {
	layout, err := newLayout()
	if err != nil {
		return nil, err
	}
	var subjects []*subject
	for _, t := range s.Targets {
		subjects = append(subjects, newSubject(t))
	}
	files := []File{
		layout.page(indexName, "overview", func() (headed, error) { return s.overview(subjects), nil }),
		layout.page(methodName, "method", func() (headed, error) { return s.method(subjects), nil }),
	}
	for _, t := range subjects {
		files = append(files, s.targetFiles(layout, t)...)
	}
	return files, nil
}

func (s Site) targetFiles(layout *layout, t *subject) []File {
	in := func(name string) string { return path.Join(t.folder, name) }
	files := []File{layout.page(in(indexName), "target", func() (headed, error) { return s.target(t) })}
	for i, row := range t.table.Rows {
		if t.row(row.Version.Name) != i {
			continue // a list may name one twice
		}
		files = append(files, layout.page(in(t.versionFile(i)), "version", func() (headed, error) { return s.version(t, i), nil }))
	}
	for _, c := range t.Comparisons {
		files = append(files, layout.page(in(c.Name+".html"), "comparison", func() (headed, error) { return s.comparison(t, c) }))
	}
	for _, d := range t.Downloads {
		files = append(files, File{in(d.Name), mediaType(d.Name), d.Write})
	}
	if main, ok := t.mainMetric(); ok {
		for _, format := range []charts.Format{charts.PNG, charts.SVG} {
			name := "trend." + string(format)
			files = append(files, File{in(name), mediaType(name), func(w io.Writer) error {
				return charts.Trend(w, t.table, main, charts.Options{Format: format, Judgement: &t.Judgement})
			}})
		}
	}
	return files
}

func mediaType(name string) string {
	switch path.Ext(name) {
	case ".json":
		return typeJSON
	case ".csv":
		return typeCSV
	case ".png":
		return typePNG
	case ".svg":
		return typeSVG
	}
	return "application/octet-stream"
}
