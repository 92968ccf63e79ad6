package runtimes

import (
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// Every folder of the catalogue is a target, says what it is in sentences, and
// has no file that nothing uses.
func TestEveryEmbeddedTargetIsWhole(t *testing.T) {
	c, err := EmbeddedCatalog()
	if err != nil {
		t.Fatal(err)
	}
	folders, err := filepath.Glob("catalog/*/" + definitionFile)
	if err != nil || len(folders) == 0 || len(folders) != len(c.Names()) {
		t.Errorf("%d folders with a %s, %v; targets %v", len(folders), definitionFile, err, c.Names())
	}
	for _, name := range c.Names() {
		d, err := c.Find(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !strings.HasPrefix(d.Homepage, "https://") {
			t.Errorf("%s: homepage %q", name, d.Homepage)
		}
		if !isSentence(d.About) || d.Untested != "" && !isSentence(d.Untested) {
			t.Errorf("%s: about %q, untested %q; want a sentence each", name, d.About, d.Untested)
		}
		used := map[string]bool{definitionFile: true}
		for _, v := range append(slices.Sorted(maps.Keys(d.Variants)), "") {
			one := d
			if v != "" {
				one, _ = d.variant(v)
			}
			if one.Answer.Body != "Hello World\n" && v == "" || !isSentence(one.About) {
				t.Errorf("%s: answer %q, about %q", one.Name, one.Answer.Body, one.About)
			}
			for _, s := range one.Sources {
				r := s.Recipe.over(one.Recipe)
				if len(r.Program) == 0 {
					t.Errorf("%s: source %s has no program", one.Name, s.Kind())
				}
				for _, file := range slices.Concat(r.Program, r.dockerfiles()) {
					used[file] = true
				}
			}
		}
		files, err := fs.ReadDir(d.files, ".")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if !used[f.Name()] {
				t.Errorf("%s: nothing uses %s", name, f.Name())
			}
		}
	}
}

func isSentence(s string) bool {
	return len(s) > 10 && len(s) < 140 && strings.HasSuffix(s, ".") && !strings.Contains(s, "\n")
}

func TestUnknownTargetSuggestsTheNearest(t *testing.T) {
	c, err := EmbeddedCatalog()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"nod": "node", "nodejs": "node", "dneo": "deno", "postgres": "", "../node": "node"} {
		_, err := c.Find(name)
		unknown, ok := errors.AsType[*UnknownTargetError](err)
		if !ok || unknown.Nearest != want {
			t.Errorf("%s: %v, want the suggestion %q", name, err, want)
		}
	}
}

