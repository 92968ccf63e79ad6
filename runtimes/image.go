package runtimes

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/sync/errgroup"

	"versweep/sweep"
)

// Errors of images that a registry has but that cannot be measured here.
var (
	errOldFormat = errors.New("too old an image format (schema 1), which engines read no more")
	errNotImage  = errors.New("is no image")
)

// imageSource has versions from the tags of a repository of images. A tag is
// asked for its content once, and from then on everything goes by digest.
type imageSource struct {
	definition *Definition
	tags       *ImageSource
	registry   *imageRegistry
	cache      *Cache
	platform   v1.Platform // that images have to be for

	mu     sync.Mutex
	found  map[string]foundImage // by version, what pin has learnt
	taking map[string]string     // which version is measured for a digest
}

// foundImage is what a tag stands for.
type foundImage struct {
	facts  buildFacts // digest of the platform's image, its size as it is downloaded
	cached bool       // known without asking for the image's parts
	err    error      // why it cannot be measured
}

func newImageSource(d *Definition, i *ImageSource, cache *Cache) (*imageSource, error) {
	r, err := openRegistry(i.Repository, longestWait)
	if err != nil {
		return nil, err
	}
	return &imageSource{
		definition: d, tags: i, registry: r, cache: cache, platform: v1.Platform{OS: "linux", Architecture: runtime.GOARCH},
		found: map[string]foundImage{}, taking: map[string]string{},
	}, nil
}

// runOn says for which platform images have to be: "linux", "amd64".
func (s *imageSource) runOn(system, architecture string) {
	s.platform = v1.Platform{OS: system, Architecture: architecture}
}

// versions implements source.
func (s *imageSource) versions(ctx context.Context) ([]sweep.Version, []sweep.Skipped, error) {
	tags, err := s.registry.tags(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("listing the tags of %s: %w", s.tags.Repository, err)
	}
	versions, skipped := selectTags(tags, s.tags.Flavour, s.definition.Line)
	return versions, skipped, nil
}

// pinsAtOnce is how many tags are asked for at the same time.
const pinsAtOnce = 8

