//go:build linux

package runtimes

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"golang.org/x/sync/errgroup"

	"versweep/sweep"
	"versweep/sweep/load"
)

// needRegistry is the address of a real, empty enough registry. Tests named
// TestRegistry… that need it are left out, or fail, as those that need an engine.
func needRegistry(t testing.TB) string {
	t.Helper()
	address := os.Getenv("VERSWEEP_TEST_REGISTRY")
	if address == "" {
		if os.Getenv("VERSWEEP_TEST_ENGINE") != "" {
			t.Fatal("$VERSWEEP_TEST_REGISTRY says where no registry is")
		}
		t.Skip("left out: $VERSWEEP_TEST_REGISTRY names no image registry; .ci/run starts one")
	}
	t.Setenv("DOCKER_CONFIG", t.TempDir()) // nobody's credentials
	return address
}

// newRepository is a repository of the registry that only this run uses.
func newRepository(t testing.TB) string {
	t.Helper()
	kind := strings.ToLower(strings.ReplaceAll(t.Name(), "/", "-"))
	return fmt.Sprintf("%s/%s-%d", needRegistry(t), kind, time.Now().UnixNano())
}

// helloServer is a static program for scratch images that gives the right
// answer.
var helloServer = sync.OnceValues(func() ([]byte, error) {
	source, file := builtPrograms()+"hello.go", builtPrograms()+"hello"
	const text = `package main

import ("io"; "net/http"; "os")

func main() {
	http.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, "Hello World\n")
	})
	panic(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil))
}
`
	if err := os.WriteFile(source, []byte(text), 0o644); err != nil {
		return nil, err
	}
	cmd := exec.Command("go", "build", "-o", file, source)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	return os.ReadFile(file)
})

func needHelloServer(t *testing.T) []byte {
	t.Helper()
	program, err := helloServer()
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// newImage is an image with one program, /server; mark makes it another image.
func newImage(t testing.TB, program []byte, architecture, mark string) v1.Image {
	t.Helper()
	var layer bytes.Buffer
	w := tar.NewWriter(&layer)
	err := errors.Join(
		w.WriteHeader(&tar.Header{Name: "server", Mode: 0o755, Size: int64(len(program))}),
		func() error { _, err := w.Write(program); return err }(),
		w.Close(),
	)
	if err != nil {
		t.Fatal(err)
	}
	l, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(layer.Bytes())), nil })
	if err != nil {
		t.Fatal(err)
	}
	image, err := mutate.AppendLayers(empty.Image, l)
	if err != nil {
		t.Fatal(err)
	}
	image, err = mutate.ConfigFile(image, &v1.ConfigFile{
		OS: "linux", Architecture: architecture, Config: v1.Config{Labels: map[string]string{"mark": mark}},
		RootFS: rootFS(t, image),
	})
	if err != nil {
		t.Fatal(err)
	}
	return image
}

func rootFS(t testing.TB, image v1.Image) v1.RootFS {
	t.Helper()
	config, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	return config.RootFS
}

func pushImage(t testing.TB, repository, tag string, image v1.Image) {
	t.Helper()
	ref, err := name.NewTag(repository + ":" + tag)
	if err == nil {
		err = remote.Write(ref, image, remote.WithContext(t.Context()))
	}
	if err != nil {
		t.Fatal(err)
	}
}

