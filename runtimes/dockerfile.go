package runtimes

import (
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
)

// instruction is one instruction of a Dockerfile: its first word in capitals,
// the rest, and the numbers of its first and last lines, from 0.
type instruction struct {
	word  string
	rest  []string
	first int
	last  int
}

// instructions takes a Dockerfile apart as far as versweep needs: comments,
// blank lines and lines that go on after a backslash.
func instructions(dockerfile string) []instruction {
	var all []instruction
	open := false // the last one goes on
	for n, line := range strings.Split(dockerfile, "\n") {
		text := strings.TrimSpace(line)
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		goesOn := strings.HasSuffix(text, `\`)
		words := strings.Fields(strings.TrimSuffix(text, `\`))
		if !open {
			all = append(all, instruction{first: n})
			if len(words) > 0 {
				all[len(all)-1].word = strings.ToUpper(words[0])
				words = words[1:]
			}
		}
		i := &all[len(all)-1]
		i.rest, i.last, open = append(i.rest, words...), n, goesOn
	}
	return all
}

// startImage is the image of a FROM instruction.
func (i instruction) startImage() (string, bool) {
	if i.word != "FROM" {
		return "", false
	}
	for _, word := range i.rest {
		if !strings.HasPrefix(word, "--") {
			return word, true
		}
	}
	return "", false
}

// startImages lists the images that a Dockerfile starts from and that have to
// come from somewhere: neither its own stages nor scratch.
func startImages(dockerfile string) []string {
	var images, stages []string
	for _, i := range instructions(dockerfile) {
		image, ok := i.startImage()
		if !ok {
			continue
		}
		own := image == "scratch" || strings.Contains(image, "$") || strings.HasPrefix(image, "sha256:") || slices.Contains(stages, strings.ToLower(image))
		if !own && !slices.Contains(images, image) {
			images = append(images, image)
		}
		if n := len(i.rest); n >= 3 && strings.EqualFold(i.rest[n-2], "AS") {
			stages = append(stages, strings.ToLower(i.rest[n-1]))
		}
	}
	return images
}

// Where the certificates that builds are to trust lie in a build context and in
// the images that are built.
const (
	certificatesDir  = "versweep-ca"
	certificatesHome = "/versweep/ca"
	certificatesFile = "bundle.crt"
	aptConfiguration = "apt.conf"
)

// trustVariables make the programs that builds run trust the certificates in a
// file: OpenSSL and Go, Node.js and npm, git, pip and requests, curl, hex.
var trustVariables = []string{
	"SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "GIT_SSL_CAINFO", "PIP_CERT", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "HEX_CACERTS_PATH",
}

// trustingDockerfile makes every RUN trust the certificates. The variables are
// build arguments of each stage: they are set while it is built and in nothing
// that is started of the image. The files stay in the image, where nothing
// looks at them.
func trustingDockerfile(dockerfile string) string {
	var trust strings.Builder
	fmt.Fprintf(&trust, "COPY %s %s\n", certificatesDir, certificatesHome)
	for _, variable := range trustVariables {
		fmt.Fprintf(&trust, "ARG %s=%s/%s\n", variable, certificatesHome, certificatesFile)
	}
	fmt.Fprintf(&trust, "ARG APT_CONFIG=%s/%s\n", certificatesHome, aptConfiguration)
	lines := strings.Split(dockerfile, "\n")
	for _, i := range slices.Backward(instructions(dockerfile)) {
		if image, ok := i.startImage(); ok && image != "scratch" {
			lines = slices.Insert(lines, i.last+1, strings.TrimSuffix(trust.String(), "\n"))
		}
	}
	return strings.Join(lines, "\n")
}

// certificateFiles is what goes into a build context.
func certificateFiles(certificates []byte) map[string][]byte {
	return map[string][]byte{
		certificatesFile: certificates,
		aptConfiguration: fmt.Appendf(nil, "Acquire::https::CaInfo %q;\n", certificatesHome+"/"+certificatesFile),
	}
}

// TrustInBuilds makes what builds in containers fetch trust the certificates in
// a PEM file: those of a proxy that signs with its own. Images are named without
// regard to it, so that one that is there already is used.
func (e *Engine) TrustInBuilds(file string) error {
	certificates, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("reading the certificates that builds are to trust: %w", err)
	}
	if !x509.NewCertPool().AppendCertsFromPEM(certificates) {
		return fmt.Errorf("reading the certificates that builds are to trust: %s: %w", file, errNoCertificate)
	}
	e.certificates = certificates
	return nil
}

var errNoCertificate = errors.New("no certificate in PEM form is in it")
