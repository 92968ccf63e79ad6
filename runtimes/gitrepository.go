package runtimes

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/storer"
	"github.com/go-git/go-git/v5/plumbing/transport"
)

// gitRepository is where tags and the trees of commits are read. Goroutines may
// share it. Tags are told by name, and objects are asked for by hash alone, so
// that a name from outside never reaches a path or a command.
type gitRepository interface {
	// tags lists the tags.
	tags(ctx context.Context) ([]gitTag, error)
	// commits follows tags to their commits, by name. A tag that ends
	// elsewhere is missing there, and in elsewhere with the reason.
	commits(ctx context.Context, tags []gitTag) (commits map[string]plumbing.Hash, elsewhere map[string]string, err error)
	// tree opens a store that has the commit with all of its tree. What has
	// to be fetched for that is written into scratch. tag is the name that the
	// commit was listed under, or anything else for a commit without one.
	tree(ctx context.Context, commit plumbing.Hash, tag, scratch string) (storer.EncodedObjectStorer, error)
	// history opens a store that has all commits, and what its references
	// mean by their full names.
	history(ctx context.Context) (storer.EncodedObjectStorer, map[string]plumbing.Hash, error)
	// historyOf opens a store that has these commits and all before them. A
	// server is asked only when one of them is not here yet; one that it does
	// not have either is missing then.
	historyOf(ctx context.Context, commits ...plumbing.Hash) (storer.EncodedObjectStorer, error)
	// submodule is the repository that a submodule's URL means here.
	submodule(rawURL string) (gitRepository, error)
	// String is the URL or path for people, without credentials.
	String() string
}

// gitTag is a tag as a repository lists it.
type gitTag struct {
	name   string
	object plumbing.Hash // what the reference holds: a tag object, a commit, or another object
	peeled plumbing.Hash // what that ends at, as the server says; zero when it says nothing
}

const tagPrefix = "refs/tags/"

var (
	errNoRepository = errors.New("there is no git repository")
	errNoAccess     = errors.New("no access: see that the URL is right and that ~/.netrc, the ssh agent or ~/.ssh has a key for it")
	errNoTags       = errors.New("it has no tags")
)

// openGitRepository opens a repository by URL or path. Nothing is fetched yet.
func openGitRepository(address string, cache *Cache) (gitRepository, error) {
	endpoint, err := transport.NewEndpoint(address)
	if err != nil {
		return nil, fmt.Errorf("git repository %s: %w", withoutCredentials(address), bareURLError(err))
	}
	if endpoint.Protocol != "file" {
		return newRemoteGit(address, endpoint, cache)
	}
	return newLocalGit(endpoint.Path, cache)
}

// bareURLError takes the URL, and what of it is called a port, out of an error:
// either may hold a password.
func bareURLError(err error) error {
	if inURL, ok := errors.AsType[*url.Error](err); ok {
		return errors.New(WithoutSecrets(inURL.Err.Error()))
	}
	return err
}

// hasObject tells whether a store has an object. go-git's own question does not
// look at what a clone shares with another.
func hasObject(objects storer.EncodedObjectStorer, hash plumbing.Hash) bool {
	_, err := objects.EncodedObject(plumbing.AnyObject, hash)
	return err == nil
}

// maxTagDepth bounds tags of tags; git's own history has at most two.
const maxTagDepth = 32

// peel follows tag objects from hash to a commit. elsewhere says where it ends
// instead; then the hash is zero.
func peel(objects storer.EncodedObjectStorer, hash plumbing.Hash) (commit plumbing.Hash, elsewhere string, err error) {
	for range maxTagDepth {
		o, err := objects.EncodedObject(plumbing.AnyObject, hash)
		if err != nil {
			return plumbing.ZeroHash, "", fmt.Errorf("reading object %s: %w", hash, err)
		}
		switch o.Type() {
		case plumbing.CommitObject:
			return hash, "", nil
		case plumbing.TagObject:
			tag, err := object.DecodeTag(objects, o)
			if err != nil {
				return plumbing.ZeroHash, "", fmt.Errorf("reading object %s: %w", hash, err)
			}
			if tag.TargetType != plumbing.CommitObject && tag.TargetType != plumbing.TagObject {
				return plumbing.ZeroHash, onNoCommit(tag.TargetType), nil
			}
			hash = tag.Target
		default:
			return plumbing.ZeroHash, onNoCommit(o.Type()), nil
		}
	}
	return plumbing.ZeroHash, fmt.Sprintf("more than %d tags on top of each other", maxTagDepth), nil
}

func onNoCommit(t plumbing.ObjectType) string {
	return "a tag on a " + t.String() + ", not on a commit"
}

// peelAll follows tags whose objects are all in one store.
func peelAll(objects storer.EncodedObjectStorer, tags []gitTag) (commits map[string]plumbing.Hash, elsewhere map[string]string, err error) {
	commits, elsewhere = make(map[string]plumbing.Hash, len(tags)), map[string]string{}
	for _, t := range tags {
		commit, where, err := peel(objects, t.object)
		switch {
		case errors.Is(err, plumbing.ErrObjectNotFound):
			elsewhere[t.name] = "its objects are not in the repository"
		case err != nil:
			return nil, nil, fmt.Errorf("following tag %q: %w", t.name, err)
		case where != "":
			elsewhere[t.name] = where
		default:
			commits[t.name] = commit
		}
	}
	return commits, elsewhere, nil
}

// submoduleAddress is what a submodule's URL means beside that of its parent:
// one that begins with ./ or ../ is relative to it.
func submoduleAddress(parent, relative string) string {
	if !strings.HasPrefix(relative, "./") && !strings.HasPrefix(relative, "../") {
		return relative
	}
	if u, err := url.Parse(parent); err == nil && u.Scheme != "" && u.Host != "" {
		u.Path = path.Join("/", u.Path, relative)
		return u.String()
	}
	if host, folder, scp := strings.Cut(parent, ":"); scp && !strings.Contains(host, "/") {
		return host + ":" + path.Join(folder, relative)
	}
	return path.Join(parent, relative)
}

// boundedReader fails once more than left bytes were read, so that a server
// cannot fill the disk.
type boundedReader struct {
	from io.Reader
	left int64
}

func (b *boundedReader) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, fmt.Errorf("%w: the server sends more than any release needs", ErrUnsafeArchive)
	}
	return n, err
}
