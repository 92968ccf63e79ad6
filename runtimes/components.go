package runtimes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"time"

	"versweep/sweep"
)

// The components command of a target tells what a build bundles, so that a
// step in the chart can be explained: Node's V8, libuv and OpenSSL. It is run
// as the server is, before anything is measured. What it tells of the parts is
// a help to the reader only, so a command that fails, as on releases that did
// not know it yet, leaves them unknown and ends nothing.

// componentsTime is how long a components command may take.
const componentsTime = 10 * time.Second

// readComponents reads the JSON object of strings that a components command
// has printed; nil when it is none.
func readComponents(output []byte) map[string]string {
	var parts map[string]string
	if json.Unmarshal(output, &parts) != nil {
		return nil
	}
	return parts
}

// addComponents adds parts to those that are known of a build already, which
// its source knows better.
func addComponents(b sweep.Build, parts map[string]string) sweep.Build {
	if len(parts) == 0 {
		return b
	}
	all := maps.Clone(parts)
	maps.Copy(all, b.Bundled)
	b.Bundled = all
	return b
}

// Ready builds what comes as source, and asks a build what it bundles. It is a
// Finish for Supply.Obtain.
func (l *ProcessLauncher) Ready(ctx context.Context, b sweep.Build) (sweep.Build, error) {
	b, err := l.Build(ctx, b)
	if err != nil {
		return b, err
	}
	return l.withComponents(ctx, b)
}

// withComponents asks a build what it bundles.
func (l *ProcessLauncher) withComponents(ctx context.Context, b sweep.Build) (sweep.Build, error) {
	if len(l.recipe.Components) == 0 {
		return b, nil
	}
	scratch, err := os.MkdirTemp("", runFolder())
	if err != nil {
		return b, fmt.Errorf("asking %s %s for its components: %w", l.definition.Name, b.Version, err)
	}
	defer os.RemoveAll(scratch)
	var output Tail // of more than a tail holds, the rest is no JSON object
	err = command{
		args: l.places(b, "0").fill(l.recipe.Components), dir: scratch, env: append(l.recipe.environment("0", scratch), serverPath),
		stdout: &output, within: componentsTime, memory: l.cache.bounds(),
	}.run(ctx)
	if err != nil {
		return b, ctx.Err()
	}
	return addComponents(b, readComponents(output.buf)), nil
}

// withComponents asks the image of a build what it bundles, in a container that
// is confined as the server's.
func (l *DockerLauncher) withComponents(ctx context.Context, b sweep.Build) (sweep.Build, error) {
	if len(l.recipe.Components) == 0 {
		return b, nil
	}
	limited, cancel := context.WithTimeout(ctx, componentsTime)
	defer cancel()
	output, err := l.engine.outputOf(limited, box{
		image: b.Image, command: l.recipe.placesInImage(b.Version).fill(l.recipe.Components),
		env: l.recipe.environment(containerPort, containerHome), labels: l.labels(b.Version),
		network: "none", memory: l.memory,
	})
	if err = l.engine.lost(ctx, err); errors.Is(err, sweep.ErrAway) {
		return b, err
	}
	if err != nil {
		return b, ctx.Err()
	}
	return addComponents(b, readComponents(output)), nil
}
