package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"versweep/sweep"
)

// CreateSweep saves a plan and what it will run on, and returns the sweep with
// its id, nothing carried out yet. The sweep shares the plan's slices. It
// leaves the series' reference alone: see SetSeriesReference.
func (s *Store) CreateSweep(ctx context.Context, plan sweep.Plan, env sweep.Environment, now time.Time) (sweep.Sweep, error) {
	return s.BeginSweep(ctx, plan, env, nil, "", now)
}

// BeginSweep saves a sweep whose builds are made, claimed by owner (see
// ClaimSweep) unless that is empty, all of it or nothing: a kill leaves no sweep
// that lacks versions. It is else as CreateSweep and SaveOutcome are.
func (s *Store) BeginSweep(ctx context.Context, plan sweep.Plan, env sweep.Environment, outcomes []sweep.Outcome, owner string, now time.Time) (sweep.Sweep, error) {
	created := sweep.Sweep{Plan: plan, Environment: env, Created: time.Unix(0, now.UnixNano()).UTC(), Outcomes: outcomes}
	if owner != "" {
		owner = s.signed(owner)
	}
	err := s.change(ctx, "saving a new sweep of "+plan.Target, func(tx *sql.Tx) error {
		seriesID, err := saveSeries(ctx, tx, plan, env)
		if err != nil {
			return err
		}
		if created.ID, err = insertSweep(ctx, tx, seriesID, plan, now); err != nil {
			return err
		}
		for _, o := range outcomes {
			ordinal, err := versionOrdinal(ctx, tx, created.ID, o.Version)
			if err == nil {
				err = insertOutcome(ctx, tx, created.ID, ordinal, o)
			}
			if err != nil {
				return fmt.Errorf("the outcome of %s: %w", o.Version, err)
			}
		}
		_, err = tx.ExecContext(ctx, "UPDATE sweep SET owner = ? WHERE id = ?", optional(owner), created.ID)
		return err
	})
	if err != nil {
		return sweep.Sweep{}, err
	}
	return created, nil
}

// insertSweep adds a sweep that nothing was carried out of yet.
func insertSweep(ctx context.Context, tx *sql.Tx, seriesID int64, plan sweep.Plan, now time.Time) (int64, error) {
	bare := plan
	bare.Versions = nil // they have a table of their own
	body, err := json.Marshal(bare)
	if err != nil {
		return 0, fmt.Errorf("the plan: %w", err)
	}
	res, err := tx.ExecContext(ctx, "INSERT INTO sweep (series_id, created_ns, plan) VALUES (?, ?, ?)",
		seriesID, now.UnixNano(), string(body))
	if err != nil {
		return 0, err
	}
	id, err := res.LastInsertId()
	if err != nil {
		return 0, err
	}
	return id, saveVersions(ctx, tx, id, plan.Versions)
}

// FinishSweep marks a sweep as carried out to its end. The first time counts.
// It fails with ErrNoSweep.
func (s *Store) FinishSweep(ctx context.Context, id int64, now time.Time) error {
	return s.change(ctx, fmt.Sprintf("finishing sweep %d", id), func(tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, "UPDATE sweep SET finished_ns = coalesce(finished_ns, ?), owner = NULL WHERE id = ?", now.UnixNano(), id)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 1 {
			return err
		}
		return ErrNoSweep
	})
}

// LoadSweep reads a sweep with its outcomes and samples as they are at this
// moment, times in UTC. Histograms are left out, being most of the bytes: see
// LoadHistograms. It fails with ErrNoSweep.
func (s *Store) LoadSweep(ctx context.Context, id int64) (sweep.Sweep, error) {
	var out sweep.Sweep
	err := s.look(ctx, fmt.Sprintf("reading sweep %d", id), func(tx *sql.Tx) (err error) {
		out, err = loadSweep(ctx, tx, id, nil)
		return err
	})
	return out, err
}

// LatestSweep reads the sweep of a target that was begun last, finished or not,
// as LoadSweep does. One that was stopped before it had a sample does not
// count, and one with published figures only where there is no other. Neither it nor
// what is below sees trials of bisections. It fails with ErrNoSweep.
func (s *Store) LatestSweep(ctx context.Context, target string) (sweep.Sweep, error) {
	return s.loadFirst(ctx, "looking for the latest sweep of "+target, `
		SELECT sweep.id FROM sweep
		JOIN series ON series.id = sweep.series_id
		WHERE series.target = ?
		AND (sweep.finished_ns IS NOT NULL OR EXISTS (SELECT 1 FROM sample WHERE sample.sweep_id = sweep.id))`+s.ordinary()+`
		ORDER BY series.source = 'published', sweep.id DESC LIMIT 1`, target)
}

// History reads the sweeps of a target that have samples, of all its series, as
// LoadSweep does: the one begun first first, and of many the last limit ones; 0
// is all. None is no error.
func (s *Store) History(ctx context.Context, target string, limit int) ([]sweep.Sweep, error) {
	if limit <= 0 {
		limit = -1 // SQL's "all"
	}
	return s.loadAll(ctx, "reading the sweeps of "+target, `
		SELECT sweep.id FROM sweep
		JOIN series ON series.id = sweep.series_id
		WHERE series.target = ? AND EXISTS (SELECT 1 FROM sample WHERE sample.sweep_id = sweep.id)`+s.ordinary()+`
		ORDER BY sweep.id DESC LIMIT ?`, target, limit)
}

