package runtimes

import (
	"maps"
	"testing"

	"versweep/sweep"
)

// What components commands do, and what is then known of the parts.
var componentsCases = map[string]struct {
	command string
	want    map[string]string
}{
	"an object of strings":  {`echo warning >&2; echo '{"v8":"12.4","uv":"1.51"}'`, map[string]string{"v8": "12.4", "uv": "1.51", "known": "1"}},
	"a part known better":   {`echo '{"known":"2","v8":"12.4"}'`, map[string]string{"v8": "12.4", "known": "1"}},
	"failed":                {`echo '{"v8":"12.4"}'; exit 1`, map[string]string{"known": "1"}},
	"words before the JSON": {`echo loading; echo '{"v8":"12.4"}'`, map[string]string{"known": "1"}},
	"numbers":               {`echo '{"v8":12.4}'`, map[string]string{"known": "1"}},
	"endless":               {`yes '{'| head -c 300000`, map[string]string{"known": "1"}},
}

func TestComponentsOfAProcess(t *testing.T) {
	for name, tt := range componentsCases {
		t.Run(name, func(t *testing.T) {
			l := &ProcessLauncher{definition: &Definition{Name: "x"}, recipe: Recipe{Components: []string{"/bin/sh", "-c", tt.command}}}
			b, err := l.Ready(t.Context(), sweep.Build{Version: "1.0.0", Bundled: map[string]string{"known": "1"}})
			if err != nil || !maps.Equal(b.Bundled, tt.want) {
				t.Errorf("%v, %v; want %v", b.Bundled, err, tt.want)
			}
		})
	}
}

// A command that is not there leaves the parts unknown too.
func TestComponentsCommandMissing(t *testing.T) {
	l := &ProcessLauncher{definition: &Definition{Name: "x"}, recipe: Recipe{Components: []string{"/no/such/command"}}}
	b, err := l.Ready(t.Context(), sweep.Build{Version: "1.0.0"})
	if err != nil || b.Bundled != nil {
		t.Errorf("%v, %v", b.Bundled, err)
	}
}
