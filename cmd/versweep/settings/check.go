package settings

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"versweep/runtimes/strictyaml"
)

// What is taken where the file says nothing.
const (
	defaultEvery   = Period(day)
	defaultFresh   = Period(30 * day)
	DefaultTimeout = Period(30 * time.Second)
	// maxTimeout bounds what one try of telling may take: a night has to end.
	maxTimeout = Period(10 * time.Minute)
)

// check finds what is wrong with settings that conform to their form, and fills
// in what is left out at the top.
func (s *Settings) check() error {
	if s.Every == 0 {
		s.Every = defaultEvery
	}
	if len(s.Targets) == 0 {
		return &strictyaml.Flaw{Path: "targets", Problem: "there is nothing to sweep", Hint: "targets: [{name: node}]"}
	}
	first := map[string]int{}
	for i, t := range s.Targets {
		place := itemOf("targets", i)
		if t.Name == "" {
			return &strictyaml.Flaw{Path: place, Problem: "name is missing", Hint: "versweep targets lists what can be swept"}
		}
		if at, twice := first[t.Name]; twice {
			return &strictyaml.Flaw{
				Path: place + ".name", Problem: fmt.Sprintf("%q is there already as %s", t.Name, itemOf("targets", at)),
				Hint: "lay the two together; a range such as '18,20,22' names several versions",
			}
		}
		first[t.Name] = i
	}
	for i, e := range s.Outputs.Export {
		place := itemOf("outputs.export", i)
		switch {
		case e.Format == "":
			return strictyaml.FlawAt(place, "format is missing")
		case e.File == "":
			return strictyaml.FlawAt(place, "file is missing")
		}
	}
	return s.checkChannels()
}

func (s *Settings) checkChannels() error {
	github := -1
	for i := range s.Notify {
		c, place := &s.Notify[i], itemOf("notify", i)
		if err := strictyaml.Within(place, c.check()); err != nil {
			return err
		}
		if c.GitHub != nil {
			if github >= 0 {
				return strictyaml.FlawAt(place+".github", "%s says it already", itemOf("notify", github))
			}
			github = i
		}
	}
	return nil
}

func (c *Channel) check() error {
	var kinds []string
	for name, is := range map[string]bool{"webhook": c.Webhook != nil, "command": c.Command != nil, "github": c.GitHub != nil} {
		if is {
			kinds = append(kinds, name)
		}
	}
	slices.Sort(kinds)
	switch {
	case len(kinds) == 0:
		return &strictyaml.Flaw{Problem: "there is no way to tell", Hint: "one of webhook, command and github has to be there"}
	case len(kinds) > 1:
		return &strictyaml.Flaw{Problem: strings.Join(kinds, " and ") + " are two ways in one", Hint: "begin each with a dash of its own"}
	case c.GitHub != nil && c.Timeout != 0:
		return strictyaml.FlawAt("timeout", "writing to GitHub's files takes no time")
	case c.Command != nil && (len(c.Command) == 0 || c.Command[0] == ""):
		return &strictyaml.Flaw{Path: "command", Problem: "it names no program", Hint: "command: [./tell.sh, --loud]"}
	case c.Timeout > maxTimeout:
		return strictyaml.FlawAt("timeout", "%v is longer than %v", time.Duration(c.Timeout), time.Duration(maxTimeout))
	}
	if c.Timeout == 0 {
		c.Timeout = DefaultTimeout
	}
	if c.Webhook == nil {
		return nil
	}
	if c.Webhook.Format == "" {
		c.Webhook.Format = FormatJSON
	}
	return strictyaml.Within("webhook", c.Webhook.check())
}

// check never says what an address or a header holds.
func (w *Webhook) check() error {
	switch {
	case (w.URL == "") == (w.URLEnv == ""):
		return &strictyaml.Flaw{Problem: "it has to have either url or url_env", Hint: "url_env: VERSWEEP_WEBHOOK names the environment variable that holds the address"}
	case w.URLEnv != "" && !EnvName(w.URLEnv):
		return strictyaml.FlawAt("url_env", NoEnvName)
	}
	if w.URL != "" {
		if _, err := ParseAddress(w.URL); err != nil {
			return &strictyaml.Flaw{Path: "url", Problem: err.Error(), Hint: "addresses look like https://hooks.example.org/PATH"}
		}
	}
	seen := map[string]bool{}
	for _, table := range []struct {
		key    string
		values map[string]string
	}{{"header", w.Header}, {"header_env", w.HeaderEnv}} {
		for _, name := range slices.Sorted(maps.Keys(table.values)) {
			place, canonical := strictyaml.PathOf(table.key, name), http.CanonicalHeaderKey(name)
			switch {
			case !headerName(name):
				return strictyaml.FlawAt(place, "this cannot be the name of a header")
			case slices.Contains(ownHeaders, canonical):
				return strictyaml.FlawAt(place, "versweep sets %s itself", canonical)
			case seen[canonical]:
				return strictyaml.FlawAt(place, "%s is there twice", canonical)
			case table.key == "header" && !HeaderValue(table.values[name]):
				return strictyaml.FlawAt(place, "its value has line breaks or control characters")
			case table.key == "header_env" && !EnvName(table.values[name]):
				return strictyaml.FlawAt(place, NoEnvName)
			}
			seen[canonical] = true
		}
	}
	return nil
}

// ownHeaders are those that posting sets.
var ownHeaders = []string{"Host", "Content-Type", "Content-Length", "Transfer-Encoding", "Connection", "Idempotency-Key", "User-Agent"}

// headerName tells whether name is a token of RFC 9110.
func headerName(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("!#$%&'*+-.^_`|~", r))
	})
}

// HeaderValue tells whether text can be the value of a header.
func HeaderValue(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
}

// NoEnvName says that a value cannot be what it has to be. It may be a secret
// that stands in the wrong place, and is not repeated.
const NoEnvName = "is not the name of an environment variable"

var envName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// EnvName tells whether text can be the name of an environment variable.
func EnvName(text string) bool { return envName.MatchString(text) }

// ParseAddress reads the address of a webhook. Its errors do not hold it.
func ParseAddress(text string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(text))
	switch {
	case err != nil:
		return nil, fmt.Errorf("this is no address")
	case u.Scheme != "https" && u.Scheme != "http":
		return nil, fmt.Errorf("the address begins neither with https:// nor with http://")
	case u.Hostname() == "":
		return nil, fmt.Errorf("the address names no host")
	}
	return u, nil
}

func itemOf(list string, i int) string { return fmt.Sprintf("%s[%d]", list, i) }
