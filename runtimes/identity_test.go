package runtimes

import (
	"slices"
	"testing"
	"testing/fstest"

	"versweep/sweep"
)

// What decides what is measured is told apart, and nothing else is: new versions
// and remarks come all the time.
func TestDefinitionIsToldApart(t *testing.T) {
	base := func() (Definition, Source) {
		d := Definition{
			Name: "x", Title: "X", Origin: OriginYours, files: fstest.MapFS{"hello.js": {Data: []byte("1")}},
			Recipe: Recipe{Program: []string{"hello.js"}, Start: []string{"node"}, Env: map[string]string{"A": "1"}},
		}
		d.fillIn()
		return d, Source{NPM: &NPMSource{Package: "x", Keep: []string{"bin/x"}}}
	}
	tell := func(change func(*Definition, *Source)) sweep.Definition {
		t.Helper()
		d, s := base()
		if change != nil {
			change(&d, &s)
		}
		supply := &Supply{definition: &d, recipe: s.Recipe.over(d.Recipe), kind: s.Kind(), origin: s.origin()}
		got, err := supply.Definition()
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	plain := tell(nil)
	if len(plain.Hash) != 12 || !plain.Yours {
		t.Errorf("got %+v", plain)
	}
	seen := []string{plain.Hash}
	for what, change := range map[string]func(*Definition, *Source){
		"program":     func(d *Definition, _ *Source) { d.files = fstest.MapFS{"hello.js": {Data: []byte("2")}} },
		"start":       func(d *Definition, _ *Source) { d.Start = []string{"node", "--x"} },
		"environment": func(d *Definition, _ *Source) { d.Env = map[string]string{"A": "2"} },
		"base image":  func(d *Definition, _ *Source) { d.Image.Base = "debian" },
		"path":        func(d *Definition, _ *Source) { d.Request.Path = "/x" },
		"answer":      func(d *Definition, _ *Source) { d.Answer.Body = "x" },
		"package":     func(_ *Definition, s *Source) { s.NPM.Package = "y" },
		"source":      func(_ *Definition, s *Source) { *s = Source{GoMod: &GoModSource{Module: "x"}} },
		"recipe":      func(_ *Definition, s *Source) { s.Recipe.Start = []string{"other"} },
	} {
		got := tell(change)
		if slices.Contains(seen, got.Hash) {
			t.Errorf("another %s is not told", what)
		}
		seen = append(seen, got.Hash)
	}
	for what, change := range map[string]func(*Definition, *Source){
		"title":   func(d *Definition, _ *Source) { d.Title = "Y" },
		"timeout": func(d *Definition, _ *Source) { d.Answer.Timeout++ },
	} {
		if got := tell(change); got != plain {
			t.Errorf("another %s makes another definition", what)
		}
	}
	if list := (Source{List: []string{"1"}}); list.origin() != nil {
		t.Error("a version that is added makes another definition")
	}
}
