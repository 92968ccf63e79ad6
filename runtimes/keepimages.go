package runtimes

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"versweep/sweep"
)

// Images are kept after a sweep, since they make the next one quick, until they
// are too many or too old.
const (
	keptImages   = 20 << 30            // bytes, layers that images share counted once
	keptImageAge = 30 * 24 * time.Hour // since it was made
	// Of others' images those that are younger are left alone, whatever there
	// is: another sweep may be about to measure them.
	freshImageAge = 24 * time.Hour
)

// ownImage is an image that versweep has built, or pulled for a build.
type ownImage struct {
	id      string
	created time.Time
	bytes   int64  // without what it shares with its base
	base    string // id of the image that it was made from; empty when unknown
	name    string // a tag, or the beginning of the id where it has none
}

// surplusImages picks what is to go: of the images that sweeps start, those
// that are too old or that the newer ones leave no room for, and then every
// image that nothing left was made from. mine are those of the sweep that has
// just ended.
func surplusImages(images []ownImage, mine map[string]bool, room int64, now time.Time) []ownImage {
	byID := map[string]ownImage{}
	isBase := map[string]bool{}
	for _, i := range images {
		byID[i.id] = i
		isBase[i.base] = true
	}
	newestFirst := slices.SortedFunc(slices.Values(images), func(a, b ownImage) int {
		return cmp.Or(b.created.Compare(a.created), cmp.Compare(a.id, b.id))
	})
	kept := map[string]bool{}
	var gone []ownImage
	used := int64(0)
	for _, i := range newestFirst {
		if isBase[i.id] {
			continue
		}
		needs := i.bytes
		if base, ours := byID[i.base]; ours && !kept[base.id] {
			needs += base.bytes
		}
		age := now.Sub(i.created)
		if (mine[i.id] || age > freshImageAge) && (used+needs > room || age > keptImageAge) {
			gone = append(gone, i)
			continue
		}
		used += needs
		kept[i.id], kept[i.base] = true, true
	}
	for _, i := range newestFirst {
		if isBase[i.id] && !kept[i.id] {
			gone = append(gone, i) // after all that was made from it
		}
	}
	return gone
}

// Removed is what TidyImages has removed.
type Removed struct {
	Images int
	Bytes  int64
	Names  []string // tags, or ids of images without one
}

func (r *Removed) add(i ownImage) {
	r.Images++
	r.Bytes += i.bytes
	r.Names = append(r.Names, i.name)
}

// TidyImages ends a sweep: it removes images of versweep's from the engine until
// the rest is within bounds, or, with keep false, all that the sweep has used.
func (l *DockerLauncher) TidyImages(ctx context.Context, outcomes []sweep.Outcome, keep bool) (Removed, error) {
	images, err := l.engine.ownImages(ctx)
	if err != nil {
		return Removed{}, err
	}
	mine := map[string]bool{}
	for _, o := range outcomes {
		if o.Build.Image != "" {
			mine[bareID(o.Build.Image)] = true
		}
	}
	surplus := surplusImages(images, mine, keptImages, time.Now())
	if !keep {
		surplus = usedImages(images, mine)
	}
	return l.engine.removeImages(ctx, surplus)
}

func (e *Engine) removeImages(ctx context.Context, images []ownImage) (removed Removed, err error) {
	var errs []error
	for _, i := range images {
		ok, err := e.removeImage(ctx, i.id)
		errs = append(errs, err)
		if ok {
			removed.add(i)
		}
	}
	return removed, errors.Join(errs...)
}

// Surplus tells the images of versweep's that are too old or too many, as after a
// sweep, and removes them when that is asked for. Spared ones, by their names in
// sweep.Build, count as made just now.
func (e *Engine) Surplus(ctx context.Context, spared []string, remove bool) (surplus Removed, err error) {
	images, err := e.ownImages(ctx)
	if err != nil {
		return surplus, err
	}
	now := time.Now()
	for i := range images {
		if slices.ContainsFunc(spared, func(name string) bool { return bareID(name) == images[i].id }) {
			images[i].created = now
		}
	}
	gone := surplusImages(images, nil, keptImages, now)
	if remove {
		return e.removeImages(ctx, gone)
	}
	for _, i := range gone {
		surplus.add(i)
	}
	return surplus, nil
}

// usedImages are the images in mine, and then those that only these were made
// from.
func usedImages(images []ownImage, mine map[string]bool) []ownImage {
	var used []ownImage
	stays, goes := map[string]bool{}, map[string]bool{}
	for _, i := range images {
		if mine[i.id] {
			used = append(used, i)
			goes[i.base] = true
		} else {
			stays[i.base] = true
		}
	}
	for _, i := range images {
		if goes[i.id] && !stays[i.id] && !mine[i.id] {
			used = append(used, i)
		}
	}
	return used
}
