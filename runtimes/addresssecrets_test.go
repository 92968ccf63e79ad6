package runtimes

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"versweep/sweep"
)

// Passwords that nobody has escaped, queries and addresses as ssh takes them.
func TestWithoutAddressSecrets(t *testing.T) {
	for in, want := range map[string]string{
		"http://me:sE/kr3t@x.test/a.git: no":                          "http://***@x.test/a.git: no",
		"http://me:sE?kr3t@x.test/a":                                  "http://***@x.test/a",
		"http://me:sE#kr3t@x.test/a":                                  "http://***@x.test/a",
		"http://me:12/kr3t@x.test/a":                                  "http://***@x.test/a",
		"http://me:s@/kr3t@x.test/a":                                  "http://***@x.test/a",
		"http://me@corp.test:sE/kr3t@x.test/a":                        "http://***@x.test/a",
		`parse "tcp://me:sE/kr3t@h:1": invalid port ":sE" after host`: `parse "tcp://***@h:1": invalid port "***" after host`,
		"https://a:b@x.test,https://c:d/e@y.test|direct":              "https://***@x.test,https://***@y.test|direct",
		"ssh://me:s/x@h/p and ssh://git@h/p":                          "ssh://***@h/p and ssh://git@h/p",
		"GET http://h/a?page=2&token=abc&x=y":                         "GET http://h/a?page=2&token=***&x=y",
		"(http://h/?private_token=abc)":                               "(http://h/?private_token=***)",
		"http://h/?sig=a%2Fb+c=, then":                                "http://h/?sig=***, then",
		"http://h/?X-Amz-Date=1&X-Amz-Signature=0af":                  "http://h/?X-Amz-Date=1&X-Amz-Signature=***",
		"http://h/?key=a http://h/?apikey=b http://h/?api_key=c":      "http://h/?key=*** http://h/?apikey=*** http://h/?api_key=***",
		"http://h/?access_token=a&signature=b&secret=c&password=d":    "http://h/?access_token=***&signature=***&secret=***&password=***",
		"cloning me:sEkr3t@x.test:a/b.git":                            "cloning ***@x.test:a/b.git",
		"cloning me:s/E@k@10.0.0.1:a":                                 "cloning ***@10.0.0.1:a",
	} {
		if got := WithoutSecrets(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
		if again := WithoutSecrets(want); again != want {
			t.Errorf("%q a second time: %q", want, again)
		}
	}
	for _, readable := range []string{
		"node@20.1.0", "@oven/bun", "bun@1.2.3: no such release", "npm:bun@1.2.3: no", "mail me@x.test", "10:30 user@host", "10:30 user@host:/srv/a", "at 10:30:user@host:/srv/a",
		"/srv/a:b@c:d", "git@github.com:a/b.git", "fatal:git@github.com:a/b.git", "node:20@sha256:0123abcd", "registry.test:5000/node:20@sha256:0123abcd",
		"https://x.test/@scope/name", "http://localhost:4873/@scope/name@1.2.3", "http://x.test:8080/a?mail=me@y.test", "http://registry:5000/@oven/bun", "http://registry:5000/node@20.1.0",
		"http://[::1]:80/a@b", "http://h/?page=2&tokens=5&monkey=1&sorted=yes", "https://x.test/a:b@c", "connecting to http://127.0.0.1:80 failed\tme@x.test:a",
		"sources: [https://x.test:8080/a, npm@10]", "see https://x.test/a;http://y.test/b@c",
	} {
		if got := WithoutSecrets(readable); got != readable {
			t.Errorf("%q became %q", readable, got)
		}
	}
}

// Values of variables with telling names are secrets whatever is in them, but for
// paths and addresses.
func TestSecretsOfTheEnvironment(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.MkdirAll("run", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join("run", "token"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for value, secret := range map[string]bool{
		"wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY": true, "YWJj/ZGVm+Zw==": true, "correct horse battery": true, "~hunter2~": true, "x/": false,
		"short": false, "/run/secrets/token": false, "./a/token": false, "../a/token": false, "~/.token": false, "~me/.token": false, "run/token": false,
		"https://auth.test/token": false,
	} {
		t.Setenv("DEPLOY_SECRET", value)
		if got := WithoutSecrets("it is " + value + "."); strings.Contains(got, value) == secret {
			t.Errorf("%q is shown as %q", value, got)
		}
	}
	t.Setenv("DEPLOY_SECRET", "-----BEGIN KEY-----\nMIIEvQIBADANBgkq\n-----END KEY-----\n")
	if got := WithoutSecrets("-----BEGIN KEY----- MIIEvQIBADANBgkq"); got != "-----BEGIN KEY----- ***" {
		t.Errorf("a line of several is shown: %q", got)
	}
	t.Setenv("DEPLOY_SECRET", "")
	t.Setenv("HTTPS_PROXY", "http://me:pr0xy/pass%21@proxy.test:3128")
	if got := WithoutSecrets("pr0xy/pass%21 and pr0xy/pass!"); got != "*** and ***" {
		t.Errorf("a proxy's password is shown: %q", got)
	}
}

func TestKeptAddress(t *testing.T) {
	for address, want := range map[string][2]string{ // kept, for people
		"":                            {"", ""},
		"https://x.test/a.git":        {"https://x.test/a.git", "https://x.test/a.git"},
		"https://u:p@x.test/a.git":    {"https://x.test/a.git", "https://x.test/a.git"},
		"https://token@x.test/a.git":  {"https://x.test/a.git", "https://x.test/a.git"},
		"https://git@x.test/a.git":    {"https://git@x.test/a.git", "https://x.test/a.git"},
		"https://git:p@x.test/a.git":  {"https://git@x.test/a.git", "https://x.test/a.git"},
		"https://u:p/w@x.test/a.git":  {"https://x.test/a.git", "https://x.test/a.git"},
		"ssh://me@x.test:22/a.git":    {"ssh://me@x.test:22/a.git", "ssh://x.test:22/a.git"},
		"ssh://me:p@x.test/a.git":     {"ssh://me@x.test/a.git", "ssh://x.test/a.git"},
		"git@x.test:a.git":            {"git@x.test:a.git", "x.test:a.git"},
		"me:p@x.test:a.git":           {"me@x.test:a.git", "x.test:a.git"},
		"/srv/a@b/c":                  {"/srv/a@b/c", "/srv/a@b/c"},
		"a@b/c":                       {"a@b/c", "a@b/c"},
		"file:///srv/a@b":             {"file:///srv/a@b", "file:///srv/a@b"},
		"http://x.test/a?token=s&b=c": {"http://x.test/a?b=c", "http://x.test/a?b=c"},
		"http://x.test/a?b=c&token=s": {"http://x.test/a?b=c", "http://x.test/a?b=c"},
		"http://x.test/a?sig=s":       {"http://x.test/a", "http://x.test/a"},
	} {
		if got := [2]string{KeptAddress(address), withoutCredentials(address)}; got != want {
			t.Errorf("%q: %q, want %q", address, got, want)
		}
	}
	with, without := Source{Git: &GitSource{Repository: "https://u:p@x.test/a"}}, Source{Git: &GitSource{Repository: "https://x.test/a"}}
	if with.origin()[0] != without.origin()[0] {
		t.Error("a password makes another definition")
	}
}

// What is stored of a version that failed, of a log and of an engine's address.
func TestStoredTextHasNoSecrets(t *testing.T) {
	const said = "fetching http://me:sE/kr3t@x.test/a?token=kr3t and me:kr3t@x.test:a"
	var tail Tail
	tail.Write([]byte(said + "\n"))
	o := failedOutcome(sweep.Version{Name: "1.0.0"}, &BuildError{Reason: said, Log: tail.Lines()})
	t.Setenv("DOCKER_HOST", "tcp://me:sE/kr3t@127.0.0.1:1")
	_, err := ConnectEngine(t.Context(), func(string) {})
	if err == nil {
		t.Fatal("there is no such engine")
	}
	for _, text := range []string{o.Reason, o.Log[0], WithoutSecrets(err.Error())} {
		if text == "" || strings.Contains(text, "kr3t") || strings.Contains(text, "sE") {
			t.Errorf("a secret is kept: %q", text)
		}
	}
}
