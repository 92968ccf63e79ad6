package runtimes

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"versweep/sweep"
)

// Definition tells what sweeps of this supply measure apart from what others of
// the same name would. The list of a source's versions is no part of it: it grows.
func (s *Supply) Definition() (sweep.Definition, error) {
	files, err := s.definition.programFiles(s.recipe)
	if err != nil {
		return sweep.Definition{}, err
	}
	d, h := s.definition, sha256.New()
	fmt.Fprintf(h, "%s %q %q\n", s.recipe.hash(files), s.recipe.Image.Base, s.recipe.Image.Packages)
	fmt.Fprintf(h, "%q %q %q\n", d.Request.Method, d.Request.Path, d.Request.Header)
	fmt.Fprintf(h, "%d %q %q\n", d.Answer.Status, d.Answer.Type, d.Answer.Body)
	fmt.Fprintf(h, "%s %q\n", s.kind, s.origin)
	return sweep.Definition{Hash: hex.EncodeToString(h.Sum(nil)[:6]), Yours: d.Origin == OriginYours}, nil
}

// origin names whose versions a source has.
func (s Source) origin() []string {
	switch {
	case s.Image != nil:
		return []string{s.Image.Repository, s.Image.Flavour}
	case s.NPM != nil:
		return append([]string{s.NPM.Package, string(s.NPM.Resolve)}, s.NPM.With...)
	case s.GoMod != nil:
		return []string{s.GoMod.Module}
	case s.Git != nil:
		return []string{KeptAddress(s.Git.Repository), fmt.Sprint(s.Git.Submodules)}
	}
	return nil
}
