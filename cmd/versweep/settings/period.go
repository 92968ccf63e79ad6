package settings

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"time"
)

// day has 24 hours: periods are lengths of time, whatever clocks are set to.
const day = 24 * time.Hour

// periodPattern is days, and then what time.ParseDuration takes.
const periodPattern = `^[0-9]+d$|^([0-9]+d)?(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|ms|s|m|h))+$`

var leadingDays = regexp.MustCompile(`^([0-9]+)d`)

// ParsePeriod reads "90m", "24h", "14d" or "1d12h".
func ParsePeriod(text string) (Period, error) {
	if !regexp.MustCompile(periodPattern).MatchString(text) {
		return 0, fmt.Errorf("%q is not a time such as 90m or 14d", text)
	}
	var whole time.Duration
	if m := leadingDays.FindStringSubmatch(text); m != nil {
		n, err := strconv.ParseInt(m[1], 10, 64)
		if err != nil || n > math.MaxInt64/int64(day) {
			return 0, fmt.Errorf("%q is longer than 292 years", text)
		}
		whole, text = time.Duration(n)*day, text[len(m[0]):]
	}
	if text != "" {
		rest, err := time.ParseDuration(text)
		if err != nil || whole+rest < whole {
			return 0, fmt.Errorf("%q is longer than 292 years", text)
		}
		whole += rest
	}
	return Period(whole), nil
}

// UnmarshalText reads what ParsePeriod does.
func (p *Period) UnmarshalText(text []byte) error {
	var err error
	*p, err = ParsePeriod(string(text))
	return err
}
