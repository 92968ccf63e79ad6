package imports

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// A report that is cut at any byte is refused, or its figures are those of the
// whole one: where a file has several runs, those of the runs that are left.
func TestCutReportsNeverYieldOtherFigures(t *testing.T) {
	files, err := filepath.Glob("testdata/*")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		format, _, _ := strings.Cut(filepath.Base(file), "_")
		if f, err := Detect(text); err == nil {
			format = f
		}
		whole, err := Read(format, strings.NewReader(string(text)), Options{})
		if err != nil {
			continue // no report at all, as other tests say
		}
		checked++
		t.Run(filepath.Base(file), func(t *testing.T) {
			for n := range text {
				got, err := Read(format, strings.NewReader(string(text[:n])), Options{})
				if err != nil {
					continue
				}
				for i, r := range got {
					if r.Failed && whole[i].Failed {
						continue
					}
					want := whole[i]
					r.Notes, want.Notes = nil, nil
					if !reflect.DeepEqual(r, want) {
						t.Fatalf("cut at byte %d: run %d is\n%+v\nwant\n%+v\n%q", n, i+1, r, want, tail(text[:n]))
					}
				}
			}
		})
	}
	if checked < 50 {
		t.Errorf("only %d files were cut", checked)
	}
}

func tail(b []byte) string { return string(b[max(0, len(b)-60):]) }
