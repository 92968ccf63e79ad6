package imports

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestDetectIsNotSure(t *testing.T) {
	var e *DetectError
	_, err := Detect([]byte("hello\n"))
	if !errors.As(err, &e) || len(e.Candidates) != 0 || !strings.Contains(err.Error(), "ab, siege, wrk") {
		t.Errorf("no candidate: %v", err)
	}
	var both []byte
	for _, name := range []string{"wrk410_ok.txt", "ab23_ok.txt"} {
		b, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		both = append(both, b...)
	}
	_, err = Detect(both)
	if !errors.As(err, &e) || !slices.Equal(e.Candidates, []string{"ab", "wrk"}) || err.Error() != "this can be ab or wrk: name the format" {
		t.Errorf("two candidates: %v", err)
	}
}

// Whatever a file holds: no panic, no value that is not finite, no count below
// zero, and a reason for every run that failed.
func FuzzRead(f *testing.F) {
	names, err := filepath.Glob("testdata/*.*")
	if err != nil || len(names) < 50 {
		f.Fatalf("%d seeds, %v", len(names), err)
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		format, err := Detect(text)
		formats := Formats()
		if err == nil && format == Markdown {
			if _, err := Tables(strings.NewReader(string(text))); err == nil {
				return
			}
		}
		for _, format := range formats {
			readings, err := Read(format, strings.NewReader(string(text)), Options{})
			if (err == nil) == (len(readings) == 0) {
				t.Fatalf("%s: %d readings with %v", format, len(readings), err)
			}
			for _, r := range readings {
				for key, v := range r.Values {
					if key == "" || math.IsNaN(v) || math.IsInf(v, 0) {
						t.Errorf("%s: %q is %v", format, key, v)
					}
				}
				for p, v := range r.Percentiles {
					if !(p >= 0 && p <= 100) || !(v >= 0) || math.IsInf(v, 0) {
						t.Errorf("%s: p%v is %v", format, p, v)
					}
				}
				if r.OK < 0 || r.Requests < 0 || r.Opened < 0 || r.Connections < 0 || r.Elapsed < 0 || r.Errors.Total() < 0 {
					t.Errorf("%s: below zero: %+v", format, r)
				}
				if r.Counted && (r.Failed != (r.OK == 0) || r.Failed != (r.Reason != "")) {
					t.Errorf("%s: failed or not: %+v", format, r)
				}
				if len(r.Notes) > maxNotes || len([]rune(r.Label)) > maxWords {
					t.Errorf("%s: %d notes, a label of %d", format, len(r.Notes), len(r.Label))
				}
			}
		}
	})
}

// What is of another tool in a file is not dropped in silence.
func TestReportsOfOtherToolsAreTold(t *testing.T) {
	wrk, err := os.ReadFile("testdata/wrk410_ok.txt")
	if err != nil {
		t.Fatal(err)
	}
	ab, err := os.ReadFile("testdata/ab23_one.txt")
	if err != nil {
		t.Fatal(err)
	}
	report, err := ReadReport("wrk", "both.txt", slices.Concat(wrk, ab))
	if err != nil || len(report.Readings) != 1 {
		t.Fatalf("%d readings, %v", len(report.Readings), err)
	}
	want := "line 16 looks like a report of ab, which is not read"
	if notes := report.Readings[0].Notes; len(notes) != 1 || notes[0] != want {
		t.Errorf("notes are %q, want %q", notes, want)
	}
	if report, err = ReadReport("wrk", "wrk.txt", wrk); err != nil || len(report.Readings[0].Notes) != 0 {
		t.Errorf("notes of a report alone are %q, %v", report.Readings[0].Notes, err)
	}
}
