package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"versweep/cmd/versweep/settings"
	"versweep/sweep"
	"versweep/sweep/nightly"
)

// hostile is a version as a stranger may have tagged it.
const hostile = "1.0<!channel>&\n::error::\u202e`|**x**<img src=x onerror=alert(1)>\x1b[31m"

var night = nightly.Night{
	ID: 7, Began: time.Date(2026, 11, 30, 1, 2, 3, 0, time.UTC), Ended: time.Date(2026, 11, 30, 2, 0, 0, 0, time.UTC),
	Notices: []nightly.Notice{
		{
			Key: "node-qps-20.5.0", Target: "node", Title: "Node.js", State: nightly.New,
			Finding: &sweep.Finding{
				ID: "node-qps-20.5.0", Kind: sweep.KindStep, Metric: sweep.Metrics[0], From: "20.4.0", To: "20.5.0", Verdict: sweep.Regression, State: sweep.Open,
				Change: -0.081, Lo: -0.09, Hi: -0.072, Confidence: 0.998, PlaceLo: "20.5.0", PlaceHi: "20.5.0",
			},
			Confirmed: &sweep.Comparison{Metric: sweep.Metrics[0], Verdict: sweep.Regression, Change: -0.079, Lo: -0.1, Hi: math.NaN()},
			Since:     time.Date(2026, 11, 30, 2, 0, 0, 0, time.UTC),
		},
		{Key: "missing-node-x", Target: "node", Title: "Node.js", State: nightly.Missing, Version: hostile, Reason: "no such release", Since: time.Date(2026, 11, 30, 2, 0, 0, 0, time.UTC)},
	},
	Targets: []nightly.TargetNight{{Target: "node", Title: "Node.js", Measured: []string{"20.4.0", "20.5.0"}, Left: 3}, {Target: "bun", Title: "Bun", Failed: "no engine"}},
}

// hook is a server that gets what a webhook posts.
type hook struct {
	mu      sync.Mutex
	got     []*http.Request
	bodies  [][]byte
	answers []func(http.ResponseWriter) // the last one for all later posts; 200 when there is none
}

func (h *hook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.got, h.bodies = append(h.got, r), append(h.bodies, body)
	if len(h.answers) > 0 {
		h.answers[min(len(h.got), len(h.answers))-1](w)
	}
}

func status(code int, header ...string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
	}
}

const hookSecret = "T0000-B0000-XXXXXXXX"

// hooked is a webhook to a server, and the pauses that it made.
func hooked(t *testing.T, h http.Handler) (*webhook, *[]time.Duration) {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	address, err := settings.ParseAddress(server.URL + "/services/" + hookSecret + "?token=" + hookSecret)
	if err != nil {
		t.Fatal(err)
	}
	w := newWebhook(address, settings.FormatJSON, http.Header{"Authorization": {"Bearer " + hookSecret}}, 5*time.Second, false, func() time.Time {
		return time.Date(2026, 11, 1, 1, 0, 0, 0, time.UTC)
	})
	var pauses []time.Duration
	w.wait = func(_ context.Context, d time.Duration) error {
		pauses = append(pauses, d)
		return nil
	}
	return w, &pauses
}

func TestWebhookPostsTheNight(t *testing.T) {
	h := &hook{}
	w, _ := hooked(t, h)
	if err := w.deliver(context.Background(), night); err != nil {
		t.Fatal(err)
	}
	r := h.got[0]
	if r.Method != http.MethodPost || r.URL.Path != "/services/"+hookSecret || r.Header.Get("Authorization") != "Bearer "+hookSecret ||
		r.Header.Get("Content-Type") != "application/json" || r.Header.Get("User-Agent") != "versweep" || r.Header.Get("Idempotency-Key") != idempotencyKey(night) {
		t.Errorf("%s %s %v", r.Method, r.URL, r.Header)
	}
	var doc map[string]any
	if err := json.Unmarshal(h.bodies[0], &doc); err != nil {
		t.Fatal(err)
	}
	if doc["schema"] != 1.0 || doc["kind"] != "versweep-nightly" || doc["night"].(map[string]any)["began"] != "2026-11-30T01:02:03Z" {
		t.Errorf("%v", doc)
	}
	first, second := doc["notices"].([]any)[0].(map[string]any), doc["notices"].([]any)[1].(map[string]any)
	if first["key"] != "node-qps-20.5.0" || first["state"] != "new" || first["was"] != nil || first["version"] != nil || first["since"] != "2026-11-30T02:00:00Z" {
		t.Errorf("%v", first)
	}
	if f := first["finding"].(map[string]any); f["change"] != -0.081 || f["metric"] != "qps" || f["verdict"] != "regression" {
		t.Errorf("%v", f)
	}
	if c := first["confirmed"].(map[string]any); c["hi"] != nil || c["lo"] != -0.1 {
		t.Errorf("%v", c)
	}
	// JSON has names as they are; the text for people has them printable.
	if second["version"] != hostile || second["finding"] != nil || strings.ContainsAny(second["text"].(string), "\n\x1b\u202e") {
		t.Errorf("%v", second)
	}
	if text := doc["text"].(string); !strings.Contains(text, "Node.js, new regression: throughput 8.1 % slower since 20.5.0") || strings.Count(text, "\n") != 5 {
		t.Errorf("%s", text)
	}
}

