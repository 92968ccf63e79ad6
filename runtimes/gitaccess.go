package runtimes

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/transport"
	"github.com/go-git/go-git/v5/plumbing/transport/http"
	"github.com/go-git/go-git/v5/plumbing/transport/ssh"
)

// credentialsFor finds the credentials of the user for a server, and takes
// those of the URL out of the endpoint, since go-git puts endpoints into error
// messages. For http they are the URL's, or else those of ~/.netrc or $NETRC;
// for ssh the agent's keys, or where no agent runs, keys of ~/.ssh without a
// passphrase.
func credentialsFor(endpoint *transport.Endpoint) (transport.AuthMethod, error) {
	switch endpoint.Protocol {
	case "http", "https":
		user, password := endpoint.User, endpoint.Password
		endpoint.User, endpoint.Password = "", ""
		if user == "" && password == "" {
			var err error
			if user, password, err = netrcLogin(endpoint.Host); err != nil {
				return nil, err
			}
		}
		if user == "" && password == "" {
			return nil, nil
		}
		return &http.BasicAuth{Username: user, Password: password}, nil
	case "ssh":
		user := endpoint.User
		if user == "" {
			user = ssh.DefaultUsername
		}
		agent, err := ssh.NewSSHAgentAuth(user)
		if err == nil {
			return agent, nil
		}
		if keys := keyFile(user); keys != nil {
			return keys, nil
		}
		return nil, fmt.Errorf("no ssh agent and no key without a passphrase in ~/.ssh: %s", firstWords(err.Error()))
	}
	return nil, nil
}

// keyFile is the first of the user's keys that opens without a passphrase.
func keyFile(user string) transport.AuthMethod {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil
	}
	for _, name := range []string{"id_ed25519", "id_ecdsa", "id_rsa"} {
		if keys, err := ssh.NewPublicKeysFromFile(user, filepath.Join(home, ".ssh", name), ""); err == nil {
			return keys
		}
	}
	return nil
}

// netrcLogin reads the user's netrc file for a host; both are empty when it
// says nothing of it.
func netrcLogin(host string) (user, password string, err error) {
	file := os.Getenv("NETRC")
	if file == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", "", nil
		}
		file = filepath.Join(home, ".netrc")
	}
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", "", nil
	}
	if err != nil {
		return "", "", fmt.Errorf("reading the credentials in %s: %w", file, err)
	}
	defer f.Close()
	words := bufio.NewScanner(f)
	words.Split(bufio.ScanWords)
	matches := false
	for words.Scan() {
		switch words.Text() {
		case "machine":
			if user != "" || password != "" {
				return user, password, nil
			}
			words.Scan()
			matches = strings.EqualFold(words.Text(), host)
		case "default":
			if user != "" || password != "" {
				return user, password, nil
			}
			matches = true
		case "login":
			if words.Scan(); matches {
				user = words.Text()
			}
		case "password":
			if words.Scan(); matches {
				password = words.Text()
			}
		}
	}
	if err := words.Err(); err != nil {
		return "", "", fmt.Errorf("reading the credentials in %s: %w", file, err)
	}
	return user, password, nil
}
