package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"versweep/charts"
	"versweep/sweep/load"
)

// largestRamp bounds a file of load --json: a thousand steps with their histograms.
const largestRamp = 64 << 20

const rampHint = "versweep load URL --rate 100:1200:100 --json > FILE writes one"

// drawRamp draws files that load --json wrote.
func (a *app) drawRamp(_ context.Context, files []string, f chartFlags) error {
	var systems []charts.RampSeries
	for i, file := range files {
		title := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
		if i < len(f.titles) {
			title = f.titles[i]
		}
		s, err := readRamp(file, title)
		if err != nil {
			return err
		}
		if i > 0 && s.By != systems[0].By {
			return misuse("draw them in two pictures", "%s has steps by %s, and %s by %s", files[0], systems[0].By, file, s.By)
		}
		systems = append(systems, s)
	}
	h := charts.Heading{Title: "Rising load", Captions: []string{"measured by versweep load"}}
	if len(systems) == 1 {
		h.Title, systems[0].Title = systems[0].Title+" under rising load", ""
	}
	return a.draw(f, func(w io.Writer) error { return charts.Ramp(w, h, systems, f.options) })
}

// readRamp reads the steps of one file, one after the other: their histograms are
// large.
func readRamp(file, title string) (charts.RampSeries, error) {
	f, err := os.Open(file)
	if err != nil {
		return charts.RampSeries{}, fmt.Errorf("reading the ramp %s: %w", file, errors.Unwrap(err))
	}
	defer f.Close()
	fail := func(format string, args ...any) (charts.RampSeries, error) {
		return charts.RampSeries{}, &hintedError{fmt.Errorf("reading the ramp %s: %w", file, fmt.Errorf(format, args...)), rampHint}
	}
	content, err := io.ReadAll(io.LimitReader(f, largestRamp+1))
	if err != nil {
		return charts.RampSeries{}, fmt.Errorf("reading the ramp %s: %w", file, err)
	}
	if len(content) > largestRamp {
		return fail("the file is larger than %d MiB", largestRamp>>20)
	}
	var ramp struct {
		Schema int               `json:"schema"`
		Steps  []json.RawMessage `json:"steps"`
	}
	switch err := json.Unmarshal(content, &ramp); {
	case err != nil:
		return fail("it is no JSON of versweep load: %w", err)
	case ramp.Schema != jsonSchema:
		return fail("its schema is %d and not %d", ramp.Schema, jsonSchema)
	case len(ramp.Steps) == 0:
		return fail("it has no steps")
	case len(ramp.Steps) > maxSteps:
		return fail("it has more than %d steps", maxSteps)
	}
	s := charts.RampSeries{Title: title, Latency: charts.RampLatency}
	for i, raw := range ramp.Steps {
		var step load.StepResult
		if err := json.Unmarshal(raw, &step); err != nil {
			return fail("step %d: %w", i+1, err)
		}
		one := charts.NewRampSeries(title, []load.StepResult{step})
		if i > 0 && one.By != s.By {
			return fail("step %d is by %q, those before by %q", i+1, one.By, s.By)
		}
		s.By, s.Steps = one.By, append(s.Steps, one.Steps...)
	}
	return s, nil
}
