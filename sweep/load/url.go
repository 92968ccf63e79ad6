package load

import (
	"errors"
	"net"
	"net/url"
	"strconv"
	"strings"
)

// ParseURL splits a URL such as http://127.0.0.1:8080/hello?x=1 into the
// address to connect to and the GET request to send. Anything that cannot be
// measured is a *MisuseError: no scheme or host, https, user information.
func ParseURL(raw string) (address string, r Request, err error) {
	u, err := url.Parse(raw)
	if parseErr, ok := errors.AsType[*url.Error](err); ok && strings.Contains(raw, "://") {
		if strings.Contains(raw, "@") { // what is wrong may be in a password
			return "", r, &MisuseError{What: "URL", Why: quoteURL(raw) + " is no URL, or has user information, which is not sent", Hint: "give an Authorization header"}
		}
		return "", r, misuse("URL", "%s: %v", quote(raw), parseErr.Err)
	}
	if err != nil || u.Scheme == "" || !strings.Contains(raw, "://") {
		return "", r, &MisuseError{What: "URL", Why: quoteURL(raw) + " has no scheme", Hint: "write it as http://HOST:PORT/PATH"}
	}
	switch {
	case strings.EqualFold(u.Scheme, "https"):
		return "", r, &MisuseError{What: "URL", Why: "https is not supported", Hint: "measure the server's plain http port"}
	case !strings.EqualFold(u.Scheme, "http"):
		return "", r, misuse("URL", "scheme %q is not http", u.Scheme)
	case u.Hostname() == "":
		return "", r, misuse("URL", "%s has no host", quoteURL(raw))
	case u.User != nil:
		return "", r, &MisuseError{What: "URL", Why: "user information is not sent", Hint: "give an Authorization header"}
	}
	port := u.Port()
	if port == "" {
		port = "80"
	}
	if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
		return "", r, misuse("URL", "port %s is not between 1 and 65535", quote(port))
	}
	return net.JoinHostPort(u.Hostname(), port), Request{Method: "GET", Path: u.RequestURI(), Host: u.Host}, nil
}

// quoteURL quotes a URL without what may be a password before an @.
func quoteURL(raw string) string {
	at := strings.LastIndexByte(raw, '@')
	if at < 0 {
		return quote(raw)
	}
	scheme := ""
	if i := strings.Index(raw[:at], "://"); i >= 0 {
		scheme = raw[:i+len("://")]
	}
	return quote(scheme + "***" + raw[at:])
}

// quote shortens what a user gave to fit in a one-line message.
func quote(s string) string {
	const most = 80
	if len(s) > most {
		s = s[:most] + "…"
	}
	return `"` + strings.Map(func(c rune) rune {
		if c < ' ' {
			return '?'
		}
		return c
	}, s) + `"`
}
