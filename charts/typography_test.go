package charts

import "testing"

func TestLegible(t *testing.T) {
	face := newTypeface(labelSize, 0, gray(0))
	for s, want := range map[string]string{"18.x": "18.x", "версия é ±": "версия é ±", "版本1": "□□1", "→ – …": "→ – …", "\U0001f600": "□"} {
		if got := face.legible(s); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}
