package runtimes

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// RetryAfter reads what a server says of the next try (RFC 9110 section 10.2.3):
// seconds or a date. It is never negative, and false where the server says
// nothing that can be understood.
func RetryAfter(header http.Header, now time.Time) (time.Duration, bool) {
	value := strings.TrimSpace(header.Get("Retry-After"))
	// 32 bits of seconds fit into a duration; more than that is as good as the most.
	if seconds, err := strconv.ParseInt(value, 10, 32); err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(max(0, seconds)) * time.Second, true
	}
	if date, err := http.ParseTime(value); err == nil {
		return max(0, date.Sub(now)), true
	}
	return 0, false
}
