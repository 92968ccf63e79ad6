package load

import (
	"strings"
	"testing"
	"time"
)

// H1: error answers are quick and no throughput.
func TestWrongStatusIsNoThroughput(t *testing.T) {
	onEngines(t, func(t *testing.T, load func(Job) Result) {
		j := helloJob(serve(t, always(answerWith("404 Not Found", helloBody))))
		j.Profile.Duration, j.Profile.Requests = 0, 100
		r := load(j)
		if r.OK != 0 || r.QPS() != 0 || r.Errors.Status != 100 || r.Errors.Total() != 100 {
			t.Errorf("ok %d, errors %+v", r.OK, r.Errors)
		}
		if r.FirstError != "status 404 instead of 200" {
			t.Errorf("first error %q", r.FirstError)
		}
	})
}

// H1: a server that breaks in mid-run gives both totals.
func TestServerThatBreaksInMidRun(t *testing.T) {
	onEngines(t, func(t *testing.T, load func(Job) Result) {
		j := helloJob(serve(t, breaksAfter(200*time.Millisecond)))
		j.Profile.Duration = 800 * time.Millisecond
		r := load(j)
		if r.OK == 0 || r.Errors.Status == 0 {
			t.Errorf("ok %d, errors %+v", r.OK, r.Errors)
		}
	})
}

// H2, H3: 100/s for 10 s against a server frozen from 4 s to 6 s, ten times
// faster: 1,000/s for 1 s, frozen from 0.4 s to 0.6 s.
func TestFrozenServerShowsInFull(t *testing.T) {
	onEngines(t, func(t *testing.T, load func(Job) Result) {
		j := helloJob(serve(t, frozen(400*time.Millisecond, 600*time.Millisecond)))
		j.Profile.Shape, j.Profile.Rate, j.Profile.Duration, j.Profile.Connections = ShapeRate, 1000, time.Second, 50
		r := load(j)
		if r.Scheduled != 1000 || r.OK+r.Errors.Total() != r.Started || r.Started > 1000 {
			t.Fatalf("scheduled %d, started %d, ok %d, in flight %d, want 1000", r.Scheduled, r.Started, r.OK, r.InFlight)
		}
		if !r.Corrected {
			t.Error("not labelled corrected")
		}
		// Of the answers, a fifth were due in the freeze, and waited for 100 ms
		// in the mean: 0.2 · 100 ms over all. A machine under load adds to it.
		at := func(q float64) float64 { return float64(r.Latency.ValueAtQuantile(q)) / 1e6 }
		if at(50) > 60 || at(90) < 90 || at(99) < 180 || at(100) < 190 || r.Latency.Mean()/1e6 < 17 {
			t.Errorf("p50 %.1f, p90 %.1f, p99 %.1f, max %.1f, mean %.1f ms", at(50), at(90), at(99), at(100), r.Latency.Mean()/1e6)
		}
		// Service times miss what waited for a connection.
		if r.Service.Mean() >= r.Latency.Mean() {
			t.Errorf("service mean %.1f ms, latency mean %.1f ms", r.Service.Mean()/1e6, r.Latency.Mean()/1e6)
		}
	})
}

// H2: the closed loop says that its latency is service time.
func TestClosedLoopIsUncorrected(t *testing.T) {
	onEngines(t, func(t *testing.T, load func(Job) Result) {
		if r := load(helloJob(serve(t, always(hello())))); r.Corrected || r.Service != nil || !r.Sustained {
			t.Errorf("corrected %v, service %v, sustained %v", r.Corrected, r.Service, r.Sustained)
		}
	})
}

// H5: 5/s over one connection to a server that takes 1 s, ten times faster.
func TestRateThatIsNotSustained(t *testing.T) {
	onEngines(t, func(t *testing.T, load func(Job) Result) {
		j := helloJob(serve(t, slowly(100*time.Millisecond)))
		j.Profile.Shape, j.Profile.Rate, j.Profile.Connections = ShapeRate, 50, 1
		j.Profile.Duration = 3 * time.Second
		r := load(j)
		if r.Sustained || r.QPS() > 11 || r.QPS() < 5 || r.Scheduled != 150 || r.Started > 31 {
			t.Errorf("sustained %v, qps %.2f, scheduled %d, started %d", r.Sustained, r.QPS(), r.Scheduled, r.Started)
		}
		// Answer k of 0, 1, … is due at k/50 s and comes after (k+1)/10 s at
		// the earliest, so the mean latency of n is 0.1 s + 0.08 s · (n−1)/2.
		mean, n := r.Latency.Mean()/1e9, float64(r.OK)
		if want := 0.1 + 0.04*(n-1); mean < 0.97*want || mean > 2*want {
			t.Errorf("latency mean %.3f s of %v answers, want %.3f", mean, n, want)
		}
		if s := r.Service.ValueAtQuantile(50); s < int64(95*time.Millisecond) || s > int64(300*time.Millisecond) {
			t.Errorf("service time %v", time.Duration(s))
		}
	})
}

