package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"versweep/charts"
	"versweep/runtimes"
	"versweep/store"
)

// gcState is what gc found, or did.
type gcState struct {
	order         gcOrder
	file          string
	done          bool
	before, after store.Room
	thinning      store.Thinning
	notShrunk     string // why free room was not given back; empty when it was

	noCache              bool // the folder is not marked as one, and left alone
	cached               []runtimes.Cached
	kept                 runtimes.Cached // what of the cache stays: Bytes
	cacheInUse           bool
	images               runtimes.Removed
	spared, sparedImages []string
}

func (g gcState) nothing() bool {
	return g.thinning.Nothing() && len(g.cached) == 0 && g.images.Images == 0 && g.before.Free == 0
}

func bytesText(n int64) string { return humanize.IBytes(uint64(max(0, n))) }

// words says what will be done, each thing that goes by its name, or was.
func (g gcState) words(before bool) string {
	var lines []string
	add := func(format string, args ...any) {
		lines = append(lines, charts.Printable(fmt.Sprintf(format, args...)))
	}
	go_, merge, cut := "are removed", "are merged", "are cut to their last lines"
	if !before {
		go_, merge, cut = "were removed", "were merged", "were cut to their last lines"
	}
	t := g.thinning
	add("%s: %s", g.file, g.size(before))
	add("  kept: all figures, counts, marks and reasons; %s", histogramsText(t.Kept))
	if t.Merging.Count > 0 {
		into := fmt.Sprintf("into %s, one a version and sweep", humanize.Comma(t.Into.Count))
		if t.Into.Bytes > 0 {
			into += ", of " + bytesText(t.Into.Bytes)
		}
		add("  %s before %s %s %s", histogramsText(t.Merging), dayOf(g.order.ages.Merged), merge, into)
	}
	if t.Going.Count > 0 {
		add("  %s before %s %s", histogramsText(t.Going), dayOf(g.order.ages.Bare), go_)
	}
	if t.Extras.Count > 0 {
		add("  service time and lateness of %s (%s) before %s %s", countedMany(t.Extras.Count, "sample"), bytesText(t.Extras.Bytes), dayOf(g.order.ages.LatencyOnly), go_)
	}
	if t.Logs > 0 {
		add("  %s of failed builds and servers before %s %s (%s)", countedMany(t.Logs, "log"), dayOf(g.order.ages.Logs), cut, bytesText(t.LogSize))
	}
	if t.Nothing() {
		add("  nothing is old enough to be thinned")
	}
	if g.notShrunk != "" {
		add("  the file keeps its size, and what is free in it is used for what comes: %s", g.notShrunk)
	}
	if g.noCache {
		add("%s: left alone", g.order.cache)
	} else {
		add("%s: %s stay", g.order.cache, bytesText(g.kept.Bytes))
	}
	switch {
	case g.noCache:
	case g.cacheInUse:
		add("  nothing was removed: another versweep uses it")
	case g.order.since.IsZero():
		add("  builds stay for ever")
	case len(g.cached) == 0 && g.kept.Bytes == 0:
		add("  there is nothing in it")
	case len(g.cached) == 0:
		add("  all of it was used since %s", dayOf(g.order.since))
	}
	for _, kind := range []string{runtimes.CachedBuild, runtimes.CachedProgram, runtimes.CachedRepository, runtimes.CachedScratch} {
		n, size := int64(0), int64(0)
		for _, c := range g.cached {
			if c.Kind == kind {
				n, size = n+1, size+c.Bytes
			}
		}
		if n == 0 {
			continue
		}
		add("  %s (%s) not used since %s %s", kindText(kind, n), bytesText(size), dayOf(g.order.since), go_)
		for _, c := range g.cached {
			if before && c.Kind == kind {
				add("    %s (%s), last used %s", c.Name, bytesText(c.Bytes), dayOf(c.Used))
			}
		}
	}
	if g.images.Images > 0 {
		add("the container engine: %s (%s), older than 30 days or over 20 GiB, %s", countedMany(int64(g.images.Images), "image"), bytesText(g.images.Bytes), go_)
		for _, name := range g.images.Names {
			if before {
				add("    %s", name)
			}
		}
	}
	return strings.Join(lines, "\n")
}

func (g gcState) size(before bool) string {
	if before || !g.done {
		return bytesText(g.before.Bytes) + freeText(g.before.Free)
	}
	return fmt.Sprintf("%s, was %s%s", bytesText(g.after.Bytes), bytesText(g.before.Bytes), freeText(g.after.Free))
}

