package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"versweep/sweep"
)

// thinningSince is the schema that brought the table.
const thinningSince = 6

// Thinness says how much of a sweep's raw data is gone. Figures, marks and
// reasons never go.
type Thinness int

const (
	Full        Thinness = iota // nothing
	LatencyOnly                 // histograms of service time and lateness
	Merged                      // and those of single samples: each version has one of all that count
	Bare                        // and those
)

// Ages say from when on raw data is thinned: that of sweeps finished before. The
// zero time never comes.
type Ages struct {
	LatencyOnly, Merged, Bare time.Time
	// Logs of builds and servers that failed are cut to their last lines.
	Logs time.Time
}

// wanted is how thin a sweep that was finished then is to be.
func (a Ages) wanted(finished time.Time) Thinness {
	switch {
	case finished.Before(a.Bare):
		return Bare
	case finished.Before(a.Merged):
		return Merged
	case finished.Before(a.LatencyOnly):
		return LatencyOnly
	}
	return Full
}

// Histograms counts some, with the bytes that they take.
type Histograms struct{ Sweeps, Count, Bytes int64 }

func (h *Histograms) add(count, bytes int64) {
	h.Sweeps++
	h.Count += count
	h.Bytes += bytes
}

// Thinning is what Thin does, or would do.
type Thinning struct {
	Kept    Histograms // as they are
	Extras  Histograms // samples whose service time and lateness go, of sweeps that keep their latency
	Merging Histograms // latencies that are merged; once it is done, without those that came out of it
	Into    Histograms // what comes out; Bytes are 0 until it is done
	Going   Histograms // that go, Extras apart
	Logs    int64      // that are cut
	LogSize int64      // bytes that they lose
}

// Nothing tells whether there is nothing to do.
func (t Thinning) Nothing() bool {
	return t.Extras.Count+t.Merging.Count+t.Going.Count+t.Logs == 0
}

// candidate is a sweep that has histograms.
type candidate struct {
	id       int64
	wanted   Thinness
	is       Thinness
	count    int64 // histograms of latency
	groups   int64 // of a version's label and pass
	bytes    int64 // of latencies
	extras   int64 // samples with other histograms
	overhead int64 // bytes of those
}

// PlanThinning says what Thin would do, and changes nothing.
func (s *Store) PlanThinning(ctx context.Context, ages Ages) (t Thinning, err error) {
	err = s.look(ctx, "looking for histograms to thin", func(tx *sql.Tx) error {
		list, err := s.candidates(ctx, tx, ages)
		if err != nil {
			return err
		}
		for _, c := range list {
			t.count(c)
		}
		logs, err := longLogs(ctx, tx, ages.Logs)
		for _, l := range logs {
			t.Logs++
			t.LogSize += int64(len(l.text) - len(l.short()))
		}
		return err
	})
	return t, err
}

func (t *Thinning) count(c candidate) {
	switch {
	case c.wanted == Bare:
		t.Going.add(c.count, c.bytes+c.overhead)
		return
	case c.wanted == Merged && c.is < Merged:
		t.Merging.add(c.count, c.bytes)
		t.Into.add(c.groups, 0)
	default:
		t.Kept.add(c.count, c.bytes)
	}
	if c.wanted >= LatencyOnly && c.extras > 0 {
		t.Extras.add(c.extras, c.overhead)
	}
}

// candidates lists the sweeps with histograms, the oldest first. Unfinished ones
// stay as they are.
func (s *Store) candidates(ctx context.Context, tx *sql.Tx, ages Ages) ([]candidate, error) {
	level := "0"
	if s.schema >= thinningSince {
		level = "coalesce((SELECT level FROM thinning WHERE thinning.sweep_id = sweep.id), 0)"
	}
	var list []candidate
	err := each(ctx, tx, func(scan func(...any) error) error {
		var c candidate
		var finished sql.NullInt64
		if err := scan(&c.id, &finished, &c.is, &c.count, &c.groups, &c.bytes, &c.extras, &c.overhead); err != nil {
			return err
		}
		if finished.Valid {
			c.wanted = ages.wanted(moment(finished))
		}
		list = append(list, c)
		return nil
	}, `
		SELECT sweep.id, sweep.finished_ns, `+level+`, count(latency), count(DISTINCT sample.ordinal * 4 + sample.twin * 2 + histogram.pass),
			coalesce(sum(length(latency)), 0), count(coalesce(service, lateness)),
			coalesce(sum(coalesce(length(service), 0) + coalesce(length(lateness), 0)), 0)
		FROM histogram
		JOIN sample ON sample.id = histogram.sample_id
		JOIN sweep ON sweep.id = sample.sweep_id
		GROUP BY sweep.id ORDER BY sweep.id`)
	return list, err
}