func TestWebhookIsQuietWithoutNews(t *testing.T) {
	h := &hook{}
	w, _ := hooked(t, h)
	quiet := night
	quiet.Notices = nil
	if err := w.deliver(context.Background(), quiet); err != nil || len(h.got) != 0 {
		t.Errorf("%v, %d posts", err, len(h.got))
	}
	w.always = true
	if err := w.deliver(context.Background(), quiet); err != nil || len(h.got) != 1 {
		t.Errorf("%v, %d posts", err, len(h.got))
	}
}

// The key of a night changes with what is told, and not with when.
func TestIdempotencyKeyNamesWhatIsTold(t *testing.T) {
	later, other := night, night
	later.Ended = later.Ended.Add(time.Hour)
	other.Notices = slices.Clone(other.Notices)
	other.Notices[0].State = nightly.StillThere
	if idempotencyKey(later) != idempotencyKey(night) || idempotencyKey(other) == idempotencyKey(night) {
		t.Error(idempotencyKey(night), idempotencyKey(later), idempotencyKey(other))
	}
}

func TestWebhookTriesAgainWhereThatMayHelp(t *testing.T) {
	for name, tt := range map[string]struct {
		answers []func(http.ResponseWriter)
		posts   int
		pauses  []time.Duration
		failure string // empty where it succeeds
	}{
		"once out of order":   {[]func(http.ResponseWriter){status(503), status(204)}, 2, []time.Duration{2 * time.Second}, ""},
		"for good":            {[]func(http.ResponseWriter){status(500)}, 3, []time.Duration{2 * time.Second, 8 * time.Second}, "status 500 Internal Server Error, 3 times"},
		"too many, with time": {[]func(http.ResponseWriter){status(429, "Retry-After", "30"), status(200)}, 2, []time.Duration{30 * time.Second}, ""},
		"too many, for ever":  {[]func(http.ResponseWriter){status(429, "Retry-After", "86400"), status(200)}, 2, []time.Duration{time.Minute}, ""},
		"too many, until":     {[]func(http.ResponseWriter){status(429, "Retry-After", "Sun, 01 Nov 2026 01:00:20 GMT"), status(200)}, 2, []time.Duration{20 * time.Second}, ""},
		"too many, nonsense":  {[]func(http.ResponseWriter){status(429, "Retry-After", "-soon"), status(200)}, 2, []time.Duration{2 * time.Second}, ""},
		"not found":           {[]func(http.ResponseWriter){status(404)}, 1, nil, "status 404 Not Found"},
		"redirected":          {[]func(http.ResponseWriter){status(307, "Location", "http://127.0.0.1:1/elsewhere")}, 1, nil, "status 307 Temporary Redirect: it leads elsewhere, where nothing is sent; name that address"},
		"odd status":          {[]func(http.ResponseWriter){status(599)}, 3, []time.Duration{2 * time.Second, 8 * time.Second}, "status 599, 3 times"},
		"breaks off": {[]func(http.ResponseWriter){func(w http.ResponseWriter) {
			c, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				c.Close()
			}
		}, status(200)}, 2, []time.Duration{2 * time.Second}, ""},
	} {
		h := &hook{answers: tt.answers}
		w, pauses := hooked(t, h)
		err := w.deliver(context.Background(), night)
		if (err == nil) != (tt.failure == "") || err != nil && err.Error() != tt.failure {
			t.Errorf("%s: %v", name, err)
		}
		if len(h.got) != tt.posts || !slices.Equal(*pauses, tt.pauses) {
			t.Errorf("%s: %d posts, pauses %v", name, len(h.got), *pauses)
		}
		for _, r := range h.got {
			if r.Header.Get("Idempotency-Key") != idempotencyKey(night) {
				t.Errorf("%s: another key the second time", name)
			}
		}
	}
}

