// Package load puts HTTP load on one server and says what came of every
// single request.
//
// Run carries out a Job: the same load first as a warm-up, then over one
// measuring window. RunRamp does so for a row of steps. Work and Follow are
// the two ends of the pipe between an orchestrator and an engine running in a
// process of its own, which is how a sweep uses this package, so that the
// orchestrator's own work never shares the engine's CPU.
//
// # Engines
//
// On Linux the engine is an epoll loop for each CPU over raw system calls
// (epoll_linux.go); elsewhere each connection has a goroutine over net.Conn
// (portable.go). Both share the parser, the request bytes and the accounting,
// and pass one test suite. No HTTP client library is used, on purpose:
// net/http and fasthttp silently send a request again when a kept-alive
// connection dies, so the resets that a load test is to find never show.
//
// # Accounting
//
// A request is counted once, as ok, as one kind of error, or as in flight at
// the end of the window: Started = OK + Errors.Total() + InFlight. A request
// is never repeated in silence. What is counted differs by shape:
//
//   - Closed, by duration: the window counts the requests that end in it.
//     Those sent during the warm-up and still open when the window starts
//     belong to the window; those open when it ends are in flight. So
//     throughput is not biased by either edge.
//   - Closed, by number: the warm-up is drained first, and exactly the asked
//     number of requests is made.
//   - Rate: the window counts the requests that were due in it. Those sent by
//     its end are waited for, at most the timeout, so that a stall at the end
//     is seen; those never sent are Scheduled but not Started.
//
// A request begins when its bytes are sent or, where it needs a new
// connection, when the connection is begun; so connecting is part of it.
//
// # Reading on
//
// profile.go has the input, result.go the output, answer.go how answers are
// read, tally.go how they are counted, run.go the course of one run.
package load
