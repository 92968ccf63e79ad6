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

// periodPattern is what time.ParseDuration takes without a sign, in weeks and days
// too.
const periodPattern = `^(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|ms|s|m|h|d|w))+$`

var (
	periodForm  = regexp.MustCompile(periodPattern)
	periodParts = regexp.MustCompile(`([0-9.]+)([^0-9.]+)`)
)

// ParsePeriod reads "90m", "24h", "14d", "2w", "1.5d" or "1d12h".
func ParsePeriod(text string) (Period, error) {
	if !periodForm.MatchString(text) {
		return 0, fmt.Errorf("%q is not a time such as 90m or 14d", text)
	}
	var whole time.Duration
	for _, m := range periodParts.FindAllStringSubmatch(text, -1) {
		part, ok := parsePart(m[1], m[2])
		if !ok || whole+part < whole {
			return 0, fmt.Errorf("%q is longer than 292 years", text)
		}
		whole += part
	}
	return Period(whole), nil
}

// parsePart reads a number of a unit; false when it is too long.
func parsePart(number, unit string) (time.Duration, bool) {
	each := map[string]time.Duration{"d": day, "w": 7 * day}[unit]
	if each == 0 {
		d, err := time.ParseDuration(number + unit)
		return d, err == nil
	}
	n, err := strconv.ParseFloat(number, 64)
	if err != nil || n*float64(each) >= math.MaxInt64 {
		return 0, false
	}
	return time.Duration(n * float64(each)), true
}

// UnmarshalText reads what ParsePeriod does.
func (p *Period) UnmarshalText(text []byte) error {
	var err error
	*p, err = ParsePeriod(string(text))
	return err
}
