package store

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
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

// BenchmarkMillionSamples reads from a store of 1,000 nights: what a table
// needs, and the list of all sweeps.
func BenchmarkMillionSamples(b *testing.B) {
	if testing.Short() {
		b.Skip("filling the store takes a minute")
	}
	s := fresh(b)
	relax(b, s)
	const sweeps, versions, rounds = 1000, 40, 25
	bare := kinds(rand.New(rand.NewPCG(1, 2)))["bare"]
	first, samples := fill(b, s, 1, versions, rounds, bare)
	var names []string
	for i := range versions {
		names = append(names, fmt.Sprintf("%d.0.0", i))
	}
	for n := 1; n < sweeps; n++ {
		id := begin(b, s, names...).ID
		for _, copying := range []string{
			`INSERT INTO sample SELECT id + ?1, ?2, ordinal, round, position, twin, status, reason, log, started_ns, attempt
				FROM sample WHERE sweep_id = ?3`,
			`INSERT INTO value SELECT sample_id + ?1, metric_id, value FROM value WHERE sample_id <= ?1 / ?4`,
		} {
			if _, err := s.write.Exec(copying, n*samples, id, first, n); err != nil {
				b.Fatal(err)
			}
		}
	}
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

// relax gives up safety against power cuts, so that filling a store for a
// benchmark does not take hours.
func relax(b *testing.B, s *Store) {
	b.Helper()
	if _, err := s.write.Exec("PRAGMA synchronous = OFF"); err != nil {
		b.Fatal(err)
	}
}