// Thin thins raw data by age. It goes sweep by sweep, each in a transaction of its
// own that is over in a moment, so that others can use the store meanwhile, and a
// kill leaves every sweep as it was or as it is to be. tell is called after each,
// with how many of how many are done; it may be nil. What was done before an error
// is in the answer.
func (s *Store) Thin(ctx context.Context, ages Ages, now time.Time, tell func(done, total int)) (Thinning, error) {
	var list []candidate
	var done Thinning
	err := s.look(ctx, "looking for histograms to thin", func(tx *sql.Tx) (err error) {
		list, err = s.candidates(ctx, tx, ages)
		return err
	})
	if err != nil {
		return done, err
	}
	for i, c := range list {
		if c.wanted == Full || c.wanted < c.is || c.wanted == c.is && c.extras == 0 {
			done.Kept.add(c.count, c.bytes)
			continue
		}
		err := s.thinSweep(ctx, c, now, &done)
		if errors.Is(err, ErrFull) && s.checkpoint(ctx) == nil {
			// What is in the file beside the store has its place in the store by now.
			err = s.thinSweep(ctx, c, now, &done)
		}
		if err != nil {
			return done, err
		}
		if tell != nil {
			tell(i+1, len(list))
		}
	}
	return done, s.cutLogs(ctx, ages.Logs, &done)
}

func (s *Store) thinSweep(ctx context.Context, c candidate, now time.Time, done *Thinning) error {
	doing := fmt.Sprintf("thinning the histograms of sweep %d", c.id)
	var merged []mergedHistogram
	if c.wanted == Merged && c.is < Merged {
		// Read and merged before the store is held: what is finished does not
		// change.
		err := s.look(ctx, doing, func(tx *sql.Tx) (err error) {
			merged, err = mergeHistograms(ctx, tx, c.id)
			return err
		})
		if err != nil {
			return err
		}
	}
	another := false
	err := s.change(ctx, doing, func(tx *sql.Tx) error {
		is, err := thinness(ctx, tx, c.id)
		if err != nil {
			return err
		}
		if another = is != c.is; another {
			return nil // another gc was here meanwhile
		}
		const ofSweep = "sample_id IN (SELECT id FROM sample WHERE sweep_id = ?)"
		statement := "UPDATE histogram SET service = NULL, lateness = NULL WHERE " + ofSweep + " AND coalesce(service, lateness) IS NOT NULL"
		if c.wanted == Bare || merged != nil {
			statement = "DELETE FROM histogram WHERE " + ofSweep
		}
		if _, err := tx.ExecContext(ctx, statement, c.id); err != nil {
			return err
		}
		for _, m := range merged {
			if _, err := tx.ExecContext(ctx, "INSERT INTO histogram (sample_id, pass, latency) VALUES (?, ?, ?)", m.sample, m.pass, m.latency); err != nil {
				return err
			}
		}
		_, err = tx.ExecContext(ctx, "INSERT OR REPLACE INTO thinning (sweep_id, level, at_ns) VALUES (?, ?, ?)", c.id, int(c.wanted), now.UnixNano())
		return err
	})
	if err != nil || another {
		return err
	}
	done.count(c)
	if merged != nil {
		done.Into.Count += int64(len(merged)) - c.groups // without those of spoilt samples
		for _, m := range merged {
			done.Into.Bytes += int64(len(m.latency))
		}
	}
	return nil
}

// Thinness tells how much of a sweep's raw data is gone.
func (s *Store) Thinness(ctx context.Context, id int64) (t Thinness, err error) {
	if s.schema < thinningSince {
		return Full, nil
	}
	err = s.look(ctx, fmt.Sprintf("reading what is kept of sweep %d", id), func(tx *sql.Tx) (err error) {
		t, err = thinness(ctx, tx, id)
		return err
	})
	return t, err
}

func thinness(ctx context.Context, tx *sql.Tx, id int64) (t Thinness, err error) {
	err = tx.QueryRowContext(ctx, "SELECT level FROM thinning WHERE sweep_id = ?", id).Scan(&t)
	if errors.Is(err, sql.ErrNoRows) {
		return Full, nil
	}
	return t, err
}

// counting are the samples among a version's that a merged histogram is made of,
// as tables sum them up: the last attempts that did not fail and were not spoilt;
// where all were spoilt, those.
func counting(samples []sweep.Sample) []sweep.Sample {
	var clean, spoilt []sweep.Sample
	for _, s := range sweep.LastAttempts(samples) {
		switch {
		case s.Status == sweep.Failed:
		case s.Spoilt():
			spoilt = append(spoilt, s)
		default:
			clean = append(clean, s)
		}
	}
	if len(clean) == 0 {
		return spoilt
	}
	return clean
}
