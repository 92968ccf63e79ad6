package store

import (
	"context"
	"database/sql"

	"versweep/sweep"
)

// Pending is what unfinished sweeps need to go on.
type Pending struct {
	Sweeps int
	Builds []sweep.Build
}

// Pending tells it.
func (s *Store) Pending(ctx context.Context) (p Pending, err error) {
	err = s.look(ctx, "looking for unfinished sweeps", func(tx *sql.Tx) error {
		if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM sweep WHERE finished_ns IS NULL").Scan(&p.Sweeps); err != nil {
			return err
		}
		return each(ctx, tx, func(scan func(...any) error) error {
			var version string
			var dir, runtime, base, image sql.NullString
			if err := scan(&version, &dir, &runtime, &base, &image); err != nil {
				return err
			}
			p.Builds = append(p.Builds, sweep.Build{Version: version, Dir: dir.String, Runtime: runtime.String, Base: base.String, Image: image.String})
			return nil
		}, `
			SELECT version, dir, runtime, base, image FROM build
			WHERE sweep_id IN (SELECT id FROM sweep WHERE finished_ns IS NULL)
			ORDER BY sweep_id, ordinal`)
	})
	return p, err
}
