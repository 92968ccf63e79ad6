package settings

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"versweep/runtimes/strictyaml"
	"versweep/runtimes/strictyaml/yamlschema"
)

func TestPeriodsHaveDays(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"90m": 90 * time.Minute, "24h": day, "14d": 14 * day, "1d12h": 36 * time.Hour, "1.5h": 90 * time.Minute, "0d1s": time.Second,
		"1d12h30m": 36*time.Hour + 30*time.Minute, "106751d": 106751 * day,
		"2w": 14 * day, "1w1d": 8 * day, "1.5d": 36 * time.Hour, ".5w": 84 * time.Hour, "12h1d": 36 * time.Hour,
		"": -1, "14": -1, "d": -1, "w": -1, "1.5.d": -1, "-1d": -1, "1d-1h": -1, "1y": -1, "99999w": -1, "1 d": -1, "106752d": -1, "99999999999999999999d": -1,
		"106751d24h": -1, "9999999999h": -1,
	} {
		got, err := ParsePeriod(text)
		if (err != nil) != (want < 0) || err == nil && time.Duration(got) != want {
			t.Errorf("%q: %v, %v", text, time.Duration(got), err)
		}
	}
}

// The settings that init writes work, and show every key.
func TestSkeletonIsRightAndWhole(t *testing.T) {
	file := filepath.Join(t.TempDir(), Name)
	if err := os.WriteFile(file, Skeleton, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Read(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Targets) != 1 || f.Targets[0].Versions != ">=20" || f.Budget != Period(30*time.Minute) {
		t.Errorf("%+v", f.Settings)
	}
	if !strings.HasPrefix(string(Skeleton), "# yaml-language-server: $schema=nightly.schema.json\n") {
		t.Error("editors are not told of the schema")
	}
	schema, err := yamlschema.Compile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(Skeleton); err != nil {
		t.Error(err)
	}
	_, commented, found := strings.Cut(string(Skeleton), "# ---- Every key")
	if !found {
		t.Fatal("the skeleton shows no keys")
	}
	_, commented, _ = strings.Cut(commented, "\n")
	var text strings.Builder
	for line := range strings.Lines(commented) {
		text.WriteString(strings.TrimPrefix(strings.TrimPrefix(line, "#"), " "))
	}
	whole := []byte(text.String())
	var s Settings
	if err := Document.Read("keys", whole, &s, s.check); err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(whole); err != nil {
		t.Error(err)
	}
	paths, err := Document.Paths(whole)
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	for _, path := range paths {
		shown[path[strings.LastIndex(path, ".")+1:]] = true
	}
	page, err := os.ReadFile("../../../docs/nightly.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range Document.Form.Every() {
		if !shown[k.Name] {
			t.Errorf("the skeleton does not show the key %s", k.Name)
		}
		if !strings.Contains(string(page), "| `"+k.Name+"` |") {
			t.Errorf("docs/nightly.md does not explain the key %s", k.Name)
		}
	}
}

// What an editor marks, the reader refuses, and the other way round.
func TestSchemaAndReaderAgree(t *testing.T) {
	schema, err := yamlschema.Compile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	for text, right := range map[string]bool{
		"":                                                      true,
		"every: 7d\n":                                           true,
		"every: 1d12h\n":                                        true,
		"every: 7\n":                                            false,
		"every: 7 d\n":                                          false,
		"every: 1y\n":                                           false,
		"defaults: {rounds: 10}\n":                              true,
		"defaults: {rounds: 5:15}\n":                            true,
		"defaults: {rounds: '5:15'}\n":                          true,
		"defaults: {rounds: 5-15}\n":                            false,
		"defaults: {rounds: [5]}\n":                             false,
		"defaults: {effect: 3%}\n":                              true,
		"defaults: {effect: 0.03}\n":                            true,
		"defaults: {effect: -0.03}\n":                           false,
		"defaults: {server_cpus: 0}\n":                          true,
		"defaults: {server_cpus: '0-3,6'}\n":                    true,
		"defaults: {server_cpus: all}\n":                        false,
		"defaults: {versions: 20}\n":                            false,
		"defaults: {versions: '20'}\n":                          true,
		"defaults: {name: x}\n":                                 false,
		"defaults: {improvements: yes}\n":                       false,
		"defaults: {improvements: true}\n":                      true,
		"defaults: {duration: 1d}\n":                            false,
		"defaults: {duration: 2s}\n":                            true,
		"outputs: {export: [{file: x}]}\n":                      false,
		"outputs: {charts: []}\n":                               false,
		"notify: [{github: false}]\n":                           true,
		"notify: [{}]\n":                                        false,
		"notify: [{webhook: {}}]\n":                             false,
		"notify: [{command: [x], github: true}]\n":              false,
		"notify: [{webhook: {url: 'https://x', url_env: X}}]\n": false,
		"notify: [{webhook: {url_env: X, format: slack}}]\n":    true,
		"notify: [{webhook: {url_env: X, format: teams}}]\n":    false,
		"notify: [{webhook: {url_env: X, header: {A: b}}}]\n":   true,
		"notify: [{webhook: {url_env: X, header: [A]}}]\n":      false,
		"notify: [{webhook: {url_env: X}, timeout: 10s}]\n":     true,
		"notify: [{webhook: {url_env: X, timeout: 10s}}]\n":     false,
		"retries: 3\n":                                          false,
	} {
		text = "targets: [{name: node}]\n" + text
		var s Settings
		if err := Document.Read("x", []byte(text), &s, s.check); (err == nil) != right {
			t.Errorf("the reader says of %q: %v", text, err)
		}
		if err := schema.Validate([]byte(text)); (err == nil) != right {
			t.Errorf("the schema says of %q: %v", text, err)
		}
	}
}

// Every key of a target can be a default, and what a target says itself counts.
func TestTargetsAreLaidOverTheDefaults(t *testing.T) {
	fill := func(v reflect.Value, with int64) {
		switch v.Kind() {
		case reflect.Pointer:
			one := reflect.New(v.Type().Elem())
			if one.Elem().Kind() == reflect.Bool {
				one.Elem().SetBool(with == 1)
			} else {
				one.Elem().SetInt(with)
			}
			v.Set(one)
		case reflect.String:
			v.SetString(strings.Repeat("x", int(with)))
		case reflect.Int64:
			v.SetInt(with)
		case reflect.Slice:
			v.Set(reflect.ValueOf(make([]string, with)))
		default:
			t.Fatalf("%v: how is it filled?", v.Type())
		}
	}
	for i := range reflect.TypeFor[Sweeping]().NumField() {
		var base, own Sweeping
		fill(reflect.ValueOf(&base).Elem().Field(i), 1)
		name := reflect.TypeFor[Sweeping]().Field(i).Name
		want := reflect.ValueOf(base).Field(i).Interface()
		if got := reflect.ValueOf(own.Over(base)).Field(i).Interface(); !reflect.DeepEqual(got, want) {
			t.Errorf("the default of %s is forgotten: %v", name, got)
		}
		fill(reflect.ValueOf(&own).Elem().Field(i), 2)
		want = reflect.ValueOf(own).Field(i).Interface()
		if got := reflect.ValueOf(own.Over(base)).Field(i).Interface(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s of a target does not count: %v", name, got)
		}
	}
}

func TestSettingsFilesThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	large := filepath.Join(dir, "large")
	if err := os.WriteFile(large, make([]byte, maxBytes+1), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		filepath.Join(dir, "no"): "there is no such file", dir: "is a folder", large: "is larger than settings ever are", "/dev/zero": "is not a regular file",
	} {
		if _, err := Read(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Whatever else settings hold, they are read or refused in printable lines, and the
// address of a webhook is never told.
func FuzzSettings(f *testing.F) {
	f.Add("targets: [{name: node}]\n")
	f.Add("targets: [{name: node}]\noutputs: {report: [}\n")
	f.Add("every: 'x\n\n  y'\n? header\n: [x, {a: \"x\"}]\n")
	f.Add("store: |\n  x\n y: [1, {b: }\n\t")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4096 {
			return
		}
		const secret = "hush-4711"
		var s Settings
		err := Document.Read("x", []byte(text+"\nnotify:\n- webhook: {url: https://x.test/"+secret+"}\n"), &s, s.check)
		if err == nil {
			return
		}
		e, ok := errors.AsType[*strictyaml.Error](err)
		if !ok {
			t.Fatalf("%T: %v", err, err)
		}
		for _, line := range append(e.Excerpt, e.Error(), e.Hint) {
			if strings.Contains(line, secret) || strings.ContainsAny(line, "\x1b\x00\n\r") {
				t.Errorf("%q", line)
			}
		}
	})
}