func pushIndex(t testing.TB, repository, tag string, images map[string]v1.Image) {
	t.Helper()
	index := v1.ImageIndex(empty.Index)
	for architecture, image := range images {
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add: image, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: architecture}},
		})
	}
	ref, err := name.NewTag(repository + ":" + tag)
	if err == nil {
		err = remote.WriteIndex(ref, index, remote.WithContext(t.Context()))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// imageTarget is a target whose versions are the images of a repository.
func imageTarget(t testing.TB, repository, flavour string, cache *Cache) *Supply {
	t.Helper()
	d := &Definition{
		Name: "fake", Title: "Fake", Recipe: Recipe{Start: []string{"/server"}},
		Sources: []Source{{Image: &ImageSource{Repository: repository, Flavour: flavour}}},
	}
	d.fillIn()
	d.Answer.Timeout = 5 * time.Second
	s, err := OpenSupply(d, d.Sources[0], cache)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func newCache(t testing.TB) *Cache {
	t.Helper()
	cache := emptyCache(t)
	return cache
}

// fillRepository makes every kind of tag there is.
func fillRepository(t testing.TB, repository string, program []byte) {
	t.Helper()
	other := "arm64"
	if runtime.GOARCH == other {
		other = "amd64"
	}
	image := func(mark string) v1.Image { return newImage(t, program, runtime.GOARCH, mark) }
	first := image("1.25.3")
	for _, tag := range []string{"1.25.3-alpine", "1.25-alpine", "1-alpine", "alpine", "stable-alpine"} {
		pushImage(t, repository, tag, first)
	}
	pushImage(t, repository, "1.25.3-alpine-perl", image("perl"))
	pushImage(t, repository, "1.25.4-alpine3.18", image("3.18"))
	pushImage(t, repository, "1.25.3", image("debian"))
	pushImage(t, repository, "v1.25.2-alpine", image("v1.25.2"))
	pushIndex(t, repository, "1.26.0-alpine", map[string]v1.Image{runtime.GOARCH: image("1.26.0"), other: newImage(t, program, other, "1.26.0")})
	pushImage(t, repository, "1.26.1-alpine", newImage(t, program, other, "1.26.1"))
	pushIndex(t, repository, "1.26.2-alpine", map[string]v1.Image{other: newImage(t, program, other, "1.26.2")})
	pushImage(t, repository, "1.26.3-alpine", empty.Image) // no image: it names no platform
	pushImage(t, repository, "1.27.0-rc.1-alpine", image("1.27.0"))
	pushImage(t, repository, "1.27.0-alpine", image("1.27.0"))
}

// Listing and pinning against a real registry.
func TestRegistryOfEveryKindOfTag(t *testing.T) {
	repository := newRepository(t)
	fillRepository(t, repository, []byte("no program"))
	cache := newCache(t)
	s := imageTarget(t, repository, "alpine", cache)
	versions, skipped, err := s.Versions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, v := range versions {
		names = append(names, v.Name)
	}
	if want := strings.Fields("1.25.2 1.25.3 1.26.0 1.26.1 1.26.2 1.26.3 1.27.0-rc.1 1.27.0"); !slices.Equal(names, want) || len(skipped) != 7 {
		t.Fatalf("versions %v, want %v; %d skipped", names, want, len(skipped))
	}
	if versions[0].Raw != "v1.25.2-alpine" {
		t.Errorf("the tag of %s is %s", versions[0].Name, versions[0].Raw)
	}
	versions = append(versions, sweep.Version{Name: "1.28.0", Raw: "1.28.0-alpine", Source: "image"}, sweep.Version{Name: "9.9.9", Raw: "9.9.9"})
	here := "linux/" + runtime.GOARCH
	want := map[string]string{
		"1.26.1": "no image for " + here + ", only for linux/", "1.26.2": "no image for " + here, "1.27.0-rc.1": "the same image as 1.27.0",
		"1.26.3": "is no image: it names no platform",
		"1.28.0": "manifest unknown", "9.9.9": "no such release",
	}
	for _, cached := range []bool{false, true} {
		outcomes, err := imageTarget(t, repository, "alpine", cache).Obtain(t.Context(), slices.Clone(versions), nil, func(Obtained) {})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range outcomes {
			if !strings.Contains(o.Reason, want[o.Version]) || (o.Reason == "") != (want[o.Version] == "") {
				t.Errorf("%s: reason %q, want %q", o.Version, o.Reason, want[o.Version])
			}
			if o.Reason != "" {
				continue
			}
			if o.Build.Base != repository+"@"+o.Build.Digest || !strings.HasPrefix(o.Build.Digest, "sha256:") || o.Build.Bytes == 0 || o.Build.FromCache != cached {
				t.Errorf("second time %v, %s: %+v", cached, o.Version, o.Build)
			}
		}
	}
}

// A format of before 2016, and something that is no image at all.
func TestRegistryWithManifestsOfOtherKinds(t *testing.T) {
	const old = `{"schemaVersion":1,"name":"x","tag":"1.0.0","architecture":"amd64","fsLayers":[],"history":[],"signatures":[]}`
	r := fakeRegistry(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/vnd.docker.distribution.manifest.v1+prettyjws")
		if strings.Contains(r.URL.Path, "2.0.0") {
			w.Header().Set("Content-Type", "application/vnd.cncf.helm.config.v1+json")
		}
		io.WriteString(w, old)
	})
	s := imageTarget(t, r.repository.Name(), "", newCache(t))
	outcomes, err := s.Obtain(t.Context(), []sweep.Version{
		{Name: "1.0.0", Raw: "1.0.0", Source: "image"}, {Name: "2.0.0", Raw: "2.0.0", Source: "image"},
	}, nil, func(Obtained) {})
	if err != nil || !strings.Contains(outcomes[0].Reason, "too old an image format") || !strings.Contains(outcomes[1].Reason, "is no image") {
		t.Errorf("got %+v, %v", outcomes, err)
	}
}

// Images of a real registry, pulled by a real engine, measured, and obtained a
// second time without a pull.
func TestEngineMeasuresImagesOfARegistry(t *testing.T) {
	e := needEngine(t)
	repository := newRepository(t)
	fillRepository(t, repository, needHelloServer(t))
	cache := newCache(t)
	s := imageTarget(t, repository, "alpine", cache)
	l, err := newDockerLauncher(t.Context(), e, s, CPUSets{}, staticVersweep(t))
	if err != nil {
		t.Fatal(err)
	}
	versions, _, err := s.Versions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	outcomes, err := s.Obtain(t.Context(), versions, l.Image, func(Obtained) {})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { l.TidyImages(context.Background(), outcomes, false) }()
	measured := 0
	for _, o := range outcomes {
		if o.Reason != "" {
			continue
		}
		measured++
		if o.Build.Image == "" || o.Build.Bytes < 1<<20 || o.Build.FromCache {
			t.Errorf("%s: %+v", o.Version, o.Build)
		}
		instance, err := l.Start(t.Context(), o.Build)
		if err != nil {
			t.Fatalf("%s: %v", o.Version, err)
		}
		r, err := instance.Load(t.Context(), load.Profile{Shape: load.ShapeClosed, Connections: 2, Requests: 50, Timeout: time.Second}, load.Hooks{})
		if _, stopErr := instance.Stop(); err != nil || stopErr != nil || r.OK != 50 {
			t.Errorf("%s: %+v, %v, %v", o.Version, r, err, stopErr)
		}
	}
	if measured != 4 {
		t.Errorf("%d measured, want 4: %+v", measured, outcomes)
	}
	again := imageTarget(t, repository, "alpine", cache)
	second, err := again.Obtain(t.Context(), slices.Clone(versions), l.Image, func(Obtained) {})
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range second {
		if o.Reason == "" && (!o.Build.FromCache || o.Build.Image != outcomes[i].Build.Image || o.Build.Bytes != outcomes[i].Build.Bytes) {
			t.Errorf("second time: %+v, first %+v", o.Build, outcomes[i].Build)
		}
	}
	removed, err := l.TidyImages(t.Context(), outcomes, false)
	if err != nil || removed.Images != 8 { // each version's own and the one it was made from
		t.Errorf("removed %+v, %v", removed, err)
	}
	if id, err := e.imageID(t.Context(), outcomes[0].Build.Base); id != "" || err != nil {
		t.Errorf("a pulled image is still there: %s, %v", id, err)
	}
}

// The engine's own words for a pull that fails inside its stream.
func TestEnginePullsWhatIsNotThere(t *testing.T) {
	e := needEngine(t)
	repository := newRepository(t)
	pushImage(t, repository, "1.0.0", newImage(t, []byte("x"), runtime.GOARCH, ""))
	for ref, want := range map[string]string{
		repository + ":2.0.0":                             "manifest unknown",
		repository + "@sha256:" + strings.Repeat("0", 64): "manifest unknown",
	} {
		_, err := e.pullVersion(t.Context(), ref)
		if err == nil || !strings.Contains(err.Error(), "pulling "+ref) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v", err)
		}
	}
}

// A thousand tags are listed in less than a second.
func BenchmarkRegistryLists1000Tags(b *testing.B) {
	repository := newRepository(b)
	image := newImage(b, []byte("x"), runtime.GOARCH, "")
	pushImage(b, repository, "0.0.0", image)
	var group errgroup.Group
	group.SetLimit(8)
	for i := 1; i < 1000; i++ {
		group.Go(func() error {
			ref, err := name.NewTag(fmt.Sprintf("%s:%d.%d.%d", repository, i/100, i/10%10, i%10))
			if err != nil {
				return err
			}
			return remote.Tag(ref, image)
		})
	}
	if err := group.Wait(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		versions, _, err := imageTarget(b, repository, "", nil).Versions(b.Context())
		if err != nil || len(versions) != 1000 {
			b.Fatalf("%d versions, %v", len(versions), err)
		}
	}
	if each := b.Elapsed() / time.Duration(b.N); each > time.Second {
		b.Errorf("%v for 1000 tags", each)
	}
}
