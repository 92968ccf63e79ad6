package store

import (
	"context"
	"database/sql"
)

// Stamp is a short text that differs when something of a target changed that a
// judgement or a page shows: its sweeps, their outcomes and samples, and what was
// made of its findings. It costs little however much there is, since only
// unfinished sweeps grow.
func (s *Store) Stamp(ctx context.Context, target string) (stamp string, err error) {
	acknowledged := "'none'"
	if s.schema >= acknowledgementsSince {
		acknowledged = "(SELECT concat_ws(' ', count(*), max(at_ns), sum(at_ns % 1000000007)) FROM acknowledgement WHERE target = ?1)"
	}
	err = s.look(ctx, "looking for changes of "+target, func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, `
			WITH own AS (SELECT sweep.id, sweep.finished_ns FROM sweep JOIN series ON series.id = sweep.series_id WHERE series.target = ?1)
			SELECT concat_ws(' ',
				(SELECT concat_ws(' ', count(*), max(id), count(finished_ns)) FROM own),
				(SELECT count(*) FROM outcome WHERE sweep_id IN (SELECT id FROM own WHERE finished_ns IS NULL)),
				(SELECT max(id) FROM sample WHERE sweep_id IN (SELECT id FROM own WHERE finished_ns IS NULL)),
				`+acknowledged+`)`, target).Scan(&stamp)
	})
	return stamp, err
}
