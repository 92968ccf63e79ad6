package runtimes

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"versweep/sweep/load"
)

// check finds what is wrong with a definition that conforms to the form. The
// error is a *flaw, whose path says where.
func (d *Definition) check() error {
	switch {
	case d.Title == "":
		return &flaw{problem: "title is missing", hint: `for people, such as title: "Node.js"`}
	case len(d.Sources) == 0:
		return &flaw{problem: "sources is missing", hint: "known kinds: image, npm, gomod, git, list"}
	case d.CPUs < 1:
		return flawAt("cpus", "%d is less than 1", d.CPUs)
	}
	if err := checkHomepage(d.Homepage); err != nil {
		return err
	}
	if err := d.checkAsking("", d.Request, d.Answer); err != nil {
		return err
	}
	for i, s := range d.Sources {
		place := fmt.Sprintf("sources[%d]", i)
		if err := s.check(); err != nil {
			return within(place, err)
		}
		if err := d.checkRecipe(place, s.layers(place, layer{"", d.Recipe})); err != nil {
			return err
		}
		if s.GoMod != nil {
			if err := s.GoMod.check(s.Recipe.over(d.Recipe)); err != nil {
				return within(place+".gomod", err)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.Variants)) {
		place := pathOf("variants", name)
		if !ValidTargetName(name) {
			return &flaw{path: place, problem: fmt.Sprintf("%q is not a variant's name", name), hint: TargetNameRule}
		}
		if err := d.checkVariant(place, name); err != nil {
			return err
		}
	}
	return nil
}

func (d *Definition) checkVariant(place, name string) error {
	v, _ := d.variant(name)
	if err := d.checkAsking(place, v.Request, v.Answer); err != nil {
		return err
	}
	top := layer{place + ".recipe", d.Variants[name].Recipe}
	for i, s := range d.Sources {
		layers := append([]layer{top}, s.layers(fmt.Sprintf("sources[%d]", i), layer{"", d.Recipe})...)
		if err := d.checkRecipe(place, layers); err != nil {
			return err
		}
	}
	return nil
}

func checkHomepage(homepage string) error {
	u, err := url.Parse(homepage)
	if homepage == "" || err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" {
		return nil
	}
	return &flaw{path: "homepage", problem: fmt.Sprintf("%q is not the address of a page", homepage), hint: "addresses begin with https://"}
}

// checkAsking checks what is asked and answered, as the load engine will.
func (d *Definition) checkAsking(place string, r Request, a Answer) error {
	asked := load.Request{Method: r.Method, Path: r.Path, Header: r.Header}
	if err := asked.Validate(); err != nil {
		wrong, ok := errors.AsType[*load.MisuseError](err)
		if !ok {
			return within(below(place, "request"), err)
		}
		return &flaw{path: below(place, "request."+wrong.What), problem: wrong.Why, hint: wrong.Hint}
	}
	switch {
	case a.Status < 200 || a.Status > 599:
		return flawAt(below(place, "answer.status"), "%d is not between 200 and 599", a.Status)
	case a.Timeout < 0:
		return flawAt(below(place, "answer.timeout"), "%v is negative", a.Timeout)
	}
	return nil
}

func (s Source) check() error {
	var kinds []string
	for name, is := range map[string]bool{"image": s.Image != nil, "npm": s.NPM != nil, "gomod": s.GoMod != nil, "git": s.Git != nil, "list": s.List != nil} {
		if is {
			kinds = append(kinds, name)
		}
	}
	slices.Sort(kinds)
	switch {
	case len(kinds) == 0:
		return &flaw{problem: "there is no kind of source", hint: "one of image, npm, gomod, git and list has to be there"}
	case len(kinds) > 1:
		return &flaw{problem: strings.Join(kinds, " and ") + " are two kinds of source in one", hint: "begin each with a dash of its own"}
	case s.Image != nil && s.Image.Repository == "":
		return flawAt("image", "repository is missing")
	case s.NPM != nil && s.NPM.Package == "":
		return flawAt("npm", "package is missing")
	case s.GoMod != nil && s.GoMod.Module == "":
		return flawAt("gomod", "module is missing")
	case s.Git != nil && s.Git.Repository == "":
		return flawAt("git", "repository is missing")
	case s.List != nil && len(s.List) == 0:
		return flawAt("list", "it names no version")
	}
	if err := s.checkName(); err != nil {
		return err
	}
	if s.Git != nil {
		return s.Git.checkTags()
	}
	if s.NPM != nil {
		return within("npm", s.NPM.check())
	}
	return nil
}

