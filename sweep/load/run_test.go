package load

import (
	"context"
	"errors"
	"net"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestRequestsAreCounted(t *testing.T) {
	onEngines(t, func(t *testing.T, load func(Job) Result) {
		var served atomic.Int64
		j := helloJob(serve(t, func(p *peer, _ int) {
			for _, ok := p.request(); ok; _, ok = p.request() {
				if served.Add(1); !p.send(hello()) {
					return
				}
			}
		}))
		j.Profile.Duration, j.Profile.Requests = 0, 1234
		if r := load(j); r.Started != 1234 || r.OK != 1234 || r.Scheduled != 1234 || served.Load() != 1234 {
			t.Errorf("started %d, ok %d, the server saw %d", r.Started, r.OK, served.Load())
		}
		// The warm-up is drained, not counted.
		j.Profile.Warmup, j.Profile.Requests = 50*time.Millisecond, 100
		if r := load(j); r.Started != 100 || r.OK != 100 || served.Load() < 1334 {
			t.Errorf("after a warm-up: started %d, ok %d", r.Started, r.OK)
		}
	})
}

func TestCallsPerConnection(t *testing.T) {
	onEngines(t, func(t *testing.T, load func(Job) Result) {
		for _, c := range []struct {
			calls       int
			http10      bool
			connections int64
		}{{1, false, 200}, {10, false, 20}, {0, true, 200}, {0, false, 1}} {
			var wrong atomic.Int64
			j := helloJob(serve(t, func(p *peer, _ int) {
				for n := 1; ; n++ {
					head, ok := p.request()
					if !ok || !p.send(hello()) {
						return
					}
					last := n == c.calls || c.http10
					if strings.Contains(head, "HTTP/1.0") != c.http10 || strings.Contains(head, "Connection: close") != (last && !c.http10) {
						wrong.Add(1)
					}
					if last {
						return
					}
				}
			}))
			j.Profile.Calls, j.Profile.HTTP10 = c.calls, c.http10
			j.Profile.Connections, j.Profile.Duration, j.Profile.Requests = 2, 0, 200
			r := load(j)
			if r.OK != 200 || r.Connections < c.connections || r.Connections > c.connections+2 || wrong.Load() > 0 {
				t.Errorf("%+v: ok %d, errors %+v, connections %d, wrong requests %d", c, r.OK, r.Errors, r.Connections, wrong.Load())
			}
		}
	})
}

func TestCallsWithARate(t *testing.T) {
	onEngines(t, func(t *testing.T, load func(Job) Result) {
		j := helloJob(serve(t, func(p *peer, _ int) {
			for head, ok := p.request(); ok && p.send(hello()) && !strings.Contains(head, "close"); head, ok = p.request() {
			}
		}))
		j.Profile.Shape, j.Profile.Rate, j.Profile.Calls = ShapeRate, 500, 10
		j.Profile.Duration, j.Profile.Requests = 0, 200
		r := load(j)
		// A busy machine may leave some unsent.
		if least := r.OK / 10; r.OK != r.Started || r.OK == 0 || r.Scheduled != 200 || r.Connections < least || r.Connections > least+4 {
			t.Errorf("ok %d, scheduled %d, errors %+v, connections %d", r.OK, r.Scheduled, r.Errors, r.Connections)
		}
	})
}

func TestRequestAsAsked(t *testing.T) {
	onEngines(t, func(t *testing.T, load func(Job) Result) {
		body := strings.Repeat("body", 100_000) // more than a socket takes at once
		heads := make(chan string, 10)
		j := helloJob(serve(t, func(p *peer, _ int) {
			for head, ok := p.request(); ok && p.send(answerWith("201 Created", "")); head, ok = p.request() {
				heads <- head
			}
		}))
		empty := ""
		j.Request = Request{Method: "POST", Path: "/a?b=c", Host: "example.test", Header: map[string]string{"X-B": "2", "X-A": "1"}, Body: []byte(body)}
		j.Expect = Expect{Status: 201, Body: &empty}
		j.Profile.Duration, j.Profile.Requests, j.Profile.Connections = 0, 3, 1
		if r := load(j); r.OK != 3 {
			t.Fatalf("ok %d, errors %+v (%s)", r.OK, r.Errors, r.FirstError)
		}
		want := "POST /a?b=c HTTP/1.1\nHost: example.test\nX-A: 1\nX-B: 2\nContent-Length: 400000\n"
		if got := <-heads; got != want {
			t.Errorf("the server saw\n%swant\n%s", got, want)
		}
	})
}

// A server that answers before it has read the whole request has answered,
// but the connection is spent.
func TestAnswerBeforeTheRequestIsRead(t *testing.T) {
	onEngines(t, func(t *testing.T, load func(Job) Result) {
		j := helloJob(serve(t, func(p *peer, _ int) {
			if line, err := p.in.ReadString('\n'); err == nil && line != "" {
				p.send(answerWith("413 Content Too Large", ""))
				time.Sleep(50 * time.Millisecond)
			}
		}))
		j.Request.Method, j.Request.Body = "POST", make([]byte, 8<<20)
		j.Profile.Duration, j.Profile.Requests, j.Profile.Connections = 0, 4, 1
		if r := load(j); r.Errors.Status != 4 || r.Connections != 4 {
			t.Errorf("errors %+v (%s), connections %d", r.Errors, r.FirstError, r.Connections)
		}
	})
}

func TestNobodyListens(t *testing.T) {
	onEngines(t, func(t *testing.T, load func(Job) Result) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		l.Close()
		for _, shape := range []Shape{ShapeClosed, ShapeRate} {
			j := helloJob(l.Addr().String())
			j.Profile.Shape, j.Profile.Rate = shape, 100
			r := load(j)
			// The closed loop pauses for 10 ms before it tries again.
			if r.OK != 0 || r.Errors.Refused == 0 || r.Errors.Refused != r.Errors.Total() || r.Errors.Refused > 4*31 {
				t.Errorf("%s: errors %+v", shape, r.Errors)
			}
		}
	})
}

