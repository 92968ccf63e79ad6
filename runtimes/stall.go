package runtimes

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

// How long the other side may be silent in the middle of an answer before it is
// given up. Engines say nothing while a build's command says nothing, so they get
// as long as a whole build by the process launcher.
const (
	stallTime      = time.Minute
	pullStallTime  = 5 * time.Minute
	buildStallTime = buildTime
)

// commandTime bounds one call of npm or go: the largest packages are some 100 MB.
const commandTime = buildTime

// stallError says that nothing came for so long.
type stallError struct{ silent time.Duration }

func (e *stallError) Error() string { return fmt.Sprintf("nothing came for %v", e.silent) }

// watch ends a context with a *stallError when nothing came through it for so
// long. stop has to be called.
type watch struct {
	silent time.Duration
	timer  *time.Timer
	end    context.CancelCauseFunc
	cause  func() error // why the context ended
}

func watchFor(ctx context.Context, silent time.Duration) (context.Context, *watch) {
	ctx, end := context.WithCancelCause(ctx)
	w := &watch{silent: silent, end: end, cause: func() error { return context.Cause(ctx) }}
	w.timer = time.AfterFunc(silent, func() { end(&stallError{silent}) })
	return ctx, w
}

func (w *watch) stop() {
	w.timer.Stop()
	w.end(nil)
}

// reason is why something failed: the silence, if that ended it.
func (w *watch) reason(err error) error {
	if stalled, ok := w.cause().(*stallError); ok && err != nil && err != io.EOF {
		return stalled
	}
	return err
}

// reader passes on what from reads, and counts it as news.
func (w *watch) reader(from io.Reader) io.Reader { return &watchedReader{w, from} }

type watchedReader struct {
	*watch
	from io.Reader
}

// Read implements io.Reader.
func (r *watchedReader) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	if n > 0 {
		r.timer.Reset(r.silent)
	}
	return n, r.reason(err)
}

// stallingTransport gives up requests whose answer stands still.
type stallingTransport struct {
	inner  http.RoundTripper
	silent time.Duration
}

// RoundTrip implements http.RoundTripper.
func (t stallingTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, w := watchFor(r.Context(), t.silent)
	answer, err := t.inner.RoundTrip(r.WithContext(ctx))
	if err != nil {
		w.stop()
		return nil, w.reason(err)
	}
	answer.Body = &watchedBody{w.reader(answer.Body), answer.Body, w}
	return answer, nil
}

type watchedBody struct {
	io.Reader
	body io.Closer
	w    *watch
}

// Close implements io.Closer.
func (b *watchedBody) Close() error {
	b.w.stop()
	return b.body.Close()
}
