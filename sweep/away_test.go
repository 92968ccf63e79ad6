package sweep

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

// returning is a launcher that goes away under its first starts.
type returning struct {
	fakeLauncher
	lost    int   // starts that it has still to lose
	waited  int   // for it to come back
	returns error // what the wait ends with
}

func (l *returning) Start(ctx context.Context, b Build) (Instance, error) {
	if l.lost > 0 {
		l.lost--
		return nil, fmt.Errorf("the engine %w: connection refused", ErrAway)
	}
	return l.fakeLauncher.Start(ctx, b)
}

func (l *returning) AwaitReturn(context.Context) error {
	l.waited++
	return l.returns
}

func TestASampleThatTheLauncherLostIsTakenAgain(t *testing.T) {
	l := &returning{lost: 2}
	m := &memory{}
	sw := newSweep(2, "1.0.0")
	if err := carryOut(t, t.Context(), l, m, sw); err != nil {
		t.Fatal(err)
	}
	if l.waited != 2 || len(m.samples) != 4 {
		t.Errorf("waited %d times, %d samples", l.waited, len(m.samples))
	}
	for _, s := range m.samples {
		if s.Status != OK || s.Attempt != 0 {
			t.Errorf("%+v", s)
		}
	}
}

// No version is blamed, and what goes away again and again is not waited for.
func TestALauncherThatStaysAwayEndsTheSweep(t *testing.T) {
	gone := fmt.Errorf("the engine %w for good", ErrAway)
	for name, l := range map[string]*returning{
		"does not return": {lost: 1, returns: gone}, "goes each time": {lost: 99},
	} {
		m := &memory{}
		err := carryOut(t, t.Context(), l, m, newSweep(1, "1.0.0"))
		if !errors.Is(err, ErrAway) || len(m.samples) > 0 || l.waited >= maxLost {
			t.Errorf("%s: %v, %d samples, waited %d times", name, err, len(m.samples), l.waited)
		}
	}
}
