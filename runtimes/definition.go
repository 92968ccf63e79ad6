package runtimes

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"versweep/sweep"
	"versweep/sweep/load"
)

// Definition is a target: a runtime or server and its hello-world program. It
// is read from target.yaml in the target's folder; unknown keys are errors.
type Definition struct {
	Name     string       `yaml:"-"`        // the folder's name: "node"
	Title    string       `yaml:"title"`    // for people: "Node.js"
	Homepage string       `yaml:"homepage"` // of the project
	About    string       `yaml:"about"`    // one sentence: what answers the requests
	Line     sweep.LineBy `yaml:"line"`     // what a line of releases is; major when empty

	Source Source `yaml:"source"`

	// Program lists the files of the hello-world program, beside target.yaml.
	Program []string `yaml:"program"`
	// Start is the command line, run without a shell. "{build}" is the
	// build's folder, "{program}" the program's, "{port}" the port to
	// listen on at 127.0.0.1, which $PORT holds too.
	Start []string `yaml:"start"`
	// Env is added to the small environment that the server gets.
	Env map[string]string `yaml:"env"`
	// CPUs is how many the server gets where there are enough; 1 when 0.
	CPUs int `yaml:"cpus"`

	Answer Answer `yaml:"answer"`
	Image  Image  `yaml:"image"`

	programs map[string][]byte
}

// Source says where versions come from.
type Source struct {
	NPM *NPMPackage `yaml:"npm"`
}

// NPMPackage is an npm package that carries the runtime's program files.
type NPMPackage struct {
	Package string   `yaml:"package"` // "@oven/bun-linux-x64"
	Keep    []string `yaml:"keep"`    // files of the package that make up a build, as path.Match patterns
}

// Answer is the right answer to GET /.
type Answer struct {
	Status  int           `yaml:"status"`  // 200 when 0
	Type    string        `yaml:"type"`    // media type; "text/plain" when empty
	Body    string        `yaml:"body"`    // "Hello World\n" when empty
	Timeout time.Duration `yaml:"timeout"` // from the start to the first right answer; 10 s when 0
}

// Image says what a container of the target is made from.
type Image struct {
	Base     string   `yaml:"base"`     // image that every build's image starts from
	Packages []string `yaml:"packages"` // Debian packages added to the base
}

const definitionFile = "target.yaml"

// readDefinition reads the target in folder name of targets.
func readDefinition(targets fs.FS, name string) (*Definition, error) {
	file := path.Join(name, definitionFile)
	text, err := fs.ReadFile(targets, file)
	if err != nil {
		return nil, fmt.Errorf("reading target %s: %w", name, err)
	}
	d := &Definition{Name: name}
	if err := yaml.UnmarshalWithOptions(text, d, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("reading target %s: %s: %w", name, file, err)
	}
	d.fillIn()
	if err := d.check(); err != nil {
		return nil, fmt.Errorf("reading target %s: %s: %w", name, file, err)
	}
	d.programs = map[string][]byte{}
	for _, p := range d.Program {
		if d.programs[p], err = fs.ReadFile(targets, path.Join(name, p)); err != nil {
			return nil, fmt.Errorf("reading target %s: its program: %w", name, err)
		}
	}
	return d, nil
}

func (d *Definition) fillIn() {
	if d.Line == "" {
		d.Line = sweep.LineByMajor
	}
	if d.CPUs == 0 {
		d.CPUs = 1
	}
	if d.Answer.Status == 0 {
		d.Answer.Status = 200
	}
	if d.Answer.Type == "" {
		d.Answer.Type = "text/plain"
	}
	if d.Answer.Body == "" {
		d.Answer.Body = "Hello World\n"
	}
	if d.Answer.Timeout == 0 {
		d.Answer.Timeout = 10 * time.Second
	}
}

func (d *Definition) check() error {
	switch {
	case d.Title == "":
		return errors.New("title is missing")
	case len(d.Start) == 0:
		return errors.New("start is missing")
	case d.Source.NPM == nil:
		return errors.New("source names no source; known: npm")
	case d.Source.NPM.Package == "":
		return errors.New("source.npm.package is missing")
	case len(d.Source.NPM.Keep) == 0:
		return errors.New("source.npm.keep is missing")
	case d.Line != sweep.LineByMajor && d.Line != sweep.LineByMinor:
		return fmt.Errorf("line is %q; known: major, minor", d.Line)
	case d.CPUs < 1:
		return fmt.Errorf("cpus is %d; at least 1", d.CPUs)
	}
	for _, p := range d.Program {
		if !fs.ValidPath(p) || strings.Contains(p, "/") {
			return fmt.Errorf("program: %q is not a file beside %s", p, definitionFile)
		}
	}
	for _, p := range d.Source.NPM.Keep {
		if _, err := path.Match(p, ""); err != nil {
			return fmt.Errorf("source.npm.keep: pattern %q: %w", p, err)
		}
	}
	return nil
}

// Request is what the load engine asks of the target.
func (d *Definition) Request() load.Request { return load.Request{Method: "GET", Path: "/"} }

// Expect is the right answer.
func (d *Definition) Expect() load.Expect {
	body := d.Answer.Body
	return load.Expect{Status: d.Answer.Status, Body: &body}
}

// programHash tells apart what is run: the program's files, the command line
// and the environment. 12 hex digits.
func (d *Definition) programHash() string {
	h := sha256.New()
	for _, name := range slices.Sorted(slices.Values(d.Program)) {
		fmt.Fprintf(h, "%q %q\n", name, d.programs[name])
	}
	fmt.Fprintf(h, "%q %v\n", d.Start, d.Env) // fmt prints maps in key order
	return hex.EncodeToString(h.Sum(nil)[:6])
}

// command fills in the start command.
func (d *Definition) command(buildDir, programDir string, port string) []string {
	fill := strings.NewReplacer("{build}", buildDir, "{program}", programDir, "{port}", port)
	args := make([]string, len(d.Start))
	for i, a := range d.Start {
		args[i] = fill.Replace(a)
	}
	return args
}

// environment is the whole environment of the server: small, so that the
// user's own settings (NODE_OPTIONS and the like) change nothing.
func (d *Definition) environment(port string) []string {
	env := []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/tmp", "LANG=C.UTF-8", "PORT=" + port}
	for name, value := range d.Env {
		env = append(env, name+"="+value)
	}
	return slices.Sorted(slices.Values(env))
}

// SourceNames lists where versions can come from, the first choice first.
func (d *Definition) SourceNames() []string { return []string{"npm"} }