// A server may close a connection that is free: that fails no request.
func TestFreeConnectionClosedByTheServer(t *testing.T) {
	onEngines(t, func(t *testing.T, load func(Job) Result) {
		j := helloJob(serve(t, func(p *peer, _ int) {
			if _, ok := p.request(); ok {
				p.send(hello())
			}
		}))
		j.Profile.Shape, j.Profile.Rate, j.Profile.Connections = ShapeRate, 5, 1
		j.Profile.Duration, j.Profile.Requests = 0, 4
		// A busy machine may close one late, on the next request.
		if r := load(j); r.OK < 3 || r.Connections < 3 {
			t.Errorf("ok %d, errors %+v (%s), connections %d", r.OK, r.Errors, r.FirstError, r.Connections)
		}
	})
}

func TestOversizedHeadIsOneProtocolError(t *testing.T) {
	onEngines(t, func(t *testing.T, load func(Job) Result) {
		var n atomic.Int64
		big := hello("X: " + strings.Repeat("x", 40<<10))
		j := helloJob(serve(t, func(p *peer, _ int) {
			for _, ok := p.request(); ok; _, ok = p.request() {
				a := hello()
				if n.Add(1) == 3 {
					a = big
				}
				if !p.send(a) {
					return
				}
			}
		}))
		j.Profile.Connections, j.Profile.Duration, j.Profile.Requests = 1, 0, 10
		if r := load(j); r.OK != 9 || r.Errors.Protocol != 1 || !strings.Contains(r.FirstError, "32 KiB") {
			t.Errorf("ok %d, errors %+v (%s)", r.OK, r.Errors, r.FirstError)
		}
	})
}

