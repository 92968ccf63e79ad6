package runtimes

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
)

// Errors of registries that a user can do something about.
var (
	// ErrPullLimit says that a registry wants fewer requests.
	ErrPullLimit = errors.New("the registry's pull limit is reached")
	// ErrRegistryAccess says that a registry wants other credentials.
	ErrRegistryAccess = errors.New("the registry refuses access")
)

// registry asks one repository of images. Credentials are those of the user's
// Docker configuration, credential helpers included, or else of Podman's.
// Goroutines may share it.
type registry struct {
	repository name.Repository
	puller     *remote.Puller
}

// openRegistry reads the repository's name, "docker.io/library/node", and asks
// nothing yet. Registries on this machine may speak plain HTTP. Patience is how
// long all its requests together may wait for a registry that wants fewer.
func openRegistry(repository string, patience time.Duration) (*registry, error) {
	r, err := name.NewRepository(repository)
	if err != nil {
		return nil, fmt.Errorf("reading the repository's name %q: %w", repository, err)
	}
	puller, err := remote.NewPuller(
		remote.WithAuthFromKeychain(authn.DefaultKeychain),
		remote.WithTransport(&patientTransport{inner: remote.DefaultTransport, budget: patience}),
		// 429 is patientTransport's to wait for.
		remote.WithRetryStatusCodes(http.StatusRequestTimeout, http.StatusInternalServerError,
			http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout),
	)
	if err != nil {
		return nil, fmt.Errorf("preparing to ask %s: %w", repository, err)
	}
	return &registry{repository: r, puller: puller}, nil
}

// maxTagPages bounds the pages of one list: with the usual 1,000 tags a page,
// twenty times the largest repositories of today.
const maxTagPages = 1000

// tags lists every tag, in the registry's order, which is of text. The link to
// the next page is followed as the registry writes it, whatever is in it.
func (r *registry) tags(ctx context.Context) ([]string, error) {
	pages, err := r.puller.Lister(ctx, r.repository)
	if err != nil {
		return nil, registryError(err)
	}
	var tags []string
	seen := map[string]bool{}
	for n := 1; pages.HasNext(); n++ {
		if n > maxTagPages {
			return nil, fmt.Errorf("more than %d pages of tags", maxTagPages)
		}
		page, err := pages.Next(ctx)
		if err != nil {
			return nil, registryError(err)
		}
		tags = append(tags, page.Tags...)
		if page.Next != "" && seen[page.Next] {
			return nil, fmt.Errorf("the list of tags goes round in circles: page %d points back at one before it", n)
		}
		seen[page.Next] = true
	}
	return tags, nil
}

// registryError says in one line what a registry complains of. The error is
// ErrPullLimit or ErrRegistryAccess where it is one of those.
func registryError(err error) error {
	refusal, ok := errors.AsType[*transport.Error](err)
	if !ok {
		return err
	}
	words := http.StatusText(refusal.StatusCode)
	var code transport.ErrorCode
	if len(refusal.Errors) > 0 {
		code = refusal.Errors[0].Code
		if words = refusal.Errors[0].Message; words == "" {
			words = string(code)
		}
	}
	switch {
	case refusal.StatusCode == http.StatusTooManyRequests || code == transport.TooManyRequestsErrorCode:
		return fmt.Errorf("%w: %s", ErrPullLimit, words)
	case refusal.StatusCode == http.StatusUnauthorized || refusal.StatusCode == http.StatusForbidden:
		return fmt.Errorf("%w: %s", ErrRegistryAccess, words)
	case refusal.StatusCode == http.StatusNotFound:
		return errors.New(words)
	}
	return fmt.Errorf("status %d: %s", refusal.StatusCode, words)
}

// How long registries that want fewer requests are waited for: altogether, and
// at a time when they do not say how long.
const (
	longestWait = time.Minute
	usualWait   = 2 * time.Second
)

// patientTransport waits as long as a registry says when it answers "too many
// requests", and hands the answer on when that would be too long.
type patientTransport struct {
	inner http.RoundTripper

	mu     sync.Mutex
	budget time.Duration // what may still be waited
}

// RoundTrip implements http.RoundTripper.
func (t *patientTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	for {
		answer, err := t.inner.RoundTrip(request)
		if err != nil || answer.StatusCode != http.StatusTooManyRequests || request.Body != nil {
			return answer, err
		}
		wait := retryAfter(answer.Header.Get("Retry-After"), time.Now())
		if !t.mayWait(wait) {
			return answer, nil
		}
		answer.Body.Close()
		select {
		case <-request.Context().Done():
			return nil, request.Context().Err()
		case <-time.After(wait):
		}
	}
}

// mayWait takes a wait from the budget, if there is enough of it left.
func (t *patientTransport) mayWait(wait time.Duration) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if wait > t.budget {
		return false
	}
	t.budget -= wait
	return true
}

// retryAfter reads the header of RFC 9110 section 10.2.3: seconds or a date.
// At least a tenth of a second, so that a registry that says 0 for ever uses up
// the budget.
func retryAfter(header string, now time.Time) time.Duration {
	wait := usualWait
	if seconds, err := strconv.Atoi(header); err == nil {
		wait = time.Duration(seconds) * time.Second
	} else if date, err := http.ParseTime(header); err == nil {
		wait = date.Sub(now)
	}
	return max(wait, 100*time.Millisecond)
}

// engineLogin finds the credentials for an image's registry and writes them as
// engines take them: JSON in URL-safe base64. Empty when there are none. They
// are asked for anew each time and kept nowhere.
func engineLogin(ctx context.Context, image string) (string, error) {
	ref, err := name.ParseReference(image)
	if err != nil {
		return "", err
	}
	found, err := authn.Resolve(ctx, authn.DefaultKeychain, ref.Context())
	if err != nil {
		return "", fmt.Errorf("finding the credentials for %s: %w", ref.Context().RegistryStr(), err)
	}
	auth, err := authn.Authorization(ctx, found)
	if err != nil {
		return "", fmt.Errorf("finding the credentials for %s: %w", ref.Context().RegistryStr(), err)
	}
	if *auth == (authn.AuthConfig{}) {
		return "", nil
	}
	text, err := json.Marshal(map[string]string{
		"username": auth.Username, "password": auth.Password, "auth": auth.Auth,
		"identitytoken": auth.IdentityToken, "registrytoken": auth.RegistryToken,
		"serveraddress": ref.Context().RegistryStr(),
	})
	return base64.URLEncoding.EncodeToString(text), err
}
