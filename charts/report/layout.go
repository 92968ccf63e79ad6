package report

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"path"
	"strings"
)

//go:embed pages
var sources embed.FS

// layout is the templates, and what every page carries.
type layout struct {
	templates *template.Template
	style     template.CSS
	theme     template.JS  // the switch between light and dark
	trend     template.JS  // the trend to explore
	look      template.CSS // of that
}

func newLayout() (*layout, error) {
	templates, err := template.ParseFS(sources, "pages/*.html")
	if err != nil {
		return nil, fmt.Errorf("reading the templates of the report: %w", err)
	}
	return &layout{templates, template.CSS(source("pages.css")), template.JS(source("theme.js")), template.JS(source("trend.js")), template.CSS(source("trend.css"))}, nil
}

// source is an embedded file.
func source(name string) string {
	b, err := sources.ReadFile("pages/" + name)
	if err != nil {
		panic(err) // it is part of the program
	}
	return string(b)
}

// Policy is the content security policy of every page: its own style and
// scripts, pictures that are in it, and nothing else. Headers may add
// frame-ancestors, which a page cannot say of itself.
func Policy() string {
	hash := func(name string) string {
		sum := sha256.Sum256([]byte(source(name)))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; script-src " + hash("theme.js") + " " + hash("trend.js") + "; style-src " + hash("pages.css") + " " + hash("trend.css") +
		"; img-src data:; base-uri 'none'; form-action 'none'"
}

// headed is what a page template shows.
type headed interface{ heading() heading }

// heading is the part of a page that the layout sets.
type heading struct {
	Title  string // of the window
	Target string // whose page it is; empty for pages about all
	About  string // "made … by …"
	Trend  bool   // the page has a trend to explore
}

// framed is what the templates see.
type framed struct {
	heading
	Root   string // the way to the report's folder: "", "../"
	Here   bool   // it is the page of the target itself
	Policy string
	Style  template.CSS
	Theme  template.JS
	Script template.JS // empty where there is no trend
	Look   template.CSS
	Page   headed
}

// page is a file that a template makes when it is asked for.
func (l *layout) page(file, name string, make func() (headed, error)) File {
	return File{file, typeHTML, func(w io.Writer) error {
		page, err := make()
		if err != nil {
			return fmt.Errorf("making %s: %w", file, err)
		}
		f := framed{
			heading: page.heading(), Root: strings.Repeat("../", strings.Count(file, "/")), Here: path.Base(file) == indexName,
			Policy: Policy(), Style: l.style, Theme: l.theme, Page: page,
		}
		if f.Trend {
			f.Script, f.Look = l.trend, l.look
		}
		var b bytes.Buffer
		if err := l.templates.ExecuteTemplate(&b, name, f); err != nil {
			return fmt.Errorf("making %s: %w", file, err)
		}
		_, err = w.Write(b.Bytes())
		return err
	}}
}