// loadAll reads the sweeps whose ids a query gives, the last one first, in the
// opposite order.
func (s *Store) loadAll(ctx context.Context, doing, query string, args ...any) ([]sweep.Sweep, error) {
	var sweeps []sweep.Sweep
	err := s.look(ctx, doing, func(tx *sql.Tx) error {
		var ids []int64
		err := each(ctx, tx, func(scan func(...any) error) error {
			var id int64
			err := scan(&id)
			ids = append(ids, id)
			return err
		}, query, args...)
		if err != nil {
			return err
		}
		for _, id := range slices.Backward(ids) {
			sw, err := loadSweep(ctx, tx, id, nil)
			if err != nil {
				return fmt.Errorf("sweep %d: %w", id, err)
			}
			sweeps = append(sweeps, sw)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return sweeps, nil
}

// Targets lists the targets that have sweeps, by name. None is no error.
func (s *Store) Targets(ctx context.Context) ([]string, error) {
	var names []string
	err := s.look(ctx, "listing targets", func(tx *sql.Tx) error {
		return each(ctx, tx, func(scan func(...any) error) error {
			var name string
			err := scan(&name)
			names = append(names, name)
			return err
		}, `
		SELECT DISTINCT target FROM series
		WHERE EXISTS (SELECT 1 FROM sweep WHERE sweep.series_id = series.id`+s.ordinary()+`)
		ORDER BY target`)
	})
	return names, err
}

// loadFirst reads the sweep whose id a query gives. Ids tell the order of
// sweeps, since the clock may have been set back.
func (s *Store) loadFirst(ctx context.Context, doing, query string, args ...any) (sweep.Sweep, error) {
	var out sweep.Sweep
	err := s.look(ctx, doing, func(tx *sql.Tx) error {
		var id int64
		err := tx.QueryRowContext(ctx, query, args...).Scan(&id)
		if err != nil {
			return noSweep(err)
		}
		out, err = loadSweep(ctx, tx, id, nil)
		return err
	})
	return out, err
}

// loadSweep reads a sweep: the versions at these places of its plan, with their
// outcomes and samples, or all when places is nil.
func loadSweep(ctx context.Context, tx *sql.Tx, id int64, places []int) (sweep.Sweep, error) {
	out := sweep.Sweep{ID: id}
	var created, finished sql.NullInt64
	var plan, env []byte
	err := tx.QueryRowContext(ctx, `
		SELECT sweep.created_ns, sweep.finished_ns, sweep.plan, environment.json
		FROM sweep
		JOIN series ON series.id = sweep.series_id
		JOIN environment ON environment.id = series.environment_id
		WHERE sweep.id = ?`, id).Scan(&created, &finished, &plan, &env)
	if err != nil {
		return sweep.Sweep{}, noSweep(err)
	}
	out.Created, out.Finished = moment(created), moment(finished)
	if err := json.Unmarshal(plan, &out.Plan); err != nil {
		return sweep.Sweep{}, fmt.Errorf("the plan: %w", err)
	}
	if err := json.Unmarshal(env, &out.Environment); err != nil {
		return sweep.Sweep{}, fmt.Errorf("the environment: %w", err)
	}
	if out.Plan.Versions, err = loadVersions(ctx, tx, id, places); err != nil {
		return sweep.Sweep{}, fmt.Errorf("the versions: %w", err)
	}
	if out.Outcomes, err = loadOutcomes(ctx, tx, id, places); err != nil {
		return sweep.Sweep{}, fmt.Errorf("the outcomes: %w", err)
	}
	if out.Samples, err = loadSamples(ctx, tx, id, places); err != nil {
		return sweep.Sweep{}, fmt.Errorf("the samples: %w", err)
	}
	return out, nil
}

// Summary is a sweep in one line.
type Summary struct {
	ID       int64
	Target   string
	Created  time.Time
	Finished time.Time // zero while rounds are missing
	Versions int       // planned
	Outcomes int       // versions that were obtained or given up
	Samples  int
	Round    int // the highest that has a sample; 0 before the first
}

// Filter says which sweeps to list. The zero Filter lists all.
type Filter struct {
	Target     string // empty for every target
	Unfinished bool   // only those with rounds missing
	Sampled    bool   // only those with a sample
	Limit      int    // at most so many; 0 for all
}

// Sweeps lists sweeps, the one begun last first. None is no error.
func (s *Store) Sweeps(ctx context.Context, f Filter) ([]Summary, error) {
	limit := f.Limit
	if limit <= 0 {
		limit = -1 // SQL's "all"
	}
	var list []Summary
	err := s.look(ctx, "listing sweeps", func(tx *sql.Tx) error {
		return each(ctx, tx, func(scan func(...any) error) error {
			var m Summary
			var created, finished sql.NullInt64
			if err := scan(&m.ID, &m.Target, &created, &finished, &m.Versions, &m.Outcomes, &m.Samples, &m.Round); err != nil {
				return err
			}
			m.Created, m.Finished = moment(created), moment(finished)
			list = append(list, m)
			return nil
		}, `
		SELECT sweep.id, series.target, sweep.created_ns, sweep.finished_ns,
			(SELECT count(*) FROM version WHERE version.sweep_id = sweep.id),
			(SELECT count(*) FROM outcome WHERE outcome.sweep_id = sweep.id),
			(SELECT count(*) FROM sample WHERE sample.sweep_id = sweep.id),
			(SELECT coalesce(max(round), 0) FROM sample WHERE sample.sweep_id = sweep.id)
		FROM sweep
		JOIN series ON series.id = sweep.series_id
		WHERE (?1 = '' OR series.target = ?1) AND (NOT ?2 OR sweep.finished_ns IS NULL)
			AND (NOT ?4 OR EXISTS (SELECT 1 FROM sample WHERE sample.sweep_id = sweep.id))`+s.ordinary()+`
		ORDER BY sweep.id DESC LIMIT ?3`, f.Target, f.Unfinished, limit, f.Sampled)
	})
	return list, err
}

// noSweep is ErrNoSweep for a query that found nothing.
func noSweep(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return ErrNoSweep
	}
	return err
}