// Neither the address nor a header is in what people are told, whatever a server
// answers.
func TestWebhookTellsNoSecret(t *testing.T) {
	say := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusForbidden)
			io.WriteString(w, body)
		}
	}
	for name, tt := range map[string]struct {
		handler http.Handler
		want    string
	}{
		"says why":          {say("no_service\nmore"), "status 403 Forbidden: no_service"},
		"repeats the path":  {say("no such hook: /services/" + hookSecret), "(not shown: it repeats what was sent)"},
		"repeats a header":  {say("bad token " + hookSecret), "(not shown: "},
		"commands terminal": {say("\x1b[2Jno\u202e"), `status 403 Forbidden: \x1b[2Jno\u202e`},
		"never ends":        {say(strings.Repeat("ä", 1<<20)), "status 403 Forbidden: " + strings.Repeat("ä", 200)},
		"says nothing":      {say(""), "status 403 Forbidden"},
	} {
		w, _ := hooked(t, tt.handler)
		failed := deliverAll(context.Background(), []channel{w}, night)
		if failed == nil || !strings.Contains(failed.Error(), tt.want) || strings.Contains(failed.Error(), hookSecret) || strings.Contains(failed.Error(), "\n") || utf8.RuneCountInString(failed.Error()) > 400 {
			t.Errorf("%s: %v", name, failed)
		}
		if failed != nil && !strings.HasPrefix(failed.Error(), "telling webhook http://127.0.0.1:") {
			t.Errorf("%s: %v", name, failed)
		}
	}

	w, _ := hooked(t, say(""))
	w.address.Host = "127.0.0.1:1" // nobody listens
	if err := w.deliver(context.Background(), night); err == nil || strings.Contains(err.Error(), hookSecret) || !strings.HasSuffix(err.Error(), "connection refused, 3 times") {
		t.Error(err)
	}
	w.address.Host = "no\x7fhost" // cannot even be asked
	if err := w.deliver(context.Background(), night); err == nil || strings.Contains(err.Error(), hookSecret) {
		t.Error(err)
	}
}

func TestWebhookDoesNotWaitForEver(t *testing.T) {
	held := make(chan struct{})
	w, _ := hooked(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-held }))
	defer close(held)
	w.timeout = 50 * time.Millisecond
	if err := w.deliver(context.Background(), night); err == nil || err.Error() != "no answer in 50ms, 3 times" {
		t.Error(err)
	}
	// Ctrl-C between two tries.
	ctx, cancel := context.WithCancel(context.Background())
	w.wait = func(ctx context.Context, d time.Duration) error {
		cancel()
		return pause(ctx, d)
	}
	if err := w.deliver(ctx, night); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// A server whose certificate nobody knows gets nothing.
func TestWebhookTrustsWhatTheSystemTrusts(t *testing.T) {
	h := &hook{}
	server := httptest.NewUnstartedServer(h)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	address, err := settings.ParseAddress(server.URL + "/" + hookSecret)
	if err != nil {
		t.Fatal(err)
	}
	w := newWebhook(address, settings.FormatJSON, http.Header{}, time.Second, false, time.Now)
	w.wait = func(context.Context, time.Duration) error { return nil }
	if err := w.deliver(context.Background(), night); err == nil || !strings.Contains(err.Error(), "certificate") || strings.Contains(err.Error(), hookSecret) || len(h.got) != 0 {
		t.Error(err)
	}
}

// Slack takes 50 blocks of 3,000 characters, and text between < and > does things.
func TestSlackGetsWhatItTakes(t *testing.T) {
	many := night
	for i := range 400 {
		n := night.Notices[1]
		n.Key = fmt.Sprint("missing-", i)
		n.Reason = strings.Repeat("<&>", 2000)
		many.Notices = append(slices.Clip(many.Notices), n)
		many.Targets = append(slices.Clip(many.Targets), nightly.TargetNight{Target: strings.Repeat("t", 50), Failed: strings.Repeat("<", 5000)})
	}
	for _, n := range []nightly.Night{night, many, {Began: night.Began}} {
		h := &hook{}
		w, _ := hooked(t, h)
		w.format, w.always = settings.FormatSlack, true
		if err := w.deliver(context.Background(), n); err != nil {
			t.Fatal(err)
		}
		var doc slackJSON
		if err := json.Unmarshal(h.bodies[0], &doc); err != nil {
			t.Fatal(err)
		}
		if len(doc.Blocks) == 0 || len(doc.Blocks) > 50 || doc.Text == "" {
			t.Errorf("%d blocks, text %q", len(doc.Blocks), doc.Text)
		}
		for _, b := range doc.Blocks {
			if n := utf8.RuneCountInString(b.Text.Text); b.Type != "section" || b.Text.Type != "mrkdwn" || n == 0 || n > 3000 {
				t.Errorf("%s of %d characters", b.Type, n)
			}
			if strings.ContainsAny(b.Text.Text, "<>\x1b\u202e") || strings.Contains(strings.NewReplacer("&amp;", "", "&lt;", "", "&gt;", "").Replace(b.Text.Text), "&") {
				t.Errorf("%q", b.Text.Text)
			}
		}
		if len(n.Notices) == 2 && (!strings.Contains(doc.Blocks[0].Text.Text, "1 new, 1 missing") || !strings.HasPrefix(doc.Blocks[1].Text.Text, ":red_circle: Node.js, new regression: throughput 8.1 % slower")) {
			t.Errorf("%+v", doc)
		}
		if len(n.Notices) > 50 && !strings.Contains(string(h.bodies[0]), "and 356 more") {
			t.Errorf("the rest is not counted")
		}
	}
}
