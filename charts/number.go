package charts

import (
	"math"
	"strconv"
	"strings"

	"versweep/sweep"
)

// display is how a metric's values are shown to people.
type display struct {
	factor float64 // shown = stored × factor
	unit   string
}

// displayOf turns bytes into MiB and fractions into percent. Other units are
// shown as they are stored, printable and cut to a column.
func displayOf(m sweep.Metric) display {
	switch m.Unit {
	case "bytes":
		return display{factor: 1.0 / (1 << 20), unit: "MiB"}
	case "fraction":
		return display{factor: 100, unit: "%"}
	default:
		return display{factor: 1, unit: shorten(Printable(m.Unit), withinColumns(maxMetricColumns))}
	}
}

// Figure writes a metric's value, given in the metric's own unit, for people:
// "41,235 requests/s", "1.23 ms", "45.1 MiB", "0.31 %".
func Figure(m sweep.Metric, v float64) string {
	d := displayOf(m)
	return number(v*d.factor) + " " + d.unit
}

// number writes v with about three significant digits, but never rounds
// digits before the decimal point, and groups thousands by commas.
func number(v float64) string { return fixed(v, decimals(v)) }

// decimals is how many digits after the decimal point number gives to v.
func decimals(v float64) int {
	v = math.Abs(v)
	switch {
	case v == 0 || v >= 99.95:
		return 0
	case v >= 9.995:
		return 1
	case v >= 0.0995:
		return 2
	default: // two significant digits
		return 1 - int(math.Floor(math.Log10(v)))
	}
}

// Beyond these, digits stop helping and an exponent is written.
const (
	maxDecimals = 6
	maxGrouped  = 1e15
)

// fixed writes v with n digits after the decimal point and its thousands
// grouped. Very small and very large numbers get an exponent.
func fixed(v float64, n int) string {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return "unknown"
	case n > maxDecimals || math.Abs(v) >= maxGrouped:
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	text := strconv.FormatFloat(v, 'f', max(n, 0), 64)
	sign := ""
	if strings.HasPrefix(text, "-") {
		sign, text = "-", text[1:]
		if strings.Trim(text, "0.") == "" {
			sign = "" // rounded to zero
		}
	}
	whole, fraction, hasFraction := strings.Cut(text, ".")
	var b strings.Builder
	b.WriteString(sign)
	for i, digit := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(digit)
	}
	if hasFraction {
		b.WriteByte('.')
		b.WriteString(fraction)
	}
	return b.String()
}

// change writes the step from a to b as a signed percentage; "" when a is 0.
func change(a, b float64) string {
	if a == 0 {
		return ""
	}
	percent := (b/a - 1) * 100
	sign := "+"
	if percent < 0 {
		sign = ""
	}
	return sign + fixed(percent, 1) + " %"
}

// drawable tells whether a value can be placed on an axis: finite, and far
// enough from overflow that the axis's own arithmetic stays finite.
func drawable(v float64) bool {
	return math.Abs(v) < 1e200 && (v == 0 || math.Abs(v) > 1e-200) // false for NaN
}
