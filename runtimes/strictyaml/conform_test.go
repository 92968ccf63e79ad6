package strictyaml

import (
	"errors"
	"strings"
	"testing"
)

func TestNestingIsBounded(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		deep bool
	}{
		"lists":         {strings.Repeat("[", 40_000), true},
		"mappings":      {"header: " + strings.Repeat("{a: ", 101), true},
		"closed":        {"names: " + strings.Repeat("[", 101) + strings.Repeat("]", 101), true},
		"many":          {"names: [" + strings.Repeat("[],", 10_000) + "]", true},
		"deep but less": {"names: " + strings.Repeat("[", 100) + strings.Repeat("]", 100), false},
		"side by side":  {"names: [" + strings.Repeat("[],", 200) + "]", false},
	} {
		err := hooks.Read("hook.yaml", []byte(tt.text), new(hook), nil)
		e, ok := errors.AsType[*Error](err)
		if !ok || (e.Problem == "nested too deep") != tt.deep {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestByteOrderMarkIsNoText(t *testing.T) {
	var h hook
	if err := hooks.Read("hook.yaml", []byte("\ufeffurl: x\n"), &h, nil); err != nil || h.URL != "x" {
		t.Errorf("%q, %v", h.URL, err)
	}
	for _, err := range []error{
		hooks.Read("hook.yaml", []byte("\ufeffnames: [x, 5]\n"), &h, nil),
		hooks.Locate("hook.yaml", []byte("\ufeffnames: [x, y]\n"), FlawAt("names[1]", "no")),
	} {
		if e, ok := errors.AsType[*Error](err); !ok || e.Line != 1 || e.Column != 12 {
			t.Errorf("%v", err)
		}
	}
	if paths, err := hooks.Paths([]byte("\ufeffnames: x\n")); err == nil || len(paths) != 2 {
		t.Errorf("%q, %v", paths, err)
	}
}
