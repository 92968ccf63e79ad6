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
