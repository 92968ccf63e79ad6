package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"versweep/sweep"
	"versweep/sweep/load"
)

// loadColumns are the columns of the table load, in the order of loadFields.
const loadColumns = `scheduled, started, ok, in_flight,
	error_status, error_timeout, error_reset, error_refused, error_closed, error_body, error_protocol, error_client,
	elapsed_ns, connections, received_bytes, cpu_ns, cpu_share, busy_share, peak_rss_bytes,
	offered_per_second, sustained, corrected, client_bound, first_error`

// loadFields are the fields that loadColumns hold, to be read or written.
func loadFields(r *load.Result) []any {
	e := &r.Errors
	return []any{
		&r.Scheduled, &r.Started, &r.OK, &r.InFlight,
		&e.Status, &e.Timeout, &e.Reset, &e.Refused, &e.Closed, &e.Body, &e.Protocol, &e.Client,
		&r.Elapsed, &r.Connections, &r.BytesIn, &r.CPU, &r.CPUShare, &r.Busy, &r.PeakRSS,
		&r.OfferedRate, &r.Sustained, &r.Corrected, &r.ClientBound, &r.FirstError,
	}
}

// passes are the results that a sample has room for, each at its pass's number:
// 0 the measuring window, 1 the second one at a fixed rate.
func passes(s *sweep.Sample) []**load.Result { return []**load.Result{&s.Load, &s.Paced} }

// saveLoad saves all of a result but its histograms.
func saveLoad(ctx context.Context, tx *sql.Tx, sampleID int64, pass int, r *load.Result) error {
	saved := *r
	fields := loadFields(&saved)
	for i, f := range fields {
		v, ok := f.(*float64)
		if !ok {
			continue
		}
		var err error
		if *v, err = finite(*v); err != nil {
			return fmt.Errorf("%s: %w", strings.TrimSpace(strings.Split(loadColumns, ",")[i]), err)
		}
	}
	marks := strings.Repeat(", ?", len(fields))
	_, err := tx.ExecContext(ctx, "INSERT INTO load (sample_id, pass, "+loadColumns+") VALUES (?, ?"+marks+")",
		append([]any{sampleID, pass}, fields...)...)
	return err
}

// eachLoad calls f with every sample's load of a sweep, without histograms.
func eachLoad(ctx context.Context, tx *sql.Tx, sweepID int64, places []int, f func(sampleID int64, pass int, r *load.Result) error) error {
	return each(ctx, tx, func(scan func(...any) error) error {
		var id int64
		var pass int
		r := new(load.Result)
		if err := scan(append([]any{&id, &pass}, loadFields(r)...)...); err != nil {
			return err
		}
		return f(id, pass, r)
	}, `
		SELECT sample_id, pass, `+loadColumns+`
		FROM load
		WHERE sample_id IN (SELECT id FROM sample WHERE sweep_id = ?`+among(places)+`)`, sweepID)
}