func TestSlowAnswerIsATimeout(t *testing.T) {
	onEngines(t, func(t *testing.T, load func(Job) Result) {
		j := helloJob(serve(t, func(p *peer, _ int) {
			for _, ok := p.request(); ok && p.trickle(hello(), 1, 20*time.Millisecond); _, ok = p.request() {
			}
		}))
		j.Profile.Timeout = 100 * time.Millisecond
		if r := load(j); r.OK != 0 || r.Errors.Timeout < 4 || r.Errors.Timeout != r.Errors.Total() {
			t.Errorf("ok %d, errors %+v (%s)", r.OK, r.Errors, r.FirstError)
		}
	})
}

func TestCancelledRun(t *testing.T) {
	t.Parallel()
	for name, open := range engines {
		j := helloJob(serve(t, slowly(5*time.Millisecond)))
		j.Profile.Duration = time.Minute
		why := errors.New("enough")
		ctx, cancel := context.WithCancelCause(context.Background())
		start := time.Now()
		r, err := run(ctx, j, Hooks{WindowStart: func() { time.AfterFunc(200*time.Millisecond, func() { cancel(why) }) }}, open)
		if !errors.Is(err, why) || time.Since(start) > 5*time.Second {
			t.Errorf("%s: %v after %v", name, err, time.Since(start))
		}
		checkAccounts(t, r)
		if r.OK == 0 || r.Elapsed > 5*time.Second {
			t.Errorf("%s: ok %d in %v", name, r.OK, r.Elapsed)
		}
	}
}

func TestHooksBracketTheWindow(t *testing.T) {
	t.Parallel()
	for name, open := range engines {
		j := helloJob(serve(t, always(hello())))
		j.Profile.Warmup = 50 * time.Millisecond
		var start, end time.Time
		began := time.Now()
		r, err := run(context.Background(), j, Hooks{func() { start = time.Now() }, func() { end = time.Now() }}, open)
		if err != nil {
			t.Fatal(err)
		}
		if start.Sub(began) < 50*time.Millisecond || end.Sub(start) < r.Elapsed {
			t.Errorf("%s: warm-up %v, between hooks %v, elapsed %v", name, start.Sub(began), end.Sub(start), r.Elapsed)
		}
	}
}

// The steady state allocates nothing for a request, but for what the portable
// engine's network calls do.
func TestNativeEngineAllocatesNothing(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the native engine is the portable one here")
	}
	allocated := func(requests int64) uint64 {
		j := helloJob(quietServer(t))
		j.Profile.Duration, j.Profile.Requests, j.Profile.Connections = 0, requests, 10
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if r, err := Run(context.Background(), j, Hooks{}); err != nil || r.OK != requests {
			t.Fatalf("%+v, %v", r.Errors, err)
		}
		runtime.ReadMemStats(&after)
		return after.Mallocs - before.Mallocs
	}
	allocated(100)
	few, many := allocated(100), allocated(10_100)
	if more := int64(many) - int64(few); more > 500 {
		t.Errorf("10,000 requests more took %d allocations more", more)
	}
}

// quietServer answers without allocating, so that allocations are the engine's.
func quietServer(tb testing.TB) string {
	answer := []byte(hello())
	return serve(tb, func(p *peer, _ int) {
		b := make([]byte, 4096)
		for {
			if _, err := p.Read(b); err != nil {
				return
			}
			if _, err := p.Write(answer); err != nil {
				return
			}
		}
	})
}

func TestArrivals(t *testing.T) {
	t.Parallel()
	for _, rate := range []float64{0.5, 1, 3, 7, 100, 999.9, 1e6, 9999999} {
		a := newArrivals(1000, 1000+int64(10*time.Second), rate)
		n := a.before(a.end)
		if want := rate * 10; float64(n) < want-1 || float64(n) > want+1 {
			t.Errorf("%v/s: %d arrivals in 10 s", rate, n)
		}
		if a.due(0) != a.start || a.due(n-1) >= a.end || a.due(n) < a.end || a.before(a.start) != 0 || a.before(a.start+1) != 1 {
			t.Errorf("%v/s: first %d, last %d, next %d", rate, a.due(0), a.due(n-1), a.due(n))
		}
	}
	if n := newArrivals(5, 5+int64(10*time.Second), 100).before(1 << 62); n != 1000 {
		t.Errorf("100/s for 10 s are %d arrivals", n)
	}
}

