package store

import (
	"context"
	"database/sql"

	"versweep/sweep"
)

// Pending is what unfinished sweeps need to go on.
type Pending struct {
	Sweeps int
	Owners []string // processes that have claimed one, or a bisection; they may be gone
	Builds []sweep.Build
}

// Pending tells it.
func (s *Store) Pending(ctx context.Context) (p Pending, err error) {
	err = s.look(ctx, "looking for unfinished sweeps", func(tx *sql.Tx) error {
		err := each(ctx, tx, func(scan func(...any) error) error {
			var owner sql.NullString
			err := scan(&owner)
			p.Sweeps++
			if owner.Valid {
				p.Owners = append(p.Owners, owner.String)
			}
			return err
		}, "SELECT owner FROM sweep WHERE finished_ns IS NULL ORDER BY id")
		if err != nil {
			return err
		}
		if s.schema >= bisectionsSince { // trials have no owner of their own
			err := each(ctx, tx, func(scan func(...any) error) error {
				var owner string
				err := scan(&owner)
				p.Owners = append(p.Owners, owner)
				return err
			}, "SELECT owner FROM bisection WHERE finished_ns IS NULL AND owner IS NOT NULL ORDER BY id")
			if err != nil {
				return err
			}
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
