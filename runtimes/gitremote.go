package runtimes

import (
	"context"
	"errors"
	"fmt"
	"io"
	nethttp "net/http"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/sideband"
	"github.com/go-git/go-git/v5/plumbing/storer"
	"github.com/go-git/go-git/v5/plumbing/transport"
	"github.com/go-git/go-git/v5/plumbing/transport/client"
	"github.com/go-git/go-git/v5/plumbing/transport/http"
	"github.com/go-git/go-git/v5/storage/memory"
)

// remoteGit is a repository on a server. It speaks the protocol by itself
// rather than cloning: it lists what the server has, and fetches objects by
// hash, no more of them than each question needs.
type remoteGit struct {
	address  string // with credentials where the user wrote them
	endpoint transport.Endpoint
	client   transport.Transport
	cache    *Cache
}

func newRemoteGit(address string, endpoint *transport.Endpoint, cache *Cache) (*remoteGit, error) {
	r := &remoteGit{address: address, endpoint: *endpoint, cache: cache}
	switch endpoint.Protocol {
	case "http", "https":
		r.client = http.NewClient(&nethttp.Client{Transport: boundedTransport{nethttp.DefaultTransport}})
	default:
		var err error
		if r.client, err = client.NewClient(endpoint); err != nil {
			return nil, fmt.Errorf("git repository %s: %w", r, err)
		}
	}
	return r, nil
}

// boundedTransport bounds what a server answers, since go-git reads a list of
// references into memory whole.
type boundedTransport struct{ inner nethttp.RoundTripper }

func (b boundedTransport) RoundTrip(r *nethttp.Request) (*nethttp.Response, error) {
	answer, err := b.inner.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	limit := int64(maxTreePack)
	if r.Method == nethttp.MethodGet {
		limit = maxListing
	}
	answer.Body = struct {
		io.Reader
		io.Closer
	}{&boundedReader{from: answer.Body, left: limit}, answer.Body}
	return answer, nil
}

func (r *remoteGit) String() string { return withoutCredentials(r.address) }

// What a server may send, in bytes. The largest listing known here, of 4,000
// references, is under 1 MB.
const (
	maxListing     = 64 << 20
	maxListingPack = 256 << 20
	maxTreePack    = maxUnpackedBytes
	maxInMemory    = 512 << 20 // of a listing, unpacked
)

// connectTime is how long a server may take to let us in, and again to list
// what it has.
const connectTime = time.Minute

var errNoAnswer = fmt.Errorf("the server did not answer within %v", connectTime)

// gitSession is a connection to the server, and what it lists.
type gitSession struct {
	transport.UploadPackSession
	listed *packp.AdvRefs
}

// connect connects to the server and reads what it lists.
func (r *remoteGit) connect(ctx context.Context) (*gitSession, error) {
	endpoint := r.endpoint // redirects change it
	auth, err := credentialsFor(&endpoint)
	if err != nil {
		return nil, err
	}
	type opened struct {
		session transport.UploadPackSession
		err     error
	}
	// go-git's dialling of ssh knows no context.
	done := make(chan opened, 1)
	go func() {
		s, err := r.client.NewUploadPackSession(&endpoint, auth)
		done <- opened{s, err}
	}()
	var o opened
	select {
	case o = <-done:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(connectTime):
		return nil, errNoAnswer
	}
	if o.err != nil {
		return nil, accessError(o.err)
	}
	listing, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	listed, err := o.session.AdvertisedReferencesContext(listing)
	if err != nil {
		o.session.Close()
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case listing.Err() != nil:
			return nil, errNoAnswer
		}
		return nil, accessError(err)
	}
	return &gitSession{o.session, listed}, nil
}

// accessError says in one line what keeps a server from answering.
func accessError(err error) error {
	switch {
	case errors.Is(err, transport.ErrRepositoryNotFound):
		return errNoRepository
	case errors.Is(err, transport.ErrAuthenticationRequired), errors.Is(err, transport.ErrAuthorizationFailed),
		strings.Contains(err.Error(), "ssh: unable to authenticate"): // x/crypto/ssh has no type for it
		return errNoAccess
	case errors.Is(err, transport.ErrEmptyRemoteRepository):
		return errNoTags
	}
	return errors.New(firstWords(bareURLError(err).Error()))
}

func (s *gitSession) has(c capability.Capability) bool { return s.listed.Capabilities.Supports(c) }

// wish is what a fetch asks for.
type wish struct {
	want, have []plumbing.Hash
	depth      int // commits; 0 is all of the history
	filter     packp.Filter
	limit      int64 // bytes that may come
}

// fetch writes the objects that the server sends into objects.
func (s *gitSession) fetch(ctx context.Context, objects storer.Storer, w wish) (err error) {
	request := packp.NewUploadPackRequestFromCapabilities(s.listed.Capabilities)
	request.Wants, request.Haves = w.want, w.have
	if w.depth > 0 && s.has(capability.Shallow) {
		request.Depth = packp.DepthCommits(w.depth)
		request.Capabilities.Set(capability.Shallow)
	}
	if w.filter != "" {
		request.Filter = w.filter
		request.Capabilities.Set(capability.Filter)
	}
	outside := ctx
	ctx, watch := watchFor(ctx, stallTime)
	defer watch.stop()
	answer, err := s.UploadPack(ctx, request)
	if err != nil {
		return accessError(watch.reason(err))
	}
	defer func() {
		switch closing := answer.Close(); {
		case outside.Err() != nil:
			err = outside.Err()
		case err != nil:
			err = watch.reason(err)
		default:
			err = closing
		}
	}()
	bounded := &boundedReader{from: watch.reader(answer), left: w.limit}
	var kind sideband.Type
	switch {
	case request.Capabilities.Supports(capability.Sideband64k):
		kind = sideband.Sideband64k
	case request.Capabilities.Supports(capability.Sideband):
		kind = sideband.Sideband
	default:
		return unpackObjects(objects, bounded)
	}
	return unpackObjects(objects, sideband.NewDemuxer(kind, bounded))
}

