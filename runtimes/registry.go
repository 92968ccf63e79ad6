package runtimes

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
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

// imageRegistry asks one repository of images. Credentials are those of the user's
// Docker configuration, credential helpers included, or else of Podman's.
// Goroutines may share it.
type imageRegistry struct {
	repository name.Repository
	puller     *remote.Puller
}

// openRegistry reads the repository's name, "docker.io/library/node", and asks
// nothing yet. Registries on this machine may speak plain HTTP. Patience is how
// long all its requests together may wait for a registry that wants fewer.
func openRegistry(repository string, patience time.Duration) (*imageRegistry, error) {
	r, err := name.NewRepository(repository)
	if err != nil {
		return nil, fmt.Errorf("reading the repository's name %q: %w", repository, err)
	}
	puller, err := remote.NewPuller(
		remote.WithAuthFromKeychain(authn.DefaultKeychain),
		remote.WithTransport(&patientTransport{inner: stallingTransport{remote.DefaultTransport, stallTime}, budget: patience}),
		// 429 is patientTransport's to wait for.
		remote.WithRetryStatusCodes(http.StatusRequestTimeout, http.StatusInternalServerError,
			http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout),
	)
	if err != nil {
		return nil, fmt.Errorf("preparing to ask %s: %w", repository, err)
	}
	return &imageRegistry{repository: r, puller: puller}, nil
}

// maxTagPages bounds the pages of one list: with the usual 1,000 tags a page,
// twenty times the largest repositories of today.
const maxTagPages = 1000

// tags lists every tag, in the registry's order, which is of text. The link to
// the next page is followed as the registry writes it, whatever is in it.
func (r *imageRegistry) tags(ctx context.Context) ([]string, error) {
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

// How long registries that want fewer requests are waited for: altogether, at a
// time when they do not say how long, and at least, so that one that says 0 for
// ever uses up the budget.
const (
	longestWait  = time.Minute
	usualWait    = 2 * time.Second
	shortestWait = 100 * time.Millisecond
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
		wait, ok := RetryAfter(answer.Header, time.Now())
		if !ok {
			wait = usualWait
		}
		wait = max(wait, shortestWait)
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

// login is what an engine needs to pull from a registry. It is asked for anew
// each time and kept nowhere.
type login struct {
	Username      string `json:"username,omitempty"`
	Password      string `json:"password,omitempty"`
	Auth          string `json:"auth,omitempty"`
	Email         string `json:"email,omitempty"`
	ServerAddress string `json:"serveraddress,omitempty"`
	IdentityToken string `json:"identitytoken,omitempty"`
	RegistryToken string `json:"registrytoken,omitempty"`
}

// findLogin asks the user's configuration; false when it has nothing for the
// registry.
func findLogin(ctx context.Context, r name.Registry) (login, bool, error) {
	found, err := authn.Resolve(ctx, authn.DefaultKeychain, r)
	if err != nil {
		return login{}, false, fmt.Errorf("finding the credentials for %s: %w", r, err)
	}
	auth, err := authn.Authorization(ctx, found)
	if err != nil {
		return login{}, false, fmt.Errorf("finding the credentials for %s: %w", r, err)
	}
	if *auth == (authn.AuthConfig{}) {
		return login{}, false, nil
	}
	return login{
		Username: auth.Username, Password: auth.Password, Auth: auth.Auth,
		IdentityToken: auth.IdentityToken, RegistryToken: auth.RegistryToken, ServerAddress: engineName(r),
	}, true, nil
}

// engineName is what engines call a registry in credentials.
func engineName(r name.Registry) string {
	if r.RegistryStr() == name.DefaultRegistry {
		return authn.DefaultAuthKey
	}
	return r.RegistryStr()
}

// engineLogin writes the credentials for an image's registry as engines take
// them with a pull: JSON in URL-safe base64. Empty when there are none.
func engineLogin(ctx context.Context, image string) (string, error) {
	ref, err := name.ParseReference(image)
	if err != nil {
		return "", err
	}
	l, ok, err := findLogin(ctx, ref.Context().Registry)
	if err != nil || !ok {
		return "", err
	}
	text, err := json.Marshal(l)
	return base64.URLEncoding.EncodeToString(text), err
}

// buildLogins finds the credentials for the registries that a Dockerfile starts
// from, by the engine's names of them. Lines with a build argument in them are
// left out: what they mean, only the engine knows.
func buildLogins(ctx context.Context, dockerfile string) (map[string]login, error) {
	logins := map[string]login{}
	for _, image := range startImages(dockerfile) {
		ref, err := name.ParseReference(image)
		if err != nil {
			continue // the engine says what is wrong with it
		}
		l, ok, err := findLogin(ctx, ref.Context().Registry)
		if err != nil {
			return nil, err
		}
		if ok {
			logins[engineName(ref.Context().Registry)] = l
		}
	}
	return logins, nil
}
