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

	"versweep/runtimes/strictyaml"
	"versweep/sweep/load"
)

// check finds what is wrong with a definition that conforms to the form. The
// error is a *strictyaml.Flaw, whose path says where.
func (d *Definition) check() error {
	switch {
	case d.Title == "":
		return &strictyaml.Flaw{Problem: "title is missing", Hint: `for people, such as title: "Node.js"`}
	case len(d.Sources) == 0:
		return &strictyaml.Flaw{Problem: "sources is missing", Hint: "known kinds: image, npm, gomod, git, list"}
	case d.CPUs < 1:
		return strictyaml.FlawAt("cpus", "%d is less than 1", d.CPUs)
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
			return strictyaml.Within(place, err)
		}
		if err := d.checkRecipe(place, s.layers(place, layer{"", d.Recipe})); err != nil {
			return err
		}
		if s.GoMod != nil {
			if err := s.GoMod.check(s.Recipe.over(d.Recipe)); err != nil {
				return strictyaml.Within(place+".gomod", err)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.Variants)) {
		place := strictyaml.PathOf("variants", name)
		if !ValidTargetName(name) {
			return &strictyaml.Flaw{Path: place, Problem: fmt.Sprintf("%q is not a variant's name", name), Hint: TargetNameRule}
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
	return &strictyaml.Flaw{Path: "homepage", Problem: fmt.Sprintf("%q is not the address of a page", homepage), Hint: "addresses begin with https://"}
}

// checkAsking checks what is asked and answered, as the load engine will.
func (d *Definition) checkAsking(place string, r Request, a Answer) error {
	asked := load.Request{Method: r.Method, Path: r.Path, Header: r.Header}
	if err := asked.Validate(); err != nil {
		wrong, ok := errors.AsType[*load.MisuseError](err)
		if !ok {
			return strictyaml.Within(strictyaml.Below(place, "request"), err)
		}
		return &strictyaml.Flaw{Path: strictyaml.Below(place, "request."+wrong.What), Problem: wrong.Why, Hint: wrong.Hint}
	}
	switch {
	case a.Status < 200 || a.Status > 599:
		return strictyaml.FlawAt(strictyaml.Below(place, "answer.status"), "%d is not between 200 and 599", a.Status)
	case a.Timeout < 0:
		return strictyaml.FlawAt(strictyaml.Below(place, "answer.timeout"), "%v is negative", a.Timeout)
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
		return &strictyaml.Flaw{Problem: "there is no kind of source", Hint: "one of image, npm, gomod, git and list has to be there"}
	case len(kinds) > 1:
		return &strictyaml.Flaw{Problem: strings.Join(kinds, " and ") + " are two kinds of source in one", Hint: "begin each with a dash of its own"}
	case s.Image != nil && s.Image.Repository == "":
		return strictyaml.FlawAt("image", "repository is missing")
	case s.NPM != nil && s.NPM.Package == "":
		return strictyaml.FlawAt("npm", "package is missing")
	case s.GoMod != nil && s.GoMod.Module == "":
		return strictyaml.FlawAt("gomod", "module is missing")
	case s.Git != nil && s.Git.Repository == "":
		return strictyaml.FlawAt("git", "repository is missing")
	case s.List != nil && len(s.List) == 0:
		return strictyaml.FlawAt("list", "it names no version")
	}
	if err := s.checkName(); err != nil {
		return err
	}
	if s.Git != nil {
		return s.Git.checkTags()
	}
	if s.NPM != nil {
		return strictyaml.Within("npm", s.NPM.check())
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
		return &strictyaml.Flaw{Path: place, Problem: "start is missing", Hint: `at the top, or in the source's recipe: the command line of the server, such as start: ["{build}/bin/x", "{program}/hello.js"]`}
	}
	for _, l := range layers {
		for i, name := range l.recipe.Program {
			if err := d.checkFile(strictyaml.Below(l.place, fmt.Sprintf("program[%d]", i)), name); err != nil {
				return err
			}
		}
		for _, name := range l.recipe.dockerfiles() {
			if err := d.checkFile(strictyaml.Below(l.place, "dockerfile"), name); err != nil {
				return err
			}
		}
		if err := l.recipe.checkWords(); err != nil {
			return strictyaml.Within(l.place, err)
		}
		if err := l.recipe.Image.check(); err != nil {
			return strictyaml.Within(strictyaml.Below(l.place, "image"), err)
		}
		if l.recipe.Runtime != "" {
			if err := checkRuntime(strictyaml.Below(l.place, "runtime"), l.recipe.Runtime); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkRuntime checks what a version runs under.
func checkRuntime(place, text string) error {
	name, _, err := runtimeName(text)
	if err != nil {
		return strictyaml.FlawAt(place, "%v", err)
	}
	catalog, err := EmbeddedCatalog()
	if err != nil {
		return err
	}
	target, _, _ := strings.Cut(name, ":")
	if slices.Contains(catalog.Names(), target) {
		return nil
	}
	hint := "targets of your own run under those that come with versweep, such as runtime: node@22.x"
	if near := strictyaml.Nearest(target, catalog.Names()); near != "" {
		hint = "did you mean " + near + "? " + hint
	}
	return &strictyaml.Flaw{Path: place, Problem: fmt.Sprintf("%q is not a target of the catalogue", name), Hint: hint}
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
		return strictyaml.FlawAt(place, "%q is not the name of a file beside %s", name, definitionFile)
	}
	if problem := fileProblem(d.files, name); problem != "" {
		return strictyaml.FlawAt(place, "%q beside %s: %s", name, definitionFile, problem)
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
	i := slices.IndexFunc(known, func(k string) bool { return strictyaml.EditDistance(word, k) == 1 })
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
		if len(command.args) > 0 && strings.TrimSpace(command.args[0]) == "" {
			return &strictyaml.Flaw{Path: command.key + "[0]", Problem: "it is empty", Hint: "the first word is the program to run"}
		}
		for i, arg := range command.args {
			if strings.Contains(arg, "\x00") {
				return strictyaml.FlawAt(fmt.Sprintf("%s[%d]", command.key, i), "%q cannot be an argument of a command", arg)
			}
			for _, word := range inBraces.FindAllString(arg, -1) {
				if meant := meantPlaceholder(word); meant != "" {
					return strictyaml.FlawAt(fmt.Sprintf("%s[%d]", command.key, i), "unknown placeholder %q; did you mean %q?", word, meant)
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Env)) {
		if name == "" || strings.ContainsAny(name, "=\x00") || strings.Contains(r.Env[name], "\x00") {
			return strictyaml.FlawAt(strictyaml.PathOf("env", name), "%q cannot be a variable of the environment", name)
		}
		if name == "PORT" {
			return &strictyaml.Flaw{Path: "env.PORT", Problem: "versweep sets $PORT itself", Hint: `start can give the port by another name: "{port}"`}
		}
	}
	return nil
}
