package main

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"versweep/cmd/versweep/settings"
	"versweep/runtimes/strictyaml"
)

// nightlyChannels makes the ways to tell that the settings ask for, and GitHub's
// within Actions. What is to come from the environment has to be there.
func (a *app) nightlyChannels(f *settings.File) ([]channel, error) {
	var channels []channel
	github := os.Getenv("GITHUB_ACTIONS") == "true"
	for i, c := range f.Notify {
		place := fmt.Sprintf("notify[%d]", i)
		timeout := time.Duration(c.Timeout)
		switch {
		case c.GitHub != nil:
			github = github && *c.GitHub
		case c.Command != nil:
			command, err := newCommandChannel(c.Command, filepath.Dir(f.Path("x")), timeout)
			if err != nil {
				return nil, f.Wrong(place+".command[0]", err.Error(), "a name with a slash counts from the settings' folder, any other is looked for along $PATH")
			}
			channels = append(channels, placed{command, place})
		default:
			w, err := a.makeWebhook(f, place+".webhook", *c.Webhook, timeout)
			if err != nil {
				return nil, err
			}
			channels = append(channels, placed{w, place})
		}
	}
	if github {
		g := &githubChannel{output: a.stdout, summary: os.Getenv("GITHUB_STEP_SUMMARY")}
		if a.json {
			g.output = a.stderr // where GitHub reads commands too
		}
		channels = append(channels, g)
	}
	return channels, nil
}

func (a *app) makeWebhook(f *settings.File, place string, w settings.Webhook, timeout time.Duration) (*webhook, error) {
	const unset = "it is set where versweep is started: an EnvironmentFile= of systemd, a secret of GitHub Actions"
	text := w.URL
	if w.URLEnv != "" {
		if text = os.Getenv(w.URLEnv); text == "" {
			return nil, f.Wrong(place+".url_env", "$"+w.URLEnv+" is not set", unset)
		}
	}
	address, err := settings.ParseAddress(text)
	if err != nil {
		return nil, f.Wrong(place+".url_env", "$"+w.URLEnv+": "+err.Error(), "addresses look like https://hooks.example.org/PATH")
	}
	header := http.Header{}
	for name, value := range w.Header {
		header.Set(name, value)
	}
	for _, name := range slices.Sorted(maps.Keys(w.HeaderEnv)) {
		variable := w.HeaderEnv[name]
		value := os.Getenv(variable)
		switch at := strictyaml.PathOf(place+".header_env", name); {
		case value == "":
			return nil, f.Wrong(at, "$"+variable+" is not set", unset)
		case !settings.HeaderValue(value):
			return nil, f.Wrong(at, "$"+variable+" has line breaks or control characters", "a header is one line")
		}
		header.Set(name, value)
	}
	return newWebhook(address, w.Format, header, timeout, w.Always, a.now), nil
}
