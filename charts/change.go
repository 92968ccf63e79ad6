package charts

import (
	"math"
	"strconv"

	"versweep/sweep"
)

// wording is how people speak of a metric: "p99", "3 % slower", "2.3 times the
// latency". What follows the metric's name does not say it again: "peak memory
// 66 % more", and by itself "66 % more memory".
type wording struct {
	short    string // heads a column
	up, down string // follow a percentage
	times    string // follows "2.3 times"
	thing    string // follows up and down where the metric is not named; may be empty
	whole    string // follows "2.3 times" there
}

func wordingOf(m sweep.Metric) wording {
	latency := func(short string) wording {
		return wording{short, "slower", "faster", "the latency", "", "the latency"}
	}
	switch m.Key {
	case sweep.QPS:
		return wording{"throughput", "faster", "slower", "as much", "", "the throughput"}
	case sweep.P50:
		return latency("p50")
	case sweep.P90:
		return latency("p90")
	case sweep.P99:
		return latency("p99")
	case sweep.P999:
		return latency("p99.9")
	case sweep.PacedP50:
		return latency("paced p50")
	case sweep.PacedP99:
		return latency("paced p99")
	case sweep.PacedP999:
		return latency("paced p99.9")
	case sweep.ErrorShare:
		return wording{"errors", "more", "fewer", "as many", "errors", "the errors"}
	case sweep.CPUPerRequest:
		return wording{"CPU/request", "more", "less", "as much", "CPU per request", "the CPU per request"}
	case sweep.PeakRSS:
		return wording{"peak memory", "more", "less", "as much", "memory", "the memory"}
	case sweep.Startup:
		return wording{"start-up", "slower", "faster", "as long", "to start", "the start-up time"}
	case sweep.BuildSize:
		return wording{"build size", "larger", "smaller", "as large", "build", "the build size"}
	}
	w := wording{short: m.Key, up: "higher (worse)", down: "lower (better)", times: "as much", whole: "as much"}
	if m.Title != "" {
		w.short = withinSentence(m.Title)
	}
	if m.Better == sweep.Higher {
		w.up, w.down = "higher (better)", "lower (worse)"
	}
	w.short = shorten(Printable(w.short), withinColumns(maxMetricColumns))
	return w
}

// unnamed is the wording where the metric's name is not beside it.
func (w wording) unnamed() wording {
	if w.thing != "" {
		w.up, w.down = w.up+" "+w.thing, w.down+" "+w.thing
	}
	w.times = w.whole
	return w
}

// maxMetricColumns bounds the names of metrics that were imported.
const maxMetricColumns = 24

// change tells a change, new/old - 1: "3.0 % slower". From a doubling on a
// comparative misleads, and the change itself is told: "+130 %, 2.3 times the
// latency".
func (w wording) change(change float64) string {
	switch {
	case change >= 1:
		return signedPercent(change, percentPlaces(change)) + ", " + times(1+change) + " times " + w.times
	case change < 0:
		return percent(-change, percentPlaces(change)) + " " + w.down
	}
	return percent(change, percentPlaces(change)) + " " + w.up
}

// intervalWords is the interval of a change that wording.change told: "1.9 to
// 4.2 %" in its direction, with signs where that would be unclear.
func intervalWords(change, lo, hi float64) string {
	places := percentPlaces(change)
	switch {
	case change >= 1 || lo < 0 && hi > 0:
		return signed(lo, places) + " to " + signedPercent(hi, places)
	case hi <= 0:
		lo, hi = -hi, -lo
	}
	return fixed(lo*100, places) + " to " + percent(hi, places)
}

// times writes a ratio with about two digits.
func times(ratio float64) string {
	if ratio < 9.95 {
		return fixed(ratio, 1)
	}
	return fixed(ratio, 0)
}

// percentPlaces gives a percentage below ten one digit after the point.
func percentPlaces(fraction float64) int {
	if math.Abs(fraction*100) < 9.95 {
		return 1
	}
	return 0
}

func percent(fraction float64, places int) string { return fixed(fraction*100, places) + " %" }

// chosenPercent writes a fraction that somebody chose as they did: "3 %".
func chosenPercent(fraction float64) string {
	return strconv.FormatFloat(fraction*100, 'g', 4, 64) + " %"
}

func signedPercent(fraction float64, places int) string { return signed(fraction, places) + " %" }

// signed writes a fraction as a percentage with its sign, without the unit.
func signed(fraction float64, places int) string {
	text := fixed(fraction*100, places)
	if fraction > 0 {
		text = "+" + text
	}
	return text
}

// known tells whether a number says anything.
func known(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
