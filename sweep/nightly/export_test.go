package nightly

import (
	"context"
	"time"

	"versweep/sweep"
)

// NoticesText is for tests with made-up worlds, which cannot be of this package.
var NoticesText = noticesText

// GoneOn is what going on with a sweep has come to.
type GoneOn struct {
	Tried, Measured int // versions
	Spent           time.Duration
	Past            sweep.Sweep // as it is known then
}

// GoOnAlone is the first part of a night, for a target of which one unfinished
// sweep is known.
func GoOnAlone(ctx context.Context, c Course, known sweep.Sweep) (GoneOn, error) {
	e := &errand{measured: map[string]bool{}, tried: map[string]bool{}, past: []sweep.Sweep{known}}
	e.Plan = known.Plan
	n := &night{Course: c}
	err := n.goOn(ctx, []*errand{e})
	return GoneOn{len(e.tried), len(e.measured), n.spent, e.past[0]}, err
}

// Reference is the version that a's sweeps compare with.
func (a Agenda) Reference() string { return a.reference }
