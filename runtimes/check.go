package runtimes

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"versweep/sweep"
)

// check finds what is wrong with a definition that reads well.
func (d *Definition) check() error {
	switch {
	case d.Title == "":
		return errors.New("title is missing")
	case len(d.Sources) == 0:
		return errors.New("sources is missing; known kinds: image, npm, gomod, git, list")
	case d.Line != sweep.LineByMajor && d.Line != sweep.LineByMinor:
		return fmt.Errorf("line is %q; known: major, minor", d.Line)
	case d.CPUs < 1:
		return fmt.Errorf("cpus is %d; at least 1", d.CPUs)
	}
	for i, s := range d.Sources {
		place := fmt.Sprintf("sources[%d]", i)
		if err := s.check(); err != nil {
			return fmt.Errorf("%s: %w", place, err)
		}
		if err := d.checkRecipe(s.Recipe.over(d.Recipe)); err != nil {
			return fmt.Errorf("%s: %w", place, err)
		}
	}
	for name := range d.Variants {
		if name == "" || strings.ContainsFunc(name, func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-') }) {
			return fmt.Errorf("variants: %q is not a name of small letters, digits and dashes", name)
		}
		v, _ := d.variant(name)
		for _, s := range v.Sources {
			if err := d.checkRecipe(s.Recipe.over(v.Recipe)); err != nil {
				return fmt.Errorf("variants.%s: %w", name, err)
			}
		}
	}
	return nil
}

func (s Source) check() error {
	kinds := 0
	for _, is := range []bool{s.Image != nil, s.NPM != nil, s.GoMod != nil, s.Git != nil, s.List != nil} {
		if is {
			kinds++
		}
	}
	switch {
	case kinds != 1:
		return errors.New("exactly one of image, npm, gomod, git and list has to be there")
	case s.Image != nil && s.Image.Repository == "":
		return errors.New("image.repository is missing")
	case s.NPM != nil && s.NPM.Package == "":
		return errors.New("npm.package is missing")
	case s.GoMod != nil && s.GoMod.Module == "":
		return errors.New("gomod.module is missing")
	case s.Git != nil && s.Git.Repository == "":
		return errors.New("git.repository is missing")
	case s.List != nil && len(s.List) == 0:
		return errors.New("list is empty")
	}
	if s.NPM != nil {
		for _, p := range s.NPM.Keep {
			if _, err := path.Match(p, ""); err != nil {
				return fmt.Errorf("npm.keep: pattern %q: %w", p, err)
			}
		}
	}
	return nil
}

// checkRecipe checks a recipe with everything laid over.
func (d *Definition) checkRecipe(r Recipe) error {
	if len(r.Start) == 0 {
		return errors.New("start is missing")
	}
	for _, name := range slices.Concat(r.Program, r.dockerfiles()) {
		if !fs.ValidPath(name) || strings.Contains(name, "/") {
			return fmt.Errorf("%q is not a file beside %s", name, definitionFile)
		}
		if _, err := fs.Stat(d.files, name); err != nil {
			return fmt.Errorf("there is no file %s beside %s", name, definitionFile)
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
