package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"versweep/sweep"
)

// acknowledgementsSince is the schema that brought the table.
const acknowledgementsSince = 2

// SetState keeps what was made of a finding, in place of what was made of it
// before. The state Open forgets it, known or not; others than Open,
// Acknowledged and Expected are for judging to find and are refused. At is now,
// whatever a says.
func (s *Store) SetState(ctx context.Context, a sweep.Acknowledgement, now time.Time) error {
	doing := fmt.Sprintf("marking finding %s of %s as %s", a.ID, a.Target, a.State)
	return s.change(ctx, doing, func(tx *sql.Tx) error {
		switch a.State {
		case sweep.Open:
			_, err := tx.ExecContext(ctx, "DELETE FROM acknowledgement WHERE target = ? AND finding = ?", a.Target, a.ID)
			return err
		case sweep.Acknowledged, sweep.Expected:
		default:
			return fmt.Errorf("%q is no state that a finding can be given", string(a.State))
		}
		_, err := tx.ExecContext(ctx, `
			INSERT OR REPLACE INTO acknowledgement
				(target, finding, metric, from_version, to_version, verdict, state, note, at_ns)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			a.Target, a.ID, a.Metric, a.From, a.To, string(a.Verdict), string(a.State), optional(a.Note), now.UnixNano())
		return err
	})
}

// Acknowledgements lists what was made of a target's findings, the oldest
// first, times in UTC; of all targets' when target is empty. None is no error.
func (s *Store) Acknowledgements(ctx context.Context, target string) ([]sweep.Acknowledgement, error) {
	if s.schema < acknowledgementsSince {
		return nil, nil
	}
	var list []sweep.Acknowledgement
	err := s.look(ctx, "reading acknowledgements", func(tx *sql.Tx) error {
		return each(ctx, tx, func(scan func(...any) error) error {
			var a sweep.Acknowledgement
			var note sql.NullString
			var at sql.NullInt64
			if err := scan(&a.ID, &a.Target, &a.Metric, &a.From, &a.To, &a.Verdict, &a.State, &note, &at); err != nil {
				return err
			}
			a.Note, a.At = note.String, moment(at)
			list = append(list, a)
			return nil
		}, `
		SELECT finding, target, metric, from_version, to_version, verdict, state, note, at_ns
		FROM acknowledgement
		WHERE ?1 = '' OR target = ?1
		ORDER BY at_ns, target, finding`, target)
	})
	return list, err
}
