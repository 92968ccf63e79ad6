package runtimes

import (
	"regexp"
	"strings"
)

var (
	// addressInText is a URL in a text. It goes up to a blank or a quote: a
	// password that nobody has escaped may have any other letter.
	addressInText = regexp.MustCompile("(?i)\\b([a-z][a-z0-9+.-]*://)([^\\s\"'`<>]*)")
	// nextAddress is where another URL begins in what addressInText found, as in
	// a list with commas.
	nextAddress = regexp.MustCompile(`(?i)(?:\\[nrt]|[^a-z0-9+.-])[a-z][a-z0-9+.-]*://`)
	// hostAndPort is all that may stand between "//" and the path beside a user.
	hostAndPort = regexp.MustCompile(`^(?:\[[0-9A-Fa-f:.%]+\]|[\w-]+(?:\.[\w-]+)*)(?::[0-9]{0,5})?$`)
	// noHost is what follows an @ that no user stands before: a version or a digest.
	noHost = regexp.MustCompile(`^(?:sha[0-9]+:|v?[0-9]+(?:\.[0-9]+){0,2}(?:[^.\w]|$))`)
	// secretParameter is a part of a URL's query that lets one in, with its value;
	// marks at its end belong to the text around it.
	secretParameter = regexp.MustCompile("(?i)([?&#;](?:[\\w.-]*(?:token|secret|password|passwd|passphrase|signature|credential|api-?key|access_?key)|(?:[\\w.-]*[_.-])?(?:key|sig|pwd|pass|auth))=)[^\\s\"'`<>&#]*[^\\s\"'`<>&#.,;:!?)\\]}]")
	// userBeforePath is "user:password@host:path", as ssh and scp take it.
	userBeforePath = regexp.MustCompile("(^|[\\s\"'`(<=,|])([\\w.+-]+):([^\\s\"'`<>]+)@([A-Za-z][\\w.-]*|(?:[0-9]+\\.){3}[0-9]+|\\[[0-9A-Fa-f:]+\\]):([^\\s\"'`<>:])")
	// portInError is what net/url takes for a port when a password has a slash.
	portInError = regexp.MustCompile(`invalid port "(?:[^"\\]|\\.)*" after host`)
)

// withoutAddressSecrets is a text in which URLs have no password, no token and no
// query value that lets one in.
func withoutAddressSecrets(text string) string {
	if strings.Contains(text, "@") {
		text = addressInText.ReplaceAllStringFunc(text, hideUsers)
		text = userBeforePath.ReplaceAllStringFunc(text, hideUserBeforePath)
	}
	text = secretParameter.ReplaceAllString(text, "${1}"+hidden)
	return portInError.ReplaceAllString(text, `invalid port "`+hidden+`" after host`)
}

// hideUsers hides the users of a URL and of those that follow in the same word.
func hideUsers(found string) string {
	begin := strings.Index(found, "://") + len("://")
	if next := nextAddress.FindStringIndex(found[begin:]); next != nil {
		end := begin + next[0] + 1 // the mark between the two stays with the first
		if found[end-1] == '\\' {
			end++
		}
		return hideUsers(found[:end]) + hideUsers(found[end:])
	}
	scheme, user, rest := splitUser(found)
	if user == "" || nameAlone(scheme, user) {
		return found
	}
	return scheme + hidden + "@" + rest
}

// nameAlone tells whether a user is a name that is no secret: with ssh keys are
// what lets one in.
func nameAlone(scheme, user string) bool {
	return !strings.Contains(user, ":") && (user == "git" || strings.HasSuffix(strings.ToLower(scheme), "ssh://") || scheme == "")
}

func hideUserBeforePath(found string) string {
	parts := userBeforePath.FindStringSubmatch(found)
	before, user, password, host, path := parts[1], parts[2], parts[3], parts[4], parts[5]
	switch {
	case strings.HasPrefix(password, "//"), noHost.MatchString(host + ":"), user == "mailto",
		password == "git" || strings.HasSuffix(password, ":git"), // "fatal:git@host:path"
		strings.Trim(user, "0123456789") == "":                   // a time, or a line of a file
		return found
	}
	return before + hidden + "@" + host + ":" + path
}

// splitUser splits an address into its scheme with "://", its user with the
// password, and what follows the @ between them. Scheme and user are empty where
// there is none. An address without a scheme is host:path as ssh takes it, or a
// path of this machine, which has no user.
//
// The user of a right URL ends before the first slash. With a password that has
// one, or a "?" or "#", what goes before it is no host and port: then the last @
// of all is the user's end.
func splitUser(address string) (scheme, user, rest string) {
	rest = address
	if i := strings.Index(address, "://"); i >= 0 {
		scheme, rest = address[:i+len("://")], address[i+len("://"):]
	}
	last := strings.LastIndexByte(rest, '@')
	if last < 0 {
		return scheme, "", rest
	}
	authority := rest
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		authority = rest[:i]
	}
	at := strings.LastIndexByte(authority, '@')
	host := authority[at+1:]
	switch {
	case at >= 0 && strings.Contains(authority[:at], ":"):
		at = last
	case strings.Contains(host, ":") && (scheme == "" && at < 0 || scheme != "" && !isHost(host, rest[:last], rest[last+1:])):
		at = last
	}
	if at < 0 || scheme == "" && !strings.Contains(rest[at:], ":") {
		return scheme, "", rest
	}
	return scheme, rest[:at], rest[at+1:]
}

// isHost tells whether a host with a colon is one, and not a user with the
// beginning of a password. before and after are what goes before and after the
// last @. "me:1234" may be either.
func isHost(host, before, after string) bool {
	name := host[:strings.LastIndexByte(host, ':')]
	return hostAndPort.MatchString(host) &&
		(strings.ContainsAny(name, ".[") || strings.EqualFold(name, "localhost") || strings.HasSuffix(before, "/") || noHost.MatchString(after))
}

// KeptAddress is a repository's URL or path as it may be kept: without password,
// token and what lets one in of its query, and otherwise as it is written. A name
// that is no secret stays.
func KeptAddress(address string) string {
	scheme, user, rest := splitUser(address)
	name, _, _ := strings.Cut(user, ":")
	if name != "" && nameAlone(scheme, name) {
		rest = name + "@" + rest
	}
	return scheme + withoutParameters(rest)
}

// withoutCredentials is a URL or path for people, without any user.
func withoutCredentials(address string) string {
	scheme, _, rest := splitUser(address)
	return scheme + withoutParameters(rest)
}

func withoutParameters(address string) string {
	if !secretParameter.MatchString(address) {
		return address
	}
	address = secretParameter.ReplaceAllStringFunc(address, func(found string) string { return found[:1] })
	for _, doubled := range []string{"?&", "?;", "&&"} {
		address = strings.ReplaceAll(address, doubled, doubled[:1])
	}
	return strings.TrimRight(address, "?&;#")
}