func TestRateThatIsSustained(t *testing.T) {
	onEngines(t, func(t *testing.T, load func(Job) Result) {
		j := helloJob(serve(t, slowly(20*time.Millisecond)))
		j.Profile.Shape, j.Profile.Rate, j.Profile.Connections = ShapeRate, 200, 100
		j.Profile.Duration, j.Profile.Warmup = time.Second, 100*time.Millisecond
		r := load(j)
		// A machine that keeps the engine itself waiting proves nothing.
		idle := r.Lateness.ValueAtQuantile(99) < int64(5*time.Millisecond)
		if r.Scheduled != 200 || r.OfferedRate != 200 || idle && (!r.Sustained || r.OK != 200) {
			t.Errorf("sustained %v, scheduled %d, ok %d, offered %v", r.Sustained, r.Scheduled, r.OK, r.OfferedRate)
		}
		if r.Lateness.TotalCount() == 0 || r.Lateness.Min() < 0 {
			t.Errorf("%d lateness values, least %d ns", r.Lateness.TotalCount(), r.Lateness.Min())
		}
	})
}

// H6: 2 s and a timeout of 1 s against a server that never answers, halved.
func TestServerThatNeverAnswers(t *testing.T) {
	onEngines(t, func(t *testing.T, load func(Job) Result) {
		for _, shape := range []Shape{ShapeClosed, ShapeRate} {
			j := helloJob(serve(t, acceptOnly))
			j.Profile.Shape, j.Profile.Rate = shape, 20
			j.Profile.Duration, j.Profile.Timeout = time.Second, 500*time.Millisecond
			start := time.Now()
			r := load(j)
			if d := time.Since(start); d > 2500*time.Millisecond {
				t.Errorf("%s: took %v", shape, d)
			}
			if r.OK != 0 || r.Errors.Timeout < 4 || r.Latency.TotalCount() != 0 || r.Elapsed < time.Second {
				t.Errorf("%s: ok %d, errors %+v, elapsed %v", shape, r.OK, r.Errors, r.Elapsed)
			}
		}
	})
}

// H6 again: a server that never stops sending keeps a run no longer than one
// that never sends.
func TestServerThatFloods(t *testing.T) {
	flood := strings.Repeat("1\r\nh\r\n", 1<<15)
	onEngines(t, func(t *testing.T, load func(Job) Result) {
		j := helloJob(serve(t, func(p *peer, _ int) {
			if _, ok := p.request(); !ok || !p.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n") {
				return
			}
			for p.send(flood) {
			}
		}))
		j.Expect.Body = nil
		j.Profile.Duration, j.Profile.Timeout = 300*time.Millisecond, 300*time.Millisecond
		start := time.Now()
		r := load(j)
		if d := time.Since(start); d > 2*time.Second {
			t.Errorf("took %v", d)
		}
		if r.OK != 0 {
			t.Errorf("ok %d", r.OK)
		}
	})
}

// H8: a body that ends with the connection is a good answer.
func TestBodyEndedByClose(t *testing.T) {
	onEngines(t, func(t *testing.T, load func(Job) Result) {
		for _, head := range []string{
			"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n",
			"HTTP/1.0 200 OK\r\n\r\n",
			"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n",
			"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 12\r\n\r\n",
		} {
			j := helloJob(serve(t, func(p *peer, _ int) {
				if _, ok := p.request(); ok {
					p.send(head + helloBody)
				}
			}))
			j.Profile.Duration, j.Profile.Requests = 0, 200
			r := load(j)
			if r.OK != 200 || r.Connections != 200 {
				t.Errorf("%q: ok %d, errors %+v (%s), connections %d", head, r.OK, r.Errors, r.FirstError, r.Connections)
			}
		}
	})
}

// H9: resets between requests are errors, and never repeated in silence.
func TestResetIsNeverHidden(t *testing.T) {
	onEngines(t, func(t *testing.T, load func(Job) Result) {
		j := helloJob(serve(t, leavesAfter(5, (*peer).reset)))
		j.Profile.Duration, j.Profile.Requests = 0, 60
		r := load(j)
		// Each connection: five answers, then one reset, but for the last 4.
		if r.Started != 60 || r.Errors.Reset != r.Errors.Total() || r.OK > 5*(r.Errors.Reset+4) || r.OK < 5*r.Errors.Reset {
			t.Errorf("started %d, ok %d, errors %+v", r.Started, r.OK, r.Errors)
		}
	})
}

// H9: a reset right behind an answer fails the next request.
func TestResetBehindAnAnswer(t *testing.T) {
	onEngines(t, func(t *testing.T, load func(Job) Result) {
		j := helloJob(serve(t, func(p *peer, _ int) {
			if _, ok := p.request(); ok && p.send(hello()) {
				p.reset()
			}
		}))
		j.Profile.Duration, j.Profile.Requests, j.Profile.Connections = 0, 20, 1
		if r := load(j); r.OK > 10 || r.Errors.Reset < 10 || r.OK+r.Errors.Reset != 20 {
			t.Errorf("ok %d, errors %+v (%s)", r.OK, r.Errors, r.FirstError)
		}
	})
}

