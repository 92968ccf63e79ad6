package runtimes

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"
	"time"

	"versweep/sweep"
	"versweep/sweep/load"
)

// Targets of the catalogue are built, started and measured: a quick sample of
// them, or with VERSWEEP_TEST_CATALOGUE=all each target and variant that is not
// marked as untested, which takes tens of minutes.
func TestEngineCatalogue(t *testing.T) {
	e := needEngine(t)
	c, err := EmbeddedCatalog()
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"caddy", "nginx", "nginx:static"}
	switch which := os.Getenv("VERSWEEP_TEST_CATALOGUE"); which {
	case "":
	case "all":
		names = everyTarget(t, c)
	default:
		t.Fatalf("VERSWEEP_TEST_CATALOGUE is %q; known: all", which)
	}
	self := staticVersweep(t)
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			d, err := c.Find(name)
			if err != nil {
				t.Fatal(err)
			}
			if d.Untested != "" {
				t.Skip("left out: untested: " + d.Untested)
			}
			s, versions, err := supplyHere(t, d)
			if err != nil {
				t.Skip("left out: no source of it answers here: ", err)
			}
			usable := sweep.UsableCPUs()
			l, err := newDockerLauncher(t.Context(), e, s, CPUSets{Server: usable[:1], Load: usable[len(usable)-1:]}, self)
			if err != nil {
				t.Fatal(err)
			}
			outcomes, err := s.Obtain(t.Context(), versions, l.Image, func(Obtained) {})
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range outcomes {
				if o.Reason != "" {
					t.Errorf("%s: %s\n%q", o.Version, o.Reason, o.Log)
					continue
				}
				measureTarget(t, l, o.Build)
			}
		})
	}
}

// everyTarget lists all targets and their variants.
func everyTarget(t *testing.T, c *Catalog) []string {
	t.Helper()
	var names []string
	for _, name := range c.Names() {
		d, err := c.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
		for _, v := range slices.Sorted(maps.Keys(d.Variants)) {
			names = append(names, name+":"+v)
		}
	}
	return names
}

// supplyHere opens the target's list of versions if it has one, which is of
// Debian's packages, and else the first source that answers, of which the
// newest release is enough.
func supplyHere(t *testing.T, d *Definition) (*Supply, []sweep.Version, error) {
	t.Helper()
	cache := emptyCache(t)
	sources := slices.Clone(d.Sources)
	slices.SortStableFunc(sources, func(a, b Source) int { return len(b.List) - len(a.List) })
	var reasons []error
	for _, source := range sources {
		s, err := OpenSupply(d, source, cache)
		if err != nil {
			reasons = append(reasons, err)
			continue
		}
		versions, _, err := s.Versions(t.Context())
		if err != nil {
			reasons = append(reasons, err)
			continue
		}
		if source.List != nil {
			return s, versions, nil
		}
		chosen, err := sweep.Selection{Range: "latest", Per: sweep.PerPatch}.Choose(versions)
		if err != nil {
			t.Fatal(err)
		}
		if len(chosen.Versions) > 0 {
			return s, chosen.Versions, nil
		}
		reasons = append(reasons, fmt.Errorf("source %s has no release", s.Kind()))
	}
	return nil, nil, errors.Join(reasons...)
}

// measureTarget starts a build, which shows that it answers rightly, and puts a
// short load on it.
func measureTarget(t *testing.T, l *DockerLauncher, b sweep.Build) {
	t.Helper()
	instance, err := l.Start(t.Context(), b)
	if err != nil {
		log := []string{}
		if failed, ok := errors.AsType[*sweep.StartError](err); ok {
			log = failed.Log
		}
		t.Errorf("%s: %v\n%q", b.Version, err, log)
		return
	}
	defer instance.Stop()
	quiet := l.engine.logs(instance.(*containerInstance).server)
	r, err := instance.Load(t.Context(), load.Profile{
		Shape: load.ShapeClosed, Connections: 50, Warmup: 500 * time.Millisecond, Duration: 500 * time.Millisecond, Timeout: 5 * time.Second,
	}, load.Hooks{})
	if err != nil || r.OK == 0 || r.Errors.Total() != 0 {
		t.Errorf("%s: %d right answers, errors %+v: %s, %v", b.Version, r.OK, r.Errors, r.FirstError, err)
		return
	}
	if after := l.engine.logs(instance.(*containerInstance).server); !slices.Equal(after, quiet) {
		t.Errorf("%s writes while it serves: %q", b.Version, after)
	}
	t.Logf("%s: %.0f requests/s over %d connections", b.Version, r.QPS(), r.Connections)
}
