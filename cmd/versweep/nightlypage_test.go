package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// pageBlocks are the code blocks of docs/nightly.md by the file that the line
// before names, or by their language where it names none.
func pageBlocks(t *testing.T) map[string]string {
	t.Helper()
	page, err := os.ReadFile("../../docs/nightly.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := map[string]string{}
	named := regexp.MustCompile("^`(/?[^` ]+/[^` ]+)`")
	for i, block := range regexp.MustCompile("(?sm)^```([a-z]+)\n(.*?)^```$").FindAllStringSubmatchIndex(string(page), -1) {
		before := strings.TrimSpace(string(page[:block[0]]))
		name := string(page[block[2]:block[3]])
		if m := named.FindStringSubmatch(before[strings.LastIndex(before, "\n\n")+2:]); m != nil {
			name = m[1]
		}
		if blocks[name] != "" {
			t.Errorf("block %d is a second %s", i, name)
		}
		blocks[name] = string(page[block[4]:block[5]])
	}
	return blocks
}

// What systemd itself says of the units on the page.
func TestUnitsOnThePageAreRight(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		leftOut(t, "systemd-analyze is not here to ask", err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	blocks := pageBlocks(t)
	var files []string
	for _, name := range []string{"versweep.service", "versweep.timer"} {
		text := blocks["/etc/systemd/system/"+name]
		if text == "" {
			t.Fatalf("the page has no %s", name)
		}
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(strings.Replace(text, "/usr/local/bin/versweep", program, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	if said, err := exec.Command(analyze, append([]string{"verify", "--man=no"}, files...)...).CombinedOutput(); err != nil || ours(said, dir) != "" {
		t.Errorf("systemd-analyze verify: %v\n%s", err, said)
	}
	when := regexp.MustCompile(`(?m)^OnCalendar=(.+)$`).FindStringSubmatch(blocks["/etc/systemd/system/versweep.timer"])
	if when == nil {
		t.Fatal("the timer has no OnCalendar=")
	}
	if said, err := exec.Command(analyze, "calendar", "--iterations=2", when[1]).CombinedOutput(); err != nil || !bytes.Contains(said, []byte("Next elapse: ")) {
		t.Errorf("systemd-analyze calendar: %v\n%s", err, said)
	}
	// Filters of system calls would be in what is measured.
	for _, setting := range []string{"SystemCall", "RestrictAddress", "RestrictNamespaces=", "RestrictRealtime=", "RestrictSUIDSGID=", "PrivateDevices=", "ProtectKernel", "ProtectClock=", "ProtectHostname=", "LockPersonality=", "MemoryDenyWriteExecute=", "Nice=", "CPUQuota=", "ProtectProc="} {
		if strings.Contains("\n"+blocks["/etc/systemd/system/versweep.service"], "\n"+setting) {
			t.Errorf("the service has %s", setting)
		}
	}
}

// ours are the lines of a tool's output about files below dir.
func ours(said []byte, dir string) string {
	var lines []string
	for line := range strings.Lines(string(said)) {
		if strings.Contains(line, dir) || strings.Contains(line, "versweep.") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}

// poorFolder is a folder with settings whose only target has no version: a night
// is done with it at once, and has something to tell.
func poorFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"versweep.yaml":            "store: store/versweep.db\ntarget_dir: targets\ncache: cache\ntargets: [{name: poor, launcher: process}]\n",
		"targets/poor/target.yaml": "title: Poor\nsources: [{git: {repository: repo}}]\nstart: [\"true\"]\n",
		"repo/HEAD":                "ref: refs/heads/main\n",
		"repo/config":              "[core]\n\tbare = true\n\trepositoryformatversion = 0\n",
		"repo/objects/info/.keep":  "",
		"repo/refs/heads/.keep":    "",
		"repo/objects/pack/.keep":  "",
		"repo/refs/tags/.keep":     "",
		"store/.keep":              "",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// The command of the crontab, as cron would start it: by sh, in the environment
// that it makes.
func TestCrontabOnThePageIsRight(t *testing.T) {
	table := pageBlocks(t)["/etc/cron.d/versweep"]
	var line string
	env := []string{"SHELL=/bin/sh", "LOGNAME=versweep"}
	for l := range strings.Lines(table) {
		l = strings.TrimSpace(l)
		switch {
		case l == "" || strings.HasPrefix(l, "#"):
		case regexp.MustCompile(`^[A-Z_]+=`).MatchString(l):
			env = append(env, l)
		default:
			line = l
		}
	}
	m := regexp.MustCompile(`^\d+ \d+ \* \* \* versweep (.+)$`).FindStringSubmatch(line)
	if m == nil {
		t.Fatalf("no line of a crontab with a user: %q", line)
	}
	command := m[1]
	if regexp.MustCompile(`(^|[^\\])%`).MatchString(command) {
		t.Errorf("cron makes a line break of each %% in %s", command)
	}
	command = strings.ReplaceAll(command, `\%`, "%")
	for name, tt := range map[string]struct{ program, want string }{
		"all is well":      {"echo said", ""},
		"a regression":     {"echo 'Night 1'; echo 'versweep: regressions found' >&2; exit 3", "Night 1\nversweep: regressions found\n"},
		"hostile versions": {`printf '%s\n' '$(touch gotcha)' '%d' '-n' ; exit 3`, "$(touch gotcha)\n%d\n-n\n"},
	} {
		dir := t.TempDir()
		program := "#!/bin/sh\n[ \"$*\" = 'nightly --quiet' ] || exit 9\n" + tt.program + "\n"
		if err := os.WriteFile(filepath.Join(dir, "versweep"), []byte(program), 0o700); err != nil {
			t.Fatal(err)
		}
		if mail := cronMail(t, command, dir, dir, env); mail != tt.want {
			t.Errorf("%s: mailed %q", name, mail)
		}
	}
	// The program itself, which TestMain has put on the path.
	versweep, err := exec.LookPath("versweep")
	if err != nil {
		t.Fatal(err)
	}
	if mail := cronMail(t, command, poorFolder(t), filepath.Dir(versweep), env); !strings.HasPrefix(mail, "Night 1, ") || !strings.Contains(mail, "Poor: nothing could be done: ") {
		t.Errorf("mailed %s", mail)
	}
}

// cronMail is what cron would mail of a command that runs in folder dir, with the
// program in folder bin.
func cronMail(t *testing.T, command, dir, bin string, env []string) string {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", strings.Replace(command, "/var/lib/versweep", dir, 1))
	cmd.Env = append([]string{"HOME=" + dir}, env...)
	for i, variable := range cmd.Env {
		if path, ok := strings.CutPrefix(variable, "PATH="); ok {
			cmd.Env[i] = "PATH=" + bin + ":" + path
		}
	}
	said, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v: %s", err, said)
	}
	return string(said)
}

// The workflow's own steps, as a runner would start them: by bash -e, in the
// environment that it makes.
func TestWorkflowOnThePageIsRight(t *testing.T) {
	workflow := pageBlocks(t)[".github/workflows/versweep.yml"]
	m := regexp.MustCompile(`(?m)^        run: \|\n((?: {10}.*\n)+)`).FindAllStringSubmatch(workflow, -1)
	if len(m) != 1 || strings.Contains(m[0][1], "${{") {
		t.Fatalf("%d steps of its own, which must hold nothing that is put in: %q", len(m), m)
	}
	step := strings.ReplaceAll(m[0][1], "          ", "")
	for _, want := range []string{"permissions:\n  contents: read\n", "timeout-minutes: ", "cancel-in-progress: false", "persist-credentials: false", "if: always()"} {
		if !strings.Contains(workflow, want) {
			t.Errorf("the workflow has no %q", want)
		}
	}
	for _, uses := range regexp.MustCompile(`uses: (\S+)`).FindAllStringSubmatch(workflow, -1) {
		if !regexp.MustCompile(`^actions/[a-z/-]+@v\d+$`).MatchString(uses[1]) {
			t.Errorf("%s is not pinned to a major version of GitHub's own", uses[1])
		}
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		leftOut(t, "bash is not here to run the step", err)
	}
	versweep, err := exec.LookPath("versweep")
	if err != nil {
		t.Fatal(err)
	}
	dir := poorFolder(t)
	summary := filepath.Join(dir, "summary")
	cmd := exec.Command(bash, "-e", "-c", step)
	cmd.Dir = dir
	cmd.Env = []string{"HOME=" + dir, "PATH=" + filepath.Dir(versweep) + ":/usr/bin:/bin", "GITHUB_ACTIONS=true", "GITHUB_STEP_SUMMARY=" + summary, "CI=true", "VERSWEEP_WEBHOOK="}
	said, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != exitFailure || !regexp.MustCompile(`(?m)^::warning title=Poor%2C missing::no result: .*\n`).Match(said) {
		t.Errorf("%v: %s", err, said)
	}
	page, err := os.ReadFile(summary)
	if err != nil || !strings.Contains(string(page), "\n| Poor | failed: ") || !strings.Contains(string(page), "\n- **Poor, missing**: no result: ") {
		t.Errorf("%v: %s", err, page)
	}
	if _, err := os.Stat(filepath.Join(dir, "store/versweep.db")); err != nil {
		t.Error(err)
	}
}

// The document on the page has the keys that are posted, and no others.
func TestDocumentOnThePageIsRight(t *testing.T) {
	text := []byte(pageBlocks(t)["json"])
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var doc nightJSON
	if err := decoder.Decode(&doc); err != nil {
		t.Fatal(err)
	}
	keys := func(document any) map[string]any {
		b, err := json.Marshal(document)
		if err != nil {
			t.Fatal(err)
		}
		var all map[string]any
		if err := json.Unmarshal(b, &all); err != nil {
			t.Fatal(err)
		}
		return all
	}
	var shown map[string]any
	if err := json.Unmarshal(text, &shown); err != nil {
		t.Fatal(err)
	}
	first := func(of map[string]any, list string) map[string]any { return of[list].([]any)[0].(map[string]any) }
	whole := keys(doc)
	for name, pair := range map[string][2]map[string]any{
		"a night": {shown, whole}, "a notice": {first(shown, "notices"), first(whole, "notices")}, "a target": {first(shown, "targets"), first(whole, "targets")},
	} {
		for key := range pair[1] {
			if _, ok := pair[0][key]; !ok {
				t.Errorf("the page does not show the key %s of %s", key, name)
			}
		}
	}
}

// leftOut leaves a test out where something is missing, but not where .ci/run, which
// installs it, says that all tests are to run.
func leftOut(t *testing.T, what string, err error) {
	t.Helper()
	if os.Getenv("VERSWEEP_TEST_ENGINE") != "" {
		t.Fatalf("%s: %v", what, err)
	}
	t.Skipf("%s: %v", what, err)
}
