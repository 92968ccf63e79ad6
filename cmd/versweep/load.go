package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"versweep/sweep/load"
)

// loadFlags are the flags of load.
type loadFlags struct {
	profile     string
	scale       float64
	connections string // a number, or the steps of a ramp
	rate        string // likewise
	duration    time.Duration
	requests    int64
	warmup      time.Duration
	timeout     time.Duration
	calls       int
	http10      bool

	method, body string
	headers      []string
	expectStatus int
	expectBody   string
}

func (a *app) loadCommand() *cobra.Command {
	var f loadFlags
	cmd := &cobra.Command{
		Use:   "load URL",
		Short: "Put HTTP load on a server, as one would use wrk",
		Long: `load puts HTTP load on one server and says what came of every request.

Without --rate it is a closed loop: each connection sends its next request when
the answer to the last one has come, and latency is the service time. With
--rate it is an open loop: requests are due at fixed times however slow the
server is, and latency counts from when a request was due. A list such as
100,200,400 or a range such as 100:1200:100 (first, last, step) in --rate or
--connections makes a ramp, with a result for each step.

The exit status is 1 when no request was answered rightly. Nothing keeps the
engine off the server's CPUs: start it under taskset to part them.

` + profileList(),
		Example: `  versweep load http://127.0.0.1:8080/ --connections 100 --duration 10s
  versweep load http://127.0.0.1:8080/ --rate 1000:12000:1000 --calls 10 --timeout 5s
  versweep load http://127.0.0.1:8080/ --profile bombardier-steps --scale 0.01`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			job, err := f.job(args[0], cmd.Flags())
			if err != nil {
				return err
			}
			return a.load(cmd.Context(), args[0], job)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.profile, "profile", "hello", "named load that the other flags change")
	flags.Float64Var(&f.scale, "scale", 1, "make the profile's duration or number of requests so many times as long")
	flags.StringVar(&f.connections, "connections", "", "connections open at once; a list or range is a ramp (default the profile's)")
	flags.StringVar(&f.rate, "rate", "", "requests/s over all connections, sent whether or not answers come; a list or range is a ramp (default the profile's)")
	flags.DurationVar(&f.duration, "duration", 0, "measuring window (default the profile's)")
	flags.Int64Var(&f.requests, "requests", 0, "number of requests, instead of a duration (default the profile's)")
	flags.DurationVar(&f.warmup, "warmup", 0, "same load before the window, thrown away (default the profile's)")
	flags.DurationVar(&f.timeout, "timeout", 0, "for connecting, and again for each answer (default the profile's)")
	flags.IntVar(&f.calls, "calls", 0, "requests on a connection before a new one is opened; 0 is unlimited (default the profile's)")
	flags.BoolVar(&f.http10, "http10", false, "speak HTTP/1.0 without keep-alive")
	flags.StringVar(&f.method, "method", "GET", "request method")
	flags.StringArrayVar(&f.headers, "header", nil, "request header, as 'Name: value', or @FILE with one a line, which no list of processes shows; may be given often (default none)")
	flags.StringVar(&f.body, "body", "", "request body; @FILE reads it from a file (default none)")
	flags.IntVar(&f.expectStatus, "expect-status", 200, "status of a right answer")
	flags.StringVar(&f.expectBody, "expect-body", "", "exact body of a right answer; @FILE reads it from a file (default any)")
	return cmd
}

