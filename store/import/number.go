package imports

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// number reads a number as tools print it. Under locales with a decimal comma
// "0,02" is 0.02. "1,234" can be two numbers and is an error, as are NaN and
// infinities, which tools print for "nothing to divide".
func number(text string) (float64, error) {
	t := strings.TrimSpace(text)
	if comma := strings.IndexByte(t, ','); comma >= 0 {
		switch dot := strings.LastIndexByte(t, '.'); {
		case dot > comma: // 1,234.5
			t = strings.ReplaceAll(t, ",", "")
		case dot >= 0: // 1.234,5
			t = strings.Replace(strings.ReplaceAll(t, ".", ""), ",", ".", 1)
		case strings.Count(t, ",") > 1: // 1,234,567
			t = strings.ReplaceAll(t, ",", "")
		case len(t)-comma-1 == 3:
			return 0, fmt.Errorf("%q can be %s and %s", text, strings.Replace(t, ",", "", 1), strings.Replace(t, ",", ".", 1))
		default:
			t = strings.Replace(t, ",", ".", 1)
		}
	}
	v, err := strconv.ParseFloat(t, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("%q is no number", text)
	}
	return v, nil
}

// scales are suffixes of counts and rates. m is no million: times use it for
// minutes.
var scales = map[byte]float64{'k': 1e3, 'K': 1e3, 'M': 1e6, 'G': 1e9}

// scaled reads a number with a suffix: "36.29k", "2.50M".
func scaled(text string) (float64, error) {
	t := strings.TrimSpace(text)
	if t != "" {
		if scale, ok := scales[t[len(t)-1]]; ok {
			v, err := number(t[:len(t)-1])
			return v * scale, err
		}
	}
	return number(t)
}

// count reads a number of requests.
func count(text string) (int64, error) {
	v, err := scaled(text)
	if err != nil {
		return 0, err
	}
	if !(v >= 0 && v <= maxCount) {
		return 0, fmt.Errorf("%q is no count", text)
	}
	return int64(math.Round(v)), nil
}

// span reads a time: "163.02us", "1.20m" (minutes), "0.0087 secs", "1m30s".
func span(text string) (time.Duration, error) {
	t := strings.ReplaceAll(strings.TrimSpace(text), " ", "")
	at := strings.IndexFunc(t, func(r rune) bool { return !strings.ContainsRune("0123456789.,", r) })
	if at <= 0 {
		return 0, fmt.Errorf("%q is no time", text)
	}
	unit := t[at:]
	switch unit {
	case "sec", "secs", "seconds":
		unit = "s"
	case "usec":
		unit = "us"
	case "msec":
		unit = "ms"
	case "min", "mins", "minutes":
		unit = "m"
	}
	value := t[:at]
	if strings.Contains(value, ",") {
		v, err := number(value)
		if err != nil {
			return 0, err
		}
		value = strconv.FormatFloat(v, 'f', -1, 64)
	}
	d, err := time.ParseDuration(value + unit)
	if err != nil {
		return 0, fmt.Errorf("%q is no time", text)
	}
	return d, nil
}

func inMS(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// setSpan keeps a latency when the text is one.
func (r *Reading) setSpan(key, text string) {
	if d, err := span(text); err == nil {
		r.set(key, inMS(d))
	}
}

// setMS keeps a latency that is printed in ms.
func (r *Reading) setMS(key, text string) {
	if v, err := number(text); err == nil && v >= 0 {
		r.set(key, v)
	}
}

// setAboveStep keeps a latency that is printed in ms, unless it is 0: that is
// below the step in which it is printed.
func (r *Reading) setAboveStep(key, text string) {
	if v, err := number(text); err == nil && v > 0 {
		r.set(key, v)
	}
}

// seconds is a time of so many seconds; 0 when that is no time that a run takes.
func seconds(s float64) time.Duration {
	if !(s > 0 && s < 1e9) {
		return 0
	}
	return time.Duration(math.Round(s * 1e9))
}

// total adds counts from JSON, none of which can be trusted to be one.
func total(counts ...float64) int64 {
	var sum float64
	for _, c := range counts {
		if c > 0 {
			sum += c
		}
	}
	return int64(math.Round(min(sum, maxCount)))
}
