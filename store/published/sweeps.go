package published

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"versweep/sweep"
	"versweep/sweep/load"
)

// source is what the versions and sweeps of published figures say they come
// from, so that they are a series of their own.
const source = "published"

// Sweeps makes a sweep of each target, profile and environment, in the order in
// which the rows name them first. A version without figures has an outcome that
// says why. Created and Finished are the post's date; where that is unknown,
// Created is zero and Finished is 1970, since nothing is left to be done.
func (d Dataset) Sweeps() []sweep.Sweep {
	type key struct{ target, profile, environment string }
	rows := map[key][]Row{}
	var order []key
	for _, row := range d.Rows {
		k := key{row.Target, row.Profile, row.Environment}
		if rows[k] == nil {
			order = append(order, k)
		}
		rows[k] = append(rows[k], row)
	}
	var sweeps []sweep.Sweep
	for _, k := range order {
		sweeps = append(sweeps, d.sweepOf(rows[k]))
	}
	return sweeps
}

// sweepOf makes a sweep of rows that have target, profile and environment in
// common.
func (d Dataset) sweepOf(rows []Row) sweep.Sweep {
	first := rows[0]
	system := d.Systems[first.Target]
	machine := d.Environments[first.Environment]
	sw := sweep.Sweep{
		Plan: sweep.Plan{
			Target: first.Target, Title: system.Title, Source: source, Profile: load.Profile{Name: first.Profile, Shape: load.ShapeForeign, Label: d.Profiles[first.Profile]},
			Foreign: &sweep.Foreign{Format: source, File: d.Name, Digest: digest(rows), Profile: d.Profiles[first.Profile]},
		},
		Environment: sweep.Environment{
			Name: machine.Name, CPU: machine.CPU, Cores: machine.Cores, OS: machine.OS, Memory: machine.Memory,
		},
	}
	sw.Created, sw.Finished = d.moments()
	type slot struct {
		version string
		round   int
	}
	versions := map[string]bool{}
	samples := map[slot]int{} // place in sw.Samples
	own := map[string]bool{}
	for _, row := range rows {
		v := d.releaseOf(row)
		if !versions[v.Name] {
			versions[v.Name] = true
			sw.Plan.Versions = append(sw.Plan.Versions, v)
		}
		own[row.Metric] = true
		sw.Plan.Rounds = max(sw.Plan.Rounds, row.Round)
		if !row.Known {
			continue
		}
		at, ok := samples[slot{v.Name, row.Round}]
		if !ok {
			at = len(sw.Samples)
			samples[slot{v.Name, row.Round}] = at
			sw.Samples = append(sw.Samples, sweep.Sample{
				Round: row.Round, Position: at, Version: v.Name, Status: sweep.OK, Values: map[string]float64{},
			})
		}
		sw.Samples[at].Values[row.Metric] = row.Value
	}
	sw.Plan.Versions = sweep.SortVersions(sw.Plan.Versions)
	for _, v := range sw.Plan.Versions {
		sw.Outcomes = append(sw.Outcomes, sweep.Outcome{
			Version: v.Name, Build: sweep.Build{Version: v.Name, Bundled: system.Components}, Reason: d.reason(first.Target, v.Raw),
		})
	}
	for _, m := range d.Metrics {
		if own[m.Key] {
			sw.Plan.Foreign.Metrics = append(sw.Plan.Foreign.Metrics, m)
		}
	}
	return sw
}

// digest tells whether two sweeps have the same figures.
func digest(rows []Row) string {
	h := sha256.New()
	for _, row := range rows {
		fmt.Fprintf(h, "%+v\n", row)
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// releaseOf is the version of a row. One that the post does not give is named by
// its commit, or "unknown".
func (d Dataset) releaseOf(row Row) sweep.Version {
	system := d.Systems[row.Target]
	v, err := sweep.ParseVersion(row.Version, system.Line)
	if err != nil { // nothing but an empty one gets past check
		v = sweep.Version{Name: cmp.Or(system.Commit, "unknown"), Commit: system.Commit}
	}
	v.Source = source
	return v
}

func (d Dataset) moments() (created, finished time.Time) {
	for _, layout := range dateLayouts {
		if day, err := time.Parse(layout, d.Date); err == nil {
			return day, day
		}
	}
	return time.Time{}, time.Unix(0, 0).UTC()
}
