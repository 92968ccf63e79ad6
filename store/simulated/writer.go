package simulated

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"versweep/store"
	"versweep/sweep"
	"versweep/sweep/load"
)

// writer writes one night after the other.
type writer struct {
	Store
	st      *store.Store
	db      *sql.DB
	random  *rand.Rand
	pool    []int64 // samples with histograms to copy
	last    []int   // night in which a place was sampled last; -1 for never
	metrics map[string]int64
	next    int64 // id of the next sample
	samples int
}

// night plans a sweep as the program does, then writes its samples.
func (w *writer) night(ctx context.Context, night int) error {
	places := w.chosen(night)
	p := plan(w.Target, places, w.Rounds)
	p.Seed = uint64(night)
	began := w.Last.AddDate(0, 0, night+1-w.Nights)
	env := machine(night * 3 / w.Nights)
	if _, err := w.st.SetSeriesReference(ctx, p, env, p.Reference); err != nil {
		return err
	}
	sw, err := w.st.CreateSweep(ctx, p, env, began)
	if err != nil {
		return err
	}
	tx, err := w.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	add, err := w.prepare(ctx, tx)
	if err != nil {
		return err
	}
	for ordinal, place := range places {
		w.last[place] = night
		if err := add.outcome(ctx, sw.ID, ordinal, place); err != nil {
			return err
		}
	}
	for round := range w.Rounds {
		effect := 0.03 * w.random.NormFloat64()
		for ordinal, place := range places {
			twins := 1
			if place == reference {
				twins = 2
			}
			for twin := range twins {
				at := began.Add(time.Duration(round*len(places)+ordinal) * 2 * time.Second)
				if err := w.sample(ctx, add, rowOf{sw.ID, ordinal, place, round + 1, twin, effect, at}); err != nil {
					return err
				}
			}
		}
	}
	if _, err := tx.ExecContext(ctx, "UPDATE sweep SET finished_ns = ? WHERE id = ?", began.Add(time.Hour).UnixNano(), sw.ID); err != nil {
		return err
	}
	return tx.Commit()
}

// rowOf is a sample to be written.
type rowOf struct {
	sweep                 int64
	ordinal, place, round int
	twin                  int
	effect                float64 // of the round, a logarithm
	at                    time.Time
}

func (w *writer) sample(ctx context.Context, add statements, r rowOf) error {
	if r.place == unbuildable {
		return nil
	}
	attempts := 1
	if w.random.IntN(100) == 0 {
		attempts = 2 // the machine spoilt the first
	}
	for attempt := range attempts {
		id := w.next
		w.next++
		w.samples++
		status, reason, log := "ok", any(nil), any(nil)
		failed := w.random.IntN(300) == 0
		if failed {
			status, reason, log = "failed", "the server ended before it answered: exit status 139", strings.Repeat("at Server.listen (node:net:1234:5)\n", 20)
		}
		if _, err := add.sample.ExecContext(ctx, id, r.sweep, r.ordinal, r.round, r.ordinal, r.twin, attempt, status, reason, log, r.at.UnixNano()); err != nil {
			return err
		}
		if attempt < attempts-1 {
			if _, err := add.mark.ExecContext(ctx, id, 0, string(sweep.OtherWork), "other processes took 23 % of the server's CPU", true); err != nil {
				return err
			}
		} else if w.random.IntN(30) == 0 {
			if _, err := add.mark.ExecContext(ctx, id, 0, string(sweep.Steal), "the hypervisor took 4 % of the server's CPU", false); err != nil {
				return err
			}
		}
		if failed {
			continue
		}
		for _, m := range sweep.Metrics {
			v, known := w.value(m.Key, r)
			if !known {
				continue
			}
			if _, err := add.value.ExecContext(ctx, id, w.metrics[m.Key], v); err != nil {
				return err
			}
		}
		if _, err := add.load.ExecContext(ctx, id); err != nil {
			return err
		}
		if len(w.pool) > 0 {
			if _, err := add.histogram.ExecContext(ctx, id, w.pool[w.random.IntN(len(w.pool))]); err != nil {
				return err
			}
		}
	}
	return nil
}

// value is a figure of a sample: throughput falls by 8 % at stepAt, and with it
// latency rises; memory grows by 30 % half way between there and the end.
func (w *writer) value(key string, r rowOf) (float64, bool) {
	step := 0.0
	if r.place >= stepAt {
		step = math.Log(0.92)
	}
	noise := 0.04*w.random.NormFloat64() + r.effect
	switch key {
	case sweep.QPS:
		return 20_000 * math.Exp(step+noise), true
	case sweep.P50, sweep.P90, sweep.P99, sweep.P999:
		base := map[string]float64{sweep.P50: 4.5, sweep.P90: 6, sweep.P99: 11, sweep.P999: 23}[key]
		return base * math.Exp(-step-noise+0.02*w.random.NormFloat64()), true
	case sweep.CPUPerRequest:
		return 45 * math.Exp(-step+0.04*w.random.NormFloat64()), true
	case sweep.PeakRSS:
		rss := 60e6
		if r.place >= (stepAt+w.Versions)/2 {
			rss *= 1.3
		}
		return math.Round(rss * math.Exp(0.02*w.random.NormFloat64())), true
	case sweep.Startup:
		return 45 * math.Exp(0.08*w.random.NormFloat64()), true
	case sweep.BuildSize:
		return float64(80_000_000 + 500_000*r.place), true
	case sweep.ErrorShare:
		return 0, true
	}
	return 0, false // no pass at a fixed rate
}

