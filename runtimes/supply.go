package runtimes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sync/errgroup"

	"versweep/sweep"
)

// source is one place to have versions of a target from.
type source interface {
	// versions lists what is there, in version order, and what of it is no
	// version or not to be measured, with the reason.
	versions(ctx context.Context) ([]sweep.Version, []sweep.Skipped, error)
	// pin learns what identifies the content of versions that the source has
	// listed, in as few requests as it can, and returns them with Digest or
	// Commit set; both stay empty for a version that is gone.
	pin(ctx context.Context, versions []sweep.Version) ([]sweep.Version, error)
	// obtain makes a pinned version ready, from the cache where it is there.
	// Several run at once.
	obtain(ctx context.Context, v sweep.Version) (sweep.Build, error)
}

// explainer is a source that knows why it could not pin a version.
type explainer interface {
	// missing is nil for a version that the source never heard of.
	missing(version string) error
}

// Supply finds the versions of one target in one source and makes builds of
// them.
type Supply struct {
	definition *Definition
	recipe     Recipe // the target's with the source's laid over
	kind       string
	origin     []string // whose versions they are
	source     source
	runtime    *sharedRuntime // what builds run under; nil when nothing
}

// OpenSupply opens a source of the target. The error is ErrNoNPM or ErrNoGo when
// the source needs that command and there is none. cache may be nil where only
// versions are listed.
func OpenSupply(d *Definition, s Source, cache *Cache) (*Supply, error) {
	supply := &Supply{definition: d, recipe: s.Recipe.over(d.Recipe), kind: s.Kind(), origin: s.origin()}
	var err error
	switch {
	case s.NPM != nil && len(s.NPM.Keep) > 0:
		supply.source, err = newNPM(d, s.NPM, cache)
	case s.NPM != nil:
		supply.source, err = newNPMProject(d, supply.recipe, s.NPM, cache)
	case s.GoMod != nil:
		supply.source, err = newGoMod(d, supply.recipe, s.GoMod, cache)
	case s.Image != nil:
		supply.source, err = newImageSource(d, s.Image, cache)
	case s.Git != nil:
		supply.source, err = newGit(d, s.Git, cache)
	case s.List != nil:
		supply.source = &list{names: s.List, line: d.Line}
	default:
		err = fmt.Errorf("source %s cannot be read yet", s.Kind())
	}
	if err == nil && supply.recipe.Runtime != "" {
		supply.runtime, err = openRuntime(supply.recipe.Runtime, cache)
	}
	if err != nil {
		return nil, err
	}
	return supply, nil
}

// Kind names the source's kind: "npm".
func (s *Supply) Kind() string { return s.kind }

// Recipe is how a version of this supply becomes a server.
func (s *Supply) Recipe() Recipe { return s.recipe }

// Versions lists what the source has, in version order, and what of it is no
// version.
func (s *Supply) Versions(ctx context.Context) ([]sweep.Version, []sweep.Skipped, error) {
	return s.source.versions(ctx)
}

// Obtained is told once for each version that Obtain is done with.
type Obtained struct {
	Outcome sweep.Outcome
	Done    int // versions done with, this one included
	Total   int
}

// Finish makes something more of a build that lies on disk, such as an image.
type Finish func(ctx context.Context, b sweep.Build) (sweep.Build, error)

// atOnce is how many builds are made at the same time: enough to hide a
// registry's answer times, few enough for a small machine's memory.
const atOnce = 4

