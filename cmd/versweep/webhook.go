package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"versweep/charts"
	"versweep/cmd/versweep/settings"
	"versweep/runtimes"
	"versweep/sweep/nightly"
)

// webhook posts nights to an address. Who knows the address or the headers can
// post there too, so that neither ever stands in an error.
type webhook struct {
	address *url.URL
	format  settings.Format
	header  http.Header
	timeout time.Duration // of one try
	always  bool          // after nights without notices too
	client  *http.Client
	now     func() time.Time
	// wait waits between tries, or until ctx is done.
	wait func(ctx context.Context, d time.Duration) error
}

const (
	webhookTries = 3
	// firstPause comes after the first try, and is four times as long after each
	// later one.
	firstPause = 2 * time.Second
	// longestPause bounds what a server may ask for with Retry-After.
	longestPause = time.Minute
	// answerBytes is how much of an answer is read; little, for nothing in it is
	// needed.
	answerBytes = 4 << 10
)

func newWebhook(address *url.URL, format settings.Format, header http.Header, timeout time.Duration, always bool, now func() time.Time) *webhook {
	return &webhook{
		address: address, format: format, header: header, timeout: timeout, always: always, wait: pause, now: now,
		client: &http.Client{
			Transport: http.DefaultTransport.(*http.Transport).Clone(),
			// Another place must not get what was meant for this one, and most
			// redirects turn a POST into a GET.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

func (w *webhook) name() string {
	return charts.Printable("webhook " + w.address.Scheme + "://" + w.address.Host)
}

func (w *webhook) deliver(ctx context.Context, night nightly.Night) error {
	if len(night.Notices) == 0 && !w.always {
		return nil
	}
	var document any = newNightJSON(night)
	if w.format == settings.FormatSlack {
		document = newSlackJSON(night)
	}
	body, err := json.Marshal(document)
	if err != nil {
		return err
	}
	defer w.client.CloseIdleConnections()
	pause := firstPause
	for try := 1; ; try++ {
		failed := w.post(ctx, body, idempotencyKey(night))
		switch {
		case failed == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case !failed.again:
			return failed.error
		case try == webhookTries:
			return fmt.Errorf("%w, %d times", failed.error, webhookTries)
		}
		if err := w.wait(ctx, max(pause, min(failed.after, longestPause))); err != nil {
			return err
		}
		pause *= 4
	}
}

// postError is a try that failed.
type postError struct {
	error
	again bool          // trying again may help
	after time.Duration // as the server asks; 0 when it does not
}

func (w *webhook) post(ctx context.Context, body []byte, key string) *postError {
	ctx, cancel := context.WithTimeout(ctx, w.timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.address.String(), bytes.NewReader(body))
	if err != nil {
		return &postError{error: errors.New("the address cannot be asked")}
	}
	req.Header = w.header.Clone()
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "versweep")
	req.Header.Set("Idempotency-Key", key)
	answer, err := w.client.Do(req)
	if err != nil {
		// The text of an *url.Error has the address in it.
		if e, ok := errors.AsType[*url.Error](err); ok {
			err = e.Err
		}
		if errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("no answer in %v", w.timeout)
		}
		return &postError{error: errors.New(w.withoutSecrets(err.Error())), again: true}
	}
	defer answer.Body.Close()
	said, _ := io.ReadAll(io.LimitReader(answer.Body, answerBytes)) // of an answer that breaks off, what came
	if answer.StatusCode >= 200 && answer.StatusCode < 300 {
		return nil
	}
	after, _ := runtimes.RetryAfter(answer.Header, w.now())
	return &postError{
		error: errors.New(w.refusal(answer, string(said))),
		again: answer.StatusCode >= 500 || answer.StatusCode == http.StatusTooManyRequests,
		after: after,
	}
}

// refusal is "status 404 Not Found: no_service".
func (w *webhook) refusal(answer *http.Response, said string) string {
	text := strings.TrimSpace(fmt.Sprintf("status %d %s", answer.StatusCode, http.StatusText(answer.StatusCode)))
	if answer.StatusCode >= 300 && answer.StatusCode < 400 {
		return text + ": it leads elsewhere, where nothing is sent; name that address"
	}
	line, _, _ := strings.Cut(strings.TrimSpace(said), "\n")
	const letters = 200
	if line = strings.TrimSpace(line); line == "" {
		return text
	}
	runes := []rune(w.withoutSecrets(line))
	return text + ": " + charts.Printable(string(runes[:min(len(runes), letters)]))
}

// withoutSecrets is text of elsewhere, which may repeat what was sent.
func (w *webhook) withoutSecrets(text string) string {
	secrets := []string{w.address.String(), w.address.RequestURI(), w.address.Path, w.address.EscapedPath(), w.address.RawQuery}
	if password, ok := w.address.User.Password(); ok {
		secrets = append(secrets, password)
	}
	secrets = append(secrets, strings.Split(w.address.Path, "/")...)
	for _, values := range w.header {
		for _, value := range values {
			secrets = append(secrets, append(strings.Fields(value), value)...)
		}
	}
	const telling = 6 // shorter words are no secrets, and part of others
	for _, secret := range secrets {
		if len(secret) >= telling && strings.Contains(text, secret) {
			return "(not shown: it repeats what was sent)"
		}
	}
	return text
}

// idempotencyKey tells the receiver that a night is the same, told once more.
func idempotencyKey(n nightly.Night) string {
	h := sha256.New()
	fmt.Fprintf(h, "%d %d\n", n.ID, n.Began.UnixNano())
	for _, notice := range n.Notices {
		fmt.Fprintf(h, "%q %q\n", notice.Key, notice.State)
	}
	return "versweep-" + hex.EncodeToString(h.Sum(nil)[:16])
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
