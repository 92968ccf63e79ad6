package runtimes

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestStartImages(t *testing.T) {
	for name, tt := range map[string]struct{ dockerfile, want string }{
		"one":                {"FROM debian:12\nRUN true\n", "debian:12"},
		"stages":             {"from golang:1.22 AS Build\nRUN x\nFROM scratch\nCOPY --from=build /x /x\nFROM build\nFROM alpine as last\n", "golang:1.22 alpine"},
		"a platform":         {"FROM --platform=linux/amd64 node:22 AS x\n", "node:22"},
		"comments and lines": {"# FROM no:1\n\nARG V=1\nFROM \\\n  # not this\n  debian:12\nRUN echo \\\nFROM no:2\n", "debian:12"},
		"an argument":        {"ARG BASE\nFROM ${BASE}\n", ""},
		"twice":              {"FROM a:1\nFROM a:1\n", "a:1"},
		"nothing":            {"", ""},
		"cut short":          {"FROM", ""},
	} {
		if got := startImages(tt.dockerfile); !slices.Equal(got, strings.Fields(tt.want)) {
			t.Errorf("%s: %v, want %s", name, got, tt.want)
		}
	}
}

func TestTrustingDockerfile(t *testing.T) {
	got := strings.Split(trustingDockerfile("# syntax\nARG V\nFROM golang \\\n  AS build\nRUN x\nFROM scratch\nCOPY --from=build /x /x\nFROM debian\nRUN y\n"), "\n")
	count := func(line string) (n int) {
		for _, l := range got {
			if l == line {
				n++
			}
		}
		return n
	}
	if count("COPY versweep-ca /versweep/ca") != 2 || count("ARG SSL_CERT_FILE=/versweep/ca/bundle.crt") != 2 {
		t.Errorf("not once in each stage but scratch: %q", got)
	}
	for after, line := range map[string]string{"  AS build": "COPY versweep-ca /versweep/ca", "FROM scratch": "COPY --from=build /x /x", "FROM debian": "COPY versweep-ca /versweep/ca"} {
		if i := slices.Index(got, after); i < 0 || got[i+1] != line {
			t.Errorf("after %q comes not %q: %q", after, line, got)
		}
	}
	if slices.ContainsFunc(got, func(l string) bool { return strings.HasPrefix(l, "ENV") }) {
		t.Error("the certificates are in the environment of what is started")
	}
}

func TestTrustInBuildsChecksTheFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	e := &Engine{}
	if err := e.TrustInBuilds(file); !errors.Is(err, errNoCertificate) || !strings.Contains(err.Error(), file) {
		t.Errorf("got %v", err)
	}
	if err := e.TrustInBuilds(file + ".missing"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}
