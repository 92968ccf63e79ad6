package charts

import (
	"time"

	"gonum.org/v1/plot"
)

// days is a time as days since 1970, which is how time axes count.
func days(t time.Time) float64 { return float64(t.Unix()) / secondsADay }

const secondsADay = 24 * 60 * 60

// timeAxis covers from and to with about n ticks or fewer at round times, UTC.
func timeAxis(from, to time.Time, n int) xAxis {
	from, to = from.UTC(), to.UTC()
	x := xAxis{title: "Date of the sweep (UTC)", min: days(from), max: days(to)}
	pad := (x.max - x.min) * 0.02
	if pad == 0 {
		pad = 0.5
	}
	x.min, x.max = x.min-pad, x.max+pad
	low := from.Add(-time.Duration(pad * secondsADay * float64(time.Second)))
	high := to.Add(time.Duration(pad * secondsADay * float64(time.Second)))
	for _, step := range timeSteps {
		if (x.max-x.min)/step.days > float64(n) && step.years != lastYears {
			continue
		}
		for at := step.first(low); !at.After(high); at = step.next(at) {
			if !at.Before(low) {
				x.ticks = append(x.ticks, plot.Tick{Value: days(at), Label: at.Format(step.format)})
			}
		}
		return x
	}
	return x
}

// timeStep is the distance between ticks.
type timeStep struct {
	days   float64       // about
	every  time.Duration // less than a day
	day    int
	months int
	years  int
	format string
}

const lastYears = 20

var timeSteps = []timeStep{
	clockStep(time.Second, "15:04:05"), clockStep(10*time.Second, "15:04:05"),
	clockStep(time.Minute, "2 Jan 15:04"), clockStep(10*time.Minute, "2 Jan 15:04"),
	clockStep(time.Hour, "2 Jan 15:04"), clockStep(6*time.Hour, "2 Jan 15:04"),
	{days: 1, day: 1, format: "2 Jan 2006"}, {days: 2, day: 2, format: "2 Jan 2006"}, {days: 7, day: 7, format: "2 Jan 2006"}, {days: 14, day: 14, format: "2 Jan 2006"},
	{days: 30, months: 1, format: "Jan 2006"}, {days: 91, months: 3, format: "Jan 2006"}, {days: 182, months: 6, format: "Jan 2006"},
	{days: 365, years: 1, format: "2006"}, {days: 2 * 365, years: 2, format: "2006"}, {days: 5 * 365, years: 5, format: "2006"},
	{days: lastYears * 365, years: lastYears, format: "2006"},
}

// clockStep is a step of less than a day.
func clockStep(every time.Duration, format string) timeStep {
	return timeStep{days: every.Hours() / 24, every: every, format: format}
}

// first is a round time at or before t.
func (s timeStep) first(t time.Time) time.Time {
	year, month, day := t.Date()
	switch {
	case s.years > 0:
		return time.Date(year-year%s.years, time.January, 1, 0, 0, 0, 0, time.UTC)
	case s.months > 0:
		return time.Date(year, month-time.Month((int(month)-1)%s.months), 1, 0, 0, 0, 0, time.UTC)
	case s.day > 1: // counted from the beginning of 1970, so that pictures agree
		since := int(time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix() / secondsADay)
		return time.Date(year, month, day-mod(since, s.day), 0, 0, 0, 0, time.UTC)
	case s.day == 1:
		return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	}
	return t.Truncate(s.every)
}

func (s timeStep) next(t time.Time) time.Time {
	if s.every > 0 {
		return t.Add(s.every)
	}
	return t.AddDate(s.years, s.months, s.day)
}
