package runtimes

import (
	"fmt"
	"regexp"

	"github.com/google/go-containerregistry/pkg/name"

	"versweep/runtimes/strictyaml"
)

// Names in a definition become arguments of npm and go and lines of Dockerfiles.
// One that they would take for something else, an option or a second command, is
// refused here, where the mistake can be shown.
var (
	npmName    = regexp.MustCompile(`^(@[A-Za-z0-9_~][A-Za-z0-9_.~-]*/)?[A-Za-z0-9_~][A-Za-z0-9_.~-]*$`)
	moduleName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.~/-]*$`)
	// debianPackage is a package of Debian (Policy 5.6.7), and of another
	// architecture or in a version where that is added.
	debianPackage = regexp.MustCompile(`^[a-z0-9][a-z0-9+.-]+(:[a-z0-9-]+)?(=[A-Za-z0-9.+:~-]+)?$`)
)

// checkName says what is wrong with the names in a source.
func (s Source) checkName() error {
	switch {
	case s.NPM != nil && !npmName.MatchString(s.NPM.Package):
		return strictyaml.FlawAt("npm.package", "%q is not the name of an npm package", s.NPM.Package)
	case s.GoMod != nil && !moduleName.MatchString(s.GoMod.Module):
		return strictyaml.FlawAt("gomod.module", "%q is not the path of a Go module", s.GoMod.Module)
	}
	return nil
}

// check says what is wrong with the image that builds start from.
func (i Image) check() error {
	if i.Base != "" {
		if _, err := name.ParseReference(i.Base); err != nil {
			return &strictyaml.Flaw{Path: "base", Problem: fmt.Sprintf("%q is not the name of an image", i.Base), Hint: "names look like debian:bookworm-slim"}
		}
	}
	for n, p := range i.Packages {
		if !debianPackage.MatchString(p) {
			return strictyaml.FlawAt(fmt.Sprintf("packages[%d]", n), "%q is not the name of a Debian package", p)
		}
	}
	return nil
}
