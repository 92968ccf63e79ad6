package store

import (
	"math"
	"sync"
	"testing"
	"time"

	"versweep/sweep/load"
)

func TestReferenceIsChosenOnce(t *testing.T) {
	s := fresh(t)
	ctx := t.Context()
	node, env := plan("1.0.0"), machine()
	p := node.Profile
	reference := func(target string, p load.Profile) string {
		t.Helper()
		asked := node
		asked.Target, asked.Profile = target, p
		got, err := s.SeriesReference(ctx, asked, env)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	begin(t, s, "1.0.0") // makes the series, chooses nothing
	if got := reference("node", p); got != "" {
		t.Errorf("before the choice: %q", got)
	}
	var wg sync.WaitGroup
	kept := make([]string, 4)
	for i := range kept {
		wg.Go(func() {
			var err error
			if kept[i], err = s.SetSeriesReference(ctx, node, env, string(rune('a'+i))); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, k := range kept {
		if k != kept[0] || k == "" {
			t.Errorf("the choices were %q", kept)
		}
	}
	renamed := p
	renamed.Name = "another name, the same load"
	if got := reference("node", renamed); got != kept[0] {
		t.Errorf("renamed profile: %q, want %q", got, kept[0])
	}
	longer := p
	longer.Duration += time.Second
	if got := reference("node", longer); got != "" {
		t.Errorf("another load: %q", got)
	}
	if got := reference("bun", p); got != "" {
		t.Errorf("another target: %q", got)
	}
	node.Source = "image"
	if got := reference("node", p); got != "" {
		t.Errorf("another source: %q", got)
	}
	node.Source = plan("1.0.0").Source
	env.Kernel = "6.2.0"
	if got := reference("node", p); got != "" {
		t.Errorf("another environment: %q", got)
	}
	if _, err := s.SetSeriesReference(ctx, node, env, ""); err == nil {
		t.Error("an empty reference was taken")
	}
}

func TestProfileHash(t *testing.T) {
	if _, err := ProfileHash(load.Profile{Rate: math.NaN()}); err == nil {
		t.Error("a rate of NaN has a hash")
	}
	p := plan("1.0.0").Profile
	got, err := ProfileHash(p)
	if err != nil || len(got) != 12 {
		t.Errorf("%q, %v", got, err)
	}
}
