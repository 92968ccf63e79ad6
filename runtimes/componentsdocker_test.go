//go:build linux

package runtimes

import (
	"maps"
	"testing"

	"versweep/sweep"
)

// The same in a container, of which nothing stays.
func TestEngineComponents(t *testing.T) {
	e := needEngine(t)
	s := shellTarget("sleep 60")
	l, b := engineLauncher(t, e, s)
	for name, tt := range componentsCases {
		t.Run(name, func(t *testing.T) {
			l.recipe.Components = []string{"/bin/sh", "-c", tt.command}
			got, err := l.withComponents(t.Context(), sweep.Build{Version: b.Version, Image: b.Image, Bundled: map[string]string{"known": "1"}})
			if err != nil || !maps.Equal(got.Bundled, tt.want) {
				t.Errorf("%v, %v; want %v", got.Bundled, err, tt.want)
			}
		})
	}
	t.Run("no way out", func(t *testing.T) {
		l.recipe.Components = []string{"/bin/sh", "-c", `printf '{"interfaces":"%s","user":"%s"}' "$(ls /sys/class/net | tr '\n' ' ')" "$(id -u)"`}
		got, err := l.withComponents(t.Context(), b)
		if err != nil || got.Bundled["interfaces"] != "lo " || got.Bundled["user"] != "65534" {
			t.Errorf("%v, %v", got.Bundled, err)
		}
	})
	if left := ours(t, e); len(left) > 0 {
		t.Errorf("containers left: %v", left)
	}
}
