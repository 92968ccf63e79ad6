package runtimes

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/build"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/api/types/registry"

	"versweep/sweep"
)

// inspectImage tells about an image; false when the engine has none of that
// name.
func (e *Engine) inspectImage(ctx context.Context, name string) (image.InspectResponse, bool, error) {
	info, err := e.api.ImageInspect(ctx, name)
	if cerrdefs.IsNotFound(err) {
		return info, false, nil
	}
	if err != nil {
		return info, false, fmt.Errorf("inspecting image %s: %w", name, err)
	}
	return info, true, nil
}

// imageID is the id of an image that the engine has; empty when it has none of
// that name.
func (e *Engine) imageID(ctx context.Context, name string) (string, error) {
	info, _, err := e.inspectImage(ctx, name)
	return info.ID, err
}

// pullMissing makes sure that the engine has an image and returns its id.
func (e *Engine) pullMissing(ctx context.Context, name string) (id string, err error) {
	if id, err = e.imageID(ctx, name); id != "" || err != nil {
		return id, err
	}
	return e.pull(ctx, name)
}

func (e *Engine) pull(ctx context.Context, name string) (string, error) {
	login, err := engineLogin(ctx, name)
	if err != nil {
		return "", fmt.Errorf("pulling %s: %w", name, err)
	}
	watched, watch := watchFor(ctx, pullStallTime)
	defer watch.stop()
	stream, err := e.api.ImagePull(watched, name, image.PullOptions{RegistryAuth: login})
	if err != nil {
		return "", fmt.Errorf("pulling %s: %w", name, watch.reason(err))
	}
	defer stream.Close()
	if _, err := readStream(watch.reader(stream)); err != nil {
		return "", fmt.Errorf("pulling %s: %w", name, err)
	}
	id, err := e.imageID(ctx, name)
	if id == "" && err == nil {
		err = fmt.Errorf("pulling %s: the engine said nothing went wrong, but has no such image", name)
	}
	return id, err
}

// pullVersion is pullMissing for the image that a version comes in. One that
// was not there before gets a name of ours, by which it is known as ours to
// remove.
func (e *Engine) pullVersion(ctx context.Context, ref string) (string, error) {
	id, err := e.imageID(ctx, ref)
	if id != "" || err != nil {
		return id, err
	}
	if id, err = e.pull(ctx, ref); err != nil {
		return "", err
	}
	if err := e.api.ImageTag(ctx, id, imageName(pulledImages, "", ref)); err != nil {
		return "", fmt.Errorf("naming the pulled image %s: %w", ref, err)
	}
	return id, nil
}

// Repositories of images that versweep makes beside those of targets.
const (
	pulledImages = "versweep/pulled"
	engineImages = "versweep/load"
)

// imageBuild is what an image is built from.
type imageBuild struct {
	name       string // of ours, made from all that goes into the image
	dockerfile string
	labels     map[string]string
	args       map[string]*string
	write      func(*tar.Writer) error // adds the rest of the context
}

// buildImage builds an image under a name of ours. What the name holds already
// is used; a failed build is an error and never falls back to an image of the
// same name.
func (e *Engine) buildImage(ctx context.Context, b imageBuild) (string, error) {
	id, err := e.imageID(ctx, b.name)
	if id != "" || err != nil {
		return id, err
	}
	logins, err := buildLogins(ctx, b.dockerfile)
	if err != nil {
		return "", fmt.Errorf("building image %s: %w", b.name, err)
	}
	auths := map[string]registry.AuthConfig{}
	for host, l := range logins {
		auths[host] = registry.AuthConfig(l)
	}
	reader, writer := io.Pipe()
	go func() {
		archive := tar.NewWriter(writer)
		writer.CloseWithError(errors.Join(e.writeContext(archive, b), archive.Close()))
	}()
	defer reader.Close()
	memory, release, err := e.takeBuildMemory(ctx)
	if err != nil {
		return "", err
	}
	defer release()
	watched, watch := watchFor(ctx, buildStallTime)
	defer watch.stop()
	answer, err := e.api.ImageBuild(watched, reader, build.ImageBuildOptions{
		Tags: []string{b.name}, Labels: b.labels, BuildArgs: b.args, AuthConfigs: auths,
		Remove: true, ForceRemove: true, Version: build.BuilderV1, Memory: memory, MemorySwap: memory,
	})
	if err != nil {
		return "", fmt.Errorf("building image %s: %w", b.name, err)
	}
	defer answer.Body.Close()
	id, err = readStream(watch.reader(answer.Body))
	if failed, ok := errors.AsType[*BuildError](err); ok {
		explainKilled(failed, memory)
	}
	if err != nil {
		return "", fmt.Errorf("building image %s: %w", b.name, err)
	}
	if id == "" {
		return "", fmt.Errorf("building image %s: the engine made no image", b.name)
	}
	return id, nil
}

