package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"versweep/charts"
	"versweep/store"
	"versweep/sweep"
	"versweep/sweep/nightly"
)

// history is what the commands about verdicts read from the store.
type history interface {
	// Targets lists the targets that have sweeps, by name.
	Targets(ctx context.Context) ([]string, error)
	// History reads the latest sweeps of a target, oldest first: limit of them,
	// or all when it is 0. None is no error.
	History(ctx context.Context, target string, limit int) ([]sweep.Sweep, error)
	// Recent reads the sweeps of a target that a judgement needs, oldest first,
	// and counts the older ones of which it needs nothing. None is no error.
	Recent(ctx context.Context, target string, span sweep.Span) (sweeps []sweep.Sweep, older int, err error)
	// Single reads all sweeps with one of these versions, as if they had planned
	// no others.
	Single(ctx context.Context, target string, versions ...string) ([]sweep.Sweep, error)
	// Stamp differs when something of a target changed.
	Stamp(ctx context.Context, target string) (string, error)
	// Acknowledgements reads what people have made of a target's findings.
	Acknowledgements(ctx context.Context, target string) ([]sweep.Acknowledgement, error)
	// Told reads what nights last told of a target.
	Told(ctx context.Context, target string) ([]nightly.Told, error)
	Close() error
}

// judgingFlags say what of the store is judged, and how.
type judgingFlags struct {
	effect  string   // as parseShare reads it; empty for the sweeps' own
	metrics []string // keys; none for all
	source  string   // empty for the latest sweep's
}

// spanFlags say how far back to go.
type spanFlags struct {
	sweeps int // latest ones; 0 for all, unless not given
	since  string
}

const sweepsHelp = "how many of the latest sweeps to judge, 0 for all (default those with the latest 100 rounds of each version)"

func (f *spanFlags) add(flags *pflag.FlagSet) {
	flags.IntVar(&f.sweeps, "sweeps", 0, sweepsHelp)
	flags.StringVar(&f.since, "since", "", "judge the sweeps begun since then: a date such as 2026-03-01, or an age such as 30d (default as --sweeps)")
}

// span checks the flags. now is what ages are counted from.
func (f spanFlags) span(given *pflag.FlagSet, now time.Time) (sweep.Span, error) {
	s := sweep.Span{All: given.Changed("sweeps") && f.sweeps == 0 && f.since == "", Sweeps: f.sweeps}
	if f.sweeps < 0 {
		return s, misuse("0 judges all of them", "--sweeps: %d is negative", f.sweeps)
	}
	if !given.Changed("since") {
		return s, nil
	}
	var err error
	s.Since, err = parseSince("--since", f.since, now)
	return s, err
}

const sourceOfSweepsHelp = "judge the sweeps whose versions or figures came from there, such as npm or csv (default the latest sweep's)"

const effectHelp = "smallest change of interest, such as 3% or 0.03 (default the sweep's own, 3% unless it was given another)"

// options checks what can be checked without the store.
func (f judgingFlags) options() (sweep.JudgeOptions, error) {
	o := sweep.JudgeOptions{Metrics: f.metrics, Source: f.source}
	if f.effect == "" {
		return o, nil
	}
	var err error
	if o.Effect, err = parseShare("--effect", f.effect); err != nil {
		return o, err
	}
	if o.Effect == 0 || o.Effect >= 1 {
		return o, misuse("3% is usual", "--effect: %s is not between 0 and 100 %%", f.effect)
	}
	return o, nil
}

