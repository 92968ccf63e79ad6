package main

import (
	"strings"
	"testing"

	"versweep/sweep"
)

func TestRepeatImport(t *testing.T) {
	for format, want := range map[string]string{
		"csv": "versweep import csv a.csv --target x", "published": "versweep import published a.csv",
		"wrk": "# a.csv, each as VERSION=FILE:\nversweep import wrk --target x VERSION=FILE",
	} {
		if got := strings.Join(repeatImport(sweep.Foreign{Format: format, File: "a.csv"}, "x"), "\n"); got != want {
			t.Errorf("%s: %q, want %q", format, got, want)
		}
	}
}