func freeText(n int64) string {
	if n == 0 {
		return ""
	}
	return ", of which " + bytesText(n) + " are free"
}

func histogramsText(h store.Histograms) string {
	return fmt.Sprintf("%s (%s) of %s", countedMany(h.Count, "histogram"), bytesText(h.Bytes), countedMany(h.Sweeps, "sweep"))
}

func kindText(kind string, n int64) string {
	switch {
	case kind == runtimes.CachedRepository && n != 1:
		return humanize.Comma(n) + " git repositories"
	case kind == runtimes.CachedRepository:
		return "1 git repository"
	case kind == runtimes.CachedScratch:
		return countedMany(n, "scratch folder")
	}
	return countedMany(n, "cached "+kind)
}

// countedMany is "1 sample" or "12,345 samples".
func countedMany(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return humanize.Comma(n) + " " + noun
}

func dayOf(t time.Time) string { return t.Format(time.DateOnly) }

// tellGC prints what would be done, or was.
func (a *app) tellGC(g gcState, before bool) error {
	if a.json {
		return a.printJSON(newGCJSON(g))
	}
	_, err := fmt.Fprintln(a.stdout, g.words(before))
	return err
}

// gcJSON is what gc prints.
type gcJSON struct {
	Schema int         `json:"schema"`
	Done   bool        `json:"done"` // false for what would be done
	Store  gcStoreJSON `json:"store"`
	Cache  gcCacheJSON `json:"cache"`
	Images gcImageJSON `json:"images"`
}

type gcStoreJSON struct {
	File        string         `json:"file"`
	BytesBefore int64          `json:"bytes_before"`
	Bytes       *int64         `json:"bytes"` // null until it is done
	FreeBytes   int64          `json:"free_bytes"`
	NotShrunk   *string        `json:"not_shrunk"` // why
	Kept        histogramsJSON `json:"kept"`
	Merged      histogramsJSON `json:"merged"`
	Into        histogramsJSON `json:"merged_into"`
	Removed     histogramsJSON `json:"removed"`
	Service     histogramsJSON `json:"service_removed"`
	Logs        int64          `json:"logs_cut"`
	LogBytes    int64          `json:"log_bytes_cut"`
}

type histogramsJSON struct {
	Sweeps     int64  `json:"sweeps"`
	Histograms int64  `json:"histograms"`
	Bytes      *int64 `json:"bytes"` // null when not known yet
}

type gcCacheJSON struct {
	Folder    string       `json:"folder"`
	InUse     bool         `json:"in_use"` // so nothing was removed
	KeptBytes int64        `json:"kept_bytes"`
	Removed   []cachedJSON `json:"removed"`
}

type cachedJSON struct {
	Kind  string    `json:"kind"`
	Name  string    `json:"name"`
	Used  time.Time `json:"used"`
	Bytes int64     `json:"bytes"`
}

type gcImageJSON struct {
	Removed int   `json:"removed"`
	Bytes   int64 `json:"bytes"`
}

func newGCJSON(g gcState) gcJSON {
	counts := func(h store.Histograms) histogramsJSON { return histogramsJSON{h.Sweeps, h.Count, &h.Bytes} }
	t := g.thinning
	doc := gcJSON{
		Schema: jsonSchema, Done: g.done,
		Store: gcStoreJSON{
			File: g.file, BytesBefore: g.before.Bytes, FreeBytes: g.before.Free, NotShrunk: orNull(g.notShrunk), Kept: counts(t.Kept),
			Merged: counts(t.Merging), Into: counts(t.Into), Removed: counts(t.Going), Service: counts(t.Extras), Logs: t.Logs, LogBytes: t.LogSize,
		},
		Cache:  gcCacheJSON{Folder: g.order.cache, InUse: g.cacheInUse, KeptBytes: g.kept.Bytes, Removed: []cachedJSON{}},
		Images: gcImageJSON{g.images.Images, g.images.Bytes},
	}
	if g.done {
		doc.Store.Bytes, doc.Store.FreeBytes = &g.after.Bytes, g.after.Free
	} else {
		doc.Store.Into.Bytes = nil
	}
	for _, c := range g.cached {
		doc.Cache.Removed = append(doc.Cache.Removed, cachedJSON{c.Kind, c.Name, c.Used.UTC(), c.Bytes})
	}
	return doc
}
