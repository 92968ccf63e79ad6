package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"versweep/cmd/versweep/settings"
	"versweep/sweep"
)

// nightlyApp is the program as a test talks to it.
func nightlyApp() (*app, *bytes.Buffer, *bytes.Buffer) {
	var stdout, stderr bytes.Buffer
	return &app{stdout: &stdout, stderr: &stderr, begun: true}, &stdout, &stderr
}

func noFlag(string) bool { return false }

// readSettings reads text as versweep.yaml in a folder of its own, whose name is
// cut off what people are told.
func readSettings(t *testing.T, text string) (s *nightlySettings, told string, status int) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	file := filepath.Join(dir, settings.Name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	a, _, stderr := nightlyApp()
	s, err := a.readNightly(context.Background(), file, noFlag)
	if err != nil {
		status = a.tell(context.Background(), err)
	}
	return s, strings.ReplaceAll(stderr.String(), dir+string(filepath.Separator), ""), status
}

// What is wrong is told in one line with its place, the line of the file and what
// to do, in the words of the file.
func TestSettingsFlawsAreTold(t *testing.T) {
	const node = "targets:\n  - name: node\n"
	for _, tt := range []struct{ text, line, hint string }{
		{"", "versweep.yaml: is empty", ""},
		{"targets: []\n", "versweep.yaml:1:1: targets: there is nothing to sweep", "targets: [{name: node}]"},
		{"store: x.db\n", "versweep.yaml:1:1: targets: there is nothing to sweep", ""},
		{"targets:\n  - per: line\n", "versweep.yaml:2:5: targets[0]: name is missing", "versweep targets lists"},
		{"targets:\n  - name: noed\n", `versweep.yaml:2:5: targets[0].name: unknown target "noed"`, "did you mean node? versweep targets lists them all; target_dir says where your own are"},
		{node + "  - name: node\n", `versweep.yaml:3:5: targets[1].name: "node" is there already as targets[0]`, ""},
		{node + "    rounds: 9:5\n", "versweep.yaml:3:5: targets[0].rounds: 9:5 ends before it begins", "the fewest come first: rounds: 5:30"},
		{node + "    rounds: 0\n", `versweep.yaml:3:5: targets[0].rounds: "0" is not a number from 1 to 100000`, "5 to 30 are usual: rounds: 10, or rounds: 5:30"},
		{node + "    rounds: many\n", "versweep.yaml:3:13: targets[0].rounds: text was found, but it has to be a number of rounds", ""},
		{"defaults:\n  rounds: 3:3\n" + node, "versweep.yaml:2:3: defaults.rounds: nothing can be settled in fewer than 5 rounds", "rounds: 5:15"},
		{node + "    rounds: 1\n", "versweep.yaml:3:5: targets[0].rounds: nothing can be settled in fewer than 5 rounds", "rounds: 5:15"},
		{"defaults:\n  rounds: 2:9\n" + node, "versweep.yaml:2:3: defaults.rounds: nothing can be settled in fewer than 5 rounds", "rounds: 5:9"},
		{node + "    effect: 100%\n", "versweep.yaml:3:5: targets[0].effect: 100% is not between 0 and 100 %", "3% is usual"},
		{node + "    per: century\n", `versweep.yaml:3:5: targets[0].per: unknown value "century"`, "use line, minor or patch"},
		{node + "    source: bzr\n", `versweep.yaml:3:5: targets[0].source: node has no source "bzr"`, "known for this target: "},
		{node + "    versions: latets\n", `versweep.yaml:3:5: targets[0].versions: version range "latets"`, "ranges look like"},
		{node + "    versions: 1.10\n", "versweep.yaml:3:15: targets[0].versions: a number was found, but it has to be text", `put it in quotes: "1.10"`},
		{node + "    launcher: podman\n", `versweep.yaml:3:5: targets[0].launcher: unknown value "podman"`, ""},
		{node + "    connections: 0\n", "versweep.yaml:3:5: targets[0].connections: 0 is less than 1", ""},
		{node + "    warmup: -1s\n", "versweep.yaml:3:5: targets[0].warmup: -1s is negative", ""},
		{node + "    duration: 0s\n", "versweep.yaml:3:5: targets[0].duration: 0s is not more than 0", ""},
		{node + "    profile: httperf-ramp\n", "versweep.yaml:3:5: targets[0].profile: httperf-ramp is a ramp", "versweep load runs it"},
		{node + "    metrics: [qqs]\n", `versweep.yaml:3:5: targets[0].metrics: node has no metric "qqs"`, "use one of qps, "},
		{node + "    metrics: [qps, p99_ms, qps]\n", "versweep.yaml:3:5: targets[0].metrics: qps is there twice", "name each metric once"},
		{node + "    metrics: []\n", "versweep.yaml:3:5: targets[0].metrics: it names no metric", "leave metrics out to watch all"},
		{"defaults:\n  metrics: []\n" + node, "versweep.yaml:2:3: defaults.metrics: it names no metric", "leave metrics out to watch all"},
		{"budget: -3h\n" + node, `versweep.yaml:1:9: budget: "-3h" is not a time of more than 0`, "what has no limit is left out"},
		{node + "    budget: -1d\n", `versweep.yaml:3:13: targets[0].budget: "-1d" is not a time of more than 0`, ""},
		{node + "    min_change: 5 per cent\n", "versweep.yaml:3:17: targets[0].min_change: text was found", "write 3% or 0.03"},
		{node + "    server_cpus: 9999\n", "versweep.yaml:3:5: targets[0].server_cpus: ", ""},
		{node + "    fresh: 14\n", "versweep.yaml:3:12: targets[0].fresh: a number was found, but it has to be a time of more than 0", "90m, 24h, 14d"},
		{node + "    fresh: 0s\n", `versweep.yaml:3:12: targets[0].fresh: "0s" is not a time of more than 0`, ""},
		{"budget: 999999d\n" + node, `versweep.yaml:1:9: budget: "999999d" is not a time`, "what has no limit is left out"},
		{"store: sub/x.db\n" + node, "versweep.yaml:1:1: store: its folder is not there", "mkdir -p "},
		{node + "    latency_pass: true\n", `versweep.yaml:3:5: targets[0]: unknown key "latency_pass"`, "keys here: name, source, "},
		{"target_dir: nowhere\n" + node, "versweep.yaml:1:1: target_dir: there is no such folder", "versweep init NAME --target-dir DIR makes it"},
		{node + "  - name: bun\noutputs:\n  charts: trend.png\n", "versweep.yaml:5:3: outputs.charts: one file cannot hold 2 targets", "{target} in its name"},
		{node + "outputs:\n  charts: trend.jpg\n", "versweep.yaml:4:3: outputs.charts: ", ".png or .svg"},
		{node + "outputs:\n  report: ..\n", "versweep.yaml:4:3: outputs.report: ", "name a new folder"},
		{node + "outputs:\n  charts: versweep.yaml/x.png\n", "versweep.yaml:4:3: outputs.charts: its folder cannot be written to: ", ""},
		{node + "outputs:\n  export:\n    - {format: junitt, file: x}\n", `versweep.yaml:5:8: outputs.export[0].format: unknown format "junitt"`, "known: csv, go-bench, github-action, openmetrics, bencher, junit, json"},
		{node + "outputs:\n  export:\n    - {format: csv, file: x}\n    - {format: junit, file: x}\n", "versweep.yaml:6:23: outputs.export[1].file: it is written already as outputs.export[0].file", ""},
		{node + "outputs:\n  export:\n    - {format: csv, file: versweep.db}\n", "versweep.yaml:5:21: outputs.export[0].file: it is written already as the store", ""},
		{node + "outputs:\n  export:\n    - {format: csv, file: ./versweep.yaml}\n", "versweep.yaml:5:21: outputs.export[0].file: it is written already as the settings", ""},
		{node + "outputs:\n  report: pages\n  charts: pages/trend.png\n", "versweep.yaml:5:3: outputs.charts: it lies in the folder of the report", "name it outside of"},
		{node + "  - name: bun\noutputs:\n  charts: same-{target}.png\n  export:\n    - {format: csv, file: same-bun.png}\n", "versweep.yaml:7:21: outputs.export[0].file: it is written already as outputs.charts", ""},
		{node + "outputs:\n  export:\n    - {format: csv, better: bigger, file: x}\n", "versweep.yaml:5:21: outputs.export[0].better: csv has all metrics in one file", ""},
		{node + "outputs:\n  export:\n    - {format: csv}\n", "versweep.yaml:5:7: outputs.export[0]: file is missing", ""},
		{node + "notify:\n  - mail: x\n", `versweep.yaml:4:5: notify[0]: unknown key "mail"`, "keys here: webhook, command, github, timeout"},
		{node + "notify:\n  - timeout: 5s\n", "versweep.yaml:4:5: notify[0]: there is no way to tell", ""},
		{node + "notify:\n  - command: [x]\n    github: true\n", "versweep.yaml:4:5: notify[0]: command and github are two ways in one", ""},
		{node + "notify:\n  - github: true\n  - github: false\n", "versweep.yaml:5:5: notify[1].github: notify[0] says it already", ""},
		{node + "notify:\n  - command: []\n", "versweep.yaml:4:5: notify[0].command: it names no program", ""},
		{node + "notify:\n  - command: [./no]\n", `versweep.yaml:4:15: notify[0].command[0]: "./no" cannot be started: `, "counts from the settings' folder"},
		{node + "notify:\n  - command: [x]\n    timeout: 1d\n", "versweep.yaml:5:5: notify[0].timeout: 24h0m0s is longer than 10m0s", ""},
		{node + "notify:\n  - webhook: {}\n", "versweep.yaml:4:5: notify[0].webhook: it has to have either url or url_env", ""},
		{node + "notify:\n  - webhook: {url: 'ftp://x.test/hush'}\n", "versweep.yaml:4:15: notify[0].webhook.url: the address begins neither with https:// nor", ""},
		{node + "notify:\n  - webhook: {url_env: NOT_SET}\n", "versweep.yaml:4:15: notify[0].webhook.url_env: $NOT_SET is not set", "EnvironmentFile="},
		{node + "notify:\n  - webhook: {url_env: HUSH}\n", "versweep.yaml:4:15: notify[0].webhook.url_env: $HUSH: the address begins neither", ""},
		{node + "notify:\n  - webhook: {url: 'https://x.test/hush', header_env: {X: NOT_SET}}\n", "versweep.yaml:4:56: notify[0].webhook.header_env.X: $NOT_SET is not set", ""},
		{node + "notify:\n  - webhook: {url: 'https://x.test/hush', header: {host: hush}}\n", "versweep.yaml:4:52: notify[0].webhook.header.host: versweep sets Host itself", ""},
		{node + "notify:\n  - webhook: {url: 'https://x.test/hush', header: {X: \"hush\\nhush\"}}\n", "versweep.yaml:4:52: notify[0].webhook.header.X: its value has line breaks", ""},
		{node + "notify:\n  - webhook: {url: 'https://x.test/hush', header: {X: 4711}}\n", "versweep.yaml:4:55: notify[0].webhook.header.X: a number was found", ""},
		{node + "notify:\n  - webhook: {url: 'https://x.test/hush', fromat: slack}\n", `versweep.yaml:4:43: notify[0].webhook: unknown key "fromat"; did you mean "format"?`, ""},
		{node + "notify:\n  - webhook: {url: 'https://x.test/hush', format: teams}\n", `versweep.yaml:4:51: notify[0].webhook.format: unknown value "teams"`, "known: json, slack"},
		{node + "notify:\n  - webhook: {url: https://x.test/hush\n", "versweep.yaml:", ""},
		{node + "notify:\n  - webhook: {uri: https://x.test/hush\n", "versweep.yaml:", ""},
		{node + "notify:\n  - webhook: {uri: https://x.test/hush}\n", `versweep.yaml:4:15: notify[0].webhook: unknown key "uri"; did you mean "url"?`, ""},
		{node + "notify:\n  - webhook: {URL: https://x.test/hush}\n", `versweep.yaml:4:15: notify[0].webhook: unknown key "URL"`, ""},
		{node + "notify:\n  - webhook: https://x.test/hush\n", "versweep.yaml:4:14: notify[0].webhook: text was found", ""},
		{node + "notify:\n  - webhook: hush\n", "versweep.yaml:4:14: notify[0].webhook: text was found", ""},
		{node + "notify: https://x.test/hush\n", "versweep.yaml:3:9: notify: text was found", ""},
		{node + "notify:\n  - webhook: {url: 'https://x.test/hush', headers: {Authorization: Bearer hush}}\n", `versweep.yaml:4:43: notify[0].webhook: unknown key "headers"`, ""},
		{node + "notify:\n  - webhook:\n      adress: hush\n", `versweep.yaml:5:7: notify[0].webhook: unknown key "adress"`, ""},
		{node + "notify:\n  - webhook: {url_env: https://x.test/hush}\n", "versweep.yaml:4:15: notify[0].webhook.url_env: is not the name of an environment variable", ""},
		{node + "notify:\n  - webhook: {url_env: 'x.test/?hush=1'}\n", "versweep.yaml:4:15: notify[0].webhook.url_env: is not the name of an environment variable", ""},
		{node + "notify:\n  - webhook: {url_env: HUSH, header_env: {X: Bearer hush}}\n", "versweep.yaml:4:43: notify[0].webhook.header_env.X: is not the name of an environment variable", ""},
	} {
		t.Setenv("HUSH", "hush")
		_, told, status := readSettings(t, tt.text)
		lines := strings.Split(told, "\n")
		if status != exitMisuse || !strings.HasPrefix(lines[0], "versweep: "+tt.line) {
			t.Errorf("%sstatus %d:\n%swant %s", tt.text, status, told, tt.line)
		}
		if tt.hint != "" && !strings.Contains(told, "\nhint: ") || !strings.Contains(told, tt.hint) {
			t.Errorf("%s%swant the hint %s", tt.text, told, tt.hint)
		}
		if strings.Contains(told, "hush") || strings.Contains(told, "X: 4711") {
			t.Errorf("%stells a secret:\n%s", tt.text, told)
		}
	}
}

