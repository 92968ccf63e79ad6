package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"versweep/sweep"
	"versweep/sweep/load"
)

// ProfileHash tells loads apart: 12 hex digits over everything but the name.
// It fails on a rate or step that is NaN or infinite.
func ProfileHash(p load.Profile) (string, error) {
	_, hash, err := identify(p)
	return hash, err
}

// identify gives a profile's JSON without its name, and the hash of it.
func identify(p load.Profile) (body []byte, hash string, err error) {
	p.Name = ""
	body, err = json.Marshal(p)
	if err != nil {
		return nil, "", err
	}
	sum := sha256.Sum256(body)
	return body, hex.EncodeToString(sum[:6]), nil
}

// SeriesReference is the name of the version that ties together the sweeps of
// the plan's target from its source, under its profile, in an environment; empty when none was chosen yet.
func (s *Store) SeriesReference(ctx context.Context, p sweep.Plan, env sweep.Environment) (string, error) {
	var reference sql.NullString
	err := s.look(ctx, "reading the reference of "+p.Target, func(tx *sql.Tx) error {
		hash, err := ProfileHash(p.Profile)
		if err != nil {
			return err
		}
		err = tx.QueryRowContext(ctx, `
			SELECT series.reference
			FROM series
			JOIN profile ON profile.id = series.profile_id
			JOIN environment ON environment.id = series.environment_id
			WHERE series.target = ? AND series.source = ? AND profile.hash = ? AND environment.hash = ?`,
			p.Target, p.Source, hash, env.Hash()).Scan(&reference)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		return err
	})
	return reference.String, err
}

// SetSeriesReference chooses a series' reference for good. The first choice
// wins: it returns the reference that counts, which is another one when some
// sweep, perhaps of another process, has chosen before.
func (s *Store) SetSeriesReference(ctx context.Context, p sweep.Plan, env sweep.Environment, version string) (string, error) {
	var kept string
	err := s.change(ctx, "choosing the reference of "+p.Target, func(tx *sql.Tx) error {
		id, err := saveSeries(ctx, tx, p, env)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "UPDATE series SET reference = ? WHERE id = ? AND reference IS NULL", version, id); err != nil {
			return err
		}
		return tx.QueryRowContext(ctx, "SELECT reference FROM series WHERE id = ?", id).Scan(&kept)
	})
	if err != nil {
		return "", err
	}
	return kept, nil
}

// saveSeries finds the series' id, making the series when it is new.
func saveSeries(ctx context.Context, tx *sql.Tx, p sweep.Plan, env sweep.Environment) (int64, error) {
	profileID, err := saveProfile(ctx, tx, p.Profile)
	if err != nil {
		return 0, fmt.Errorf("the profile: %w", err)
	}
	envID, err := saveEnvironment(ctx, tx, env)
	if err != nil {
		return 0, fmt.Errorf("the environment: %w", err)
	}
	_, err = tx.ExecContext(ctx, `
		INSERT INTO series (target, source, profile_id, environment_id) VALUES (?, ?, ?, ?)
		ON CONFLICT (target, source, profile_id, environment_id) DO NOTHING`, p.Target, p.Source, profileID, envID)
	if err != nil {
		return 0, err
	}
	var id int64
	err = tx.QueryRowContext(ctx, "SELECT id FROM series WHERE target = ? AND source = ? AND profile_id = ? AND environment_id = ?",
		p.Target, p.Source, profileID, envID).Scan(&id)
	return id, err
}

func saveProfile(ctx context.Context, tx *sql.Tx, p load.Profile) (int64, error) {
	body, hash, err := identify(p)
	if err != nil {
		return 0, err
	}
	_, err = tx.ExecContext(ctx, "INSERT INTO profile (hash, json) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING", hash, string(body))
	if err != nil {
		return 0, err
	}
	var id int64
	err = tx.QueryRowContext(ctx, "SELECT id FROM profile WHERE hash = ?", hash).Scan(&id)
	return id, err
}