// pin asks what each tag stands for: one request each where that was known
// before, since registries count others than HEAD against their limits. What is
// wrong with an image is told by obtain.
func (s *imageSource) pin(ctx context.Context, versions []sweep.Version) ([]sweep.Version, error) {
	pinned := slices.Clone(versions)
	found := make([]foundImage, len(versions))
	var group errgroup.Group
	group.SetLimit(pinsAtOnce)
	for i := range pinned {
		group.Go(func() error {
			found[i], pinned[i].Digest = s.look(ctx, pinned[i])
			return ctx.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, v := range pinned {
		s.found[v.Name] = found[i]
	}
	// Of equal images the newest stable version is measured.
	for _, stable := range []bool{true, false} {
		for i, v := range slices.Backward(pinned) {
			if d := found[i].facts.Digest; d != "" && v.Prerelease != stable && s.taking[d] == "" {
				s.taking[d] = v.Name
			}
		}
	}
	return pinned, nil
}

// look finds what a tag stands for. The digest is the registry's for the tag,
// which may be an index of several platforms; empty when there is no such tag.
func (s *imageSource) look(ctx context.Context, v sweep.Version) (foundImage, string) {
	tag := s.registry.repository.Tag(v.Raw)
	head, err := s.registry.puller.Head(ctx, tag)
	var whole *remote.Descriptor
	if err != nil && !errors.Is(registryError(err), ErrPullLimit) {
		// The answer to HEAD has no words for what is wrong, and lacks the
		// digest on some registries.
		if whole, err = s.registry.puller.Get(ctx, tag); err == nil {
			head = &whole.Descriptor
		}
	}
	if err != nil {
		return foundImage{err: fmt.Errorf("looking for %s: %w", tag, registryError(err))}, ""
	}
	digest := head.Digest.String()
	look := func(ctx context.Context, _, _ string) (buildFacts, error) {
		if whole == nil {
			if whole, err = s.registry.puller.Get(ctx, s.registry.repository.Digest(digest)); err != nil {
				return buildFacts{}, registryError(err)
			}
		}
		return s.facts(ctx, whole)
	}
	dir := s.cache.buildDir(s.definition.Name, v.Name, digest, s.tags.Repository, s.platform.String())
	var f foundImage
	f.facts, f.cached, f.err = s.cache.make(ctx, dir, look)
	if f.err != nil {
		f.err = fmt.Errorf("looking at %s: %w", tag, f.err)
	}
	return f, digest
}

// facts reads the manifest of the platform's image. Its size is what is
// downloaded: the compressed layers.
func (s *imageSource) facts(ctx context.Context, d *remote.Descriptor) (buildFacts, error) {
	switch {
	case d.MediaType == types.DockerManifestSchema1 || d.MediaType == types.DockerManifestSchema1Signed:
		return buildFacts{}, errOldFormat
	case d.MediaType.IsIndex():
		index, err := d.ImageIndex()
		if err != nil {
			return buildFacts{}, err
		}
		manifest, err := index.IndexManifest()
		if err != nil {
			return buildFacts{}, fmt.Errorf("reading the index: %w", err)
		}
		i := slices.IndexFunc(manifest.Manifests, func(one v1.Descriptor) bool {
			return one.MediaType.IsImage() && one.Platform != nil && one.Platform.OS == s.platform.OS && one.Platform.Architecture == s.platform.Architecture
		})
		if i < 0 {
			return buildFacts{}, s.wrongPlatform("")
		}
		if d, err = s.registry.puller.Get(ctx, s.registry.repository.Digest(manifest.Manifests[i].Digest.String())); err != nil {
			return buildFacts{}, registryError(err)
		}
		return imageFacts(d)
	case d.MediaType.IsImage():
		image, err := d.Image()
		if err != nil {
			return buildFacts{}, err
		}
		config, err := image.ConfigFile()
		if err != nil {
			return buildFacts{}, registryError(err)
		}
		switch {
		case config.OS == "": // charts and the like come in the same form
			return buildFacts{}, fmt.Errorf("%w: it names no platform", errNotImage)
		case config.OS != s.platform.OS || config.Architecture != s.platform.Architecture:
			return buildFacts{}, s.wrongPlatform(", only for " + config.OS + "/" + config.Architecture)
		}
		return imageFacts(d)
	}
	return buildFacts{}, fmt.Errorf("%w but %s", errNotImage, d.MediaType)
}

func (s *imageSource) wrongPlatform(is string) error {
	return fmt.Errorf("no image for %s%s", s.platform, is)
}

func imageFacts(d *remote.Descriptor) (buildFacts, error) {
	image, err := d.Image()
	if err != nil {
		return buildFacts{}, err
	}
	manifest, err := image.Manifest()
	if err != nil {
		return buildFacts{}, fmt.Errorf("reading the manifest: %w", err)
	}
	f := buildFacts{Digest: d.Digest.String()}
	for _, layer := range manifest.Layers {
		f.Bytes += layer.Size
	}
	return f, nil
}

// missing implements explainer.
func (s *imageSource) missing(version string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.found[version].err
}

// obtain implements source. The engine pulls the image, by the digest of the
// platform's own; so far the size is that of the download.
func (s *imageSource) obtain(_ context.Context, v sweep.Version) (sweep.Build, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.found[v.Name]
	if f.err != nil {
		return sweep.Build{}, f.err
	}
	if same := s.taking[f.facts.Digest]; same != v.Name {
		return sweep.Build{}, fmt.Errorf("the same image as %s", same)
	}
	ref, err := name.NewDigest(s.registry.repository.Name() + "@" + f.facts.Digest)
	if err != nil {
		return sweep.Build{}, err
	}
	return sweep.Build{Version: v.Name, Base: ref.Name(), Digest: f.facts.Digest, Bytes: f.facts.Bytes, FromCache: f.cached}, nil
}
