package runtimes

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"versweep/sweep"
	"versweep/sweep/load"
)

// Definition is a target: a runtime or server and its hello-world program. It
// is read from target.yaml in the target's folder; unknown keys are errors.
//
// In command lines "{build}" is the build's folder, "{program}" the program's,
// "{main}" the name of its first file, "{runtime}" the runtime's folder, "{port}"
// the port to listen on at 127.0.0.1, which $PORT holds too, and "{version}" the
// version. No shell reads them.
type Definition struct {
	Name     string       `yaml:"-"`        // the folder's name, with ":variant" for a variant
	Title    string       `yaml:"title"`    // for people: "Node.js"
	Homepage string       `yaml:"homepage"` // of the project
	About    string       `yaml:"about"`    // one sentence: what answers the requests
	Line     sweep.LineBy `yaml:"line"`     // what a line of releases is; major when empty
	// Untested says why nobody has run this definition yet; empty when it ran.
	Untested string `yaml:"untested"`
	// CPUs is how many the server gets where there are enough; 1 when 0.
	CPUs int `yaml:"cpus"`

	// Sources are the places to have versions from, the first choice first.
	Sources []Source `yaml:"sources"`

	Recipe   `yaml:",inline"`
	Request  Request            `yaml:"request"`
	Answer   Answer             `yaml:"answer"`
	Variants map[string]Variant `yaml:"variants"` // by name: NAME:VARIANT is swept like a target

	Origin Origin `yaml:"-"`
	File   string `yaml:"-"` // target.yaml as a person would open it; empty for the catalogue's

	files fs.FS // the target's folder
}

// Recipe says how a version becomes a server. A source's own recipe is laid
// over the target's, field by field.
type Recipe struct {
	// Program lists the files of the hello-world program, beside target.yaml.
	Program []string `yaml:"program"`
	// Start is the command line of the server.
	Start []string `yaml:"start"`
	// Env is added to the small environment that the server gets.
	Env map[string]string `yaml:"env"`
	// Components is a command that prints a JSON object of bundled parts
	// and their versions; none when empty.
	Components []string `yaml:"components"`
	// Runtime is a version of another target that runs this one: "node@22.x".
	Runtime string `yaml:"runtime"`
	// Build is a command that builds a version in a folder that holds its
	// source ("{build}") for the process launcher.
	Build []string `yaml:"build"`
	// Dockerfile builds the image that a version runs in. Its context has the
	// program's files in program/ and what the source gives in source/, and
	// the version as build argument VERSION.
	Dockerfile string `yaml:"dockerfile"`
	// Image says what an image without a Dockerfile starts from.
	Image Image `yaml:"image"`
}

// Source is one place to have versions from: exactly one of its kinds.
type Source struct {
	Image *ImageSource `yaml:"image"`
	NPM   *NPMSource   `yaml:"npm"`
	GoMod *GoModSource `yaml:"gomod"`
	Git   *GitSource   `yaml:"git"`
	List  []string     `yaml:"list"` // versions written out

	// Recipe is what differs from the target's for versions from here.
	Recipe Recipe `yaml:"recipe"`
}

// ImageSource is a repository of OCI images, one tag a version.
type ImageSource struct {
	Repository string `yaml:"repository"` // "docker.io/library/node"
	// Flavour is what follows the version in a tag, without the dash:
	// "alpine" takes 1.25.3-alpine and neither 1.25.3-alpine-perl nor 1.25.3.
	Flavour string `yaml:"flavour"`
}

// NPMSource is an npm package.
type NPMSource struct {
	Package string `yaml:"package"` // "@oven/bun-linux-x64"
	// Keep lists the files of the package that make up a build, as path.Match
	// patterns, for packages that carry a runtime. Without it the package is
	// installed with its dependencies, install scripts off, in a project folder
	// that the program's files are in too: {build}/hello.js.
	Keep []string `yaml:"keep"`
	// With lists packages installed beside it, each at one version:
	// "ejs@2.7.4".
	With []string `yaml:"with"`
	// Resolve says as of when the ranges of its dependencies are resolved.
	Resolve Resolve `yaml:"resolve"`
}

