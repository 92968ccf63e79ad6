package store

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"versweep/sweep"
)

// kinds of samples, by what is stored with them.
func kinds(r *rand.Rand) map[string]*sweep.Sample {
	bare := measured(r, "", 1)
	bare.Load.Latency = nil
	return map[string]*sweep.Sample{"bare": bare, "histogram": measured(r, "", 1), "rate": paced(r, "", 1)}
}

// fill saves sweeps of a nightly kind, whose samples all look like shape, and
// returns the last one's id and the number of samples.
func fill(b *testing.B, s *Store, sweeps, versions, rounds int, shape *sweep.Sample) (id int64, samples int) {
	b.Helper()
	var names []string
	for i := range versions {
		names = append(names, fmt.Sprintf("%d.0.0", i))
	}
	for range sweeps {
		id = begin(b, s, names...).ID
		for round := range rounds {
			for _, name := range names {
				m := *shape
				m.Version, m.Round = name, round+1
				if err := s.SaveSample(b.Context(), id, &m); err != nil {
					b.Fatal(err)
				}
				samples++
			}
		}
	}
	return id, samples
}

// size is what the store takes on disk once it is closed.
func size(b *testing.B, s *Store) float64 {
	b.Helper()
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	info, err := os.Stat(s.path)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := os.Stat(s.path + "-wal"); !errors.Is(err, fs.ErrNotExist) {
		b.Fatal("the -wal file is still there")
	}
	return float64(info.Size())
}

func BenchmarkSaveSample(b *testing.B) {
	for name, m := range kinds(rand.New(rand.NewPCG(1, 2))) {
		b.Run(name, func(b *testing.B) {
			s := fresh(b)
			id := begin(b, s, "1.0.0").ID
			m.Version, m.Round = "1.0.0", 0
			for b.Loop() {
				m.Round++
				if err := s.SaveSample(b.Context(), id, m); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkSize reports the bytes of a sample, everything else of its sweep
// included.
func BenchmarkSize(b *testing.B) {
	for name, m := range kinds(rand.New(rand.NewPCG(1, 2))) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				s := reopen(b, filepath.Join(b.TempDir(), "size.db"))
				relax(b, s)
				_, samples := fill(b, s, 5, 40, 10, m)
				b.ReportMetric(size(b, s)/float64(samples), "bytes/sample")
			}
		})
	}
}

func BenchmarkLoadSweep(b *testing.B) {
	s := fresh(b)
	relax(b, s)
	id, _ := fill(b, s, 10, 40, 10, measured(rand.New(rand.NewPCG(1, 2)), "", 1))
	b.Run("numbers", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.LoadSweep(b.Context(), id); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("histograms", func(b *testing.B) {
		for b.Loop() {
			sw, err := s.LoadSweep(b.Context(), id)
			if err != nil {
				b.Fatal(err)
			}
			if err := s.LoadHistograms(b.Context(), sw.Samples); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkMillionSamples reads from a store of 1,000 nights of 40 versions × 25
// rounds: what a table needs, what a judgement needs, and lists.
func BenchmarkMillionSamples(b *testing.B) {
	if testing.Short() {
		b.Skip("filling the store takes some twenty seconds")
	}
	s := fresh(b)
	relax(b, s)
	const sweeps, versions, rounds = 1000, 40, 25
	bare := kinds(rand.New(rand.NewPCG(1, 2)))["bare"]
	first, samples := fill(b, s, 1, versions, rounds, bare)
	if err := s.FinishSweep(b.Context(), first, noon); err != nil {
		b.Fatal(err)
	}
	copySweep(b, s, sweeps-1)
	b.Run("LatestSweep", func(b *testing.B) {
		for b.Loop() {
			sw, err := s.LatestSweep(b.Context(), "node")
			if err != nil || len(sw.Samples) != samples || len(sw.Samples[0].Values) != len(bare.Values) {
				b.Fatal(len(sw.Samples), err)
			}
		}
	})
	b.Run("History of 10 sweeps", func(b *testing.B) {
		for b.Loop() {
			history, err := s.History(b.Context(), "node", 10)
			if err != nil || len(history) != 10 || len(history[0].Samples) != samples {
				b.Fatal(len(history), err)
			}
		}
	})
	b.Run("Recent", func(b *testing.B) {
		for b.Loop() {
			recent, older, err := s.Recent(b.Context(), "node", sweep.Span{})
			if err != nil || len(recent) != 4 || older != sweeps-4 {
				b.Fatal(len(recent), older, err)
			}
		}
	})
	b.Run("Single", func(b *testing.B) {
		for b.Loop() {
			if all, err := s.Single(b.Context(), "node", "1.0.0"); err != nil || len(all) != sweeps {
				b.Fatal(len(all), err)
			}
		}
	})
	b.Run("Stamp", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Stamp(b.Context(), "node"); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Targets", func(b *testing.B) {
		for b.Loop() {
			if targets, err := s.Targets(b.Context()); err != nil || len(targets) != 1 {
				b.Fatal(targets, err)
			}
		}
	})
	b.Run("Sweeps", func(b *testing.B) {
		for b.Loop() {
			list, err := s.Sweeps(b.Context(), Filter{})
			if err != nil || len(list) != sweeps || list[0].Samples != samples {
				b.Fatal(len(list), err)
			}
		}
	})
}

// copySweep adds copies of the store's only sweep. What each row refers to is
// there, so that it is not looked for, which takes as long as the rest.
func copySweep(b *testing.B, s *Store, copies int) {
	b.Helper()
	exec := func(query string, args ...any) {
		if _, err := s.write.Exec(query, args...); err != nil {
			b.Fatal(err)
		}
	}
	exec("PRAGMA foreign_keys = OFF")
	defer exec("PRAGMA foreign_keys = ON")
	const numbers = "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ?1) "
	for _, copying := range []string{
		"INSERT INTO sweep SELECT s.id + n, series_id, created_ns, finished_ns, owner, plan FROM n, sweep s",
		"INSERT INTO version SELECT sweep_id + n, ordinal, name, raw, source, line, prerelease, git_commit, digest FROM n, version",
		`INSERT INTO sample SELECT id + n * samples, sweep_id + n, ordinal, round, position, twin, status, reason, log, started_ns, attempt
			FROM n, (SELECT max(id) AS samples FROM sample), sample`,
		`INSERT INTO value SELECT sample_id + n * samples, metric_id, value
			FROM n, (SELECT max(sample_id) AS samples FROM value), value`,
		`INSERT INTO load SELECT sample_id + n * samples, pass, ` + loadColumns + `
			FROM n, (SELECT max(sample_id) AS samples FROM load), load`,
	} {
		exec(strings.Replace(copying, " SELECT", " SELECT * FROM ("+numbers+"SELECT", 1)+")", copies)
	}
}

// relax gives up safety against power cuts, so that filling a store for a
// benchmark does not take hours.
func relax(b *testing.B, s *Store) {
	b.Helper()
	if _, err := s.write.Exec("PRAGMA synchronous = OFF"); err != nil {
		b.Fatal(err)
	}
}
