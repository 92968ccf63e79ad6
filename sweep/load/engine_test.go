package load

import (
	"context"
	"testing"
	"time"
)

// engines are held to one set of promises.
var engines = map[string]func(*task) (engine, error){
	"portable": newPortable,
	"native":   newEngine,
}

// onEngines runs a test against each engine.
func onEngines(t *testing.T, test func(t *testing.T, load func(Job) Result)) {
	t.Helper()
	t.Parallel()
	for name, open := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, func(j Job) Result {
				t.Helper()
				r, err := run(context.Background(), j, Hooks{}, open)
				if err != nil {
					t.Fatal(err)
				}
				checkAccounts(t, r)
				return r
			})
		})
	}
}

// checkAccounts asserts what holds for every result.
func checkAccounts(t *testing.T, r Result) {
	t.Helper()
	if r.Started != r.OK+r.Errors.Total()+r.InFlight {
		t.Errorf("started %d is not ok %d + errors %d + in flight %d", r.Started, r.OK, r.Errors.Total(), r.InFlight)
	}
	if r.Scheduled < r.Started {
		t.Errorf("scheduled %d is less than started %d", r.Scheduled, r.Started)
	}
	if n := r.Latency.TotalCount(); n != r.OK {
		t.Errorf("%d latencies for %d right answers", n, r.OK)
	}
	if r.Service != nil && r.Service.TotalCount() != r.OK {
		t.Errorf("%d service times for %d right answers", r.Service.TotalCount(), r.OK)
	}
	if r.Errors.Client > 0 {
		t.Errorf("%d faults of our own: %s", r.Errors.Client, r.FirstError)
	}
}

// helloJob is a closed loop against address for 300 ms.
func helloJob(address string) Job {
	body := helloBody
	return Job{
		Address: address,
		Expect:  Expect{Body: &body},
		Profile: Profile{Shape: ShapeClosed, Connections: 4, Duration: 300 * time.Millisecond, Timeout: 5 * time.Second},
	}
}

func TestClosedLoopByDuration(t *testing.T) {
	onEngines(t, func(t *testing.T, load func(Job) Result) {
		j := helloJob(serve(t, always(hello())))
		j.Profile.Warmup = 100 * time.Millisecond
		r := load(j)
		if r.OK < 10 || r.Errors.Total() > 0 || r.InFlight > 4 {
			t.Errorf("ok %d, errors %+v, in flight %d", r.OK, r.Errors, r.InFlight)
		}
		if r.Connections != 4 || r.BytesIn < r.OK*int64(len(hello())) {
			t.Errorf("connections %d, bytes in %d for %d answers", r.Connections, r.BytesIn, r.OK)
		}
		if r.Elapsed < 300*time.Millisecond || r.Elapsed > 2*time.Second {
			t.Errorf("elapsed %v", r.Elapsed)
		}
	})
}