// Resolve says which releases of its dependencies a release is installed with.
type Resolve string

const (
	// ResolveToday takes what npm would install today: the newest releases
	// that fit. It is the default. Every version gets the fixes that its users
	// get who install it now, and of two neighbours whose ranges are alike the
	// dependencies are the same, so that a step between them is their own. A
	// step that a dependency made shows in no version, and what was resolved is
	// kept with the build, so that later sweeps measure the same.
	ResolveToday Resolve = "today"
	// ResolveRelease takes what npm would have installed when the version was
	// published: what its users had then, old faults included, and a step that
	// a dependency made between two releases shows at the later one. It rests
	// on the registry's dates; a mirror may have dates of its own copying, and
	// then mostly nothing can be resolved.
	ResolveRelease Resolve = "release"
)

// GoModSource is a Go module that the program is built against, by the go
// command that is installed, as a static binary: {build}/hello.
//
// The program imports the module under any of its paths; the import is turned
// into that of the version. Where the module's API changed with a major
// version, a file hello_v3.go takes the place of hello.go for major version 3
// and later. Go files begin with "//go:build ignore", so that tools pass them
// over in the folder of the target.
type GoModSource struct {
	Module string `yaml:"module"` // "github.com/valyala/fasthttp"
	// Majors are the major versions whose path is the module's with /v2, /v3
	// and so on added. They are written out, since a new one is a new module
	// that no list tells of, and mostly needs another program.
	Majors []int `yaml:"majors"`
}

// GitSource is a git repository, one tag a version.
type GitSource struct {
	Repository string `yaml:"repository"` // URL, or path from the working folder
	// Tags is the form of the tags that count: "v{version}",
	// "{version}-{build}", "jetty-{version}[.v{build}]". Without it every tag
	// family is looked at and the one with most versions is taken.
	Tags       string `yaml:"tags"`
	Submodules bool   `yaml:"submodules"` // check them out too
}

// Request is what the load engine asks of the target.
type Request struct {
	Method string            `yaml:"method"` // "GET" when empty
	Path   string            `yaml:"path"`   // "/" when empty
	Header map[string]string `yaml:"header"` // fields beside those that HTTP needs
}

// Answer is the right answer.
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

// Variant is the same server with another program or another question.
type Variant struct {
	About   string  `yaml:"about"`  // one sentence: what is different
	Recipe  Recipe  `yaml:"recipe"` // laid over the target's and the source's
	Request Request `yaml:"request"`
	Answer  Answer  `yaml:"answer"`
}

func (d *Definition) fillIn() {
	if d.Line == "" {
		d.Line = sweep.LineByMajor
	}
	if d.CPUs == 0 {
		d.CPUs = 1
	}
	d.Answer = d.Answer.over(Answer{Status: 200, Type: "text/plain", Body: "Hello World\n", Timeout: 10 * time.Second})
	d.Request = d.Request.over(Request{Method: "GET", Path: "/"})
}

// variant is the definition with one of its variants laid over it.
func (d *Definition) variant(name string) (*Definition, bool) {
	v, ok := d.Variants[name]
	if !ok {
		return nil, false
	}
	one := *d
	one.Name += ":" + name
	one.Title += " (" + name + ")"
	one.About = v.About
	one.Recipe = v.Recipe.over(d.Recipe)
	one.Sources = slices.Clone(d.Sources)
	for i := range one.Sources {
		one.Sources[i].Recipe = v.Recipe.over(one.Sources[i].Recipe)
	}
	one.Request, one.Answer = v.Request.over(d.Request), v.Answer.over(d.Answer)
	one.Variants = nil
	return &one, true
}

// over lays r over base: what r says counts, what it leaves out is base's.
func (r Recipe) over(base Recipe) Recipe {
	return Recipe{
		Program: either(r.Program, base.Program), Start: either(r.Start, base.Start), Env: eitherMap(r.Env, base.Env),
		Components: either(r.Components, base.Components), Build: either(r.Build, base.Build),
		Runtime: cmp.Or(r.Runtime, base.Runtime), Dockerfile: cmp.Or(r.Dockerfile, base.Dockerfile),
		Image: Image{Base: cmp.Or(r.Image.Base, base.Image.Base), Packages: either(r.Image.Packages, base.Image.Packages)},
	}
}

