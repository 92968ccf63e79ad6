package main

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestParseAge(t *testing.T) {
	const day = 24 * time.Hour
	for text, want := range map[string]time.Duration{
		"0": 0, "0d": 0, "0h": 0, "0m": 0, "0s": 0, "1h": time.Hour, "12h": 12 * time.Hour, "30d": 30 * day, "2w": 14 * day, "6mo": 180 * day, "2y": 730 * day,
		"1.5mo": 45 * day, "1y6mo": 545 * day, "1mo1h": 30*day + time.Hour, "1d12h": 36 * time.Hour, ".5d": 12 * time.Hour,
	} {
		if got, err := parseAge("--x", text); err != nil || got != want {
			t.Errorf("%q: %v, %v; want %v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"1m":    `--x: "1m" may be minutes or months: months are mo`,
		"90m":   `--x: "90m" may be minutes or months: months are mo`,
		"1.5m":  `--x: "1.5m" may be minutes or months: months are mo`,
		"30s":   `--x: "30s" is finer than ages are: the smallest unit is h`,
		"1d30m": `--x: "1d30m" is finer than ages are: the smallest unit is h`,
		"1ns":   `--x: "1ns" is finer than ages are: the smallest unit is h`,
		"0.5h":  `--x: "0.5h" is less than an hour`,
		".001d": `--x: ".001d" is less than an hour`,
	} {
		_, err := parseAge("--x", text)
		e, ok := errors.AsType[*misuseError](err)
		if !ok || e.problem != want || !strings.Contains(e.hint, "30d") || !strings.Contains(e.hint, "6mo") {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, text := range []string{"", "mo", "1", "-1d", "1 d", "1M", "1month", "1.2.3mo", "300y", "1e9d", "soon"} {
		if _, err := parseAge("--x", text); !errors.Is(err, errNotAge) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestSinceIsADateOrAnAge(t *testing.T) {
	now := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"2026-11-01": time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC), "2026-11-30T11:00:00Z": now.Add(-25 * time.Hour), "1mo": now.AddDate(0, 0, -30),
	} {
		if got, err := parseSince("--since", text, now); err != nil || !got.Equal(want) {
			t.Errorf("%q: %v, %v; want %v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"1m":        `--since: "1m" may be minutes or months: months are mo`,
		"yesterday": `--since: "yesterday" is neither a date nor an age`,
	} {
		if _, err := parseSince("--since", text, now); err == nil || err.Error() != want {
			t.Errorf("%q: %v", text, err)
		}
	}
}
