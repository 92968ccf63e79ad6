package runtimes

import (
	"errors"
	"fmt"
	"slices"
)

// ErrNoRecipe says that nothing makes a server of a repository's files.
var ErrNoRecipe = errors.New("it has neither a build command nor a Dockerfile for the files of a repository")

// CommitSource is where the commits of a target come from: its git source or,
// where repository is not empty, the repository at that URL or path, built by the
// git source's recipe or else by the target's own.
//
// Of a target without a git source the error is ErrNoRecipe when nothing says how
// a repository's files become a server, and else ErrNoCommits when no repository is
// named.
func CommitSource(d *Definition, repository string) (Source, error) {
	var from Source
	i := slices.IndexFunc(d.Sources, func(s Source) bool { return s.Git != nil })
	switch {
	case i >= 0:
		from = d.Sources[i]
	case len(d.Recipe.Build) == 0 && d.Recipe.Dockerfile == "":
		return from, fmt.Errorf("target %s: %w", d.Name, ErrNoRecipe)
	case repository == "":
		return from, fmt.Errorf("target %s: %w", d.Name, ErrNoCommits)
	default:
		from.Git = &GitSource{}
	}
	if repository != "" {
		settings := *from.Git
		settings.Repository = repository
		from.Git = &settings
	}
	return from, nil
}
