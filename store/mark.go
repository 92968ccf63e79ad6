package store

import (
	"context"
	"database/sql"

	"versweep/sweep"
)

func saveMarks(ctx context.Context, tx *sql.Tx, sampleID int64, marks []sweep.Mark) error {
	for i, m := range marks {
		_, err := tx.ExecContext(ctx, "INSERT INTO mark (sample_id, number, kind, detail, spoils) VALUES (?, ?, ?, ?, ?)",
			sampleID, i, string(m.Kind), m.Detail, m.Spoils)
		if err != nil {
			return err
		}
	}
	return nil
}

// hasMarks tells whether the store is new enough to have marks and attempts: an
// older one is read as it is.
func hasMarks(ctx context.Context, tx *sql.Tx) (bool, error) {
	var n int
	err := tx.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'mark'").Scan(&n)
	return n > 0, err
}

func loadMarks(ctx context.Context, tx *sql.Tx, sweepID int64, places []int, find func(int64) (*sweep.Sample, error)) error {
	return each(ctx, tx, func(scan func(...any) error) error {
		var id int64
		var m sweep.Mark
		if err := scan(&id, &m.Kind, &m.Detail, &m.Spoils); err != nil {
			return err
		}
		s, err := find(id)
		if err == nil {
			s.Marks = append(s.Marks, m)
		}
		return err
	}, `
		SELECT sample_id, kind, detail, spoils
		FROM mark
		WHERE sample_id IN (SELECT id FROM sample WHERE sweep_id = ?`+among(places)+`)
		ORDER BY sample_id, number`, sweepID)
}
