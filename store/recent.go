package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"versweep/sweep"
)

// Recent reads what a judgement needs of the sweeps of a target that have
// samples, of all its series, as LoadSweep does and the one begun first first;
// older counts the sweeps of which it needs nothing. Of some sweeps it reads some
// versions only, as if no others had been planned: see sweep.Recent. None is no
// error.
func (s *Store) Recent(ctx context.Context, target string, span sweep.Span) (sweeps []sweep.Sweep, older int, err error) {
	err = s.look(ctx, "reading the sweeps of "+target, func(tx *sql.Tx) error {
		list, err := s.glances(ctx, tx, target)
		if err != nil {
			return fmt.Errorf("what they hold: %w", err)
		}
		var shares []sweep.Share
		shares, older = sweep.Recent(list, span)
		sweeps, err = loadShares(ctx, tx, shares)
		return err
	})
	return sweeps, older, err
}

// Single reads all sweeps of a target that have samples of one of these versions,
// as LoadSweep does and the one begun first first, as if they had planned no
// others.
func (s *Store) Single(ctx context.Context, target string, versions ...string) (sweeps []sweep.Sweep, err error) {
	err = s.look(ctx, "reading the sweeps of "+target, func(tx *sql.Tx) error {
		list, err := s.glances(ctx, tx, target)
		if err != nil {
			return fmt.Errorf("what they hold: %w", err)
		}
		var shares []sweep.Share
		for _, g := range slices.Backward(list) {
			share := sweep.Share{ID: g.ID}
			for i, v := range g.Versions {
				if slices.Contains(versions, v.Name) {
					share.Places = append(share.Places, i)
				}
			}
			if len(share.Places) > 0 {
				shares = append(shares, share)
			}
		}
		sweeps, err = loadShares(ctx, tx, shares)
		return err
	})
	return sweeps, err
}

func loadShares(ctx context.Context, tx *sql.Tx, shares []sweep.Share) ([]sweep.Sweep, error) {
	sweeps := make([]sweep.Sweep, 0, len(shares))
	for _, share := range shares {
		sw, err := loadSweep(ctx, tx, share.ID, share.Places)
		if err != nil {
			return nil, fmt.Errorf("sweep %d: %w", share.ID, err)
		}
		sweeps = append(sweeps, sw)
	}
	return sweeps, nil
}

// glances lists a target's sweeps that have samples, the one begun last first.
// Versions are in version order, so that a place is an ordinal.
func (s *Store) glances(ctx context.Context, tx *sql.Tx, target string) ([]sweep.Glance, error) {
	var list []sweep.Glance
	at := map[int64]int{} // id to place in list
	err := each(ctx, tx, func(scan func(...any) error) error {
		var g sweep.Glance
		var created sql.NullInt64
		err := scan(&g.ID, &g.Kind, &created, &g.Reference)
		g.Created = moment(created)
		at[g.ID] = len(list)
		list = append(list, g)
		return err
	}, `
		SELECT sweep.id, concat_ws(' ', series.source, series.profile_id, sweep.plan ->> '$.latency_rate_per_s'), sweep.created_ns,
			coalesce(sweep.plan ->> '$.reference', '')
		FROM sweep JOIN series ON series.id = sweep.series_id
		WHERE series.target = ? AND EXISTS (SELECT 1 FROM sample WHERE sample.sweep_id = sweep.id)`+s.ordinary()+`
		ORDER BY sweep.id DESC`, target)
	if err != nil {
		return nil, err
	}
	const ofTarget = "sweep_id IN (SELECT sweep.id FROM sweep JOIN series ON series.id = sweep.series_id WHERE series.target = ?)"
	err = each(ctx, tx, func(scan func(...any) error) error {
		var id int64
		var v sweep.GlanceVersion
		if err := scan(&id, &v.Name); err != nil {
			return err
		}
		if i, ok := at[id]; ok {
			list[i].Versions = append(list[i].Versions, v)
		}
		return nil
	}, "SELECT sweep_id, name FROM version WHERE "+ofTarget+" ORDER BY sweep_id, ordinal", target)
	if err != nil {
		return nil, err
	}
	count := func(to func(*sweep.GlanceVersion) *int) func(func(...any) error) error {
		return func(scan func(...any) error) error {
			var id, ordinal int64
			var n int
			if err := scan(&id, &ordinal, &n); err != nil {
				return err
			}
			if i, ok := at[id]; ok && ordinal < int64(len(list[i].Versions)) {
				*to(&list[i].Versions[ordinal]) = n
			}
			return nil
		}
	}
	// The index sample_once has all that this needs.
	err = each(ctx, tx, count(func(v *sweep.GlanceVersion) *int { return &v.Rounds }), `
		SELECT sweep_id, ordinal, count(DISTINCT round) FROM sample
		WHERE twin = 0 AND `+ofTarget+`
		GROUP BY sweep_id, ordinal`, target)
	if err != nil {
		return nil, err
	}
	marked, err := hasMarks(ctx, tx)
	if err != nil || !marked {
		return list, err
	}
	// A round that was spoilt once is taken for spoilt, even where a further
	// attempt was not: too much is read then, and never too little.
	err = each(ctx, tx, count(func(v *sweep.GlanceVersion) *int { return &v.Spoilt }), `
		SELECT sweep_id, ordinal, count(DISTINCT round)
		FROM mark CROSS JOIN sample ON sample.id = mark.sample_id
		WHERE mark.spoils AND twin = 0 AND `+ofTarget+`
		GROUP BY sweep_id, ordinal`, target)
	return list, err
}
