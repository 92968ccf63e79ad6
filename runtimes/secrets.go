package runtimes

import (
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// What programs and servers write is kept and shown, and so is what they complain
// of. Passwords and tokens of the user's that stand in it are taken out first.
// That is a help against programs that say too much, and no defence against one
// that runs as the user and means harm: it could write a secret in any other way.

const hidden = "***"

var (
	// secretHeader is a header of HTTP that lets one in, with its value.
	secretHeader = regexp.MustCompile(`(?i)\b((?:proxy-)?authorization|(?:set-)?cookie|x-api-key|private-token|x-registry-auth)(["']?\s*[:=]\s*["'\[({]*)((?:bearer|basic|token|digest)\s+)?[^\s"',;\])}]+`)
	// secretSetting is a line of .npmrc, or a setting that is called so.
	secretSetting = regexp.MustCompile(`(?i)(_authtoken|_auth|_password|\bpassword|\bpasswd|\bclient_secret|\baccess_token)(["']?\s*[:=]\s*["'\[({]*)[^\s"',;&\])}]+`)
	secretName    = regexp.MustCompile(`(?i)token|secret|passw|passphrase|_auth$|_pat$|api_?key|private_?key|credential|cookie`)
)

// WithoutSecrets is a text without passwords and tokens: those in URLs, in headers
// and settings, and the values that variables with telling names have in this
// process's environment.
func WithoutSecrets(text string) string {
	for _, secret := range secretsOf(os.Environ()) {
		text = strings.ReplaceAll(text, secret, hidden)
	}
	text = withoutAddressSecrets(text)
	text = secretHeader.ReplaceAllString(text, "${1}${2}${3}"+hidden)
	return secretSetting.ReplaceAllString(text, "${1}${2}"+hidden)
}

// shortestSecret keeps words such as "true" from being taken for secrets.
const shortestSecret = 8

var knownSecrets struct {
	sync.Mutex
	environment, secrets []string
}

// secretsOf finds the values that must not be told, the longest first.
func secretsOf(environment []string) []string {
	knownSecrets.Lock()
	defer knownSecrets.Unlock()
	if slices.Equal(environment, knownSecrets.environment) {
		return knownSecrets.secrets
	}
	var secrets []string
	add := func(value string) {
		if len(value) >= shortestSecret && !slices.Contains(secrets, value) {
			secrets = append(secrets, value)
		}
	}
	for _, variable := range environment {
		name, value, _ := strings.Cut(variable, "=")
		if secretName.MatchString(name) && !strings.Contains(value, "://") && !isPath(value) {
			// Texts are looked through line by line.
			for line := range strings.Lines(value) {
				if line = strings.TrimSpace(line); !strings.HasPrefix(line, "-----") {
					add(line)
				}
			}
		}
		// A proxy's or mirror's address, or a list of them.
		for _, address := range strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == '|' || r == ' ' }) {
			scheme, user, _ := splitUser(address)
			if scheme == "" || user == "" {
				continue
			}
			_, secret, has := strings.Cut(user, ":")
			if !has && (scheme == "http://" || scheme == "https://") {
				secret = user // a token
			}
			add(secret)
			if plain, err := url.PathUnescape(secret); err == nil {
				add(plain)
			}
		}
	}
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	knownSecrets.environment, knownSecrets.secrets = slices.Clone(environment), secrets
	return secrets
}

// pathStart begins a path of this machine. Others have a slash as secrets of base64
// do, and are told by the file that is there.
var pathStart = regexp.MustCompile(`^(?:/|\.\.?/|~[\w.-]*/)`)

func isPath(value string) bool {
	if pathStart.MatchString(value) {
		return true
	}
	_, err := os.Stat(value)
	return err == nil && strings.Contains(value, "/")
}