// Obtain makes a build of every version, from the cache where it is there
// already, several at a time, and sets what identifies the versions' content.
// A version that cannot be had is an outcome with its reason. The error is not
// nil only when ctx ends, a disk is full, the engine went away for good
// or nothing can be fetched at all. tell is never called twice at once; finish, which may be nil, is.
func (s *Supply) Obtain(ctx context.Context, versions []sweep.Version, finish Finish, tell func(Obtained)) ([]sweep.Outcome, error) {
	pinned, err := s.pin(ctx, versions)
	if err != nil {
		return nil, err
	}
	outcomes := make([]sweep.Outcome, len(versions))
	var mu sync.Mutex
	done := 0
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i, v := range versions {
		group.Go(func() error {
			o, err := s.obtain(ctx, v.Name, pinned, finish)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if isDiskFull(err) {
				err = fmt.Errorf("%w: %w", ErrDiskFull, err)
			}
			if errors.Is(err, ErrDiskFull) || errors.Is(err, ErrEngineFull) || errors.Is(err, sweep.ErrAway) {
				return fmt.Errorf("making %s %s: %w", s.definition.Name, v.Name, err)
			}
			outcomes[i] = o
			mu.Lock()
			defer mu.Unlock()
			done++
			tell(Obtained{Outcome: o, Done: done, Total: len(versions)})
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for i, v := range versions {
		if p, ok := pinned[v.Name]; ok {
			versions[i] = p
		}
	}
	return outcomes, nil
}

// Pin returns versions that the source has listed with what identifies their
// content now, in as few requests as it can. Those that are gone by now have
// neither digest nor commit.
func (s *Supply) Pin(ctx context.Context, versions []sweep.Version) ([]sweep.Version, error) {
	pinned, err := s.pin(ctx, versions)
	if err != nil {
		return nil, err
	}
	out := slices.Clone(versions)
	for i, v := range out {
		if p, ok := pinned[v.Name]; ok {
			out[i] = p
		}
	}
	return out, nil
}

// pin leaves out the versions that no source has: those the user named.
func (s *Supply) pin(ctx context.Context, versions []sweep.Version) (map[string]sweep.Version, error) {
	listed := slices.DeleteFunc(slices.Clone(versions), func(v sweep.Version) bool { return v.Source == "" })
	pinned := map[string]sweep.Version{}
	if len(listed) == 0 {
		return pinned, nil
	}
	listed, err := s.source.pin(ctx, listed)
	if err != nil {
		return nil, err
	}
	for _, v := range listed {
		if v.Digest != "" || v.Commit != "" {
			pinned[v.Name] = v
		}
	}
	return pinned, nil
}

// obtain makes one build. The error is the reason in the outcome, if it has
// one.
func (s *Supply) obtain(ctx context.Context, name string, pinned map[string]sweep.Version, finish Finish) (sweep.Outcome, error) {
	v, ok := pinned[name]
	if !ok {
		err := errors.New("no such release: " + s.kind + " has no " + s.definition.Name + " " + name)
		if e, can := s.source.(explainer); can {
			err = cmp.Or(e.missing(name), err)
		}
		return failedOutcome(sweep.Version{Name: name}, err), err
	}
	b, err := s.source.obtain(ctx, v)
	if err == nil && s.runtime != nil {
		b, err = s.runtime.under(ctx, b)
	}
	if err == nil && finish != nil {
		b, err = finish(ctx, b)
	}
	if err != nil {
		return failedOutcome(v, err), err
	}
	return sweep.Outcome{Version: name, Build: b}, nil
}

// failedOutcome is a version that could not be had. The log of a failed build
// goes with it.
func failedOutcome(v sweep.Version, err error) sweep.Outcome {
	o := sweep.Outcome{Version: v.Name, Reason: WithoutSecrets(firstWords(err.Error()))}
	if failed, ok := errors.AsType[*BuildError](err); ok {
		o.Log = failed.Log
	}
	return o
}

// ErrDiskFull says that a build found no room in the cache or in $TMPDIR: those
// after it would not either.
var ErrDiskFull = errors.New("the disk is full")

// isDiskFull tells whether something failed for want of room on this machine's
// disks. Commands tell so in words.
func isDiskFull(err error) bool {
	if err == nil || errors.Is(err, ErrEngineFull) {
		return false
	}
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return true
	}
	words := []string{err.Error()}
	if failed, ok := errors.AsType[*BuildError](err); ok {
		words = append(words, failed.Log...)
	}
	return slices.ContainsFunc(words, func(w string) bool {
		return strings.Contains(strings.ToLower(w), "no space left on device") || strings.Contains(w, "ENOSPC")
	})
}

// BuildError says why a build could not be made.
type BuildError struct {
	Reason string
	Log    []string // last lines of what the builder wrote
}

func (e *BuildError) Error() string { return e.Reason }