// unpackObjects writes the objects of a pack into a store. Into memory go no more
// than maxInMemory bytes, whatever the pack unfolds to.
func unpackObjects(objects storer.Storer, pack io.Reader) error {
	if _, inMemory := objects.(*memory.Storage); !inMemory {
		return packfile.UpdateObjectStorage(objects, pack)
	}
	p, err := packfile.NewParserWithStorage(packfile.NewScanner(pack), objects, &memoryBound{left: maxInMemory})
	if err == nil {
		_, err = p.Parse()
	}
	return err
}

// memoryBound fails before an object is read that would be too much. It is a
// packfile.Observer.
type memoryBound struct{ left int64 } // bytes

func (m *memoryBound) OnHeader(uint32) error { return nil }

func (m *memoryBound) OnInflatedObjectHeader(_ plumbing.ObjectType, size, _ int64) error {
	if m.left -= size; m.left < 0 || size < 0 {
		return fmt.Errorf("%w: the server's tags unfold to more than %d bytes", ErrUnsafeArchive, int64(maxInMemory))
	}
	return nil
}

func (m *memoryBound) OnInflatedObjectContent(plumbing.Hash, int64, uint32, []byte) error { return nil }

func (m *memoryBound) OnFooter(plumbing.Hash) error { return nil }

func (r *remoteGit) tags(ctx context.Context) ([]gitTag, error) {
	s, err := r.connect(ctx)
	if errors.Is(err, errNoTags) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return tagsOf(s.listed.References, s.listed.Peeled), nil
}

// commits asks for the tag objects and commits alone, without their trees,
// where the server can leave those out. Elsewhere it takes the server's word
// for what a tag ends at; a tag that ends on no commit is then found out when
// its tree is fetched, since fetching all trees to list tags would be too much.
func (r *remoteGit) commits(ctx context.Context, tags []gitTag) (map[string]plumbing.Hash, map[string]string, error) {
	s, err := r.connect(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer s.Close()
	if !s.has(capability.Filter) || !s.has(capability.Shallow) {
		commits := make(map[string]plumbing.Hash, len(tags))
		for _, t := range tags {
			commits[t.name] = t.object
			if !t.peeled.IsZero() {
				commits[t.name] = t.peeled
			}
		}
		return commits, nil, nil
	}
	w := wish{depth: 1, filter: packp.FilterTreeDepth(0), limit: maxListingPack}
	seen := map[plumbing.Hash]bool{}
	for _, t := range tags {
		if !seen[t.object] {
			seen[t.object] = true
			w.want = append(w.want, t.object)
		}
	}
	objects := memory.NewStorage()
	if err := s.fetch(ctx, objects, w); err != nil {
		return nil, nil, fmt.Errorf("fetching its tags: %w", err)
	}
	return peelAll(objects, tags)
}

// tree fetches one commit with its tree and no history: from the mirror where
// there is one, else by the tag, else by the commit's hash, and where the
// server gives neither, with everything.
func (r *remoteGit) tree(ctx context.Context, commit plumbing.Hash, tag, scratch string) (storer.EncodedObjectStorer, error) {
	if mirror := openObjects(r.mirrorDir()); hasObject(mirror, commit) {
		return mirror, nil
	}
	s, err := r.connect(ctx)
	if errors.Is(err, errNoTags) {
		return nil, fmt.Errorf("commit %s is gone: the repository is empty", commit)
	}
	if err != nil {
		return nil, err
	}
	defer s.Close()
	objects := openObjects(scratch)
	if want, listed := s.listing(commit, tag); listed {
		err := s.fetch(ctx, objects, wish{want: []plumbing.Hash{want}, depth: 1, limit: maxTreePack})
		if err != nil || hasObject(objects, commit) {
			return objects, err
		}
		// The tag was moved: what it had may still be in the history.
	} else if s.has(capability.AllowReachableSHA1InWant) || s.has(capability.AllowTipSHA1InWant) {
		// Not every server that says so gives every commit.
		if err := s.fetch(ctx, objects, wish{want: []plumbing.Hash{commit}, depth: 1, limit: maxTreePack}); err == nil {
			return objects, nil
		}
	}
	all, _, err := r.history(ctx)
	if err != nil {
		return nil, err
	}
	if hasObject(all, commit) {
		return all, nil
	}
	if _, there := s.listed.References[tagPrefix+tag]; there {
		return nil, fmt.Errorf("tag %q was moved: commit %s is gone", tag, commit)
	}
	return nil, fmt.Errorf("%q is gone: the repository has no commit %s any more", tag, commit)
}

// listing is the object to ask for to get a commit: one that the server lists.
func (s *gitSession) listing(commit plumbing.Hash, tag string) (plumbing.Hash, bool) {
	if object, ok := s.listed.References[tagPrefix+tag]; ok {
		return object, true
	}
	for _, object := range s.listed.References {
		if object == commit {
			return object, true
		}
	}
	return plumbing.ZeroHash, false
}

func (r *remoteGit) submodule(rawURL string) (gitRepository, error) {
	address := submoduleAddress(r.address, rawURL)
	endpoint, err := transport.NewEndpoint(address)
	if err != nil {
		return nil, fmt.Errorf("git repository %s: %w", withoutCredentials(address), bareURLError(err))
	}
	// As git itself refuses: what a server wrote must not name this machine's files.
	if endpoint.Protocol == "file" {
		return nil, fmt.Errorf("%q is a path of this machine", rawURL)
	}
	return newRemoteGit(address, endpoint, r.cache)
}
