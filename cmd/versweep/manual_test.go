package main

import (
	"io"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// --help and the manual pages are made from the command tree, so every command
// tells what it is for, with an example, and every flag what it does without
// being given.
func TestEveryCommandIsExplained(t *testing.T) {
	root := (&app{stdout: io.Discard, stderr: io.Discard}).command()
	for _, cmd := range everyCommand(root) {
		if cmd.Hidden {
			continue
		}
		path := cmd.CommandPath()
		if cmd.Short == "" || strings.HasSuffix(cmd.Short, ".") {
			t.Errorf("%s: short text %q", path, cmd.Short)
		}
		for line := range strings.Lines(cmd.Example) {
			if !strings.HasPrefix(line, "  "+path) {
				t.Errorf("%s: example %q does not begin with it", path, line)
			}
		}
		if cmd.Example == "" {
			t.Errorf("%s has no example", path)
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Usage == "" || f.Value.Type() != "bool" && hiddenDefault(f) && !strings.Contains(f.Usage, "default") {
				t.Errorf("%s --%s: %q tells no default", path, f.Name, f.Usage)
			}
		})
	}
}

// hiddenDefault tells whether pflag prints no default for a flag.
func hiddenDefault(f *pflag.Flag) bool {
	switch f.DefValue {
	case "", "0", "0s", "[]", "false", "<nil>":
		return true
	}
	return false
}
