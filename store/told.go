package store

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"strings"

	"versweep/sweep"
	"versweep/sweep/nightly"
)

// findingColumns are what told and suspicion keep of a finding besides its id, in
// the order of findingRow's fields.
const findingColumns = "kind, metric, from_version, to_version, verdict, finding_state, change, lo, hi, confidence, place_lo, place_hi"

// findingRow is a finding as it is kept.
type findingRow struct {
	kind, metric, from, to, verdict, state sql.NullString
	change, lo, hi, confidence             sql.NullFloat64
	placeLo, placeHi                       sql.NullString
}

func (r *findingRow) fields() []any {
	return []any{&r.kind, &r.metric, &r.from, &r.to, &r.verdict, &r.state, &r.change, &r.lo, &r.hi, &r.confidence, &r.placeLo, &r.placeHi}
}

func newFindingRow(f sweep.Finding) findingRow {
	text := func(s string) sql.NullString { return sql.NullString{String: s, Valid: true} }
	number := func(v float64) sql.NullFloat64 {
		return sql.NullFloat64{Float64: v, Valid: !math.IsNaN(v) && !math.IsInf(v, 0)}
	}
	return findingRow{
		text(string(f.Kind)), text(f.Metric.Key), text(f.From), text(f.To), text(string(f.Verdict)), text(string(f.State)),
		number(f.Change), number(f.Lo), number(f.Hi), number(f.Confidence), text(f.PlaceLo), text(f.PlaceHi),
	}
}

// finding is the finding that was kept under an id. A metric that this program
// does not know has its key only.
func (r findingRow) finding(id string) sweep.Finding {
	number := func(v sql.NullFloat64) float64 {
		if !v.Valid {
			return math.NaN()
		}
		return v.Float64
	}
	m, known := sweep.MetricByKey(r.metric.String)
	if !known {
		m = sweep.Metric{Key: r.metric.String, Title: r.metric.String}
	}
	return sweep.Finding{
		ID: id, Kind: sweep.Kind(r.kind.String), Metric: m, From: r.from.String, To: r.to.String,
		Verdict: sweep.Verdict(r.verdict.String), State: sweep.State(r.state.String),
		Change: number(r.change), Lo: number(r.lo), Hi: number(r.hi), Confidence: number(r.confidence),
		PlaceLo: r.placeLo.String, PlaceHi: r.placeHi.String,
	}
}

// marks are n question marks for a statement.
func marks(n int) string { return strings.TrimSuffix(strings.Repeat("?, ", n), ", ") }

// SaveTold keeps what has been told of a target in place of all that was kept of
// it before.
func (s *Store) SaveTold(ctx context.Context, target string, list []nightly.Told) error {
	return s.change(ctx, "keeping what was told of "+target, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "DELETE FROM told WHERE target = ?", target); err != nil {
			return err
		}
		for _, t := range list {
			var row findingRow
			var id sql.NullString
			if t.Finding != nil {
				row, id = newFindingRow(*t.Finding), optional(t.Finding.ID)
			}
			args := append([]any{
				target, t.Key, string(t.State), t.Since.UnixNano(), t.At.UnixNano(),
				optional(t.Newest), optional(t.Version), optional(t.Reason), id,
			}, row.fields()...)
			_, err := tx.ExecContext(ctx, "INSERT INTO told (target, key, state, since_ns, at_ns, newest, missing, reason, finding, "+findingColumns+
				") VALUES ("+marks(len(args))+")", args...)
			if err != nil {
				return fmt.Errorf("%s: %w", t.Key, err)
			}
		}
		return nil
	})
}

// Told lists what was last told of a target, by key. None is no error.
func (s *Store) Told(ctx context.Context, target string) ([]nightly.Told, error) {
	if s.schema < nightsSince {
		return nil, nil
	}
	var list []nightly.Told
	err := s.look(ctx, "reading what was told of "+target, func(tx *sql.Tx) error {
		return each(ctx, tx, func(scan func(...any) error) error {
			t := nightly.Told{Target: target}
			var row findingRow
			var since, at sql.NullInt64
			var newest, version, reason, finding sql.NullString
			if err := scan(append([]any{&t.Key, &t.State, &since, &at, &newest, &version, &reason, &finding}, row.fields()...)...); err != nil {
				return err
			}
			t.Since, t.At, t.Newest, t.Version, t.Reason = moment(since), moment(at), newest.String, version.String, reason.String
			if finding.Valid {
				f := row.finding(finding.String)
				t.Finding = &f
			}
			list = append(list, t)
			return nil
		}, "SELECT key, state, since_ns, at_ns, newest, missing, reason, finding, "+findingColumns+" FROM told WHERE target = ? ORDER BY key", target)
	})
	return list, err
}

// SaveSuspicions keeps these suspicions of a target in place of all others.
func (s *Store) SaveSuspicions(ctx context.Context, target string, list []nightly.Suspicion) error {
	return s.change(ctx, "keeping what is suspected of "+target, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "DELETE FROM suspicion WHERE target = ?", target); err != nil {
			return err
		}
		for _, u := range list {
			row := newFindingRow(u.Finding)
			args := append([]any{
				target, u.Finding.ID, string(u.Standing), u.Since.UnixNano(), u.Tries,
				sql.NullInt64{Int64: u.Sweep, Valid: u.Sweep != 0}, optional(u.Seen),
			}, row.fields()...)
			_, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO suspicion (target, finding, standing, since_ns, tries, sweep_id, seen, "+findingColumns+
				") VALUES ("+marks(len(args))+")", args...)
			if err != nil {
				return fmt.Errorf("%s: %w", u.Finding.ID, err)
			}
		}
		return nil
	})
}

// Suspicions lists what is, or was, suspected of a target, the oldest first. None
// is no error.
func (s *Store) Suspicions(ctx context.Context, target string) ([]nightly.Suspicion, error) {
	if s.schema < nightsSince {
		return nil, nil
	}
	var list []nightly.Suspicion
	err := s.look(ctx, "reading what is suspected of "+target, func(tx *sql.Tx) error {
		return each(ctx, tx, func(scan func(...any) error) error {
			u := nightly.Suspicion{Target: target}
			var row findingRow
			var id string
			var since, sweepID sql.NullInt64
			var seen sql.NullString
			if err := scan(append([]any{&id, &u.Standing, &since, &u.Tries, &sweepID, &seen}, row.fields()...)...); err != nil {
				return err
			}
			u.Finding, u.Since, u.Sweep, u.Seen = row.finding(id), moment(since), sweepID.Int64, seen.String
			list = append(list, u)
			return nil
		}, "SELECT finding, standing, since_ns, tries, sweep_id, seen, "+findingColumns+" FROM suspicion WHERE target = ? ORDER BY since_ns, finding", target)
	})
	return list, err
}
