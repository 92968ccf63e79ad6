package store

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"

	"versweep/sweep"
)

// saveVersions adds a new sweep's versions in the order given. Two of one name
// are refused, since a sample could not say which it belongs to.
func saveVersions(ctx context.Context, tx *sql.Tx, sweepID int64, versions []sweep.Version) error {
	add, err := tx.PrepareContext(ctx, `
		INSERT INTO version (sweep_id, ordinal, name, raw, source, line, prerelease, git_commit, digest)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`)
	if err != nil {
		return err
	}
	defer add.Close()
	for i, v := range versions {
		_, err := add.ExecContext(ctx, sweepID, i, v.Name, v.Raw, v.Source, v.Line, v.Prerelease, optional(v.Commit), optional(v.Digest))
		if isDuplicate(err) {
			return fmt.Errorf("version %s is in the plan twice", v.Name)
		}
		if err != nil {
			return fmt.Errorf("version %s: %w", v.Name, err)
		}
	}
	return nil
}

// loadVersions reads a sweep's versions in version order, those at places or
// all when that is nil.
func loadVersions(ctx context.Context, tx *sql.Tx, sweepID int64, places []int) ([]sweep.Version, error) {
	var versions []sweep.Version
	err := each(ctx, tx, func(scan func(...any) error) error {
		var v sweep.Version
		var commit, digest sql.NullString
		if err := scan(&v.Name, &v.Raw, &v.Source, &v.Line, &v.Prerelease, &commit, &digest); err != nil {
			return err
		}
		v.Commit, v.Digest = commit.String, digest.String
		versions = append(versions, v)
		return nil
	}, `SELECT name, raw, source, line, prerelease, git_commit, digest
		FROM version WHERE sweep_id = ?`+among(places)+` ORDER BY ordinal`, sweepID)
	return versions, err
}

// versionOrdinal is the place of a version in its sweep's plan. It fails with
// ErrNoSweep when there is no such sweep.
func versionOrdinal(ctx context.Context, tx *sql.Tx, sweepID int64, name string) (int64, error) {
	var ordinal sql.NullInt64
	err := tx.QueryRowContext(ctx, `
		SELECT version.ordinal FROM sweep
		LEFT JOIN version ON version.sweep_id = sweep.id AND version.name = ?
		WHERE sweep.id = ?`, name, sweepID).Scan(&ordinal)
	if err != nil {
		return 0, noSweep(err)
	}
	if !ordinal.Valid {
		return 0, fmt.Errorf("version %q is not in the plan", name)
	}
	return ordinal.Int64, nil
}

// among is the condition that a row belongs to one of the places of a plan; empty
// for nil, which is all of them.
func among(places []int) string {
	if places == nil {
		return ""
	}
	var b strings.Builder
	for i, place := range places {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(place))
	}
	return " AND ordinal IN (" + b.String() + ")"
}
