package runtimes

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"versweep/sweep"
)

// sharedRuntime is the one version of another target that all builds of a
// supply run under. It is had through that target's own supply, once.
type sharedRuntime struct {
	target  string // "node"
	version string // "22.23.5", or a range of which the newest is taken
	supply  *Supply

	mu    sync.Mutex
	build sweep.Build // zero until it is there
}

// runtimeName reads the recipe's "node@22.23.5".
func runtimeName(text string) (target, version string, err error) {
	target, version, ok := strings.Cut(text, "@")
	if !ok || target == "" || version == "" {
		return "", "", fmt.Errorf("%q is not TARGET@VERSION", text)
	}
	_, err = sweep.ParseRange(version)
	return target, version, err
}

// openRuntime opens the first source of the runtime's target whose builds are
// folders with the runtime in them.
func openRuntime(text string, cache *Cache) (*sharedRuntime, error) {
	target, version, err := runtimeName(text)
	if err != nil {
		return nil, fmt.Errorf("runtime: %w", err)
	}
	catalog, err := EmbeddedCatalog()
	if err != nil {
		return nil, err
	}
	d, err := catalog.Find(target)
	if err != nil {
		return nil, fmt.Errorf("runtime %s: %w", text, err)
	}
	i := slices.IndexFunc(d.Sources, func(s Source) bool { return s.NPM != nil && len(s.NPM.Keep) > 0 })
	if i < 0 {
		return nil, fmt.Errorf("runtime %s: no source of %s gives a folder that could be run from", text, target)
	}
	supply, err := OpenSupply(d, d.Sources[i], cache)
	if err != nil {
		return nil, fmt.Errorf("runtime %s: %w", text, err)
	}
	return &sharedRuntime{target: target, version: version, supply: supply}, nil
}

// under puts the runtime under a build and records its version.
func (r *sharedRuntime) under(ctx context.Context, b sweep.Build) (sweep.Build, error) {
	runtime, err := r.obtain(ctx)
	if err != nil {
		return b, fmt.Errorf("its runtime %s@%s: %w", r.target, r.version, err)
	}
	b.Runtime = runtime.Dir
	bundled := map[string]string{r.target: runtime.Version}
	maps.Copy(bundled, b.Bundled)
	b.Bundled = bundled
	b.Digest += " " + runtime.Digest // images are named after it, and hold both
	return b, nil
}

// obtain makes the runtime ready. Those who come while it is made wait for it;
// after a failure the next one tries again.
func (r *sharedRuntime) obtain(ctx context.Context) (sweep.Build, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.build.Dir != "" {
		return r.build, nil
	}
	v, err := r.choose(ctx)
	if err != nil {
		return sweep.Build{}, err
	}
	outcomes, err := r.supply.Obtain(ctx, []sweep.Version{v}, nil, func(Obtained) {})
	if err != nil {
		return sweep.Build{}, err
	}
	if o := outcomes[0]; o.Reason != "" {
		return sweep.Build{}, &BuildError{Reason: o.Reason, Log: o.Log}
	}
	r.build = outcomes[0].Build
	return r.build, nil
}

// choose is the newest version in the range, a prerelease only if it is named.
func (r *sharedRuntime) choose(ctx context.Context) (sweep.Version, error) {
	found, _, err := r.supply.Versions(ctx)
	if err != nil {
		return sweep.Version{}, err
	}
	chosen, err := sweep.Selection{Range: r.version, Per: sweep.PerPatch}.Choose(found)
	if err != nil {
		return sweep.Version{}, err
	}
	if len(chosen.Versions) == 0 {
		return sweep.Version{}, errors.New("no such release")
	}
	return chosen.Versions[len(chosen.Versions)-1], nil
}
