//go:build linux

package runtimes

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
	"golang.org/x/crypto/ssh/knownhosts"
)

// newKey makes a key for a server or a user.
func newKey(t *testing.T) (ed25519.PrivateKey, ssh.Signer) {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return key, signer
}

// serveSSH lets the one user with the key run git-upload-pack, as a git server
// does, and makes the server known to this process.
func serveSSH(t *testing.T, user ssh.PublicKey) (address string) {
	t.Helper()
	_, host := newKey(t)
	settings := &ssh.ServerConfig{PublicKeyCallback: func(_ ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
		if string(key.Marshal()) != string(user.Marshal()) {
			return nil, os.ErrPermission
		}
		return nil, nil
	}}
	settings.AddHostKey(host)
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go serveConn(conn, settings)
		}
	}()
	known := filepath.Join(t.TempDir(), "known_hosts")
	line := knownhosts.Line([]string{listener.Addr().String()}, host.PublicKey())
	if err := os.WriteFile(known, []byte(line+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SSH_KNOWN_HOSTS", known)
	return listener.Addr().String()
}

func serveConn(conn net.Conn, settings *ssh.ServerConfig) {
	defer conn.Close()
	_, channels, requests, err := ssh.NewServerConn(conn, settings)
	if err != nil {
		return
	}
	go ssh.DiscardRequests(requests)
	for offered := range channels {
		channel, requests, err := offered.Accept()
		if err != nil {
			return
		}
		go func() {
			defer channel.Close()
			for r := range requests {
				r.Reply(r.Type == "exec", nil)
				if r.Type != "exec" {
					continue
				}
				var command struct{ Text string }
				if ssh.Unmarshal(r.Payload, &command) != nil {
					return
				}
				cmd := exec.Command("git", "shell", "-c", command.Text)
				cmd.Stdout, cmd.Stderr = channel, channel.Stderr()
				input, err := cmd.StdinPipe()
				if err != nil {
					return
				}
				go func() {
					io.Copy(input, channel)
					input.Close()
				}()
				status := uint32(0)
				if cmd.Run() != nil {
					status = 128
				}
				channel.SendRequest("exit-status", false, ssh.Marshal(struct{ Status uint32 }{status}))
				return
			}
		}()
	}
}

// By ssh with the agent's key, then with a key file, and not with another key.
func TestGitBySSH(t *testing.T) {
	dir := t.TempDir()
	runGit(t, dir, "clone", "-q", "--bare", everyTagForm(t), "bare.git")
	key, signer := newKey(t)
	server := serveSSH(t, signer.PublicKey())
	home := t.TempDir()
	t.Setenv("HOME", home)
	url := "ssh://git@" + server + filepath.Join(dir, "bare.git")

	try := func(want string) {
		t.Helper()
		s := gitTarget(t, GitSource{Repository: url}, Recipe{})
		found, _, err := s.Versions(t.Context())
		if want != "" {
			if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want %q", err, want)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		outcomes, err := s.Obtain(t.Context(), found[:3], nil, func(Obtained) {})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range outcomes {
			if o.Reason != "" || len(filesIn(t, o.Build.Dir)) != 2 {
				t.Errorf("%+v", o)
			}
		}
	}

	t.Setenv("SSH_AUTH_SOCK", "")
	try("no ssh agent and no key without a passphrase")

	another, _ := newKey(t)
	t.Setenv("SSH_AUTH_SOCK", serveAgent(t, another))
	try("no access")

	t.Setenv("SSH_AUTH_SOCK", serveAgent(t, key))
	try("")
	url = "ssh://git@" + server + filepath.Join(dir, "nothing.git")
	try("there is no git repository")
	url = "ssh://git@" + server + filepath.Join(dir, "bare.git")

	t.Setenv("SSH_AUTH_SOCK", "")
	if err := os.Mkdir(filepath.Join(home, ".ssh"), 0o700); err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(key, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, ".ssh", "id_ed25519"), pem.EncodeToMemory(block), 0o600); err != nil {
		t.Fatal(err)
	}
	try("")
}

// serveAgent holds a key as an ssh agent does.
func serveAgent(t *testing.T, key ed25519.PrivateKey) (socket string) {
	t.Helper()
	keyring := agent.NewKeyring()
	if err := keyring.Add(agent.AddedKey{PrivateKey: key}); err != nil {
		t.Fatal(err)
	}
	socket = filepath.Join(t.TempDir(), "agent")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go agent.ServeAgent(keyring, conn)
		}
	}()
	return socket
}
