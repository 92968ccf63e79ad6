package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"versweep/sweep"
)

// SaveOutcome saves what became of a version of a sweep, in place of what was
// saved for it before: a resumed sweep tries again what it could not have. It
// fails with ErrNoSweep, or when the version is not in the sweep's plan.
func (s *Store) SaveOutcome(ctx context.Context, sweepID int64, o sweep.Outcome) error {
	doing := fmt.Sprintf("saving the outcome of %s of sweep %d", o.Version, sweepID)
	return s.change(ctx, doing, func(tx *sql.Tx) error {
		ordinal, err := versionOrdinal(ctx, tx, sweepID, o.Version)
		if err != nil {
			return err
		}
		// The build and its components go with it.
		if _, err := tx.ExecContext(ctx, "DELETE FROM outcome WHERE sweep_id = ? AND ordinal = ?", sweepID, ordinal); err != nil {
			return err
		}
		return insertOutcome(ctx, tx, sweepID, ordinal, o)
	})
}

func insertOutcome(ctx context.Context, tx *sql.Tx, sweepID, ordinal int64, o sweep.Outcome) error {
	_, err := tx.ExecContext(ctx, "INSERT INTO outcome (sweep_id, ordinal, reason, log) VALUES (?, ?, ?, ?)",
		sweepID, ordinal, optional(o.Reason), joinLog(o.Log))
	if err != nil || noBuild(o.Build) {
		return err
	}
	return saveBuild(ctx, tx, sweepID, ordinal, o.Build)
}

// noBuild says whether b is zero.
func noBuild(b sweep.Build) bool {
	return b.Version == "" && b.Dir == "" && b.Runtime == "" && b.Base == "" && b.Image == "" && b.Digest == "" &&
		b.Bytes == 0 && len(b.Bundled) == 0 && !b.FromCache
}

func saveBuild(ctx context.Context, tx *sql.Tx, sweepID, ordinal int64, b sweep.Build) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO build (sweep_id, ordinal, version, dir, runtime, base, image, digest, size_bytes, from_cache)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		sweepID, ordinal, b.Version, optional(b.Dir), optional(b.Runtime), optional(b.Base), optional(b.Image), optional(b.Digest), b.Bytes, b.FromCache)
	if err != nil || len(b.Bundled) == 0 {
		return err
	}
	add, err := tx.PrepareContext(ctx, "INSERT INTO component (sweep_id, ordinal, name, version) VALUES (?, ?, ?, ?)")
	if err != nil {
		return err
	}
	defer add.Close()
	for _, name := range slices.Sorted(maps.Keys(b.Bundled)) {
		if _, err := add.ExecContext(ctx, sweepID, ordinal, name, b.Bundled[name]); err != nil {
			return fmt.Errorf("bundled %s: %w", name, err)
		}
	}
	return nil
}

// loadOutcomes reads a sweep's outcomes in version order. Build.Bundled is nil
// when there is nothing in it. places are as those of loadVersions.
func loadOutcomes(ctx context.Context, tx *sql.Tx, sweepID int64, places []int) ([]sweep.Outcome, error) {
	var outcomes []sweep.Outcome
	at := map[int64]int{} // ordinal to place in outcomes
	err := each(ctx, tx, func(scan func(...any) error) error {
		var ordinal int64
		var o sweep.Outcome
		var reason, log, version, dir, runtime, base, image, digest sql.NullString
		var size sql.NullInt64
		var cached sql.NullBool
		err := scan(&ordinal, &o.Version, &reason, &log, &version, &dir, &runtime, &base, &image, &digest, &size, &cached)
		if err != nil {
			return err
		}
		o.Reason, o.Log = reason.String, splitLog(log)
		o.Build = sweep.Build{
			Version: version.String, Dir: dir.String, Runtime: runtime.String, Base: base.String, Image: image.String, Digest: digest.String,
			Bytes: size.Int64, FromCache: cached.Bool,
		}
		at[ordinal] = len(outcomes)
		outcomes = append(outcomes, o)
		return nil
	}, `
		SELECT ordinal, version.name, outcome.reason, outcome.log,
			build.version, build.dir, build.runtime, build.base, build.image, build.digest, build.size_bytes, build.from_cache
		FROM outcome
		JOIN version USING (sweep_id, ordinal)
		LEFT JOIN build USING (sweep_id, ordinal)
		WHERE sweep_id = ?`+among(places)+` ORDER BY ordinal`, sweepID)
	if err != nil {
		return nil, err
	}
	err = each(ctx, tx, func(scan func(...any) error) error {
		var ordinal int64
		var name, version string
		if err := scan(&ordinal, &name, &version); err != nil {
			return err
		}
		i, ok := at[ordinal]
		if !ok {
			return errors.New("a component of a build that is not there")
		}
		b := &outcomes[i].Build
		if b.Bundled == nil {
			b.Bundled = map[string]string{}
		}
		b.Bundled[name] = version
		return nil
	}, "SELECT ordinal, name, version FROM component WHERE sweep_id = ?"+among(places), sweepID)
	return outcomes, err
}

// joinLog makes one text of log lines; NULL of none.
func joinLog(lines []string) sql.NullString {
	return sql.NullString{String: strings.Join(lines, "\n"), Valid: len(lines) > 0}
}

// splitLog undoes joinLog.
func splitLog(log sql.NullString) []string {
	if !log.Valid {
		return nil
	}
	return strings.Split(log.String, "\n")
}