// profileList names the profiles and what each is for.
func profileList() string {
	var b strings.Builder
	b.WriteString("Profiles:\n")
	for _, p := range load.Profiles() {
		fmt.Fprintf(&b, "  %-17s %s\n", p.Profile.Name, p.About)
		if p.Profile.Shape != load.ShapeRamp {
			fmt.Fprintf(&b, "  %-17s (%s, timeout %v)\n", "", describe(p.Profile), p.Profile.Timeout)
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// job puts the flags that were given over the profile.
func (f *loadFlags) job(url string, given *pflag.FlagSet) (load.Job, error) {
	address, request, err := load.ParseURL(url)
	if err != nil {
		return load.Job{}, err
	}
	p, err := load.ProfileByName(f.profile)
	if err != nil {
		return load.Job{}, err
	}
	if f.scale <= 0 || math.IsInf(f.scale, 0) || math.IsNaN(f.scale) {
		return load.Job{}, misuse("0.1 is a tenth of the profile", "--scale: %v is not more than 0", f.scale)
	}
	p = p.Scaled(f.scale)
	if err := f.change(&p, given); err != nil {
		return load.Job{}, err
	}
	if err := p.Validate(); err != nil {
		return load.Job{}, err
	}
	request.Method = f.method
	if request.Header, err = parseHeaders(f.headers); err != nil {
		return load.Job{}, err
	}
	body, err := textOrFile("--body", f.body)
	if err != nil {
		return load.Job{}, err
	}
	request.Body = []byte(body)
	expect := load.Expect{Status: f.expectStatus}
	if given.Changed("expect-body") {
		text, err := textOrFile("--expect-body", f.expectBody)
		if err != nil {
			return load.Job{}, err
		}
		expect.Body = &text
	}
	return load.Job{Address: address, Request: request, Expect: expect, Profile: p}, nil
}

// change sets what was given on the command line.
func (f *loadFlags) change(p *load.Profile, given *pflag.FlagSet) error {
	if given.Changed("duration") && given.Changed("requests") {
		return misuse("give one of them", "--duration and --requests both end the run")
	}
	if given.Changed("duration") {
		p.Duration, p.Requests = f.duration, 0
	}
	if given.Changed("requests") {
		if f.requests < 1 {
			return misuse("at least 1", "--requests: %d requests measure nothing", f.requests)
		}
		p.Requests, p.Duration = f.requests, 0
	}
	if given.Changed("warmup") {
		p.Warmup = f.warmup
	}
	if given.Changed("timeout") {
		p.Timeout = f.timeout
	}
	if given.Changed("calls") {
		p.Calls = f.calls
	}
	if given.Changed("http10") {
		p.HTTP10 = f.http10
	}
	if given.Changed("connections") {
		steps, err := parseSteps("--connections", f.connections)
		if err != nil {
			return err
		}
		for _, s := range steps {
			if s != math.Trunc(s) || math.Abs(s) > math.MaxInt32 {
				return misuse("give whole numbers", "--connections: %v is not a number of connections", s)
			}
		}
		if len(steps) == 1 {
			p.Connections = int(steps[0])
			if p.StepBy == load.StepByConnections {
				p.Shape, p.Steps, p.StepBy = load.ShapeClosed, nil, ""
			}
		} else {
			p.Shape, p.Steps, p.StepBy = load.ShapeRamp, steps, load.StepByConnections
		}
	}
	if given.Changed("rate") {
		steps, err := parseSteps("--rate", f.rate)
		if err != nil {
			return err
		}
		switch {
		case p.Shape == load.ShapeRamp && p.StepBy == load.StepByConnections && given.Changed("connections"):
			return misuse("give one number of connections", "--connections and --rate cannot both be steps")
		case len(steps) == 1:
			p.Shape, p.Rate, p.Steps, p.StepBy = load.ShapeRate, steps[0], nil, ""
		default:
			p.Shape, p.Steps, p.StepBy = load.ShapeRamp, steps, load.StepByRate
		}
	}
	return nil
}

// maxSteps bounds a ramp written as a range.
const maxSteps = 1000

// parseSteps reads "100", "100,200,400" or "100:1200:100".
func parseSteps(flag, text string) ([]float64, error) {
	var steps []float64
	for part := range strings.SplitSeq(text, ",") {
		var bounds []float64
		for number := range strings.SplitSeq(part, ":") {
			v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
			if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, misuse("write 100, a list such as 100,200 or a range such as 100:1200:100", "%s: %q is not a number", flag, number)
			}
			bounds = append(bounds, v)
		}
		switch {
		case len(bounds) == 1:
			steps = append(steps, bounds[0])
		case len(bounds) == 3 && bounds[2] > 0 && bounds[0] <= bounds[1] && (bounds[1]-bounds[0])/bounds[2] < maxSteps:
			for i := 0; bounds[0]+float64(i)*bounds[2] <= bounds[1]; i++ {
				steps = append(steps, bounds[0]+float64(i)*bounds[2])
			}
		default:
			return nil, misuse("a range is first:last:step, upwards", "%s: %q is not a range of at most %d steps", flag, part, maxSteps)
		}
	}
	return steps, nil
}

// parseHeaders reads 'Name: value', and of @FILE every line that is not blank.
// What it says of one that is wrong does not repeat it: it may be a secret.
func parseHeaders(given []string) (map[string]string, error) {
	headers := map[string]string{}
	for n, text := range given {
		text, err := textOrFile("--header", text)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(text) {
			if strings.TrimSpace(line) == "" {
				continue
			}
			name, value, ok := strings.Cut(line, ":")
			if !ok {
				return nil, misuse("write it as 'Name: value'", "--header: number %d has no colon", n+1)
			}
			headers[strings.TrimSpace(name)] = strings.TrimSpace(value)
		}
	}
	return headers, nil
}

func textOrFile(flag, text string) (string, error) {
	file, ok := strings.CutPrefix(text, "@")
	if !ok {
		return text, nil
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return "", misuse("name a file that can be read", "%s: %v", flag, err)
	}
	return string(b), nil
}

var errNoRightAnswer = errors.New("no request was answered rightly")

// load runs the job and prints what came of it.
func (a *app) load(ctx context.Context, url string, job load.Job) error {
	job.Profile.Name = ""
	p := job.Profile
	if p.Shape != load.ShapeRamp {
		a.say("%s: %s", url, describe(p))
		r, runErr := load.Run(ctx, job, load.Hooks{})
		if runErr != nil && r.Elapsed == 0 {
			return runErr
		}
		// An interrupted window is shown as far as it came.
		var err error
		if a.json {
			err = a.printJSON(r)
		} else {
			err = printResult(a.stdout, r)
		}
		return errors.Join(runErr, err, rightAnswers(r))
	}
	results, err := load.RunRamp(ctx, job, func(s load.Step) {
		a.say("step %d of %d: %s", s.Number, s.Of, describe(s.Profile))
	})
	if err != nil && len(results) == 0 {
		return err
	}
	var printErr error
	if a.json {
		printErr = a.printJSON(struct {
			Schema int               `json:"schema"`
			Steps  []load.StepResult `json:"steps"`
		}{jsonSchema, results})
	} else {
		printErr = printSteps(a.stdout, results)
	}
	if err != nil {
		return err
	}
	ok := false
	for _, s := range results {
		ok = ok || s.Result.OK > 0
	}
	if !ok {
		return errors.Join(printErr, errNoRightAnswer)
	}
	return printErr
}

func rightAnswers(r load.Result) error {
	if r.OK > 0 {
		return nil
	}
	if r.FirstError != "" {
		return fmt.Errorf("%w: %s", errNoRightAnswer, r.FirstError)
	}
	return errNoRightAnswer
}

// describe says in words what a closed or rate load is.
func describe(p load.Profile) string {
	var b strings.Builder
	if p.Shape == load.ShapeRate {
		fmt.Fprintf(&b, "%s requests/s over up to %d connections", plain(p.Rate), p.Connections)
	} else {
		fmt.Fprintf(&b, "closed loop, %s", counted(p.Connections, "connection"))
	}
	switch p.Calls {
	case 0:
	case 1:
		b.WriteString(", a new one for each request")
	default:
		fmt.Fprintf(&b, ", %d requests on each", p.Calls)
	}
	if p.HTTP10 {
		b.WriteString(", HTTP/1.0")
	}
	if p.Requests > 0 {
		fmt.Fprintf(&b, ", %d requests", p.Requests)
	} else {
		fmt.Fprintf(&b, ", %v", p.Duration)
	}
	if p.Warmup > 0 {
		fmt.Fprintf(&b, " after %v of warm-up", p.Warmup)
	}
	return b.String()
}

func plain(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