func (e *Engine) writeContext(w *tar.Writer, b imageBuild) error {
	dockerfile := b.dockerfile
	if len(e.certificates) > 0 {
		dockerfile = trustingDockerfile(dockerfile)
		if err := addFiles(w, certificatesDir, certificateFiles(e.certificates)); err != nil {
			return err
		}
	}
	if err := addFile(w, "Dockerfile", []byte(dockerfile)); err != nil || b.write == nil {
		return err
	}
	return b.write(w)
}

// imageName makes a name of ours that changes with everything in parts.
func imageName(repository, tag string, parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\n")))
	name := repository + ":"
	if tag != "" {
		name += strings.ReplaceAll(tag, "+", "_") + "-"
	}
	return name + hex.EncodeToString(sum[:6])
}

// baseImage is the image that builds start from: a base with the Debian
// packages that they need.
func (e *Engine) baseImage(ctx context.Context, i Image) (string, error) {
	if i.Base == "" {
		return "", errors.New("the target names no image to start from")
	}
	base, err := e.pullMissing(ctx, i.Base)
	if err != nil || len(i.Packages) == 0 {
		return base, err
	}
	dockerfile := fmt.Sprintf("FROM %s\nRUN apt-get update && apt-get install -y --no-install-recommends %s && rm -rf /var/lib/apt/lists/*\n",
		i.Base, strings.Join(i.Packages, " "))
	return e.buildImage(ctx, imageBuild{name: imageName("versweep/base", "", base, dockerfile), dockerfile: dockerfile})
}

// Where a target's files lie in its images, and the port its server has to
// itself there.
const (
	imageBuildDir   = "/versweep/build"
	imageProgramDir = "/versweep/program"
	imageRuntimeDir = "/versweep/runtime"
	containerPort   = "8080"
	containerHome   = "/tmp"
)

func (r Recipe) placesInImage(version string) places {
	return places{build: imageBuildDir, program: imageProgramDir, main: r.main(), runtime: imageRuntimeDir, port: containerPort, version: version}
}

// targetImage makes the image of one build: the image that the version comes
// in or that the recipe's Dockerfile builds, or else base, with the build's
// files, the program and the start command added. Where the image is there
// already, nothing that it was made from has to be.
func (e *Engine) targetImage(ctx context.Context, d *Definition, r Recipe, base string, b sweep.Build) (sweep.Build, error) {
	files, err := d.programFiles(r)
	if err != nil {
		return b, err
	}
	labels := map[string]string{labelTarget: d.Name, labelVersion: b.Version}
	origin, from := base, func() (string, error) { return base, nil }
	switch {
	case r.Dockerfile != "":
		recipe, err := e.recipeBuild(d, r, files, labels, b)
		if err != nil {
			return b, err
		}
		origin, from = recipe.name, func() (string, error) { return e.buildImage(ctx, recipe) }
	case b.Base != "":
		origin, from = b.Base, func() (string, error) { return e.pullVersion(ctx, b.Base) }
	}
	command, err := json.Marshal(r.placesInImage(b.Version).fill(r.Start))
	if err != nil {
		return b, err
	}
	// The runtime comes first: its layer is the same for all versions.
	layers := fmt.Sprintf("COPY runtime %s\nCOPY build %s\nCOPY program %s\nENTRYPOINT []\nCMD %s\n",
		imageRuntimeDir, imageBuildDir, imageProgramDir, command)
	name := imageName("versweep/"+FolderName(d.Name), b.Version, origin, layers, b.Digest, r.hash(files))
	there, ok, err := e.inspectImage(ctx, name)
	if err != nil {
		return b, err
	}
	isImage := b.Dir == ""
	if ok {
		b.Image = there.ID
		if isImage && there.Config != nil {
			b.FromCache = true
			b.Bytes, _ = strconv.ParseInt(there.Config.Labels[labelShared], 10, 64)
		}
		return b, nil
	}
	if base, err = from(); err != nil {
		return b, err
	}
	info, _, err := e.inspectImage(ctx, base)
	if err != nil {
		return b, err
	}
	if isImage {
		b.Bytes, b.FromCache = info.Size, false
	}
	labels[labelBase], labels[labelShared] = base, strconv.FormatInt(info.Size, 10)
	b.Image, err = e.buildImage(ctx, imageBuild{name: name, dockerfile: "FROM " + base + "\n" + layers, labels: labels, write: func(w *tar.Writer) error {
		return errors.Join(addFiles(w, "program", files), addFolder(w, "build", b.Dir), addFolder(w, "runtime", b.Runtime))
	}})
	return b, err
}

// recipeBuild is the recipe's own Dockerfile for one version.
func (e *Engine) recipeBuild(d *Definition, r Recipe, files map[string][]byte, labels map[string]string, b sweep.Build) (imageBuild, error) {
	dockerfile, err := fs.ReadFile(d.files, r.Dockerfile)
	if err != nil {
		return imageBuild{}, fmt.Errorf("reading target %s: %w", d.Name, err)
	}
	args := map[string]*string{"VERSION": &b.Version}
	if b.Base != "" {
		args["BASE"] = &b.Base
	}
	return imageBuild{
		name:       imageName("versweep/"+FolderName(d.Name)+"-base", b.Version, string(dockerfile), b.Digest, r.hash(files)),
		dockerfile: string(dockerfile), labels: maps.Clone(labels), args: args,
		write: func(w *tar.Writer) error {
			return errors.Join(addFiles(w, "program", files), addFolder(w, "source", b.Dir))
		},
	}, nil
}