// What is no mistake in the file is told as elsewhere.
func TestSettingsOfPlacesThatAreNotThere(t *testing.T) {
	a, _, stderr := nightlyApp()
	_, err := a.readNightly(context.Background(), filepath.Join(t.TempDir(), "no.yaml"), noFlag)
	if status := a.tell(context.Background(), err); status != exitMisuse || !strings.Contains(stderr.String(), "no.yaml: there is no such file\nhint: versweep nightly init") {
		t.Errorf("status %d: %s", status, stderr)
	}
	_, told, status := readSettings(t, "cache: /proc/x\ntargets: [{name: node}]\n")
	if status != exitFailure || !strings.Contains(told, "hint: name a folder that you may write to with cache\n") {
		t.Errorf("status %d: %s", status, told)
	}
	_, told, status = readSettings(t, "store: .\ntargets: [{name: node}]\n")
	if status != exitFailure || !strings.Contains(told, "it is a folder") {
		t.Errorf("status %d: %s", status, told)
	}
}

func TestSettingsBecomeOrders(t *testing.T) {
	t.Setenv("VERSWEEP_DB", "")
	t.Setenv("GITHUB_ACTIONS", "")
	s, told, status := readSettings(t, `store: x.db
every: 7d
budget: 1d2h
keep_images: false
defaults: {rounds: 6, effect: 0.05, fresh: 14d, metrics: [qps], launcher: process, prereleases: true}
targets:
  - name: node
    versions: ">=20"
    per: minor
    source: npm
    connections: 7
    duration: 900ms
    budget: 20m
    min_change: 5%
    improvements: true
    prereleases: false
  - {name: bun, rounds: 5:9, fresh: 1h, reference: 1.1.0, metrics: []}
outputs: {report: pages, charts: "c/{target}.svg", export: [{format: github-action, file: "{target}.json"}]}
`)
	if status != 0 {
		t.Fatal(told)
	}
	if s.every != 7*24*time.Hour || s.budget != 26*time.Hour || len(s.targets) != 2 || len(s.channels) != 0 {
		t.Errorf("%+v", s)
	}
	node, bun := s.targets[0], s.targets[1]
	if !slices.Equal(node.judging.Metrics, []string{"qps"}) || node.judging.Effect != 0.05 || node.judging.Source != "npm" || node.minChange != 0.05 || !node.improvements || node.fresh != 14*24*time.Hour {
		t.Errorf("%+v", node)
	}
	if want := (sweep.Selection{Range: ">=20", Per: sweep.PerMinor}); node.selection != want || node.launcher != launcherProcess || node.keepImages || !node.yes || node.order.budget != 20*time.Minute {
		t.Errorf("%+v", node.order)
	}
	if node.profile.Connections != 7 || node.profile.Duration != 900*time.Millisecond || node.profile.Name != "hello" || node.adaptive != (adaptive{max: 6, effect: 0.05}) {
		t.Errorf("%+v %+v", node.profile, node.adaptive)
	}
	if bun.adaptive != (adaptive{min: 5, max: 9, effect: 0.05}) || bun.fresh != time.Hour || bun.selection.Per != sweep.PerLine || !bun.selection.Prereleases || bun.reference != "1.1.0" || len(bun.judging.Metrics) != 0 || bun.order.budget != 0 {
		t.Errorf("%+v %+v", bun, bun.order)
	}
	for _, name := range []string{s.outputs.report, s.outputs.charts, s.outputs.export[0].file} {
		if !filepath.IsAbs(name) {
			t.Errorf("%s does not count from the settings' folder", name)
		}
	}
	if outputName(s.outputs.charts, "node:xml") != strings.Replace(s.outputs.charts, "{target}", "node-xml", 1) || s.outputs.export[0].better != "bigger" {
		t.Errorf("%+v", s.outputs)
	}
}

