package main

import (
	"errors"
	"regexp"
	"strconv"
	"time"

	"versweep/cmd/versweep/settings"
)

// ageHint shows the forms of an age.
const ageHint = "ages look like 12h, 30d, 2w, 6mo or 2y"

var errNotAge = errors.New("not an age")

// ageForm is what may be an age, ageParts its numbers and units.
var (
	ageForm  = regexp.MustCompile(`^(([0-9]+(\.[0-9]*)?|\.[0-9]+)(h|d|w|mo|y))+$`)
	ageParts = regexp.MustCompile(`([0-9.]+)([a-z]+)`)
	// doubtful is what may be minutes or months.
	doubtful = regexp.MustCompile(`^[0-9.]+m$`)
)

// daysOf are the days of units that settings.ParsePeriod does not know: ages are
// lengths of time, whatever the calendar says.
var daysOf = map[string]float64{"mo": 30, "y": 365}

// shortestAge is the shortest that is not taken for a slip; 0 says that none is
// meant.
const shortestAge = time.Hour

// parseAge reads hours, days, weeks, months of 30 days and years of 365, or "0", which
// is none. It fails with errNotAge, and with misuse of its own for what is a time and
// hardly meant as an age.
func parseAge(flag, text string) (time.Duration, error) {
	if text == "0" {
		return 0, nil
	}
	if !ageForm.MatchString(text) {
		p, err := settings.ParsePeriod(text)
		switch {
		case err != nil:
			return 0, errNotAge
		case p == 0:
			return 0, nil
		case doubtful.MatchString(text):
			return 0, misuse(ageHint, "%s: %q may be minutes or months: months are mo", flag, text)
		}
		return 0, misuse(ageHint, "%s: %q is finer than ages are: the smallest unit is h", flag, text)
	}
	inDays := ageParts.ReplaceAllStringFunc(text, func(part string) string {
		m := ageParts.FindStringSubmatch(part)
		n, err := strconv.ParseFloat(m[1], 64)
		if err != nil || daysOf[m[2]] == 0 {
			return part
		}
		return strconv.FormatFloat(n*daysOf[m[2]], 'f', -1, 64) + "d"
	})
	p, err := settings.ParsePeriod(inDays)
	if err != nil {
		return 0, errNotAge
	}
	if age := time.Duration(p); age == 0 || age >= shortestAge {
		return age, nil
	}
	return 0, misuse(ageHint+"; 0 is none", "%s: %q is less than an hour", flag, text)
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
	if errors.Is(err, errNotAge) {
		err = misuse("dates look like 2026-03-01, "+ageHint, "%s: %q is neither a date nor an age", flag, text)
	}
	if err != nil {
		return time.Time{}, err
	}
	return now.Add(-age), nil
}