func (r Request) over(base Request) Request {
	return Request{Method: cmp.Or(r.Method, base.Method), Path: cmp.Or(r.Path, base.Path), Header: eitherMap(r.Header, base.Header)}
}

func (a Answer) over(base Answer) Answer {
	return Answer{
		Status: cmp.Or(a.Status, base.Status), Timeout: cmp.Or(a.Timeout, base.Timeout),
		Type: cmp.Or(a.Type, base.Type), Body: cmp.Or(a.Body, base.Body),
	}
}

func either(a, b []string) []string {
	if a != nil {
		return a
	}
	return b
}

func eitherMap(a, b map[string]string) map[string]string {
	if a != nil {
		return a
	}
	return b
}

// load is what the load engine asks and expects.
func (d *Definition) load() (load.Request, load.Expect) {
	body := d.Answer.Body
	return load.Request{Method: d.Request.Method, Path: d.Request.Path, Header: d.Request.Header},
		load.Expect{Status: d.Answer.Status, Body: &body}
}

// programFiles reads the program's files by name.
func (d *Definition) programFiles(r Recipe) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, name := range r.Program {
		text, err := fs.ReadFile(d.files, name)
		if err != nil {
			return nil, fmt.Errorf("reading target %s: its program: %w", d.Name, err)
		}
		files[name] = text
	}
	return files, nil
}

// hash tells recipes apart: all that is run and the program's files. 12 hex
// digits.
func (r Recipe) hash(files map[string][]byte) string {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %q %q %q\n", r.Start, r.Env, r.Runtime, r.Build, r.Dockerfile) // fmt prints maps in key order
	for _, name := range slices.Sorted(slices.Values(r.Program)) {
		fmt.Fprintf(h, "%q %q\n", name, files[name])
	}
	return hex.EncodeToString(h.Sum(nil)[:6])
}

// places are what the names in braces of a command line stand for.
type places struct{ build, program, main, runtime, port, version string }

// main is the name of the program's first file; empty when it has none.
func (r Recipe) main() string {
	if len(r.Program) == 0 {
		return ""
	}
	return r.Program[0]
}

// fill puts places into a command line.
func (p places) fill(command []string) []string {
	filler := strings.NewReplacer("{build}", p.build, "{program}", p.program, "{main}", p.main, "{runtime}", p.runtime, "{port}", p.port, "{version}", p.version)
	args := make([]string, len(command))
	for i, a := range command {
		args[i] = filler.Replace(a)
	}
	return args
}

// environment is what the server's environment has beside the PATH: little, so
// that the user's own settings (NODE_OPTIONS and the like) change nothing. home
// is a folder that nobody else writes to, since interpreters load what they find
// in it. What the target sets counts in place of what is set here.
func (r Recipe) environment(port, home string) []string {
	env := []string{"LANG=C.UTF-8", "PORT=" + port}
	if _, own := r.Env["HOME"]; !own {
		env = append(env, "HOME="+home)
	}
	for name, value := range r.Env {
		env = append(env, name+"="+value)
	}
	return slices.Sorted(slices.Values(env))
}

// Kind names the source's kind as --source does.
func (s Source) Kind() string {
	switch {
	case s.Image != nil:
		return "image"
	case s.NPM != nil:
		return "npm"
	case s.GoMod != nil:
		return "gomod"
	case s.Git != nil:
		return "git"
	}
	return "list"
}

// SourceNames lists where versions can come from, the first choice first.
func (d *Definition) SourceNames() []string {
	var kinds []string
	for _, s := range d.Sources {
		if k := s.Kind(); !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// RunsAsProcess tells whether versions from here can run without a container.
// A git source can by its build command; where it has neither that nor a
// Dockerfile, there is nothing to build and the files are run as they are.
func (s Source) RunsAsProcess(d *Definition) bool {
	r := s.Recipe.over(d.Recipe)
	return s.NPM != nil || s.GoMod != nil || s.Git != nil && (len(r.Build) > 0 || r.Dockerfile == "")
}
