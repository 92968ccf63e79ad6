package main

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// ageHint shows the forms of an age.
const ageHint = "ages look like 30d, 2w or 12h"

// parseAge reads "30d", "2w", "12h" or what time.ParseDuration takes. Negative
// ones are misuse; "0" is none.
func parseAge(flag, text string) (time.Duration, error) {
	wrong := func() (time.Duration, error) {
		return 0, misuse(ageHint, "%s: %q is not an age", flag, text)
	}
	for suffix, unit := range map[string]time.Duration{"d": 24 * time.Hour, "w": 7 * 24 * time.Hour} {
		number, ok := strings.CutSuffix(text, suffix)
		if !ok {
			continue
		}
		n, err := strconv.ParseFloat(number, 64)
		if err != nil || !(n >= 0) || n*float64(unit) > math.MaxInt64/2 {
			return wrong()
		}
		return time.Duration(n * float64(unit)), nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return wrong()
	}
	return d, nil
}

// parseSince reads a date, which begins at midnight here, a time as RFC 3339 has
// it, or an age before now.
func parseSince(flag, text string, now time.Time) (time.Time, error) {
	if t, err := time.ParseInLocation(time.DateOnly, text, now.Location()); err == nil {
		return t, nil
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t, nil
	}
	age, err := parseAge(flag, text)
	if err != nil {
		return time.Time{}, misuse("dates look like 2026-03-01, ages like 30d", "%s: %q is neither a date nor an age", flag, text)
	}
	return now.Add(-age), nil
}
