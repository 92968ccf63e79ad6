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
		return "", r, misuse("URL", "%s: %v", quote(raw), parseErr.Err)
	}
	if err != nil || u.Scheme == "" || !strings.Contains(raw, "://") {
		return "", r, &MisuseError{What: "URL", Why: quote(raw) + " has no scheme", Hint: "write it as http://HOST:PORT/PATH"}
	}
	switch {
	case strings.EqualFold(u.Scheme, "https"):
		return "", r, &MisuseError{What: "URL", Why: "https is not supported", Hint: "measure the server's plain http port"}
	case !strings.EqualFold(u.Scheme, "http"):
		return "", r, misuse("URL", "scheme %q is not http", u.Scheme)
	case u.Hostname() == "":
		return "", r, misuse("URL", "%s has no host", quote(raw))
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