// The command line counts more than the file, and the file more than the
// environment.
func TestSettingsSayWhereTheStoreIs(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, settings.Name)
	t.Setenv("XDG_CACHE_HOME", dir)
	for _, tt := range []struct{ store, variable, flag, want string }{
		{"", "", "", filepath.Join(dir, "versweep.db")},
		{"", "of-the-environment.db", "", "of-the-environment.db"},
		{"store: a.db\n", "of-the-environment.db", "", filepath.Join(dir, "a.db")},
		{"store: a.db\n", "", "flag.db", "flag.db"},
	} {
		if err := os.WriteFile(file, []byte(tt.store+"targets: [{name: node}]\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		t.Setenv("VERSWEEP_DB", tt.variable)
		a, _, _ := nightlyApp()
		if a.db = defaultDB(); tt.flag != "" {
			a.db = tt.flag
		}
		_, err := a.readNightly(context.Background(), file, func(flag string) bool { return flag == "db" && tt.flag != "" })
		if err != nil || a.db != tt.want {
			t.Errorf("%+v: %s, %v", tt, a.db, err)
		}
	}
}

// A flag of run that settings could have as a key, and have not, would be
// forgotten silently.
func TestEveryKeyOfATargetReachesItsFlag(t *testing.T) {
	var f runFlags
	cmd := &cobra.Command{}
	f.add(cmd)
	yes, seven, second := true, 7, time.Second
	given := sweepingFlags(settings.Sweeping{
		Source: "x", Launcher: "x", Versions: "x", Per: "x", Prereleases: &yes, Profile: "x", Connections: &seven, Duration: &second, Warmup: &second,
		Timeout: &second, Rounds: "5", Effect: "3%", Reference: "x", ServerCPUs: "0", LoadCPUs: "1", Fresh: 1, Budget: 1, Metrics: []string{"x"}, MinChange: "x", Improvements: &yes,
	})
	for _, key := range settings.Document.Form.Every() {
		flag := strings.ReplaceAll(key.Name, "_", "-")
		if key.Owner != "Sweeping" || cmd.Flags().Lookup(flag) == nil {
			continue
		}
		if !slices.ContainsFunc(given, func(v flagValue) bool { return v.flag == flag && v.value != "" }) {
			t.Errorf("the key %s is not handed on to --%s", key.Name, flag)
		}
	}
	for _, v := range given {
		if cmd.Flags().Lookup(v.flag) == nil {
			t.Errorf("run has no flag --%s", v.flag)
		}
	}
}
