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
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/docker/docker/api/types/build"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/client"

	"versweep/sweep"
)

// message is one JSON message of a pull or build stream. Errors come inside
// the stream, after the answer's status said that all is well.
type message struct {
	Stream      string `json:"stream"`
	Status      string `json:"status"`
	Error       string `json:"error"`
	ErrorDetail struct {
		Message string `json:"message"`
	} `json:"errorDetail"`
	Aux struct {
		ID string `json:"ID"`
	} `json:"aux"`
}

// readStream reads a pull or build stream to its end, without which the engine
// does not finish. It returns the id of the image that a build made. A failure
// is a *BuildError with the engine's words and its last lines.
func readStream(stream io.Reader) (imageID string, err error) {
	var log tail
	for messages := json.NewDecoder(stream); ; {
		var m message
		if err := messages.Decode(&m); errors.Is(err, io.EOF) {
			return imageID, nil
		} else if err != nil {
			return "", fmt.Errorf("reading the engine's answer: %w", err)
		}
		io.WriteString(&log, m.Stream)
		if m.Aux.ID != "" {
			imageID = m.Aux.ID
		}
		if m.ErrorDetail.Message != "" || m.Error != "" {
			reason := m.ErrorDetail.Message
			if reason == "" {
				reason = m.Error
			}
			return "", &BuildError{Reason: reason, Log: log.lines()}
		}
	}
}

// imageID is the id of an image that the engine has; empty when it has none of
// that name.
func (e *Engine) imageID(ctx context.Context, name string) (string, error) {
	info, err := e.api.ImageInspect(ctx, name)
	if client.IsErrNotFound(err) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("inspecting image %s: %w", name, err)
	}
	return info.ID, nil
}

// pullMissing makes sure that the engine has an image and returns its id.
func (e *Engine) pullMissing(ctx context.Context, name string) (string, error) {
	id, err := e.imageID(ctx, name)
	if id != "" || err != nil {
		return id, err
	}
	login, err := engineLogin(ctx, name)
	if err != nil {
		return "", fmt.Errorf("pulling %s: %w", name, err)
	}
	stream, err := e.api.ImagePull(ctx, name, image.PullOptions{RegistryAuth: login})
	if err != nil {
		return "", fmt.Errorf("pulling %s: %w", name, err)
	}
	defer stream.Close()
	if _, err := readStream(stream); err != nil {
		return "", fmt.Errorf("pulling %s: %w", name, err)
	}
	id, err = e.imageID(ctx, name)
	if id == "" && err == nil {
		err = fmt.Errorf("pulling %s: the engine said nothing went wrong, but has no such image", name)
	}
	return id, err
}

// buildImage builds an image under a name of ours. What the name holds already
// is used, since the name is made from all that goes into the image; a failed
// build is an error and never falls back to an image of the same name.
func (e *Engine) buildImage(ctx context.Context, name string, labels map[string]string, args map[string]*string, write func(*tar.Writer) error) (string, error) {
	id, err := e.imageID(ctx, name)
	if id != "" || err != nil {
		return id, err
	}
	reader, writer := io.Pipe()
	go func() {
		archive := tar.NewWriter(writer)
		writer.CloseWithError(errors.Join(write(archive), archive.Close()))
	}()
	defer reader.Close()
	answer, err := e.api.ImageBuild(ctx, reader, build.ImageBuildOptions{
		Tags: []string{name}, Labels: labels, BuildArgs: args, Remove: true, ForceRemove: true, Version: build.BuilderV1,
	})
	if err != nil {
		return "", fmt.Errorf("building image %s: %w", name, err)
	}
	defer answer.Body.Close()
	id, err = readStream(answer.Body)
	if err != nil {
		return "", fmt.Errorf("building image %s: %w", name, err)
	}
	if id == "" {
		return "", fmt.Errorf("building image %s: the engine made no image", name)
	}
	return id, nil
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
	return e.buildImage(ctx, imageName("versweep/base", "", base, dockerfile), nil, nil,
		func(w *tar.Writer) error { return addFile(w, "Dockerfile", []byte(dockerfile)) })
}

// Where a target's files lie in its images, and the port its server has to
// itself there.
const (
	imageBuildDir   = "/versweep/build"
	imageProgramDir = "/versweep/program"
	imageRuntimeDir = "/versweep/runtime"
	containerPort   = "8080"
)