// result is what a load engine measures of a quick server in a second.
func result(r *rand.Rand) *load.Result {
	h := hdrhistogram.New(1, time.Hour.Nanoseconds(), 3)
	const n = 20_000
	for range n {
		latency := 4.5e6 * (1 + 0.25*r.NormFloat64() + 0.3*r.ExpFloat64())
		if err := h.RecordValue(max(int64(latency), 1000)); err != nil {
			panic(err) // it is within the range
		}
	}
	return &load.Result{
		Scheduled: n + 100, Started: n + 100, OK: n, InFlight: 100, Elapsed: time.Second, Connections: 100, BytesIn: n * 190,
		CPU: 850 * time.Millisecond, CPUShare: 0.85, Busy: 0.9, Sustained: true, Latency: h,
	}
}

// statements are prepared once a night.
type statements struct{ sample, mark, value, load, histogram, outcomes, builds, components *sql.Stmt }

func (w *writer) prepare(ctx context.Context, tx *sql.Tx) (s statements, err error) {
	if w.metrics == nil {
		w.metrics = map[string]int64{}
		for _, m := range sweep.Metrics {
			if _, err := tx.ExecContext(ctx, "INSERT INTO metric (key) VALUES (?) ON CONFLICT (key) DO NOTHING", m.Key); err != nil {
				return s, err
			}
			var id int64
			if err := tx.QueryRowContext(ctx, "SELECT id FROM metric WHERE key = ?", m.Key).Scan(&id); err != nil {
				return s, err
			}
			w.metrics[m.Key] = id
		}
		if err := tx.QueryRowContext(ctx, "SELECT coalesce(max(id), 0) + 1 FROM sample").Scan(&w.next); err != nil {
			return s, err
		}
	}
	for _, p := range []struct {
		to    **sql.Stmt
		query string
	}{
		{&s.sample, `INSERT INTO sample (id, sweep_id, ordinal, round, position, twin, attempt, status, reason, log, started_ns)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`},
		{&s.mark, "INSERT INTO mark (sample_id, number, kind, detail, spoils) VALUES (?, ?, ?, ?, ?)"},
		{&s.value, "INSERT INTO value (sample_id, metric_id, value) VALUES (?, ?, ?)"},
		{&s.load, `INSERT INTO load (sample_id, pass, scheduled, started, ok, in_flight,
			error_status, error_timeout, error_reset, error_refused, error_closed, error_body, error_protocol, error_client,
			elapsed_ns, connections, received_bytes, cpu_ns, cpu_share, busy_share, peak_rss_bytes,
			offered_per_second, sustained, corrected, client_bound, first_error)
			VALUES (?, 0, 20100, 20100, 20000, 100, 0, 0, 0, 0, 0, 0, 0, 0, 1000000000, 100, 3800000, 850000000, 0.85, 0.9, 0, 0, 1, 0, 0, '')`},
		{&s.histogram, "INSERT INTO histogram (sample_id, pass, latency) SELECT ?, 0, latency FROM histogram WHERE sample_id = ? AND pass = 0"},
		{&s.outcomes, "INSERT INTO outcome (sweep_id, ordinal, reason, log) VALUES (?, ?, ?, ?)"},
		{&s.builds, "INSERT INTO build (sweep_id, ordinal, version, dir, digest, size_bytes, from_cache) VALUES (?, ?, ?, ?, ?, ?, 1)"},
		{&s.components, "INSERT INTO component (sweep_id, ordinal, name, version) VALUES (?, ?, ?, ?)"},
	} {
		if *p.to, err = tx.PrepareContext(ctx, p.query); err != nil {
			return s, err
		}
	}
	return s, nil
}

// outcome writes what became of a version: a build, or why there is none.
func (s statements) outcome(ctx context.Context, sweepID int64, ordinal, place int) error {
	if place == unbuildable {
		log := strings.Repeat("npm error code ETARGET: no matching version found\n", 40)
		_, err := s.outcomes.ExecContext(ctx, sweepID, ordinal, "the build failed: npm ended with status 1", log)
		return err
	}
	if _, err := s.outcomes.ExecContext(ctx, sweepID, ordinal, nil, nil); err != nil {
		return err
	}
	dir := fmt.Sprintf("/home/nightly/.cache/versweep/builds/node/%s-%012d/files", nameOf(place), place)
	if _, err := s.builds.ExecContext(ctx, sweepID, ordinal, nameOf(place), dir, fmt.Sprintf("sha512-%088d", place), 80_000_000+500_000*place); err != nil {
		return err
	}
	for i, name := range []string{"ares", "llhttp", "openssl", "uv", "v8", "zlib"} {
		if _, err := s.components.ExecContext(ctx, sweepID, ordinal, name, fmt.Sprintf("%d.%d", i+1, place/8)); err != nil {
			return err
		}
	}
	return nil
}
