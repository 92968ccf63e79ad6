// Package simulated writes stores as years of nightly sweeps leave them, for
// measuring how the commands do on them. Nothing in the program uses it: the
// benchmarks of store and cmd/versweep do, and go run ./cmd/longuse.
//
// Figures follow known levels with the noise of a round and of a sample; some
// samples fail or are spoilt, some versions cannot be built, and now and then the
// kernel changes. A seed decides everything. Rows are written with the
// statements prepared once, in one transaction a night and without waiting for
// the disk: store.SaveSample, which does neither, would take an hour.
package simulated

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"time"

	"versweep/store"
	"versweep/sweep"
	"versweep/sweep/load"
)

// Store says what to write.
type Store struct {
	Target   string
	Nights   int
	Versions int // kept at the end; at least 10
	Rounds   int // a night
	// Sampled is how many versions each night samples besides the reference: the
	// newest, its neighbours, and those that were sampled longest ago. 0 is all.
	Sampled    int
	Histograms bool
	Seed       uint64
	// Last is when the last night began; the others lie a day apart before it.
	Last time.Time
}

// releases is the number of nights from one release to the next once the first
// versions are there.
func (n Store) releases() int { return max(1, n.Nights/(n.Versions-n.first()+1)) }

// first is the number of versions that there are on the first night.
func (n Store) first() int { return n.Versions * 5 / 8 }

// known is the number of versions on a night.
func (n Store) known(night int) int { return min(n.Versions, n.first()+night/n.releases()) }

const (
	unbuildable = 2 // place of a version that can never be built
	reference   = 10
	stepAt      = 20 // place of the version from which on throughput is 8 % lower
)

func nameOf(place int) string { return fmt.Sprintf("%d.%d.0", 10+place/4, place%4) }

// Write makes a store at path, where there must be none, and returns the number
// of its samples.
func Write(ctx context.Context, path string, n Store) (samples int, err error) {
	st, err := store.Open(ctx, path)
	if err != nil {
		return 0, err
	}
	pool, err := n.pool(ctx, st)
	if err != nil {
		st.Close()
		return 0, err
	}
	w := writer{Store: n, st: st, random: rand.New(rand.NewPCG(n.Seed, 7)), pool: pool, last: make([]int, n.Versions)}
	for i := range w.last {
		w.last[i] = -1
	}
	uri := url.URL{Scheme: "file", Path: path, RawQuery: "_synchronous=OFF&_busy_timeout=10000"}
	if w.db, err = sql.Open("sqlite", uri.String()); err != nil {
		st.Close()
		return 0, err
	}
	defer func() {
		w.db.Close()
		st.Close()
	}()
	w.db.SetMaxOpenConns(1)
	for night := range n.Nights {
		if err := w.night(ctx, night); err != nil {
			return w.samples, fmt.Errorf("night %d: %w", night, err)
		}
	}
	return w.samples, nil
}

// pool saves a small sweep of another target as a sweep does, for its histograms
// to be copied from, and returns the ids of its samples.
func (n Store) pool(ctx context.Context, st *store.Store) ([]int64, error) {
	if !n.Histograms {
		return nil, nil
	}
	r := rand.New(rand.NewPCG(n.Seed, 3))
	p := plan("pool", []int{0}, 20)
	sw, err := st.CreateSweep(ctx, p, machine(0), n.Last.AddDate(0, 0, -n.Nights))
	if err != nil {
		return nil, err
	}
	var ids []int64
	for round := range p.Rounds {
		s := sweep.Sample{Version: nameOf(0), Round: round + 1, Status: sweep.OK, Load: result(r)}
		if err := st.SaveSample(ctx, sw.ID, &s); err != nil {
			return nil, err
		}
		ids = append(ids, s.ID)
	}
	return ids, st.FinishSweep(ctx, sw.ID, n.Last)
}

func plan(target string, places []int, rounds int) sweep.Plan {
	p := sweep.Plan{
		Target: target, Title: target, Source: "npm", Launcher: "process", Seed: 1, Rounds: rounds, Reference: nameOf(reference),
		Profile: load.Profile{
			Name: "hello", Shape: load.ShapeClosed, Connections: 100,
			Duration: time.Second, Warmup: 500 * time.Millisecond, Timeout: 5 * time.Second,
		},
	}
	for _, place := range places {
		name := nameOf(place)
		p.Versions = append(p.Versions, sweep.Version{
			Name: name, Raw: "v" + name, Source: "npm", Line: fmt.Sprintf("%d.x", 10+place/4), Digest: fmt.Sprintf("sha512-%088d", place),
		})
	}
	return p
}

// machine is what the nights of a time ran on: the kernel is changed now and
// then.
func machine(kernel int) sweep.Environment {
	return sweep.Environment{
		CPU: "AMD EPYC 7B13", Cores: 2, OS: "linux/amd64", Kernel: fmt.Sprintf("6.%d.0", 1+kernel), Memory: 8 << 30, Launcher: "process",
		ServerCPUs: []int{0}, LoadCPUs: []int{1}, Method: 1,
	}
}

// chosen are the places that a night samples, in version order.
func (w *writer) chosen(night int) []int {
	known := w.known(night)
	if w.Sampled == 0 {
		places := make([]int, known)
		for i := range places {
			places[i] = i
		}
		return places
	}
	want := []int{reference, known - 1, known - 2, known - 3}
	stale := make([]int, known)
	for i := range stale {
		stale[i] = i
	}
	slices.SortStableFunc(stale, func(a, b int) int { return w.last[a] - w.last[b] })
	for _, place := range stale {
		if len(want) > w.Sampled {
			break
		}
		if !slices.Contains(want, place) {
			want = append(want, place)
		}
	}
	slices.Sort(want)
	return slices.Compact(want)
}
