package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"versweep/sweep"
)

// nightsSince is the schema that brought nights, and what they have told.
const nightsSince = 5

// Night is one nightly run.
type Night struct {
	ID           int64
	Began, Ended time.Time // UTC; Ended is zero while it goes on, when it was killed, or could not tell that nights were missed
}

// BeginNight adds a night that begins now.
func (s *Store) BeginNight(ctx context.Context, now time.Time) (Night, error) {
	n := Night{Began: time.Unix(0, now.UnixNano()).UTC()}
	err := s.change(ctx, "beginning a night", func(tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, "INSERT INTO night (began_ns) VALUES (?)", now.UnixNano())
		if err == nil {
			n.ID, err = res.LastInsertId()
		}
		return err
	})
	if err != nil {
		return Night{}, err
	}
	return n, nil
}

// EndNight marks a night as carried out to its end. The first time counts.
func (s *Store) EndNight(ctx context.Context, id int64, now time.Time) error {
	return s.change(ctx, fmt.Sprintf("ending night %d", id), func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE night SET ended_ns = coalesce(ended_ns, ?) WHERE id = ?", now.UnixNano(), id)
		return err
	})
}

// Nights lists nights, the one begun last first: limit of them, or all when it
// is 0. None is no error.
func (s *Store) Nights(ctx context.Context, limit int) ([]Night, error) {
	if s.schema < nightsSince {
		return nil, nil
	}
	if limit <= 0 {
		limit = -1 // SQL's "all"
	}
	var list []Night
	err := s.look(ctx, "listing nights", func(tx *sql.Tx) error {
		return each(ctx, tx, func(scan func(...any) error) error {
			var n Night
			var began, ended sql.NullInt64
			if err := scan(&n.ID, &began, &ended); err != nil {
				return err
			}
			n.Began, n.Ended = moment(began), moment(ended)
			list = append(list, n)
			return nil
		}, "SELECT id, began_ns, ended_ns FROM night ORDER BY id DESC LIMIT ?", limit)
	})
	return list, err
}

// Attempts reads what a night needs of the sweeps of a target, the one begun first
// first: what judging needs, as Recent does, and of each sweep the versions that
// could not be had, whose failures in a row decide when they are tried again.
func (s *Store) Attempts(ctx context.Context, target string) (sweeps []sweep.Sweep, err error) {
	err = s.look(ctx, "reading the sweeps of "+target, func(tx *sql.Tx) error {
		list, err := s.glances(ctx, tx, target)
		if err != nil {
			return fmt.Errorf("what they hold: %w", err)
		}
		shares, _ := sweep.Recent(list, sweep.Span{})
		at := make(map[int64]int, len(shares)) // sweep to place among shares
		for i, share := range shares {
			at[share.ID] = i
		}
		err = each(ctx, tx, func(scan func(...any) error) error {
			var id int64
			var ordinal int
			if err := scan(&id, &ordinal); err != nil {
				return err
			}
			i, known := at[id]
			switch {
			case !known:
				at[id] = len(shares)
				shares = append(shares, sweep.Share{ID: id, Places: []int{ordinal}})
			case shares[i].Places != nil && !slices.Contains(shares[i].Places, ordinal):
				shares[i].Places = append(shares[i].Places, ordinal)
			}
			return nil
		}, `
		SELECT outcome.sweep_id, outcome.ordinal
		FROM outcome JOIN sweep ON sweep.id = outcome.sweep_id JOIN series ON series.id = sweep.series_id
		WHERE series.target = ? AND outcome.reason IS NOT NULL`+s.ordinary()+`
		ORDER BY outcome.sweep_id, outcome.ordinal`, target)
		if err != nil {
			return fmt.Errorf("what could not be had: %w", err)
		}
		slices.SortFunc(shares, func(x, y sweep.Share) int { return cmp.Compare(x.ID, y.ID) })
		sweeps, err = loadShares(ctx, tx, shares)
		return err
	})
	return sweeps, err
}

// UnfinishedNightly reads the unfinished sweeps that nights began, oldest first,
// as LoadSweep does. None is no error.
func (s *Store) UnfinishedNightly(ctx context.Context) ([]sweep.Sweep, error) {
	return s.loadAll(ctx, "looking for unfinished sweeps", `
		SELECT id FROM sweep WHERE finished_ns IS NULL AND json_extract(plan, '$.night') > 0 ORDER BY id DESC`)
}
