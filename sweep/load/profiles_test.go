package load

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestNamedProfiles(t *testing.T) {
	t.Parallel()
	var names []string
	for _, n := range Profiles() {
		names = append(names, n.Profile.Name)
		if n.About == "" {
			t.Errorf("%s does not say where it comes from", n.Profile.Name)
		}
		if err := n.Profile.Validate(); err != nil {
			t.Errorf("%s: %v", n.Profile.Name, err)
		}
		if p, err := ProfileByName(n.Profile.Name); err != nil || !reflect.DeepEqual(p, n.Profile) {
			t.Errorf("%s: %+v, %v", n.Profile.Name, p, err)
		}
	}
	if got := strings.Join(names, " "); got != "hello siege-hello ab-hello httperf-ramp bombardier-steps httpbench" {
		t.Errorf("profiles are %s", got)
	}
	if _, err := ProfileByName("helo"); err != nil {
		checkMisuse(t, err, "known are hello, siege-hello")
	} else {
		t.Error("found a profile that does not exist")
	}
}

// The profiles whose load one second can hold, shortened, against a server.
func TestNamedProfilesRun(t *testing.T) {
	t.Parallel()
	address := serve(t, func(p *peer, _ int) {
		for head, ok := p.request(); ok && p.send(hello()); head, ok = p.request() {
			if strings.Contains(head, "HTTP/1.0") || strings.Contains(head, "Connection: close") {
				return
			}
		}
	})
	for _, n := range Profiles() {
		if n.Profile.Shape == ShapeRamp {
			continue
		}
		j := helloJob(address)
		j.Profile = n.Profile.Scaled(0.1)
		r, err := Run(context.Background(), j, Hooks{})
		if err != nil || r.OK == 0 || r.Errors.Total() > 0 {
			t.Errorf("%s: ok %d, errors %+v (%s), %v", n.Profile.Name, r.OK, r.Errors, r.FirstError, err)
		}
		if n := j.Profile.Requests; n > 0 && r.OK != n {
			t.Errorf("%s: %d of %d requests", j.Profile.Name, r.OK, n)
		}
	}
}

func TestRamp(t *testing.T) {
	t.Parallel()
	j := helloJob(serve(t, always(hello())))
	j.Profile.Shape, j.Profile.Duration = ShapeRamp, 200*time.Millisecond
	for _, c := range []struct {
		by    StepBy
		steps []float64
	}{{StepByRate, []float64{100, 200}}, {StepByConnections, []float64{1, 3, 2}}} {
		j.Profile.StepBy, j.Profile.Steps = c.by, c.steps
		var begun []float64
		results, err := RunRamp(context.Background(), j, func(s Step) { begun = append(begun, s.Value) })
		if err != nil || !reflect.DeepEqual(begun, c.steps) || len(results) != len(c.steps) {
			t.Fatalf("%s: began %v, %d results, %v", c.by, begun, len(results), err)
		}
		for i, r := range results {
			checkAccounts(t, r.Result)
			if c.by == StepByRate && r.Result.Scheduled != int64(c.steps[i]/5) {
				t.Errorf("%v/s: %d scheduled in 200 ms", c.steps[i], r.Result.Scheduled)
			}
			if c.by == StepByConnections && r.Result.Connections != int64(c.steps[i]) {
				t.Errorf("%v connections: %d opened", c.steps[i], r.Result.Connections)
			}
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	results, err := RunRamp(ctx, j, func(s Step) {
		if s.Number == 2 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || len(results) != 1 {
		t.Errorf("cancelled in step 2: %d results, %v", len(results), err)
	}
	j.Profile.Shape = ShapeClosed
	_, err = RunRamp(context.Background(), j, nil)
	checkMisuse(t, err, "not a ramp")
}

func TestResultJSONRoundTrip(t *testing.T) {
	t.Parallel()
	full := Result{
		Scheduled: 12, Started: 11, OK: 5, InFlight: 2, Errors: Errors{1, 1, 1, 1, 0, 0, 0, 0}, Elapsed: 1234567891,
		Connections: 3, BytesIn: 4567, CPU: 987654321, CPUShare: 0.25, Busy: 0.5, OfferedRate: 10.5, Sustained: false,
		Corrected: true, ClientBound: true, FirstError: "status 404 instead of 200",
		Latency: newHistogram(), Service: newHistogram(), Lateness: newHistogram(),
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 5 {
		record(full.Latency, rng.Int64N(int64(time.Second)))
		record(full.Service, rng.Int64N(int64(time.Second)))
	}
	for range 11 {
		record(full.Lateness, rng.Int64N(100_000))
	}
	for name, r := range map[string]Result{"full": full, "empty": {Busy: -1, Sustained: true}} {
		b, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		var got Result
		if err := json.Unmarshal(b, &got); err != nil {
			t.Fatal(err)
		}
		again, err := json.Marshal(got)
		if err != nil || string(again) != string(b) {
			t.Errorf("%s: wrote\n%s\nthen\n%s", name, b, again)
		}
		if r.Latency != nil && !got.Latency.Equals(r.Latency) {
			t.Errorf("%s: the histogram changed", name)
		}
		got.Latency, got.Service, got.Lateness = r.Latency, r.Service, r.Lateness
		if !reflect.DeepEqual(got, r) {
			t.Errorf("%s: read back %+v, want %+v", name, got, r)
		}
	}
}

// Unknown is null: the outside form of a run in which nothing was answered.
func TestResultJSONOfNothing(t *testing.T) {
	t.Parallel()
	b, err := json.Marshal(Result{Latency: newHistogram(), Busy: -1, Elapsed: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"schema":1,"scheduled":0,"started":0,"ok":0,"in_flight":0,"errors":{"status":0,"timeout":0,"reset":0,"refused":0,"closed":0,"body":0,"protocol":0,"client":0}`,
		`"latency_ms":{"mean":null,"stdev":null,"p50":null,"p90":null,"p99":null,"p99_9":null,"max":null}`,
		`"elapsed_s":1,"qps":0,"offered_qps":null`, `"cpu_s":null`, `"busy_share":null`, `"client_bound":false`, `"corrected":false`,
	} {
		if !strings.Contains(string(b), want) {
			t.Errorf("%s\nlacks %s", b, want)
		}
	}
	for _, bad := range []string{`{}`, `{"schema":2}`, `{"schema":1,"histogram":"AAAA"}`, `[]`} {
		if err := json.Unmarshal([]byte(bad), new(Result)); err == nil {
			t.Errorf("took %s for a result", bad)
		}
	}
}

func TestJobJSONRoundTrip(t *testing.T) {
	t.Parallel()
	want := helloJob("127.0.0.1:80")
	want.Request = Request{Method: "POST", Path: "/x", Host: "h", Header: map[string]string{"A": "b"}, Body: []byte{0, 1, 255}}
	want.CPUs = []int{1}
	want.Profile.Steps = []float64{1, 2}
	b, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got Job
	if err := json.Unmarshal(b, &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("read back %+v, want %+v, %v", got, want, err)
	}
}