func TestConnectionClosedBeforeTheAnswer(t *testing.T) {
	onEngines(t, func(t *testing.T, load func(Job) Result) {
		for name, leave := range map[string]func(*peer){
			"at once":     func(p *peer) {},
			"in the head": func(p *peer) { p.send("HTTP/1.1 200 OK\r\nContent-Le") },
			"in the body": func(p *peer) { p.send("HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\nhello") },
			"in a chunk":  func(p *peer) { p.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nc\r\nhello") },
		} {
			j := helloJob(serve(t, leavesAfter(2, leave)))
			j.Profile.Duration, j.Profile.Requests, j.Profile.Connections = 0, 30, 2
			r := load(j)
			if r.Started != 30 || r.OK+r.Errors.Closed != 30 || r.Errors.Closed < 9 {
				t.Errorf("%s: ok %d, errors %+v", name, r.OK, r.Errors)
			}
		}
	})
}

// H11: all kinds of answers, one after the other on one connection.
func TestZooOfAnswersOnOneConnection(t *testing.T) {
	const big = 64 << 10
	zoo := []struct{ answer, want string }{
		{"HTTP/1.1 200 OK\r\nCONTENT-LENGTH: 12\r\n\r\n" + helloBody, "ok"},
		{"HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n5;a=\"b\"\r\nhello\r\n7\r\n world\n\r\n0\r\nX-Sum: 1\r\n\r\n", "ok"},
		{"HTTP/1.1 204 No Content\r\n\r\n", "status"},
		{"HTTP/1.1 304 Not Modified\r\nContent-Length: 12\r\n\r\n", "status"},
		{"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + hello(), "ok"},
		{hello("X-Folded: one\r\n two\r\n\tthree"), "ok"},
		{answerWith("200 OK", strings.Repeat("x", big)), "body"},
		{hello(), "ok"},
	}
	onEngines(t, func(t *testing.T, load func(Job) Result) {
		want := map[string]int64{}
		for _, z := range zoo {
			want[z.want]++
		}
		for _, piece := range []int{1 << 20, 7} {
			j := helloJob(serve(t, func(p *peer, _ int) {
				for i := 0; ; i++ {
					if _, ok := p.request(); !ok || !p.trickle(zoo[i%len(zoo)].answer, piece, 0) {
						return
					}
				}
			}))
			j.Profile.Connections, j.Profile.Duration, j.Profile.Requests = 1, 0, int64(2*len(zoo))
			r := load(j)
			if r.OK != 2*want["ok"] || r.Errors.Status != 2*want["status"] || r.Errors.Body != 2*want["body"] || r.Connections != 1 {
				t.Errorf("in pieces of %d: ok %d, errors %+v (%s), connections %d", piece, r.OK, r.Errors, r.FirstError, r.Connections)
			}
		}
	})
}

// H11: a large body in single bytes is read in time, and the next request
// works.
func TestTrickledBody(t *testing.T) {
	body := strings.Repeat("0123456789abcdef", 4<<10)
	onEngines(t, func(t *testing.T, load func(Job) Result) {
		j := helloJob(serve(t, func(p *peer, _ int) {
			for _, ok := p.request(); ok && p.trickle(answerWith("200 OK", body), 1, 0); _, ok = p.request() {
			}
		}))
		j.Expect.Body = &body
		j.Profile.Connections, j.Profile.Duration, j.Profile.Requests, j.Profile.Timeout = 1, 0, 2, time.Minute
		if r := load(j); r.OK != 2 || r.Connections != 1 {
			t.Errorf("ok %d, errors %+v (%s)", r.OK, r.Errors, r.FirstError)
		}
	})
}

// H13: what is in flight at the end is neither done nor failed.
func TestInFlightAtTheEnd(t *testing.T) {
	onEngines(t, func(t *testing.T, load func(Job) Result) {
		j := helloJob(serve(t, slowly(300*time.Millisecond)))
		j.Profile.Connections, j.Profile.Duration = 8, time.Second
		r := load(j)
		if r.InFlight == 0 || r.InFlight > 8 || r.Errors.Total() != 0 || r.OK < 8 || r.OK > 24 {
			t.Errorf("ok %d, in flight %d, errors %+v", r.OK, r.InFlight, r.Errors)
		}
	})
}

// H16: no sample is dropped for its number or its size.
func TestNoSampleIsDropped(t *testing.T) {
	t.Parallel()
	h := newHistogram()
	const n = 1_200_000
	for range n - 3 {
		record(h, int64(2*time.Millisecond))
	}
	record(h, int64(75*time.Second))
	record(h, 0)
	record(h, int64(3*time.Hour))
	if h.TotalCount() != n || h.Min() != 0 {
		t.Errorf("%d values, least %d", h.TotalCount(), h.Min())
	}
	near := func(got, want float64) bool { return got > want*0.999 && got < want*1.001 }
	if got := float64(h.Max()); !near(got, float64(time.Hour)) {
		t.Errorf("max %v", time.Duration(got))
	}
	mean := (float64(n-3)*2e6 + 75e9 + 3600e9) / n
	if !near(h.Mean(), mean) {
		t.Errorf("mean %.0f ns, want %.0f", h.Mean(), mean)
	}
}
