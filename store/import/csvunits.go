package imports

import (
	"slices"
	"strings"

	"versweep/sweep"
)

// kind of a unit; those of one kind are converted into each other.
type csvUnitKind int

const (
	csvTime csvUnitKind = iota
	csvSize
	csvShare
	csvRate
)

// csvUnit is a unit in whole multiples of the smallest one of its kind, so that
// converting rounds once at most.
type csvUnit struct {
	kind csvUnitKind
	size float64
}

// csvUnits are those that files name. kB and KB are 1000 bytes as MB is 1000000.
var csvUnits = map[string]csvUnit{
	"ns": {csvTime, 1}, "us": {csvTime, 1e3}, "µs": {csvTime, 1e3}, "μs": {csvTime, 1e3},
	"ms": {csvTime, 1e6}, "s": {csvTime, 1e9}, "sec": {csvTime, 1e9}, "seconds": {csvTime, 1e9}, "min": {csvTime, 60e9},

	"B": {csvSize, 1}, "byte": {csvSize, 1}, "bytes": {csvSize, 1},
	"kB": {csvSize, 1e3}, "KB": {csvSize, 1e3}, "MB": {csvSize, 1e6}, "GB": {csvSize, 1e9},
	"KiB": {csvSize, 1 << 10}, "MiB": {csvSize, 1 << 20}, "GiB": {csvSize, 1 << 30},

	"%": {csvShare, 1}, "percent": {csvShare, 1}, "fraction": {csvShare, 100}, "share": {csvShare, 100}, "ratio": {csvShare, 100},

	"requests/min": {csvRate, 1}, "requests/s": {csvRate, 60}, "requests/sec": {csvRate, 60}, "requests/second": {csvRate, 60},
	"req/s": {csvRate, 60}, "req/sec": {csvRate, 60}, "reqs/s": {csvRate, 60}, "reqs/sec": {csvRate, 60}, "rps": {csvRate, 60}, "qps": {csvRate, 60}, "1/s": {csvRate, 60}, "/s": {csvRate, 60},
}

// csvConverter is a factor as a fraction.
type csvConverter struct{ times, per float64 }

func (c csvConverter) convert(v float64) float64 { return v * c.times / c.per }

// csvConversion finds what turns values in the unit from into values in to.
func csvConversion(from, to string) (csvConverter, bool) {
	f, knownFrom := csvUnits[from]
	t, knownTo := csvUnits[to]
	switch {
	case from == to:
		return csvConverter{1, 1}, true
	case !knownFrom || !knownTo || f.kind != t.kind:
		return csvConverter{}, false
	case f.size >= t.size:
		return csvConverter{f.size / t.size, 1}, true
	}
	return csvConverter{1, t.size / f.size}, true
}

// csvUnitsLike says which units can be converted into one; empty when none can.
func csvUnitsLike(to string) string {
	t, known := csvUnits[to]
	if !known {
		return ""
	}
	var names []string
	for name, u := range csvUnits {
		if u.kind == t.kind {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return "it may be " + strings.Join(names, ", ")
}

// csvUnitOfKey guesses a unit from the end of a metric's key; empty when it tells
// none.
func csvUnitOfKey(key string) string {
	if csvRateWord(key) {
		return ""
	}
	parts := strings.FieldsFunc(key, func(r rune) bool { return strings.ContainsRune("_-. ()", r) })
	if len(parts) < 2 {
		return ""
	}
	switch last := parts[len(parts)-1]; last {
	case "us":
		return "µs"
	case "sec", "seconds":
		return "s"
	case "B", "byte":
		return "bytes"
	case "percent", "pct":
		return "%"
	case "share", "ratio":
		return "fraction"
	case "min": // a minimum more often than minutes
		return ""
	default:
		if _, known := csvUnits[last]; known {
			return last
		}
	}
	return ""
}

// csvRateWord tells whether a metric's key says that it counts by the second.
func csvRateWord(key string) bool {
	key = strings.ToLower(key)
	if strings.HasSuffix(key, "/s") || strings.HasSuffix(key, "_per_s") || strings.HasSuffix(key, "_per_sec") || strings.HasSuffix(key, "_per_second") {
		return true
	}
	return slices.ContainsFunc(strings.FieldsFunc(key, func(r rune) bool { return strings.ContainsRune("_-. ", r) }), func(word string) bool {
		return slices.Contains([]string{"qps", "rps", "ops", "tps", "throughput"}, word)
	})
}

// csvIsRate tells whether a metric counts by the second. Its unit, where one is
// known, says more than its key.
func csvIsRate(key, unit string) bool {
	if unit == "" {
		return csvRateWord(key)
	}
	if u, known := csvUnits[unit]; known {
		return u.kind == csvRate
	}
	unit = strings.ToLower(unit)
	return strings.HasSuffix(unit, "/s") || strings.HasSuffix(unit, "/sec") || strings.HasSuffix(unit, "/second") || csvRateWord(unit)
}

// csvBetterOf guesses which direction of a metric is the better one.
func csvBetterOf(key, unit string) sweep.Better {
	if csvIsRate(key, unit) {
		return sweep.Higher
	}
	return sweep.Lower
}
