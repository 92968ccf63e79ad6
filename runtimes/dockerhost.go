package runtimes

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/docker/cli/cli/connhelper"
)

// engineHost is where the engine listens, found as the Docker command line
// finds it.
type engineHost struct {
	url     string      // "unix:///run/docker.sock", "tcp://…"; empty for the default
	context string      // name of the Docker context; empty when none says it
	tls     *tls.Config // what the context has; nil when nothing
	// dial connects where no address does: through ssh. nil elsewhere.
	dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// defaultContext is the name of having no context.
const defaultContext = "default"

// findEngine reads $DOCKER_HOST, or else the context that $DOCKER_CONTEXT or
// "docker context use" names. Its errors are mistakes in these, and not that no
// engine answers.
func findEngine() (engineHost, error) {
	h := engineHost{url: os.Getenv("DOCKER_HOST")}
	if h.url == "" {
		var err error
		if h, err = hostOfContext(); err != nil {
			return h, err
		}
	}
	if !strings.HasPrefix(h.url, "ssh://") {
		return h, nil
	}
	helper, err := connhelper.GetConnectionHelper(h.url)
	if err != nil {
		return h, fmt.Errorf("reading the engine's address %q: %w", h.url, err)
	}
	h.url, h.dial = helper.Host, helper.Dialer
	return h, nil
}

// hostOfContext reads the current context from the files that "docker context"
// writes.
func hostOfContext() (engineHost, error) {
	dir, err := dockerConfigDir()
	if err != nil {
		return engineHost{}, err
	}
	name := os.Getenv("DOCKER_CONTEXT")
	if name == "" {
		var config struct{ CurrentContext string }
		if err := readJSONFile(filepath.Join(dir, "config.json"), &config); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return engineHost{}, fmt.Errorf("finding the current Docker context: %w", err)
		}
		name = config.CurrentContext
	}
	if name == "" || name == defaultContext {
		return engineHost{}, nil
	}
	// A context's folders are named by the hash of its name.
	sum := sha256.Sum256([]byte(name))
	folder := hex.EncodeToString(sum[:])
	var meta struct {
		Endpoints struct {
			Docker *struct {
				Host          string
				SkipTLSVerify bool
			} `json:"docker"`
		}
	}
	err = readJSONFile(filepath.Join(dir, "contexts", "meta", folder, "meta.json"), &meta)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return engineHost{}, fmt.Errorf("there is no Docker context %q; docker context ls lists them", name)
	case err != nil:
		return engineHost{}, fmt.Errorf("reading Docker context %q: %w", name, err)
	case meta.Endpoints.Docker == nil:
		return engineHost{}, fmt.Errorf("reading Docker context %q: it has no Docker engine", name)
	}
	h := engineHost{url: meta.Endpoints.Docker.Host, context: name}
	h.tls, err = contextTLS(filepath.Join(dir, "contexts", "tls", folder, "docker"), meta.Endpoints.Docker.SkipTLSVerify)
	if err != nil {
		return h, fmt.Errorf("reading the TLS files of Docker context %q: %w", name, err)
	}
	return h, nil
}

func dockerConfigDir() (string, error) {
	if dir := os.Getenv("DOCKER_CONFIG"); dir != "" {
		return dir, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("finding the Docker configuration: %w", err)
	}
	return filepath.Join(home, ".docker"), nil
}

func readJSONFile(file string, into any) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// contextTLS reads ca.pem, cert.pem and key.pem, each of which may be missing.
// It is nil when there is nothing to say.
func contextTLS(dir string, skipVerify bool) (*tls.Config, error) {
	var texts [3][]byte
	for i, name := range []string{"ca.pem", "cert.pem", "key.pem"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		texts[i] = text
	}
	ca, cert, key := texts[0], texts[1], texts[2]
	if cmp.Or(len(ca), len(cert), len(key)) == 0 && !skipVerify {
		return nil, nil
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: skipVerify} // #nosec: as the context says
	if len(ca) > 0 {
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(ca) {
			return nil, errors.New("ca.pem holds no certificate")
		}
	}
	if len(cert) > 0 || len(key) > 0 {
		pair, err := tls.X509KeyPair(cert, key)
		if err != nil {
			return nil, fmt.Errorf("cert.pem and key.pem: %w", err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}
