package runtimes

import (
	"math"
	"net/http"
	"testing"
	"time"
)

func TestRetryAfterIsRead(t *testing.T) {
	now := time.Date(2026, 11, 1, 1, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"30": 30 * time.Second, " 30 ": 30 * time.Second, "0": 0, "-5": 0, "99999999999": math.MaxInt32 * time.Second,
		"Sun, 01 Nov 2026 01:00:20 GMT": 20 * time.Second, "Sun, 01 Nov 2026 00:00:00 GMT": 0,
		"": -1, "soon": -1, "1.5": -1,
	} {
		got, ok := RetryAfter(http.Header{"Retry-After": {value}}, now)
		if !ok {
			got = -1
		}
		if got != want {
			t.Errorf("%q: %v, want %v", value, got, want)
		}
	}
}