func TestClientBound(t *testing.T) {
	t.Parallel()
	late, punctual := newHistogram(), newHistogram()
	for i := range 100 {
		record(punctual, 1000)
		record(late, int64(time.Millisecond)*int64(i/90*2))
	}
	for name, c := range map[string]struct {
		r     Result
		shape Shape
		want  bool
	}{
		"closed, waits a tenth":           {Result{Busy: 0.9}, ShapeClosed, false},
		"closed, never waits":             {Result{Busy: 0.96}, ShapeClosed, true},
		"closed, only CPU known":          {Result{Busy: -1, CPUShare: 0.99}, ShapeClosed, true},
		"closed, only CPU known, idle":    {Result{Busy: -1, CPUShare: 0.5}, ShapeClosed, false},
		"rate, punctual":                  {Result{Busy: 0.99, Sustained: true, Lateness: punctual}, ShapeRate, false},
		"rate, busy and not kept":         {Result{Busy: 0.99, Lateness: punctual}, ShapeRate, true},
		"rate, not kept by the server":    {Result{Busy: 0.1, Lateness: punctual}, ShapeRate, false},
		"rate, one in ten late":           {Result{Busy: 0.1, Sustained: true, Lateness: late}, ShapeRate, true},
		"rate, no connection was free":    {Result{Busy: 0.1, Lateness: newHistogram()}, ShapeRate, false},
		"rate, CPU spent spinning is not": {Result{Busy: 0.2, CPUShare: 1, Sustained: true, Lateness: punctual}, ShapeRate, false},
	} {
		c.r.OK = 1000
		if got := clientBound(c.r, Profile{Shape: c.shape}); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if clientBound(Result{Busy: 0.99}, Profile{Shape: ShapeClosed}) {
		t.Error("only refusals: they are quick, and say nothing of the pace")
	}
}

func TestEngineThatIsIdleSaysSo(t *testing.T) {
	onEngines(t, func(t *testing.T, load func(Job) Result) {
		r := load(helloJob(serve(t, slowly(20*time.Millisecond))))
		// The portable engine knows only the CPU share, which is the whole
		// test's here.
		if r.Busy >= 0 && (r.ClientBound || r.Busy > 0.9) {
			t.Errorf("busy %.2f, CPU share %.2f, bound %v", r.Busy, r.CPUShare, r.ClientBound)
		}
		// Little's law; what is in flight at the edges and noise blur it.
		if c := r.Concurrency(); c < 2 || c > 6 {
			t.Errorf("concurrency %.2f over 4 connections", c)
		}
	})
}

// BenchmarkEngine is the cost of a request with both ends on this machine.
func BenchmarkEngine(b *testing.B) {
	for name, open := range engines {
		b.Run(name, func(b *testing.B) {
			j := helloJob(quietServer(b))
			j.Profile.Connections, j.Profile.Duration = 100, 0
			j.Profile.Requests = int64(b.N)
			b.ReportAllocs()
			b.ResetTimer()
			if r, err := run(context.Background(), j, Hooks{}, open); err != nil || r.OK != int64(b.N) {
				b.Fatal(r.Errors, err)
			}
		})
	}
}

// TestRunsAtOnce: runs share nothing.
func TestRunsAtOnce(t *testing.T) {
	t.Parallel()
	j := helloJob(serve(t, always(hello())))
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if r, err := Run(context.Background(), j, Hooks{}); err != nil || r.OK == 0 {
				t.Error(r.Errors, err)
			}
		})
	}
	all.Wait()
}
