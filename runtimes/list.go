package runtimes

import (
	"context"

	"versweep/sweep"
)

// list is a source whose versions are written out in the definition. What a
// version is, its recipe's Dockerfile says.
type list struct {
	names []string // as written
	line  sweep.LineBy
}

func (l *list) versions(context.Context) ([]sweep.Version, []sweep.Skipped, error) {
	versions, skipped := sweep.ParseVersions(l.names, "list", l.line)
	return versions, skipped, nil
}

// pin takes a version's name for its content: the image that is built of it is
// named after everything else that goes into it.
func (l *list) pin(_ context.Context, versions []sweep.Version) ([]sweep.Version, error) {
	for i := range versions {
		versions[i].Digest = "list:" + versions[i].Raw
	}
	return versions, nil
}

func (l *list) obtain(_ context.Context, v sweep.Version) (sweep.Build, error) {
	return sweep.Build{Version: v.Name, Digest: v.Digest}, nil
}
