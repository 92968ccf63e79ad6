package store

import (
	"context"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/HdrHistogram/hdrhistogram-go"

	"versweep/sweep"
	"versweep/sweep/load"
)

// Precision, in significant decimal digits, of the histograms of a rate load
// that stand beside its latency, which is kept as measured. With the engine's
// three digits throughout they would take 9 KB a sample; so they take 3.
const (
	serviceDigits  = 2
	latenessDigits = 1
)

// saveHistograms saves a result's histograms; nothing when it has none.
func saveHistograms(ctx context.Context, tx *sql.Tx, sampleID int64, pass int, r *load.Result) error {
	latency, err := encodeHistogram(r.Latency)
	if err != nil {
		return fmt.Errorf("the latency histogram: %w", err)
	}
	service, err := encodeHistogram(coarse(r.Service, serviceDigits))
	if err != nil {
		return fmt.Errorf("the service time histogram: %w", err)
	}
	lateness, err := encodeHistogram(coarse(r.Lateness, latenessDigits))
	if err != nil {
		return fmt.Errorf("the lateness histogram: %w", err)
	}
	if latency == nil && service == nil && lateness == nil {
		return nil
	}
	_, err = tx.ExecContext(ctx, "INSERT INTO histogram (sample_id, pass, latency, service, lateness) VALUES (?, ?, ?, ?, ?)",
		sampleID, pass, latency, service, lateness)
	return err
}

// LoadHistograms fills in the histograms of samples that LoadSweep has read:
// Latency as it was saved, Service to two significant digits and Lateness to
// one. Those that were thinned out stay nil. On an error, some may be filled in.
//
// A histogram takes some hundred KB of memory, a hundred times what it takes in
// the file: pass the samples of one version, and drop them before the next.
func (s *Store) LoadHistograms(ctx context.Context, samples []sweep.Sample) error {
	return s.look(ctx, "reading histograms", func(tx *sql.Tx) error {
		find, err := tx.PrepareContext(ctx, "SELECT latency, service, lateness FROM histogram WHERE sample_id = ? AND pass = ?")
		if err != nil {
			return err
		}
		defer find.Close()
		for i := range samples {
			for pass, result := range passes(&samples[i]) {
				if *result == nil {
					continue
				}
				if err := loadHistograms(ctx, find, samples[i].ID, pass, *result); err != nil {
					return fmt.Errorf("of sample %d: %w", samples[i].ID, err)
				}
			}
		}
		return nil
	})
}

func loadHistograms(ctx context.Context, find *sql.Stmt, sampleID int64, pass int, r *load.Result) error {
	var latency, service, lateness []byte
	err := find.QueryRowContext(ctx, sampleID, pass).Scan(&latency, &service, &lateness)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	if r.Latency, err = decodeHistogram(latency); err != nil {
		return fmt.Errorf("latency: %w: %w", ErrDamaged, err)
	}
	if r.Service, err = decodeHistogram(service); err != nil {
		return fmt.Errorf("service time: %w: %w", ErrDamaged, err)
	}
	if r.Lateness, err = decodeHistogram(lateness); err != nil {
		return fmt.Errorf("lateness: %w: %w", ErrDamaged, err)
	}
	return nil
}

// coarse is h with so many significant digits, or h itself when it has no more.
func coarse(h *hdrhistogram.Histogram, digits int) *hdrhistogram.Histogram {
	if h == nil || h.SignificantFigures() <= int64(digits) {
		return h
	}
	c := hdrhistogram.New(h.LowestTrackableValue(), h.HighestTrackableValue(), digits)
	c.Merge(h) // drops nothing: both have the same range
	return c
}

// encodeHistogram gives HdrHistogram's V2 form, compressed; nil for nil. The
// library wraps it in base64, which would cost a third more.
func encodeHistogram(h *hdrhistogram.Histogram) ([]byte, error) {
	if h == nil {
		return nil, nil
	}
	text, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		return nil, err
	}
	return base64.StdEncoding.AppendDecode(nil, text)
}

// decodeHistogram undoes encodeHistogram.
func decodeHistogram(b []byte) (*hdrhistogram.Histogram, error) {
	if b == nil {
		return nil, nil
	}
	return hdrhistogram.Decode(base64.StdEncoding.AppendEncode(nil, b))
}
