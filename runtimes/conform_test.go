package runtimes

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"
)

// readAs reads text as the definition of target x, with hello.js beside it.
func readAs(t *testing.T, text string) error {
	t.Helper()
	c, err := newCatalog(fstest.MapFS{"x/target.yaml": {Data: []byte(text)}, "x/hello.js": {}, "x/folder/y": {}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Find("x")
	return err
}

const rightDefinition = `title: X
sources:
  - npm:
      package: x
      keep: [bin/x]
program: [hello.js]
start: ["{build}/bin/x", "{program}/hello.js"]
`

func TestDefinitionFlawsAreTold(t *testing.T) {
	for _, text := range []string{rightDefinition, strings.Replace(rightDefinition, "start: [", `start: ["{host} {user} {} {Build} ${x}", `, 1)} {
		if err := readAs(t, text); err != nil {
			t.Fatal(err)
		}
	}
	swap := func(old, new string) string {
		if !strings.Contains(rightDefinition, old) {
			t.Fatalf("%q is not in the right definition", old)
		}
		return strings.Replace(rightDefinition, old, new, 1)
	}
	for name, tt := range map[string]struct{ text, place, problem, hint string }{
		"misspelt key":             {swap("start:", "satrt:"), "7:1", `unknown key "satrt"; did you mean "start"?`, "keys here: title, "},
		"misspelt key, deeper":     {swap("keep:", "kept:"), "5:7", `sources[0].npm: unknown key "kept"; did you mean "keep"?`, "keys here: package, keep"},
		"swapped letters":          {swap("npm:", "nmp:"), "3:5", `sources[0]: unknown key "nmp"; did you mean "npm"?`, ""},
		"key of a deeper place":    {swap("npm:\n      package: x\n      keep: [bin/x]", "package: x\n    keep: [bin/x]"), "3:5", `sources[0]: unknown key "package"; it belongs in npm`, "keys here: image, npm, "},
		"key of the recipe":        {swap("program:", "    start: [x]\nprogram:"), "6:5", `sources[0]: unknown key "start"; it belongs in recipe`, ""},
		"key of the top":           {swap("keep:", "title:"), "5:7", `unknown key "title"; it belongs at the top`, ""},
		"key of nowhere":           {swap("start:", "wherever:"), "7:1", `unknown key "wherever"`, ""},
		"same key twice":           {rightDefinition + "title: Y\n", "8:1", `mapping key "title" already defined`, ""},
		"number for text":          {swap("title: X", "title: 1.10"), "1:8", "title: a number was found, but it has to be text", `put it in quotes: "1.10"`},
		"version as a number":      {swap("npm:\n      package: x\n      keep: [bin/x]", "list: [1.9.0, 1.10]"), "3:19", "sources[0].list[1]: a number was found", `"1.10"`},
		"number in a command":      {swap(`"{program}/hello.js"]`, "8080]"), "7:26", "start[1]: a number", `"8080"`},
		"truth for text":           {rightDefinition + "env: {A: true}\n", "8:10", "env.A: true or false was found", `"true"`},
		"text for a list":          {swap("[hello.js]", "hello.js"), "6:10", "program: text was found, but it has to be a list", "[hello.js]"},
		"list for text":            {swap("title: X", "title: [X]"), "1:8", "title: a list was found, but it has to be text", ""},
		"text for keys":            {swap("npm:\n      package: x\n      keep: [bin/x]", "npm: x"), "3:10", "sources[0].npm: text was found, but it has to be keys with values", ""},
		"nothing for text":         {swap("title: X", "title:"), "1:1", "title: has no value; it has to be text", "leave the key out"},
		"text for a number":        {rightDefinition + "cpus: many\n", "8:7", "cpus: text was found, but it has to be a whole number", ""},
		"fraction for a number":    {rightDefinition + "cpus: 1.5\n", "8:7", "cpus: a number was found, but it has to be a whole number", ""},
		"time without a unit":      {rightDefinition + "answer: {timeout: 10}\n", "8:19", "answer.timeout: a number was found, but it has to be a time such as 10s", "500ms"},
		"time with an odd unit":    {rightDefinition + "answer: {timeout: 10 sec}\n", "8:19", "answer.timeout: text was found", "500ms"},
		"unknown value":            {rightDefinition + "line: mijor\n", "8:7", `line: unknown value "mijor"; did you mean "major"?`, "known: major, minor"},
		"no title":                 {swap("title: X\n", ""), "1:1", "title is missing", ""},
		"no package":               {swap("package: x\n      ", ""), "3:5", "sources[0].npm: package is missing", ""},
		"no kind of source":        {swap("npm:\n      package: x\n      keep: [bin/x]", "recipe: {}"), "3:5", "sources[0]: there is no kind of source", "one of image"},
		"two kinds in one":         {swap("  - npm:", "  - list: [1.0.0]\n    npm:"), "3:5", "sources[0]: list and npm are two kinds", "a dash of its own"},
		"empty list":               {swap("npm:\n      package: x\n      keep: [bin/x]", "list: []"), "3:5", "sources[0].list: it names no version", ""},
		"no start":                 {rightDefinition[:strings.Index(rightDefinition, "start")], "3:5", "sources[0]: start is missing", "in the source's recipe"},
		"bad pattern":              {swap("bin/x]", "bin/x, '[x']"), "5:21", `sources[0].npm.keep[1]: bad pattern "[x"`, ""},
		"bad form of tags":         {swap("npm:\n      package: x\n      keep: [bin/x]", "git: {repository: x, tags: 'v{versoin}'}"), "3:26", `sources[0].git.tags: "v{versoin}" is no form of tags`, ""},
		"program elsewhere":        {swap("hello.js]", "hello.js, ../x.js]"), "6:21", `program[1]: "../x.js" is not the name of a file beside target.yaml`, ""},
		"program missing":          {swap("hello.js]", "hullo.js]"), "6:11", `program[0]: "hullo.js" beside target.yaml: there is no such file`, ""},
		"program a folder":         {swap("hello.js]", "folder]"), "6:11", "is a folder, not a file", ""},
		"program of a source":      {swap("program:", "    recipe: {program: [a.js]}\nprogram:"), "6:24", `sources[0].recipe.program[0]: "a.js"`, ""},
		"program of a variant":     {rightDefinition + "variants:\n  xml:\n    recipe: {program: [xml.js]}\n", "10:24", `variants.xml.recipe.program[0]: "xml.js"`, ""},
		"Dockerfile missing":       {rightDefinition + "dockerfile: Dockerfile\n", "8:1", `dockerfile: "Dockerfile" beside target.yaml: there is no such file`, ""},
		"misspelt placeholder":     {swap("{program}", "{programm}"), "7:26", `start[1]: unknown placeholder "{programm}"; did you mean "{program}"?`, ""},
		"swapped placeholder":      {swap("{build}", "{biuld}"), "7:9", `start[0]: unknown placeholder "{biuld}"; did you mean "{build}"?`, ""},
		"port in the environment":  {rightDefinition + "env: {PORT: '80'}\n", "8:7", "env.PORT: versweep sets $PORT itself", ""},
		"variable's name":          {rightDefinition + "env: {'A=B': x}\n", "8:7", `env["A=B"]: "A=B" cannot be a variable`, ""},
		"variant's name":           {rightDefinition + "variants: {X Y: {about: x}}\n", "8:12", `variants["X Y"]: "X Y" is not a variant's name`, "small letters"},
		"homepage":                 {rightDefinition + "homepage: example\n", "8:1", `homepage: "example" is not the address of a page`, "https://"},
		"method":                   {rightDefinition + "request: {method: 'GE T'}\n", "8:11", "request.method: ", ""},
		"path":                     {rightDefinition + "request: {path: x}\n", "8:11", `request.path: "x" does not start with /`, ""},
		"header":                   {rightDefinition + "request: {header: {Host: x}}\n", "8:11", "request.header: Host is set by the engine", ""},
		"status":                   {rightDefinition + "answer: {status: 99}\n", "8:10", "answer.status: 99 is not between 200 and 599", ""},
		"status of a variant":      {rightDefinition + "variants:\n  a:\n    answer: {status: 99}\n", "10:14", "variants.a.answer.status: 99", ""},
		"no server":                {rightDefinition + "cpus: -1\n", "8:1", "cpus: -1 is less than 1", ""},
		"an anchor":                {swap("title: X", "title: &a X"), "1:8", "title: anchors, aliases and tags", ""},
		"an alias":                 {rightDefinition + "about: *a\n", "8:8", "about: anchors, aliases and tags", ""},
		"a tag":                    {swap("title: X", "title: !!binary aGVsbG8="), "1:8", "title: anchors, aliases and tags", ""},
		"a merge key":              {rightDefinition + "<<: {about: x}\n", "8:1", "a key has to be text", ""},
		"a key of several lines":   {rightDefinition + "? about\n: x\n", "8:1", "a key has to be text", ""},
		"a number as name":         {rightDefinition + "env: {5: x}\n", "8:7", "env: a key has to be text", ""},
		"not even YAML":            {swap("[bin/x]", "[bin/x"), "6:1", "this is no YAML: ", ""},
		"a tab":                    {"\t" + rightDefinition, "1:6", "this is no YAML: ", "no tabs"},
		"a list":                   {"- x\n", "1:1", "a list was found, but it has to be keys with values", ""},
		"a second document":        {rightDefinition + "---\ntitle: Y\n", "8:1", "a second document begins", ""},
		"nothing":                  {"# later\n", "", "is empty", ""},
		"control characters":       {rightDefinition + "\"a\\e[31mb\": x\n", "8:1", `unknown key "a\x1b[31mb"`, ""},
		"a definition that is big": {rightDefinition + "about: " + strings.Repeat("x", maxDefinition), "", "a definition has 262144 at most", ""},
	} {
		t.Run(name, func(t *testing.T) {
			err := readAs(t, tt.text)
			e, ok := errors.AsType[*DefinitionError](err)
			if !ok {
				t.Fatalf("got %v", err)
			}
			place := e.File + ": "
			if tt.place != "" {
				place = e.File + ":" + tt.place + ": "
			}
			if got := e.Error(); !strings.HasPrefix(got, place) || !strings.Contains(got, tt.problem) || strings.Contains(got, "\n") {
				t.Errorf("got  %s\nwant %s%s", got, place, tt.problem)
			}
			if !strings.Contains(e.Hint, tt.hint) {
				t.Errorf("hint %q, want %q", e.Hint, tt.hint)
			}
			if (tt.place == "") != (len(e.Excerpt) == 0) {
				t.Errorf("excerpt %q", e.Excerpt)
			}
		})
	}
}

// Whatever a definition holds, it is read or refused in one printable line with
// a place that is in the text.
func FuzzDefinition(f *testing.F) {
	f.Add(rightDefinition)
	f.Add("a: &x [*x]\n<<: *x\n? [k]\n: !!int v\n---\n")
	f.Add("title: |\n  x\n y: [1, {b: }\n")
	f.Add("variants: {a: {recipe: {env: {\"\\n\": ~}}}}")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4096 {
			return
		}
		err := readAs(t, text)
		if err == nil {
			return
		}
		e, ok := errors.AsType[*DefinitionError](err)
		if !ok {
			t.Fatalf("%T: %v", err, err)
		}
		if lines := strings.Count(text, "\n") + 1; e.Line > lines {
			t.Errorf("line %d of %d", e.Line, lines)
		}
		const wide = 1000 // characters; the text may have more in a line
		for _, shown := range append(e.Excerpt, e.Error()) {
			if strings.ContainsAny(shown, "\x1b\x00\n\r") || utf8.RuneCountInString(shown) > wide && len(e.Excerpt) > 0 && shown != e.Error() {
				t.Errorf("shown: %q", shown)
			}
		}
	})
}
