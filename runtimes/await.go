package runtimes

import (
	"context"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"time"
)

// How often an instance that is not ready yet is asked again: at first often,
// so that a start-up time of milliseconds is seen as such.
const (
	firstPause = time.Millisecond
	lastPause  = 20 * time.Millisecond
)

// wrongAnswerGrace is how long a server may go on answering wrongly before it
// is given up: some answer 503 while they load.
const wrongAnswerGrace = 2 * time.Second

// dialFunc connects to the instance.
type dialFunc func(ctx context.Context) (net.Conn, error)

// notReadyError says that an instance runs but never gave the right answer.
type notReadyError struct{ reason string }

func (e *notReadyError) Error() string { return e.reason }

// awaitAnswer asks the instance until it gives the target's right answer and
// returns when that was. It gives up with a *notReadyError when the target's
// time is over or the answers stay wrong, and with ctx's error when ctx ends.
// A connection that is accepted proves nothing: only the answer counts.
func awaitAnswer(ctx context.Context, d *Definition, host string, dial dialFunc) (time.Time, error) {
	deadline, cancel := context.WithTimeout(ctx, d.Answer.Timeout)
	defer cancel()
	client := &http.Client{
		Transport: &http.Transport{
			DisableKeepAlives: true,
			DialContext:       func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx) },
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	var wrongSince time.Time
	last := fmt.Errorf("nothing tried yet")
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		answered, err := ask(deadline, client, d, host)
		if err == nil {
			return time.Now(), nil
		}
		if ctx.Err() != nil {
			return time.Time{}, ctx.Err()
		}
		if deadline.Err() == nil || answered {
			last = err // rather than that the time is over
		}
		switch {
		case answered && wrongSince.IsZero():
			wrongSince = time.Now()
		case answered && time.Since(wrongSince) > wrongAnswerGrace:
			return time.Time{}, &notReadyError{fmt.Sprintf("answers wrongly: %v", last)}
		}
		select {
		case <-ctx.Done():
			return time.Time{}, ctx.Err()
		case <-deadline.Done():
			return time.Time{}, &notReadyError{fmt.Sprintf("no right answer within %v: %v", d.Answer.Timeout, last)}
		case <-time.After(pause):
		}
	}
}

// ask makes one request. answered tells whether an HTTP answer came, right or
// wrong.
func ask(ctx context.Context, client *http.Client, d *Definition, host string) (answered bool, err error) {
	request, err := http.NewRequestWithContext(ctx, d.Request.Method, "http://"+host+d.Request.Path, nil)
	if err != nil {
		return false, err
	}
	for name, value := range d.Request.Header {
		request.Header.Set(name, value)
	}
	answer, err := client.Do(request)
	if err != nil {
		return false, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, int64(len(d.Answer.Body))+1))
	if err != nil {
		return false, fmt.Errorf("reading the answer: %w", err)
	}
	mediaType, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	switch {
	case answer.StatusCode != d.Answer.Status:
		return true, fmt.Errorf("status %d instead of %d", answer.StatusCode, d.Answer.Status)
	case string(body) != d.Answer.Body:
		return true, fmt.Errorf("body %.40q instead of %.40q", body, d.Answer.Body)
	case mediaType != d.Answer.Type:
		return true, fmt.Errorf("content type %q instead of %q", mediaType, d.Answer.Type)
	}
	return true, nil
}