// engineImage makes the image of the load engine, which is this program alone,
// and removes those of older programs.
func (e *Engine) engineImage(ctx context.Context, self string) (string, error) {
	f, err := os.Open(self)
	if err != nil {
		return "", fmt.Errorf("making the load engine's image: %w", err)
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", fmt.Errorf("making the load engine's image: %w", err)
	}
	const dockerfile = "FROM scratch\nCOPY versweep /versweep\nENTRYPOINT [\"/versweep\"]\n"
	name := imageName(engineImages, "", hex.EncodeToString(sum.Sum(nil)), dockerfile)
	if id, err := e.imageID(ctx, name); id != "" || err != nil {
		return id, err
	}
	id, err := e.buildImage(ctx, imageBuild{
		name: name, dockerfile: dockerfile, labels: map[string]string{labelTarget: labelOfEngine},
		write: func(w *tar.Writer) error { return addDiskFile(w, "versweep", self) },
	})
	if err != nil {
		return "", err
	}
	return id, e.removeOlder(ctx, engineImages, id, engineImageAge)
}

// engineImageAge is how old a load engine's image has to be before a newer
// program removes it: another sweep may be using it.
const engineImageAge = time.Hour

// ownImages lists what versweep has built or pulled for targets.
func (e *Engine) ownImages(ctx context.Context) ([]ownImage, error) {
	var own []ownImage
	seen := map[string]bool{}
	for _, filter := range []filters.KeyValuePair{filters.Arg("label", labelTarget), filters.Arg("reference", pulledImages)} {
		list, err := e.api.ImageList(ctx, image.ListOptions{Filters: filters.NewArgs(filter)})
		if err != nil {
			return nil, fmt.Errorf("listing the engine's images: %w", err)
		}
		for _, i := range list {
			if seen[i.ID] || i.Labels[labelTarget] == labelOfEngine {
				continue
			}
			seen[i.ID] = true
			shared, _ := strconv.ParseInt(i.Labels[labelShared], 10, 64) // 0 where it shares nothing of ours
			own = append(own, ownImage{
				id: bareID(i.ID), created: time.Unix(i.Created, 0), bytes: i.Size - shared, base: bareID(i.Labels[labelBase]), name: nameOfImage(i.RepoTags, i.ID),
			})
		}
	}
	return own, nil
}

// nameOfImage is the first tag of an image, or the beginning of its id where it has
// none.
func nameOfImage(tags []string, id string) string {
	if len(tags) > 0 && tags[0] != "<none>:<none>" {
		return tags[0]
	}
	return fmt.Sprintf("%.12s", bareID(id))
}

// bareID is an image's id as it can be compared: engines write it with and
// without the name of the hash.
func bareID(id string) string { return strings.TrimPrefix(id, "sha256:") }

// removeOlder removes the images of a repository of ours that are older than
// age, but for one. One that a container uses stays.
func (e *Engine) removeOlder(ctx context.Context, repository, but string, age time.Duration) error {
	list, err := e.api.ImageList(ctx, image.ListOptions{Filters: filters.NewArgs(filters.Arg("reference", repository))})
	if err != nil {
		return fmt.Errorf("listing the images of %s: %w", repository, err)
	}
	for _, i := range list {
		if i.ID != but && time.Since(time.Unix(i.Created, 0)) > age {
			if _, err := e.removeImage(ctx, i.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

// removeImage takes our names away from an image, and with the last name the
// image goes. One that somebody else has named too keeps that name. It is false
// when the image stays.
func (e *Engine) removeImage(ctx context.Context, id string) (bool, error) {
	info, ok, err := e.inspectImage(ctx, id)
	if err != nil || !ok {
		return false, err
	}
	foreign := slices.DeleteFunc(slices.Clone(info.RepoTags), isOwnName)
	names := slices.DeleteFunc(slices.Clone(info.RepoTags), func(n string) bool { return !isOwnName(n) })
	if len(foreign) == 0 {
		names = append(names, info.RepoDigests...) // those of a pull
	}
	for _, name := range names {
		_, err := e.api.ImageRemove(ctx, name, image.RemoveOptions{PruneChildren: true})
		switch {
		case cerrdefs.IsNotFound(err): // went with another name, or by another process
		case cerrdefs.IsConflict(err): // a container uses it
			return false, nil
		case err != nil:
			return false, fmt.Errorf("removing image %s: %w", name, err)
		}
	}
	return len(foreign) == 0, nil
}

// isOwnName tells whether a name is one that versweep gives. Podman puts a
// registry's name before it.
func isOwnName(name string) bool {
	name = strings.TrimPrefix(strings.TrimPrefix(name, "localhost/"), "docker.io/")
	return strings.HasPrefix(name, "versweep/")
}
