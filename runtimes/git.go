package runtimes

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"versweep/runtimes/strictyaml"
	"versweep/sweep"
)

// gitSource is a source whose versions are the tags of a git repository, and
// whose builds are the files that a tag's commit has. What is made of them, the
// recipe says: its Dockerfile or, for processes, its build command.
type gitSource struct {
	definition *Definition
	settings   *GitSource
	form       versionForm
	repository gitRepository
	cache      *Cache
}

// newGit opens the repository; a remote one is not asked yet.
func newGit(d *Definition, settings *GitSource, cache *Cache) (*gitSource, error) {
	form, err := parseVersionForm(settings.Tags)
	if err != nil {
		return nil, err
	}
	repository, err := openGitRepository(settings.Repository, cache)
	if err != nil {
		return nil, err
	}
	return &gitSource{definition: d, settings: settings, form: form, repository: repository, cache: cache}, nil
}

// checkTags finds what is wrong with the form of a git source's tags.
func (g *GitSource) checkTags() error {
	if _, err := parseVersionForm(g.Tags); err != nil {
		return strictyaml.FlawAt("git.tags", "%v", err)
	}
	return nil
}

// versions lists the tags that are versions, each with its commit. A tag that
// is on no commit takes no part: of several builds of a version the next one
// counts then.
func (g *gitSource) versions(ctx context.Context) ([]sweep.Version, []sweep.Skipped, error) {
	versions, skipped, err := g.list(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("listing the tags of %s: %w", g.repository, err)
	}
	return versions, skipped, nil
}

func (g *gitSource) list(ctx context.Context) ([]sweep.Version, []sweep.Skipped, error) {
	tags, err := g.repository.tags(ctx)
	if err != nil {
		return nil, nil, err
	}
	if len(tags) == 0 {
		return nil, nil, errNoTags
	}
	left := make(map[string]gitTag, len(tags))
	for _, t := range tags {
		left[t.name] = t
	}
	commits := map[string]plumbing.Hash{}
	var unfit []sweep.Skipped
	for {
		versions, skipped := versionsOfTags(tagNames(left), g.form, g.projectNames(), "git", g.definition.Line)
		if len(versions) == 0 && len(unfit) == 0 {
			return nil, nil, fmt.Errorf("none of its %d tags is a version", len(tags))
		}
		var unknown []gitTag
		for _, v := range versions {
			if _, known := commits[v.Raw]; !known {
				unknown = append(unknown, left[v.Raw])
			}
		}
		if len(unknown) == 0 {
			for i, v := range versions {
				versions[i].Commit = commits[v.Raw].String()
			}
			return versions, append(skipped, unfit...), nil
		}
		found, elsewhere, err := g.repository.commits(ctx, unknown)
		if err != nil {
			return nil, nil, err
		}
		for _, t := range unknown {
			if commit, ok := found[t.name]; ok {
				commits[t.name] = commit
				continue
			}
			delete(left, t.name)
			unfit = append(unfit, sweep.Skipped{Raw: t.name, Reason: elsewhere[t.name]})
		}
	}
}

func tagNames(tags map[string]gitTag) []string {
	list := make([]string, 0, len(tags))
	for name := range tags {
		list = append(list, name)
	}
	return list
}

// projectNames are the words that a tag's prefix may be made of: the target's
// name and the repository's.
func (g *gitSource) projectNames() []string {
	target, _, _ := strings.Cut(g.definition.Name, ":")
	repository := filepath.ToSlash(g.repository.String())
	repository = strings.TrimSuffix(strings.TrimSuffix(repository, "/"), ".git")
	return []string{target, path.Base(repository)}
}

// pin returns versions as they were listed, with their commits. One that was
// listed without is looked up.
func (g *gitSource) pin(ctx context.Context, versions []sweep.Version) ([]sweep.Version, error) {
	var listed map[string]string
	for i, v := range versions {
		if v.Commit != "" {
			continue
		}
		if listed == nil {
			found, _, err := g.versions(ctx)
			if err != nil {
				return nil, err
			}
			listed = make(map[string]string, len(found))
			for _, f := range found {
				listed[f.Raw] = f.Commit
			}
		}
		versions[i].Commit = listed[v.Raw]
	}
	return versions, nil
}

// obtain checks the commit's files out into the cache.
func (g *gitSource) obtain(ctx context.Context, v sweep.Version) (sweep.Build, error) {
	if !plumbing.IsHash(v.Commit) {
		return sweep.Build{}, fmt.Errorf("fetching %s %s: %q is not a commit", g.definition.Name, v.Name, v.Commit)
	}
	digest := "git:" + v.Commit
	parts := "source"
	if g.settings.Submodules {
		parts += " with submodules"
	}
	dir := g.cache.buildDir(g.definition.Name, v.Name, digest, parts)
	facts, cached, err := g.cache.make(ctx, dir, func(ctx context.Context, scratch, files string) (buildFacts, error) {
		size, err := checkOut(ctx, g.repository, plumbing.NewHash(v.Commit), v.Raw, g.settings.Submodules, scratch, files)
		return buildFacts{Digest: digest, Bytes: size}, err
	})
	if err != nil {
		return sweep.Build{}, fmt.Errorf("fetching %s %s from %s: %w", g.definition.Name, v.Name, g.repository, err)
	}
	return sweep.Build{
		Version: v.Name, Dir: filepath.Join(dir, filesDir), Digest: facts.Digest, Bytes: facts.Bytes, FromCache: cached,
	}, nil
}
