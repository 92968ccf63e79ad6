package strictyaml

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

type hook struct {
	URL    string            `yaml:"url"`
	Header map[string]string `yaml:"header"`
	Names  []string          `yaml:"names"`
}

var hooks = Document{Noun: "a hook", Instead: "there is little to repeat", Secrets: []string{"url", "header"}, Form: FormOf(reflect.TypeFor[hook](), nil)}

func TestSecretsAreNeverShown(t *testing.T) {
	for name, text := range map[string]string{
		"beside the flaw":       "url: https://x.test/hush\nnaems: [x]\n",
		"in quotes":             "url: \"https://x.test/hush\" # why\nnaems: [x]\n",
		"over lines":            "url: 'https://x.test/hush\n  hush'\nnaems: [x]\n",
		"as a block":            "url: |\n  https://x.test/hush\n  hush\nnaems: [x]\n",
		"in a flow":             "header: {A: hush, B: 'hush hush'}\nnaems: [x]\n",
		"as a number":           "header: {A: 5hush}\nheader2: x\n",
		"of the wrong kind":     "header: {A: [hush]}\n",
		"a list for one":        "header: hush\n",
		"the number itself":     "header: {A: 4711}\n",
		"after the flaw":        "naems: [x]\nheader:\n  A: hush\n",
		"before the flaw":       "header:\n  A: hush\n  B: hush\nnaems: [x]\n",
		"in what is no YAML":    "url: https://x.test/hush\nnames: [x\n",
		"an odd key, no YAML":   "names: [x\nTokens: hush\n",
		"in a comment":          "# url: https://x.test/hush\nnaems: [x]\n",
		"swallowed by text":     "|\n  names: x\n  url: https://x.test/hush\n",
		"of another spelling":   "URL: https://x.test/hush\n",
		"of another program":    "uri: hush\nnames: [x]\n",
		"headers":               "headers: {Authorization: Bearer hush}\n",
		"an address elsewhere":  "names: [x]\nplace: https://x.test/hush # https://x.test/hush\n",
		"an address as a list":  "names: https://x.test/hush\n",
		"an address as a key":   "? https://x.test/hush\n: x\n",
		"a whole line as a key": "'Authorization: Bearer hush': x\n",
		"a line as a header":    "header: {'Authorization: Bearer hush': }\n",
		"an address, no YAML":   "names: [x # https://x.test/hush\n",
		"under the wrong place": "names: [{url: hush}]\n",
	} {
		var h hook
		err := hooks.Read("hook.yaml", []byte(text), &h, nil)
		e, ok := errors.AsType[*Error](err)
		if !ok {
			t.Errorf("%s: %v", name, err)
			continue
		}
		told := strings.Join(append([]string{e.Error(), e.Hint}, e.Excerpt...), "\n")
		if strings.Contains(told, "hush") || strings.Contains(told, "4711") {
			t.Errorf("%s:\n%s", name, told)
		}
		if e.Line == 0 || (len(e.Excerpt) == 0) != (name == "in what is no YAML" || name == "an odd key, no YAML") {
			t.Errorf("%s: line %d, excerpt %q", name, e.Line, e.Excerpt)
		}
	}
}
