package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"versweep/sweep"
	"versweep/sweep/load"
)

// SaveSample saves a sample with all its values, counts and its histogram, whole
// or not at all, and sets its ID. Once it returns, neither a kill nor a power
// cut loses the sample.
//
// It fails with ErrDuplicate when the sweep has a sample of that round, version,
// twin and attempt already; with ErrNoSweep; or when the version is not in the plan. A
// value that is NaN or infinite is refused with ErrNotFinite naming the metric:
// taking it for "unknown" would hide a fault of whoever computed it. −0 is
// stored as 0.
func (s *Store) SaveSample(ctx context.Context, sweepID int64, sample *sweep.Sample) error {
	label := sample.Version
	if sample.Twin {
		label += " (twin)"
	}
	doing := fmt.Sprintf("saving round %d of %s of sweep %d", sample.Round, label, sweepID)
	var id int64
	err := s.change(ctx, doing, func(tx *sql.Tx) (err error) {
		ordinal, err := versionOrdinal(ctx, tx, sweepID, sample.Version)
		if err != nil {
			return err
		}
		add, err := tx.PrepareContext(ctx, insertSampleSQL)
		if err != nil {
			return err
		}
		defer add.Close()
		if id, err = insertSample(ctx, add, sweepID, ordinal, sample); err != nil {
			return err
		}
		if err := saveValues(ctx, tx, id, sample.Values); err != nil {
			return err
		}
		if err := saveMarks(ctx, tx, id, sample.Marks); err != nil {
			return err
		}
		for pass, result := range passes(sample) {
			if *result == nil {
				continue
			}
			if err := saveLoad(ctx, tx, id, pass, *result); err != nil {
				return err
			}
			if err := saveHistograms(ctx, tx, id, pass, *result); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		sample.ID = id
	}
	return err
}

const insertSampleSQL = `
	INSERT INTO sample (sweep_id, ordinal, round, position, twin, attempt, status, reason, log, started_ns)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

// insertSample adds a sample's row by the statement insertSampleSQL.
func insertSample(ctx context.Context, add *sql.Stmt, sweepID, ordinal int64, sample *sweep.Sample) (int64, error) {
	res, err := add.ExecContext(ctx,
		sweepID, ordinal, sample.Round, sample.Position, sample.Twin, sample.Attempt, string(sample.Status),
		optional(sample.Reason), joinLog(sample.Log), nanoseconds(sample.Started))
	if isDuplicate(err) {
		return 0, ErrDuplicate
	}
	if err != nil {
		return 0, err
	}
	return res.LastInsertId()
}

func saveValues(ctx context.Context, tx *sql.Tx, sampleID int64, values map[string]float64) error {
	if len(values) == 0 {
		return nil
	}
	add, err := tx.PrepareContext(ctx, "INSERT INTO value (sample_id, metric_id, value) SELECT ?, id, ? FROM metric WHERE key = ?")
	if err != nil {
		return err
	}
	defer add.Close()
	for _, key := range slices.Sorted(maps.Keys(values)) {
		v, err := finite(values[key])
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		res, err := add.ExecContext(ctx, sampleID, v, key)
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		if n, err := res.RowsAffected(); err != nil {
			return err
		} else if n == 1 {
			continue
		}
		// The first value of this metric in the store.
		if _, err := tx.ExecContext(ctx, "INSERT INTO metric (key) VALUES (?)", key); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		if _, err := add.ExecContext(ctx, sampleID, v, key); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	return nil
}

// finite refuses NaN and infinities and turns −0 into 0.
func finite(v float64) (float64, error) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("%v is %w", v, ErrNotFinite)
	}
	return v + 0, nil
}

// loadSamples reads a sweep's samples in the order in which they were saved,
// without histograms. places are as those of loadVersions.
func loadSamples(ctx context.Context, tx *sql.Tx, sweepID int64, places []int) ([]sweep.Sample, error) {
	var samples []sweep.Sample
	at := map[int64]int{} // id to place in samples
	marked, err := hasMarks(ctx, tx)
	if err != nil {
		return nil, err
	}
	attempt := "0"
	if marked {
		attempt = "sample.attempt"
	}
	err = each(ctx, tx, func(scan func(...any) error) error {
		var m sweep.Sample
		var reason, log sql.NullString
		var started sql.NullInt64
		err := scan(&m.ID, &m.Round, &m.Position, &m.Version, &m.Twin, &m.Attempt, &m.Status, &reason, &log, &started)
		if err != nil {
			return err
		}
		m.Reason, m.Log, m.Started = reason.String, splitLog(log), moment(started)
		m.Values = map[string]float64{}
		at[m.ID] = len(samples)
		samples = append(samples, m)
		return nil
	}, `
		SELECT sample.id, sample.round, sample.position, version.name, sample.twin, `+attempt+`, sample.status,
			sample.reason, sample.log, sample.started_ns
		FROM sample JOIN version USING (sweep_id, ordinal)
		WHERE sweep_id = ?`+among(places)+` ORDER BY sample.id`, sweepID)
	if err != nil {
		return nil, err
	}
	find := func(id int64) (*sweep.Sample, error) {
		i, ok := at[id]
		if !ok {
			return nil, errors.New("numbers of a sample that is not there")
		}
		return &samples[i], nil
	}
	if err := loadValues(ctx, tx, sweepID, places, find); err != nil {
		return nil, fmt.Errorf("their values: %w", err)
	}
	if marked {
		err = loadMarks(ctx, tx, sweepID, places, find)
	}
	if err != nil {
		return nil, fmt.Errorf("their marks: %w", err)
	}
	err = eachLoad(ctx, tx, sweepID, places, func(id int64, pass int, r *load.Result) error {
		m, err := find(id)
		if err == nil {
			*passes(m)[pass] = r
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("their load: %w", err)
	}
	return samples, nil
}

func loadValues(ctx context.Context, tx *sql.Tx, sweepID int64, places []int, find func(int64) (*sweep.Sample, error)) error {
	keys := map[int64]string{}
	err := each(ctx, tx, func(scan func(...any) error) error {
		var id int64
		var key string
		err := scan(&id, &key)
		keys[id] = key
		return err
	}, "SELECT id, key FROM metric")
	if err != nil {
		return err
	}
	return each(ctx, tx, func(scan func(...any) error) error {
		var id, metric int64
		var v float64
		if err := scan(&id, &metric, &v); err != nil {
			return err
		}
		m, err := find(id)
		if err == nil {
			m.Values[keys[metric]] = v
		}
		return err
	}, `
		SELECT value.sample_id, value.metric_id, value.value
		FROM sample JOIN value ON value.sample_id = sample.id
		WHERE sample.sweep_id = ?`+among(places), sweepID)
}
