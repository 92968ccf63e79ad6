package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"
)

// Of an old log the last lines stay, which say why something failed.
const (
	keptLogLines = 10
	keptLogBytes = 2000
)

// longLog is a log that is longer than an old one should be.
type longLog struct {
	table     string // outcome or sample
	sweep, id int64  // id is the outcome's ordinal or the sample's own
	text      string
}

// short is what stays of it.
func (l longLog) short() string {
	lines := strings.Split(l.text, "\n")
	text := strings.Join(lines[max(0, len(lines)-keptLogLines):], "\n")
	if len(text) > keptLogBytes {
		text = strings.ToValidUTF8(text[len(text)-keptLogBytes:], "")
	}
	return text
}

// longLogs lists the long logs of sweeps that were finished before a time; none
// for the zero time.
func longLogs(ctx context.Context, tx *sql.Tx, before time.Time) ([]longLog, error) {
	if before.IsZero() {
		return nil, nil
	}
	var list []longLog
	for table, id := range map[string]string{"outcome": "ordinal", "sample": "id"} {
		err := each(ctx, tx, func(scan func(...any) error) error {
			l := longLog{table: table}
			err := scan(&l.sweep, &l.id, &l.text)
			if err == nil && len(l.short()) < len(l.text) {
				list = append(list, l)
			}
			return err
		}, fmt.Sprintf(`
			SELECT sweep_id, %s.%s, log FROM %s JOIN sweep ON sweep.id = sweep_id
			WHERE log IS NOT NULL AND sweep.finished_ns < ?`, table, id, table), before.UnixNano())
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// logsAtOnce bounds a transaction.
const logsAtOnce = 500

// cutLogs cuts the logs of sweeps that were finished before a time.
func (s *Store) cutLogs(ctx context.Context, before time.Time, done *Thinning) error {
	const doing = "cutting old logs"
	var list []longLog
	err := s.look(ctx, doing, func(tx *sql.Tx) (err error) {
		list, err = longLogs(ctx, tx, before)
		return err
	})
	for err == nil && len(list) > 0 {
		some := list[:min(logsAtOnce, len(list))]
		list = list[len(some):]
		err = s.change(ctx, doing, func(tx *sql.Tx) error {
			for _, l := range some {
				query := "UPDATE outcome SET log = ? WHERE sweep_id = ? AND ordinal = ?"
				if l.table == "sample" {
					query = "UPDATE sample SET log = ? WHERE sweep_id = ? AND id = ?"
				}
				if _, err := tx.ExecContext(ctx, query, l.short(), l.sweep, l.id); err != nil {
					return err
				}
			}
			return nil
		})
		if err == nil {
			done.Logs += int64(len(some))
			for _, l := range some {
				done.LogSize += int64(len(l.text) - len(l.short()))
			}
		}
	}
	return err
}