// parseShare reads "3%" or "0.03", both of which are 0.03. Negative and endless
// ones are misuse.
func parseShare(flag, text string) (float64, error) {
	number, isPercent := strings.CutSuffix(strings.TrimSpace(text), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if isPercent {
		v /= 100
	}
	if err != nil || !(v >= 0) || math.IsInf(v, 0) {
		return 0, misuse("shares look like 3% or 0.03", "%s: %q is not a share", flag, text)
	}
	return v, nil
}

// judge says what the store knows of a target. It needs no definition: that may
// be gone by now, or never have been, where results are imported.
func (a *app) judge(ctx context.Context, h history, target string, span sweep.Span, o sweep.JudgeOptions) (sweep.Judgement, error) {
	past, older, err := a.past(ctx, h, target, span)
	if err != nil {
		return sweep.Judgement{}, err
	}
	if err := checkMetrics(target, past, o.Metrics); err != nil {
		return sweep.Judgement{}, err
	}
	acks, err := h.Acknowledgements(ctx, target)
	if err != nil {
		return sweep.Judgement{}, err
	}
	j := sweep.Judge(past, o)
	j.Older = older
	if err := judged(target, past, j, o); err != nil {
		return j, err
	}
	sweep.ApplyAcknowledgements(&j, acks)
	if o.Source != "" || o.Effect != 0 || span.Sweeps > 0 || !span.Since.IsZero() || len(o.Metrics) == 1 {
		return j, nil // that is why something may be missing, or nights have another
	}
	return j, warnOfTold(ctx, h, target, o.Metrics, &j)
}

// judged refuses a judgement of nothing: a gate must not pass because there was
// nothing to look at.
func judged(target string, past []sweep.Sweep, j sweep.Judgement, o sweep.JudgeOptions) error {
	var sources []string
	for _, sw := range past {
		if !slices.Contains(sources, sw.Plan.Source) {
			sources = append(sources, sw.Plan.Source)
		}
	}
	switch {
	case len(j.Metrics) > 0 && !onlyBuilds(j):
		return nil
	case o.Source != "" && !slices.Contains(sources, o.Source):
		return misuse("there are some from "+charts.Printable(strings.Join(sources, ", ")), "--source: no sweep of %s has its versions from %s", target, o.Source)
	case len(o.Metrics) > 0:
		return fmt.Errorf("judging %s: it has no figures of %s", target, strings.Join(o.Metrics, ", "))
	}
	hint := "versweep table " + target + " says why"
	if len(j.Metrics) > 0 {
		hint += "; versweep check " + target + " --metric " + sweep.BuildSize + " judges the builds"
	}
	return &hintedError{fmt.Errorf("judging %s: %w", target, errNothingToJudge), hint}
}

// onlyBuilds tells whether all that is known are sizes of builds, of versions of
// which the machine spoilt every sample.
func onlyBuilds(j sweep.Judgement) bool {
	return len(j.NotMeasured) >= len(j.Versions) && !slices.ContainsFunc(j.Metrics, func(m sweep.Metric) bool { return m.Key != sweep.BuildSize })
}

var errNothingToJudge = errors.New("no version has a figure that counts")

// past reads the sweeps of a target, of which there is at least one, and counts
// the older ones that it leaves out.
func (a *app) past(ctx context.Context, h history, target string, span sweep.Span) (past []sweep.Sweep, older int, err error) {
	past, older, err = h.Recent(ctx, target, span)
	switch {
	case err != nil || len(past) > 0:
		return past, older, err
	case older > 0:
		return nil, older, misuse("leave --since out, or name an earlier day", "no sweep of %s was begun since then", target)
	}
	return nil, 0, a.unlessUnknown(target, fmt.Errorf("looking for sweeps of %s: %w", target, store.ErrNoSweep))
}

// checkMetrics refuses keys that a target cannot have: some may have come with
// an import.
func checkMetrics(target string, past []sweep.Sweep, keys []string) error {
	var known []string
	for _, m := range sweep.Metrics {
		known = append(known, m.Key)
	}
	for _, sw := range past {
		if sw.Plan.Foreign == nil {
			continue
		}
		for _, m := range sw.Plan.Foreign.Metrics {
			if !slices.Contains(known, m.Key) {
				known = append(known, m.Key)
			}
		}
	}
	for _, key := range keys {
		if !slices.Contains(known, key) {
			return misuse("use one of "+charts.Printable(strings.Join(known, ", ")), "%s has no metric %q", target, key)
		}
	}
	return nil
}
