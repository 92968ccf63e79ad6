package sweep

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode"
)

func TestPrintableKeepsOrdersFromCIServices(t *testing.T) {
	for in, want := range map[string]string{
		"::error::x": `\x3a:error::x`, "  ::x::": `  \x3a:x::`, "a ::x::": `a \x3a:x::`, "std::sort": "std::sort", "a:: b": "a:: b",
		"##[add-mask]x": `##\x5badd-mask]x`, "a ##vso[task]x": `a ##vso\x5btask]x`, "## heading [x]": "## heading [x]", "\n::x": `\n\x3a:x`, "a\x1b[1m::x": `a\x1b[1m::x`,
	} {
		got := Printable(in)
		if got != want || Printable(got) != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// JSON keeps every character and shows none that a terminal would obey.
func TestWriteJSONIsPrintableAndWhole(t *testing.T) {
	text := "##[x]a\x1b[2J\x7f\u009b31m\u202e\u2066\u200b\ufeff\u2028\u00a0\U000e0041é日本<&>\"\\\n"
	var b bytes.Buffer
	if err := WriteJSON(&b, map[string]string{text: text}); err != nil {
		t.Fatal(err)
	}
	for _, r := range b.String() {
		if r != '\n' && !unicode.IsPrint(r) {
			t.Errorf("%q is in %q", r, b.String())
		}
	}
	var back map[string]string
	if err := json.Unmarshal(b.Bytes(), &back); err != nil || back[text] != text {
		t.Errorf("%q, %v", back, err)
	}
	if err := WriteJSON(&b, func() {}); err == nil {
		t.Error("a function was written")
	}
}