// layer is a recipe and where in the definition it stands.
type layer struct {
	place  string
	recipe Recipe
}

// layers lists the recipes of a source at place, the one that counts first.
func (s Source) layers(place string, target layer) []layer {
	return []layer{{place + ".recipe", s.Recipe}, target}
}

// checkRecipe checks recipes that are laid over one another, the one that
// counts first, for what stands at place.
func (d *Definition) checkRecipe(place string, layers []layer) error {
	whole := Recipe{}
	for _, l := range layers {
		whole = whole.over(l.recipe)
	}
	if len(whole.Start) == 0 {
		return &flaw{path: place, problem: "start is missing", hint: `at the top, or in the source's recipe: the command line of the server, such as start: ["{build}/bin/x", "{program}/hello.js"]`}
	}
	for _, l := range layers {
		for i, name := range l.recipe.Program {
			if err := d.checkFile(below(l.place, fmt.Sprintf("program[%d]", i)), name); err != nil {
				return err
			}
		}
		for _, name := range l.recipe.dockerfiles() {
			if err := d.checkFile(below(l.place, "dockerfile"), name); err != nil {
				return err
			}
		}
		if err := l.recipe.checkWords(); err != nil {
			return within(l.place, err)
		}
		if err := l.recipe.Image.check(); err != nil {
			return within(below(l.place, "image"), err)
		}
		if l.recipe.Runtime != "" {
			if _, _, err := runtimeName(l.recipe.Runtime); err != nil {
				return flawAt(below(l.place, "runtime"), "%v", err)
			}
		}
	}
	return nil
}

func (r Recipe) dockerfiles() []string {
	if r.Dockerfile == "" {
		return nil
	}
	return []string{r.Dockerfile}
}

// checkFile checks a file that a recipe names.
func (d *Definition) checkFile(place, name string) error {
	if !fs.ValidPath(name) || strings.Contains(name, "/") {
		return flawAt(place, "%q is not the name of a file beside %s", name, definitionFile)
	}
	if problem := fileProblem(d.files, name); problem != "" {
		return flawAt(place, "%q beside %s: %s", name, definitionFile, problem)
	}
	return nil
}

// inBraces finds what may be a misspelt placeholder.
var inBraces = regexp.MustCompile(`\{[a-z]+\}`)

// meantPlaceholder is the placeholder that a word in braces misses by one
// letter, or by two swapped; empty where there is none. Braces with other words
// are the command's own.
func meantPlaceholder(word string) string {
	known := []string{"{build}", "{program}", "{main}", "{runtime}", "{port}", "{version}"}
	i := slices.IndexFunc(known, func(k string) bool { return editDistance(word, k) == 1 })
	if i < 0 || slices.Contains(known, word) {
		return ""
	}
	return known[i]
}

// checkWords checks command lines and environment.
func (r Recipe) checkWords() error {
	for _, command := range []struct {
		key  string
		args []string
	}{{"start", r.Start}, {"components", r.Components}, {"build", r.Build}} {
		for i, arg := range command.args {
			for _, word := range inBraces.FindAllString(arg, -1) {
				if meant := meantPlaceholder(word); meant != "" {
					return flawAt(fmt.Sprintf("%s[%d]", command.key, i), "unknown placeholder %q; did you mean %q?", word, meant)
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Env)) {
		if name == "" || strings.ContainsAny(name, "=\x00") || strings.Contains(r.Env[name], "\x00") {
			return flawAt(pathOf("env", name), "%q cannot be a variable of the environment", name)
		}
		if name == "PORT" {
			return &flaw{path: "env.PORT", problem: "versweep sets $PORT itself", hint: `start can give the port by another name: "{port}"`}
		}
	}
	return nil
}
