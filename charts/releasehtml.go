package charts

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"

	"versweep/sweep"
)

//go:embed release.html
var releaseHTML string

//go:embed release.css
var releaseCSS string

// WriteReleaseHTML writes a comparison as one page that stands alone: its style
// is in it, it has no script, and its policy lets it load nothing. It follows
// the reader's choice of light or dark.
func WriteReleaseHTML(w io.Writer, r sweep.Release, o ReleaseOptions) error {
	page, err := releaseTemplate()
	if err != nil {
		return err
	}
	p := newReleasePage(r, o)
	digest := sha256.Sum256([]byte(releaseCSS))
	var b strings.Builder
	err = page.Execute(&b, struct {
		releasePage
		Style  template.CSS
		Policy string
	}{p, template.CSS(releaseCSS), "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(digest[:]) + "'; base-uri 'none'; form-action 'none'"})
	if err == nil {
		_, err = io.WriteString(w, b.String())
	}
	if err != nil {
		return fmt.Errorf("writing the comparison of %s: %w", p.Title, err)
	}
	return nil
}

func releaseTemplate() (*template.Template, error) {
	page, err := template.New("release").Parse(releaseHTML)
	if err != nil {
		return nil, fmt.Errorf("reading the template of release reports: %w", err)
	}
	return page, nil
}

// ReleaseBody is what the page of WriteReleaseHTML has between its <main> tags,
// for a page with a frame and a style of its own, and the page's title.
func ReleaseBody(r sweep.Release, o ReleaseOptions) (body template.HTML, title string, err error) {
	page, err := releaseTemplate()
	if err != nil {
		return "", "", err
	}
	p := newReleasePage(r, o)
	var b strings.Builder
	if err := page.ExecuteTemplate(&b, "body", p); err != nil {
		return "", "", fmt.Errorf("writing the comparison of %s: %w", p.Title, err)
	}
	return template.HTML(b.String()), p.Title, nil
}
