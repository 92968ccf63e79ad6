package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/HdrHistogram/hdrhistogram-go"

	"versweep/sweep"
)

// mergedHistogram is the latency of a version's samples in one pass, to be kept
// with the first of them.
type mergedHistogram struct {
	sample  int64
	pass    int
	latency []byte
}

// mergeHistograms merges the latencies of each version of a sweep, the
// reference's second label apart, in the order of the samples that they are kept
// with. It never returns nil without an error.
func mergeHistograms(ctx context.Context, tx *sql.Tx, sweepID int64) ([]mergedHistogram, error) {
	samples, err := loadSamples(ctx, tx, sweepID, nil)
	if err != nil {
		return nil, err
	}
	find, err := tx.PrepareContext(ctx, "SELECT latency FROM histogram WHERE sample_id = ? AND pass = ? AND latency IS NOT NULL")
	if err != nil {
		return nil, err
	}
	defer find.Close()
	type label struct {
		version string
		twin    bool
	}
	var labels []label
	groups := map[label][]sweep.Sample{}
	for _, s := range samples {
		l := label{s.Version, s.Twin}
		if groups[l] == nil {
			labels = append(labels, l)
		}
		groups[l] = append(groups[l], s)
	}
	merged := []mergedHistogram{}
	for _, l := range labels {
		for pass := range passes(new(sweep.Sample)) {
			m, err := mergePass(ctx, find, counting(groups[l]), pass)
			if err != nil {
				return nil, fmt.Errorf("version %s: %w", l.version, err)
			}
			if m.latency != nil {
				merged = append(merged, m)
			}
		}
	}
	return merged, nil
}

// mergePass merges the latencies of one pass; latency is nil where there are none.
func mergePass(ctx context.Context, find *sql.Stmt, samples []sweep.Sample, pass int) (m mergedHistogram, err error) {
	m.pass = pass
	var sum *hdrhistogram.Histogram
	for _, s := range samples {
		var body []byte
		err := find.QueryRowContext(ctx, s.ID, pass).Scan(&body)
		if err == sql.ErrNoRows {
			continue
		}
		if err != nil {
			return m, err
		}
		h, err := decodeHistogram(body)
		if err != nil {
			return m, fmt.Errorf("the histogram of sample %d: %w: %w", s.ID, ErrDamaged, err)
		}
		if sum == nil {
			sum, m.sample = h, s.ID
		} else if dropped := sum.Merge(h); dropped > 0 {
			return m, fmt.Errorf("the histogram of sample %d does not fit those before: %w", s.ID, ErrDamaged)
		}
	}
	if sum != nil {
		m.latency, err = encodeHistogram(sum)
	}
	return m, err
}
