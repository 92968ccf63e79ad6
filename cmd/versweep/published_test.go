package main

import (
	"bytes"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"versweep/store"
	"versweep/store/published"
	"versweep/sweep"
)

// The table that this project began with, from the figures in store/published.
func TestFoundingTable(t *testing.T) {
	want, err := os.ReadFile("../../store/published/testdata/node-0.1-0.9.txt")
	if err != nil {
		t.Fatal(err)
	}
	var got, said bytes.Buffer
	root := (&app{stdout: &got, stderr: &said, now: time.Now}).command()
	root.SetArgs([]string{"table", "node", "--published", "node-0.1-0.9", "--layout", "series"})
	if err := root.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("the table differs from testdata/node-0.1-0.9.txt:\n%s", got.String())
	}
}

// Every dataset is stored once, and comes out of the store as it went in.
func TestImportPublished(t *testing.T) {
	ctx := t.Context()
	var said bytes.Buffer
	a := &app{now: time.Now, stdout: &said, stderr: io.Discard, db: filepath.Join(t.TempDir(), "x.db")}
	if err := a.importPublished(ctx, []string{"node-0.6", "no-such"}, false); err == nil || !strings.Contains(err.Error(), "no-such") {
		t.Fatalf("an unknown name: %v", err)
	}
	if _, err := os.Stat(a.db); err == nil {
		t.Error("a store was made for a name that is unknown")
	}
	if err := a.importPublished(ctx, []string{"node-0.6"}, false); err != nil {
		t.Fatal(err)
	}
	if err := a.importPublished(ctx, nil, false); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(said.String(), "already imported"); n != 2 {
		t.Errorf("%d sweeps were known, not the 2 of node-0.6:\n%s", n, said.String())
	}
	all, err := published.All()
	if err != nil {
		t.Fatal(err)
	}
	st, err := store.OpenReadOnly(ctx, a.db)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	list, err := st.Sweeps(ctx, store.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	stored := map[string]sweep.Table{}
	for _, known := range list {
		sw, err := st.LoadSweep(ctx, known.ID)
		if err != nil {
			t.Fatal(err)
		}
		stored[sw.Plan.Foreign.Digest] = sweep.NewTable(sw)
	}
	sweeps := 0
	for _, d := range all {
		for _, sw := range d.Sweeps() {
			sweeps++
			got, want := stored[sw.Plan.Foreign.Digest], sweep.NewTable(sw)
			same := func(a, b sweep.Row) bool {
				return a.Version == b.Version && a.Status == b.Status && a.Reason == b.Reason &&
					maps.Equal(a.Metrics, b.Metrics) && maps.Equal(a.Components, b.Components)
			}
			if !got.Finished || got.Environment.Name != want.Environment.Name || !slices.EqualFunc(got.Rows, want.Rows, same) {
				t.Errorf("%s: %s came back as %+v", d.Name, sw.Plan.Target, got)
			}
		}
	}
	if sweeps != len(list) {
		t.Errorf("%d sweeps in the store, not %d", len(list), sweeps)
	}
}

// Only releases that were measured too stand beside.
func TestPublishedBeside(t *testing.T) {
	table := sweep.Table{Target: "node"}
	for _, name := range []string{"0.6.0", "0.8.6", "0.8.19", "20.1.0"} {
		table.Rows = append(table.Rows, sweep.Row{Version: sweep.Version{Name: name}})
	}
	found, err := publishedBeside(table, mustMetric(t, sweep.QPS))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, b := range found {
		for _, row := range b.Table.Rows {
			got = append(got, b.Title+" "+row.Version.Name)
		}
	}
	want := []string{"node-0.1-0.9 0.6.0", "node-0.1-0.9 0.8.6", "node-0.1-0.9 0.8.19", "node-0.6/linux 0.6.0", "node-0.6/windows 0.6.0"}
	if !slices.Equal(got, want) {
		t.Errorf("beside: %q", got)
	}
	if _, err := publishedBeside(table, mustMetric(t, sweep.PeakRSS)); err == nil {
		t.Error("no post has peak memory, and no error")
	}
	table.Target = "bun"
	if _, err := publishedBeside(table, mustMetric(t, sweep.QPS)); err == nil {
		t.Error("no post has bun, and no error")
	}
}

func mustMetric(t *testing.T, key string) sweep.Metric {
	t.Helper()
	m, err := findMetric(sweep.Plan{}, key)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