// targetImage makes the image of one build: the image that the version comes
// in or that the recipe's Dockerfile builds, or else base, with the build's
// files, the program and the start command added.
func (e *Engine) targetImage(ctx context.Context, d *Definition, r Recipe, base string, b sweep.Build) (sweep.Build, error) {
	files, err := d.programFiles(r)
	if err != nil {
		return b, err
	}
	labels := map[string]string{labelTarget: d.Name, labelVersion: b.Version}
	switch {
	case r.Dockerfile != "":
		base, err = e.recipeImage(ctx, d, r, files, labels, b)
	case b.Base != "":
		base, err = e.pullMissing(ctx, b.Base)
	}
	if err != nil {
		return b, err
	}
	at := places{build: imageBuildDir, program: imageProgramDir, runtime: imageRuntimeDir, port: containerPort, version: b.Version}
	command, err := json.Marshal(at.fill(r.Start))
	if err != nil {
		return b, err
	}
	dockerfile := fmt.Sprintf("FROM %s\nCOPY build %s\nCOPY program %s\nCOPY runtime %s\nENTRYPOINT []\nCMD %s\n",
		base, imageBuildDir, imageProgramDir, imageRuntimeDir, command)
	name := imageName("versweep/"+folderName(d.Name), b.Version, dockerfile, b.Digest, r.hash(files))
	b.Image, err = e.buildImage(ctx, name, labels, nil, func(w *tar.Writer) error {
		return errors.Join(addFile(w, "Dockerfile", []byte(dockerfile)), addFiles(w, "program", files),
			addFolder(w, "build", b.Dir), addFolder(w, "runtime", b.Runtime))
	})
	return b, err
}

// recipeImage builds the recipe's own Dockerfile for one version.
func (e *Engine) recipeImage(ctx context.Context, d *Definition, r Recipe, files map[string][]byte, labels map[string]string, b sweep.Build) (string, error) {
	dockerfile, err := fs.ReadFile(d.files, r.Dockerfile)
	if err != nil {
		return "", fmt.Errorf("reading target %s: %w", d.Name, err)
	}
	name := imageName("versweep/"+folderName(d.Name)+"-base", b.Version, string(dockerfile), b.Digest, r.hash(files))
	return e.buildImage(ctx, name, labels, map[string]*string{"VERSION": &b.Version}, func(w *tar.Writer) error {
		return errors.Join(addFile(w, "Dockerfile", dockerfile), addFiles(w, "program", files), addFolder(w, "source", b.Dir))
	})
}

// engineImage makes the image of the load engine: this program alone.
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
	name := imageName("versweep/load", "", hex.EncodeToString(sum.Sum(nil)), dockerfile)
	return e.buildImage(ctx, name, map[string]string{labelTarget: "load"}, nil, func(w *tar.Writer) error {
		if err := addFile(w, "Dockerfile", []byte(dockerfile)); err != nil {
			return err
		}
		return addDiskFile(w, "versweep", self)
	})
}

func addFile(w *tar.Writer, name string, text []byte) error {
	if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text))}); err != nil {
		return err
	}
	_, err := w.Write(text)
	return err
}

func addFiles(w *tar.Writer, folder string, files map[string][]byte) error {
	if err := addFolder(w, folder, ""); err != nil {
		return err
	}
	for name, text := range files {
		if err := addFile(w, path.Join(folder, name), text); err != nil {
			return err
		}
	}
	return nil
}

// addFolder adds a folder with all that is in dir; an empty folder when dir is
// "".
func addFolder(w *tar.Writer, name, dir string) error {
	if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: name + "/", Mode: 0o755}); err != nil || dir == "" {
		return err
	}
	return filepath.WalkDir(dir, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || file == dir {
			return err
		}
		inside, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		inside = path.Join(name, filepath.ToSlash(inside))
		switch {
		case entry.IsDir():
			return w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: inside + "/", Mode: 0o755})
		case entry.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(file)
			if err != nil {
				return err
			}
			return w.WriteHeader(&tar.Header{Typeflag: tar.TypeSymlink, Name: inside, Linkname: target, Mode: 0o777})
		case !entry.Type().IsRegular():
			return nil
		}
		return addDiskFile(w, inside, file)
	})
}

func addDiskFile(w *tar.Writer, name, file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := w.WriteHeader(&tar.Header{Name: name, Mode: int64(info.Mode().Perm()), Size: info.Size()}); err != nil {
		return err
	}
	_, err = io.Copy(w, f)
	return err
}

func decodeStats(r io.Reader) (container.StatsResponse, error) {
	var stats container.StatsResponse
	err := json.NewDecoder(r).Decode(&stats)
	return stats, err
}
