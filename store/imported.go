package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"versweep/sweep"
)

// Imported is what became of a sweep that another tool measured.
type Imported struct {
	ID      int64     // in the store
	Already bool      // the same file was imported into the same series before, as ID
	At      time.Time // when ID was imported, in UTC
}

// ImportSweeps stores sweeps that another tool measured, each finished, with
// its outcomes and samples: all or none of them, in one transaction. Their IDs,
// times of creation and samples' IDs are not looked at.
//
// A sweep whose series has one of the same Foreign.Digest is not stored again,
// unless again says so. The answers are in the order of sweeps.
//
// It fails when a plan has no Foreign, and otherwise as CreateSweep, SaveOutcome
// and SaveSample do.
func (s *Store) ImportSweeps(ctx context.Context, sweeps []sweep.Sweep, again bool, now time.Time) ([]Imported, error) {
	answers := make([]Imported, len(sweeps))
	err := s.change(ctx, "importing", func(tx *sql.Tx) error {
		for i, sw := range sweeps {
			var err error
			if answers[i], err = importSweep(ctx, tx, sw, again, now); err != nil {
				return fmt.Errorf("%s: %w", sw.Plan.Target, err)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return answers, nil
}

func importSweep(ctx context.Context, tx *sql.Tx, sw sweep.Sweep, again bool, now time.Time) (Imported, error) {
	if sw.Plan.Foreign == nil {
		return Imported{}, errors.New("the plan does not say where it comes from")
	}
	seriesID, err := saveSeries(ctx, tx, sw.Plan, sw.Environment)
	if err != nil {
		return Imported{}, err
	}
	if !again {
		was, err := importedBefore(ctx, tx, seriesID, sw.Plan.Foreign.Digest)
		if err != nil || was.Already {
			return was, err
		}
	}
	id, err := insertSweep(ctx, tx, seriesID, sw.Plan, now)
	if err != nil {
		return Imported{}, err
	}
	ordinals := make(map[string]int, len(sw.Plan.Versions))
	for i, v := range sw.Plan.Versions {
		ordinals[v.Name] = i
	}
	for _, o := range sw.Outcomes {
		ordinal, ok := ordinals[o.Version]
		if !ok {
			return Imported{}, fmt.Errorf("version %q is not in the plan", o.Version)
		}
		if err := insertOutcome(ctx, tx, id, int64(ordinal), o); err != nil {
			return Imported{}, fmt.Errorf("the outcome of %s: %w", o.Version, err)
		}
	}
	if err := importSamples(ctx, tx, id, ordinals, sw.Samples); err != nil {
		return Imported{}, err
	}
	_, err = tx.ExecContext(ctx, "UPDATE sweep SET finished_ns = ? WHERE id = ?", now.UnixNano(), id)
	return Imported{ID: id, At: time.Unix(0, now.UnixNano()).UTC()}, err
}

// importedBefore looks for the first import of a file into a series.
func importedBefore(ctx context.Context, tx *sql.Tx, seriesID int64, digest string) (Imported, error) {
	was := Imported{Already: true}
	var at sql.NullInt64
	err := tx.QueryRowContext(ctx, `
		SELECT id, created_ns FROM sweep
		WHERE series_id = ? AND plan ->> '$.foreign.digest' = ?
		ORDER BY id LIMIT 1`, seriesID, digest).Scan(&was.ID, &at)
	if errors.Is(err, sql.ErrNoRows) {
		return Imported{}, nil
	}
	was.At = moment(at)
	return was, err
}

// importSamples saves samples that hold values only. It prepares each statement
// once: a file may have a million of them.
func importSamples(ctx context.Context, tx *sql.Tx, sweepID int64, ordinals map[string]int, samples []sweep.Sample) error {
	addSample, err := tx.PrepareContext(ctx, insertSampleSQL)
	if err != nil {
		return err
	}
	defer addSample.Close()
	addValue, err := tx.PrepareContext(ctx, "INSERT INTO value (sample_id, metric_id, value) VALUES (?, ?, ?)")
	if err != nil {
		return err
	}
	defer addValue.Close()
	metrics := map[string]int64{}
	for i := range samples {
		m := &samples[i]
		ordinal, ok := ordinals[m.Version]
		if !ok {
			return fmt.Errorf("version %q is not in the plan", m.Version)
		}
		id, err := insertSample(ctx, addSample, sweepID, int64(ordinal), m)
		if err != nil {
			return fmt.Errorf("round %d of %s: %w", m.Round, m.Version, err)
		}
		for _, key := range slices.Sorted(maps.Keys(m.Values)) {
			v, err := finite(m.Values[key])
			if err != nil {
				return fmt.Errorf("round %d of %s: %s: %w", m.Round, m.Version, key, err)
			}
			if _, known := metrics[key]; !known {
				if metrics[key], err = saveMetric(ctx, tx, key); err != nil {
					return fmt.Errorf("%s: %w", key, err)
				}
			}
			if _, err := addValue.ExecContext(ctx, id, metrics[key], v); err != nil {
				return fmt.Errorf("round %d of %s: %s: %w", m.Round, m.Version, key, err)
			}
		}
	}
	return nil
}

// saveMetric finds a metric's id, adding it when it is new.
func saveMetric(ctx context.Context, tx *sql.Tx, key string) (id int64, err error) {
	if _, err := tx.ExecContext(ctx, "INSERT INTO metric (key) VALUES (?) ON CONFLICT (key) DO NOTHING", key); err != nil {
		return 0, err
	}
	err = tx.QueryRowContext(ctx, "SELECT id FROM metric WHERE key = ?", key).Scan(&id)
	return id, err
}
