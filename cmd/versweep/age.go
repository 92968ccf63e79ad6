package main

import (
	"time"

	"versweep/cmd/versweep/settings"
)

// ageHint shows the forms of an age.
const ageHint = "ages look like 30d, 2w or 12h"

// parseAge reads what settings.ParsePeriod does, or "0", which is none. All else is
// misuse.
func parseAge(flag, text string) (time.Duration, error) {
	if text == "0" {
		return 0, nil
	}
	p, err := settings.ParsePeriod(text)
	if err != nil {
		return 0, misuse(ageHint, "%s: %q is not an age", flag, text)
	}
	return time.Duration(p), nil
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