func TestDefinitionErrorsNameThePlace(t *testing.T) {
	const good = "title: X\nsources:\n  - npm: {package: x, keep: [bin/x]}\nstart: [x]\n"
	for name, tt := range map[string]struct{ text, want string }{
		"unknown key":        {good + "satrt: [y]\n", "satrt"},
		"wrong type":         {good + "cpus: many\n", "cpus"},
		"no title":           {strings.Replace(good, "title: X\n", "", 1), "title is missing"},
		"no source":          {"title: X\nstart: [x]\n", "sources is missing"},
		"two in one":         {strings.Replace(good, "- npm", "- list: [1.0.0]\n    npm", 1), "sources[0]: list and npm are two kinds"},
		"no package":         {strings.Replace(good, "package: x, ", "", 1), "sources[0].npm: package is missing"},
		"bad pattern":        {strings.Replace(good, "bin/x", "'[x'", 1), "sources[0].npm.keep[0]: bad pattern"},
		"bad line":           {good + "line: patch\n", "line"},
		"no start":           {strings.Replace(good, "start: [x]\n", "", 1), "start is missing"},
		"program outside":    {good + "program: [../x.js]\n", "../x.js"},
		"program missing":    {good + "program: [x.js]\n", "x.js"},
		"variant's name":     {good + "variants: {X Y: {about: x}}\n", "X Y"},
		"no Dockerfile":      {good + "dockerfile: Dockerfile\n", "Dockerfile"},
		"kept and with":      {strings.Replace(good, "keep:", "with: [y@1.0.0], keep:", 1), "sources[0].npm.keep: nothing is installed"},
		"with no version":    {strings.Replace(good, "keep: [bin/x]", "with: ['@y/z']", 1), "sources[0].npm.with[0]: \"@y/z\""},
		"resolve":            {strings.Replace(good, "keep: [bin/x]", "resolve: now", 1), "now"},
		"runtime":            {good + "runtime: node\n", "runtime: \"node\" is not TARGET@VERSION"},
		"runtime of nowhere": {good + "runtime: nod@22.x\n", "runtime: \"nod\" is not a target of the catalogue"},
		"its own runtime":    {good + "runtime: x@1.x\n", "runtime: \"x\" is not a target of the catalogue"},
		"variant's runtime":  {good + "variants: {y: {about: x, recipe: {runtime: x@1.x}}}\n", "variants.y.recipe.runtime: \"x\" is not"},
		"empty start":        {strings.Replace(good, "start: [x]", `start: [""]`, 1), "start[0]: it is empty"},
		"blank build":        {good + "build: [' ', x]\n", "build[0]: it is empty"},
		"NUL in start":       {strings.Replace(good, "start: [x]", `start: [x, "a\0b"]`, 1), "start[1]: \"a\\x00b\" cannot be an argument"},
		"majors":             {strings.Replace(good, "npm: {package: x, keep: [bin/x]}", "gomod: {module: x, majors: [3, 2]}", 1), "sources[0].gomod.majors[1]: [3 2]"},
		"npm option":         {strings.Replace(good, "package: x", `package: "--registry=http://x"`, 1), "sources[0].npm.package: \"--registry=http://x\" is not the name"},
		"npm path":           {strings.Replace(good, "package: x", "package: ../x", 1), "sources[0].npm.package"},
		"npm extra option":   {strings.Replace(good, "keep: [bin/x]", "with: ['--x@1']", 1), "sources[0].npm.with[0]"},
		"go option":          {strings.Replace(good, "npm: {package: x, keep: [bin/x]}", "gomod: {module: -exec=x}", 1), "sources[0].gomod.module"},
		"shell in a name":    {good + "image: {packages: ['x; rm -rf ~']}\n", "image.packages[0]: \"x; rm -rf ~\" is not the name of a Debian package"},
		"apt option":         {good + "image: {packages: [-oDir::Etc=x]}\n", "image.packages[0]"},
		"second line":        {good + "image: {base: \"debian\\nRUN x\"}\n", "image.base: \"debian\\nRUN x\""},
		"no Go program":      {strings.Replace(good, "npm: {package: x, keep: [bin/x]}", "gomod: {module: x}", 1), "sources[0].gomod: program names no .go file"},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := newCatalog(fstest.MapFS{"x/target.yaml": {Data: []byte(tt.text)}})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.Find("x"); err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "x") {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestRecipeHashChangesWithWhatRuns(t *testing.T) {
	base := Recipe{Start: []string{"x"}, Program: []string{"a.js"}}
	files := map[string][]byte{"a.js": []byte("1")}
	command, env := base, base
	command.Start = []string{"x", "--fast"}
	env.Env = map[string]string{"A": "1"}
	for name, other := range map[string]string{
		"text":    base.hash(map[string][]byte{"a.js": []byte("2")}),
		"command": command.hash(files), "environment": env.hash(files),
	} {
		if other == base.hash(files) {
			t.Errorf("another %s has the same hash", name)
		}
	}
}

// A variant is the target with its own parts laid over it, for every source.
func TestVariant(t *testing.T) {
	c, err := newCatalog(fstest.MapFS{
		"x/target.yaml": {Data: []byte(`
title: X
program: [hello.js]
start: [x, hello]
env: {A: "1"}
sources:
  - npm: {package: x}
  - list: [1.0.0]
    recipe: {start: [y, hello]}
variants:
  xml:
    about: echoes a value as XML
    recipe: {program: [xml.js], start: [x, xml]}
    request: {path: "/?value=1"}
    answer: {type: text/xml, body: "<v>1</v>"}
`)}, "x/hello.js": {}, "x/xml.js": {},
	})
	if err != nil {
		t.Fatal(err)
	}
	d, err := c.Find("x:xml")
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range d.Sources {
		r := s.Recipe.over(d.Recipe)
		if !slices.Equal(r.Start, []string{"x", "xml"}) || !slices.Equal(r.Program, []string{"xml.js"}) || r.Env["A"] != "1" {
			t.Errorf("source %d: %+v", i, r)
		}
	}
	if d.Name != "x:xml" || d.Answer.Body != "<v>1</v>" || d.Answer.Status != 200 || d.Request.Path != "/?value=1" || d.Request.Method != "GET" {
		t.Errorf("%+v", d)
	}
	_, err = c.Find("x:xm")
	if unknown, ok := errors.AsType[*UnknownTargetError](err); !ok || unknown.Nearest != "x:xml" {
		t.Errorf("got %v", err)
	}
}

func TestOwnerIsGone(t *testing.T) {
	this := ThisOwner()
	fields := strings.Fields(this)
	join := func(f ...string) string { return strings.Join(f, " ") }
	for name, tt := range map[string]struct {
		owner string
		gone  bool
	}{
		"this process":                   {this, false},
		"the same number, another start": {join(fields[0], fields[1], fields[2], "1"), true},
		"before the last boot":           {join(fields[0], "another-boot", fields[2], fields[3]), true},
		"another machine":                {join("elsewhere", "another-boot", "1", "1"), false},
		"not written by us":              {"whatever", false},
		"a process that tells no start":  {join(fields[0], fields[1], fields[2], "-"), false},
	} {
		if got := OwnerIsGone(tt.owner, this); got != tt.gone {
			t.Errorf("%s: %v, want %v", name, got, tt.gone)
		}
	}
}

func TestTailKeepsTheEnd(t *testing.T) {
	var tl Tail
	for range 3000 {
		tl.Write([]byte("an ordinary line of output that nobody will miss\n"))
	}
	tl.Write([]byte("\n  \nthe reason\xff\n"))
	lines := tl.Lines()
	if len(lines) != tailLines || lines[len(lines)-1] != "the reason\uFFFD" || len(tl.buf) > tailBytes {
		t.Errorf("%d lines, last %q, %d bytes", len(lines), lines[len(lines)-1], len(tl.buf))
	}
}
