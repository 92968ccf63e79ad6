package store

import (
	"context"
	"database/sql"
	"encoding/json"

	"versweep/sweep"
)

// saveEnvironment finds the environment's id, adding it when it is new. The
// hash is kept beside the JSON, since a later versweep with more fields would
// compute another one from it.
func saveEnvironment(ctx context.Context, tx *sql.Tx, env sweep.Environment) (int64, error) {
	body, err := json.Marshal(env)
	if err != nil {
		return 0, err
	}
	_, err = tx.ExecContext(ctx, "INSERT INTO environment (hash, json) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING", env.Hash(), string(body))
	if err != nil {
		return 0, err
	}
	var id int64
	err = tx.QueryRowContext(ctx, "SELECT id FROM environment WHERE hash = ?", env.Hash()).Scan(&id)
	return id, err
}
