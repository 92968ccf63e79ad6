package runtimes

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"versweep/sweep"
)

// Supply finds the versions of one target and makes builds of them.
type Supply struct {
	definition *Definition
	cache      *Cache
	npm        *npm
}

// NewSupply opens the target's source. The error is ErrNoNPM when the source
// needs npm and there is none.
func NewSupply(d *Definition, cache *Cache) (*Supply, error) {
	n, err := newNPM(d.Source.NPM)
	if err != nil {
		return nil, err
	}
	return &Supply{definition: d, cache: cache, npm: n}, nil
}

// Versions lists what the source has, in version order, and what of it is no
// version.
func (s *Supply) Versions(ctx context.Context) ([]sweep.Version, []sweep.Skipped, error) {
	return s.npm.versions(ctx, s.definition.Line)
}

// Obtained is told once for each version that Obtain is done with.
type Obtained struct {
	Outcome sweep.Outcome
	Done    int // versions done with, this one included
	Total   int
}

// Finish makes something more of a build that lies on disk, such as an image.
type Finish func(ctx context.Context, b sweep.Build) (sweep.Build, error)

// atOnce is how many builds are made at the same time: enough to hide the
// registry's answer times, few enough for a small machine's memory.
const atOnce = 4

// Obtain makes a build of every version, from the cache where it is there
// already, several at a time. A version that cannot be had is an outcome with
// its reason. The error is not nil only when ctx ends or nothing can be
// fetched at all. tell is never called twice at once; finish, which may be
// nil, is.
func (s *Supply) Obtain(ctx context.Context, versions []sweep.Version, finish Finish, tell func(Obtained)) ([]sweep.Outcome, error) {
	digests, err := s.npm.digests(ctx, found(versions))
	if err != nil {
		return nil, err
	}
	outcomes := make([]sweep.Outcome, len(versions))
	var mu sync.Mutex
	done := 0
	var group errgroup.Group
	group.SetLimit(atOnce)
	for i, v := range versions {
		group.Go(func() error {
			b, err := s.obtain(ctx, v, digests[v.Raw])
			if err == nil && finish != nil {
				b, err = finish(ctx, b)
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			outcomes[i] = sweep.Outcome{Version: v.Name, Build: b}
			if err != nil {
				outcomes[i] = failedOutcome(v, err)
			}
			mu.Lock()
			defer mu.Unlock()
			done++
			tell(Obtained{Outcome: outcomes[i], Done: done, Total: len(versions)})
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return outcomes, nil
}

// found leaves out the versions that no source has: those the user named.
func found(versions []sweep.Version) []sweep.Version {
	return slices.DeleteFunc(slices.Clone(versions), func(v sweep.Version) bool { return v.Source == "" })
}

// failedOutcome is a version that could not be had. The log of a failed build
// goes with it.
func failedOutcome(v sweep.Version, err error) sweep.Outcome {
	o := sweep.Outcome{Version: v.Name, Reason: firstWords(err.Error())}
	if failed, ok := errors.AsType[*BuildError](err); ok {
		o.Log = failed.Log
	}
	return o
}

// BuildError says why a build could not be made.
type BuildError struct {
	Reason string
	Log    []string // last lines of what the builder wrote
}

func (e *BuildError) Error() string { return e.Reason }

func (s *Supply) obtain(ctx context.Context, v sweep.Version, digest string) (sweep.Build, error) {
	d := s.definition
	pack := d.Source.NPM
	if digest == "" {
		return sweep.Build{}, fmt.Errorf("no such release: npm package %s has no version %s", pack.Package, v.Name)
	}
	dir := s.cache.buildDir(d.Name, v.Name, digest, append([]string{pack.Package}, pack.Keep...)...)
	facts, cached, err := s.cache.facts(dir)
	if err != nil {
		return sweep.Build{}, err
	}
	if !cached {
		facts, err = s.cache.add(ctx, dir, func(ctx context.Context, scratch, files string) (buildFacts, error) {
			return s.download(ctx, v, digest, scratch, files)
		})
		if err != nil {
			return sweep.Build{}, fmt.Errorf("fetching %s %s: %w", d.Name, v.Name, err)
		}
	}
	return sweep.Build{
		Version: v.Name, Dir: filepath.Join(dir, filesDir), Digest: facts.Digest, Bytes: facts.Bytes, FromCache: cached,
	}, nil
}

// download fetches one version's package, checks it and unpacks it into files.
func (s *Supply) download(ctx context.Context, v sweep.Version, digest, scratch, files string) (buildFacts, error) {
	archive, err := s.npm.fetch(ctx, v.Raw, scratch)
	if err != nil {
		return buildFacts{}, err
	}
	if err := checkDigest(archive, digest); err != nil {
		return buildFacts{}, err
	}
	f, err := os.Open(archive)
	if err != nil {
		return buildFacts{}, err
	}
	defer f.Close()
	size, err := unpackPackage(f, files, s.definition.Source.NPM.Keep)
	if err != nil {
		return buildFacts{}, err
	}
	return buildFacts{Digest: digest, Bytes: size}, nil
}
