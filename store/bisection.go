package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"versweep/sweep"
)

// bisectionsSince is the schema that brought bisections.
const bisectionsSince = 4

// ErrNoBisection: there is no such bisection.
var ErrNoBisection = errors.New("no such bisection")

// Bisection is a search for the version or commit in which a metric changed. Its
// trials are sweeps of their own, which no reading of ordinary sweeps sees:
// their versions were chosen by what was measured before.
type Bisection struct {
	ID        int64
	PartOf    int64  // the bisection over versions that this one goes on from; 0 for none
	Target    string // its name
	Source    string // of the versions: "npm"
	Good, Bad string // version names
	Metric    string // key
	Effect    float64
	Options   json.RawMessage // what else decides how it goes
	Created   time.Time
	Finished  time.Time       // zero while it may be gone on with
	Answer    json.RawMessage // nil before that
}

// CreateBisection saves a new search and returns it with its ID.
func (s *Store) CreateBisection(ctx context.Context, b Bisection, now time.Time) (Bisection, error) {
	err := s.change(ctx, "saving a new bisection of "+b.Target, func(tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, `
			INSERT INTO bisection (part_of, target, source, good, bad, metric, effect, options, created_ns)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			sql.NullInt64{Int64: b.PartOf, Valid: b.PartOf != 0}, b.Target, b.Source, b.Good, b.Bad, b.Metric, b.Effect, string(b.Options), now.UnixNano())
		if err != nil {
			return err
		}
		b.ID, err = res.LastInsertId()
		return err
	})
	b.Created = time.Unix(0, now.UnixNano()).UTC()
	return b, err
}

// FinishBisection keeps the answer of a bisection and ends the claim to it. It
// fails with ErrNoBisection.
func (s *Store) FinishBisection(ctx context.Context, id int64, answer json.RawMessage, now time.Time) error {
	return s.change(ctx, fmt.Sprintf("finishing bisection %d", id), func(tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, "UPDATE bisection SET finished_ns = coalesce(finished_ns, ?), answer = ?, owner = NULL WHERE id = ?",
			now.UnixNano(), string(answer), id)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 1 {
			return err
		}
		return ErrNoBisection
	})
}

// BisectionFilter says which bisections to list. Those that are part of another
// are listed only by PartOf.
type BisectionFilter struct {
	ID         int64  // 0 for any
	PartOf     int64  // 0 for those that are part of none
	Target     string // empty for every target
	Unfinished bool   // only those that may be gone on with
}

// Bisections lists bisections, the one begun last first. None is no error.
func (s *Store) Bisections(ctx context.Context, f BisectionFilter) ([]Bisection, error) {
	if s.schema < bisectionsSince {
		return nil, nil
	}
	var list []Bisection
	err := s.look(ctx, "listing bisections", func(tx *sql.Tx) error {
		return each(ctx, tx, func(scan func(...any) error) error {
			var b Bisection
			var created, finished, partOf sql.NullInt64
			var options string
			var answer sql.NullString
			if err := scan(&b.ID, &partOf, &b.Target, &b.Source, &b.Good, &b.Bad, &b.Metric, &b.Effect, &options, &created, &finished, &answer); err != nil {
				return err
			}
			b.PartOf, b.Created, b.Finished, b.Options = partOf.Int64, moment(created), moment(finished), json.RawMessage(options)
			if answer.Valid {
				b.Answer = json.RawMessage(answer.String)
			}
			list = append(list, b)
			return nil
		}, `
		SELECT id, part_of, target, source, good, bad, metric, effect, options, created_ns, finished_ns, answer
		FROM bisection
		WHERE (?1 = 0 OR id = ?1) AND (?1 <> 0 OR coalesce(part_of, 0) = ?2)
			AND (?3 = '' OR target = ?3) AND (NOT ?4 OR finished_ns IS NULL)
		ORDER BY id DESC`, f.ID, f.PartOf, f.Target, f.Unfinished)
	})
	return list, err
}

// CreateTrial saves the plan of a bisection's trial, from 1, as CreateSweep does
// with an ordinary one. Each trial is once.
func (s *Store) CreateTrial(ctx context.Context, bisection int64, trial int, plan sweep.Plan, env sweep.Environment, now time.Time) (sweep.Sweep, error) {
	created := sweep.Sweep{Plan: plan, Environment: env, Created: time.Unix(0, now.UnixNano()).UTC()}
	err := s.change(ctx, fmt.Sprintf("saving trial %d of bisection %d", trial, bisection), func(tx *sql.Tx) error {
		seriesID, err := saveSeries(ctx, tx, plan, env)
		if err != nil {
			return err
		}
		if created.ID, err = insertSweep(ctx, tx, seriesID, plan, now); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "UPDATE sweep SET bisection_id = ?, trial = ? WHERE id = ?", bisection, trial, created.ID)
		if isDuplicate(err) {
			return ErrDuplicate
		}
		return err
	})
	if err != nil {
		return sweep.Sweep{}, err
	}
	return created, nil
}

// Trials reads all trials of a bisection in order, as LoadSweep does. None is no
// error.
func (s *Store) Trials(ctx context.Context, bisection int64) ([]sweep.Sweep, error) {
	if s.schema < bisectionsSince {
		return nil, nil
	}
	var trials []sweep.Sweep
	err := s.look(ctx, fmt.Sprintf("reading the trials of bisection %d", bisection), func(tx *sql.Tx) error {
		var ids []int64
		err := each(ctx, tx, func(scan func(...any) error) error {
			var id int64
			err := scan(&id)
			ids = append(ids, id)
			return err
		}, "SELECT id FROM sweep WHERE bisection_id = ? ORDER BY trial", bisection)
		if err != nil {
			return err
		}
		for _, id := range ids {
			sw, err := loadSweep(ctx, tx, id, nil)
			if err != nil {
				return fmt.Errorf("sweep %d: %w", id, err)
			}
			trials = append(trials, sw)
		}
		return nil
	})
	return trials, err
}

// BisectionOf is the bisection that a sweep is a trial of; 0 when it is an
// ordinary sweep, or none.
func (s *Store) BisectionOf(ctx context.Context, sweepID int64) (int64, error) {
	if s.schema < bisectionsSince {
		return 0, nil
	}
	var id sql.NullInt64
	err := s.look(ctx, fmt.Sprintf("reading sweep %d", sweepID), func(tx *sql.Tx) error {
		err := tx.QueryRowContext(ctx, "SELECT bisection_id FROM sweep WHERE id = ?", sweepID).Scan(&id)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		return err
	})
	return id.Int64, err
}

// ordinary is a condition of SQL, after others, that leaves out the trials of
// bisections.
func (s *Store) ordinary() string {
	if s.schema < bisectionsSince {
		return ""
	}
	return " AND sweep.bisection_id IS NULL"
}
