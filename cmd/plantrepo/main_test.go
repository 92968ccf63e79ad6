package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPlantrepo(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	var out strings.Builder
	if err := run([]string{"-o", dir, "-commits", "12"}, &out); err == nil || !strings.Contains(err.Error(), "place 38") {
		t.Errorf("a slow commit that is not there: %v", err)
	}
	if err := run([]string{"-o", t.TempDir(), "-commits", "12", "-at", "5"}, &out); err != nil || strings.Contains(out.String(), "broken") {
		t.Errorf("a short history: %v, %s", err, out.String())
	}
	if err := run([]string{"-o", dir, "-at", "50", "-merged"}, &out); err != nil {
		t.Fatal(err)
	}
	told := map[string]bool{}
	for line := range strings.Lines(out.String()) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		told[fields[0]] = true
		if fields[0] == "repository" || fields[0] == "target" {
			if _, err := os.Stat(fields[1]); err != nil {
				t.Error(err)
			}
		}
	}
	for _, word := range []string{"repository", "target", "good", "bad", "slow", "broken"} {
		if !told[word] {
			t.Errorf("no %s in %s", word, out.String())
		}
	}
	for _, args := range [][]string{nil, {"-o", dir}} { // no folder, and one that is taken
		if err := run(args, &out); err == nil {
			t.Errorf("%v: no error", args)
		}
	}
}
