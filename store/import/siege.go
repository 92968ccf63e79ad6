package imports

import (
	"encoding/json"
	"strings"
	"time"

	"versweep/sweep"
)

// siegeTick is the step of siege's clock: what it prints as 0.00 s is below it.
const siegeTick = 10 * time.Millisecond

// siegeRun is what siege reports, with the names that its JSON has.
type siegeRun struct {
	Transactions *float64 `json:"transactions"` // hits, right or wrong
	Elapsed      *float64 `json:"elapsed_time"` // s
	ResponseTime float64  `json:"response_time"`
	Rate         float64  `json:"transaction_rate"`
	OK           *float64 `json:"successful_transactions"`
	Failed       float64  `json:"failed_transactions"`
	Longest      float64  `json:"longest_transaction"`
	Shortest     float64  `json:"shortest_transaction"`
}

// readSiege reads siege's JSON and its text, which goes to its error output. It
// counts a 404 as a transaction without failure; only "successful" leaves it out.
func readSiege(d document, _ Options) ([]Reading, error) {
	var out []Reading
	if strings.Contains(d.text, `"transactions"`) {
		objects, err := d.objects()
		if err != nil {
			return nil, err
		}
		for _, o := range objects {
			var run siegeRun
			if json.Unmarshal(o.raw, &run) != nil || run.Transactions == nil {
				continue
			}
			if run.OK == nil || run.Elapsed == nil {
				return nil, d.fail(o.line, "no \"successful_transactions\" or no \"elapsed_time\" in this JSON")
			}
			out = append(out, run.reading(o.line))
		}
		return out, nil
	}
	for _, block := range siegeBlocks(d) {
		r, err := readSiegeText(d, block)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

// siegeBlocks begins a run at the banner, or at the report itself.
func siegeBlocks(d document) [][]line {
	reported := true
	return d.blocks(func(text string) bool {
		switch {
		case strings.HasPrefix(text, "** SIEGE"):
			reported = false
			return true
		case strings.HasPrefix(text, "Transactions:"):
			begins := reported
			reported = true
			return begins
		}
		return false
	})
}

func readSiegeText(d document, block []line) (Reading, error) {
	var run siegeRun
	var users int64
	var complete bool
	for _, l := range block {
		if rest, ok := strings.CutPrefix(l.text, "** Preparing "); ok {
			users, _ = count(strings.Fields(rest + " .")[0])
		}
		key, value, found := strings.Cut(l.text, ":")
		words := strings.Fields(value)
		if !found || len(words) == 0 {
			continue
		}
		var to *float64
		switch strings.ToLower(strings.TrimSpace(key)) {
		case "transactions":
			run.Transactions = new(float64)
			to = run.Transactions
		case "elapsed time":
			run.Elapsed = new(float64)
			to = run.Elapsed
		case "successful transactions":
			run.OK = new(float64)
			to = run.OK
		case "response time":
			to = &run.ResponseTime
		case "transaction rate":
			to = &run.Rate
		case "failed transactions":
			to = &run.Failed
		case "longest transaction":
			to = &run.Longest
		case "shortest transaction":
			to, complete = &run.Shortest, true
		default:
			continue
		}
		v, err := number(words[0])
		if err != nil {
			return Reading{}, d.fail(l.number, "%v", err)
		}
		if len(words) > 1 && words[1] == "ms" { // siege 4.1 prints some times so
			v /= 1e3
		}
		*to = v
	}
	switch {
	case run.Transactions == nil:
		return Reading{}, d.cut(block, `"Transactions" line`)
	case run.Elapsed == nil:
		return Reading{}, d.cut(block, `"Elapsed time" line`)
	case run.OK == nil:
		return Reading{}, d.cut(block, `"Successful transactions" line`)
	case !complete:
		return Reading{}, d.cut(block, `"Shortest transaction" line`)
	}
	r := run.reading(block[0].number)
	r.Connections = int(users)
	return r, nil
}

func (run siegeRun) reading(line int) Reading {
	r := newReading(line)
	r.Requests = total(*run.Transactions)
	r.OK = min(total(*run.OK), r.Requests)
	r.Errors.Status = r.Requests - r.OK
	r.Errors.Other = total(run.Failed)
	r.Elapsed = seconds(*run.Elapsed)
	below := false
	for key, s := range map[string]float64{MeanLatency: run.ResponseTime, MaxLatency: run.Longest, MinLatency: run.Shortest} {
		if s > 0 {
			r.set(key, s*1e3)
		}
		below = below || s == 0
	}
	if below && r.OK > 0 {
		r.notef("a time of 0.00 s is below siege's step of %s and unknown", siegeTick)
	}
	rate := run.Rate
	if r.Elapsed == 0 {
		rate = 0 // 0.00, or divided by less than a step
	}
	r.conclude(rate)
	if r.Elapsed > 0 && r.Elapsed < 10*siegeTick && r.Values[sweep.QPS] > 0 {
		r.notef("the run took %s by a clock with steps of %s: its rate is rough", r.Elapsed, siegeTick)
	}
	return r
}
