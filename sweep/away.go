package sweep

import (
	"context"
	"errors"
)

// ErrAway says that the launcher itself went away in the middle of something,
// as a container engine does that is restarted. It says nothing about a version.
var ErrAway = errors.New("went away")

// Returner is a Launcher that can come back.
type Returner interface {
	// AwaitReturn waits until the launcher is back and removes what it left
	// of instances. It fails when that takes too long or ctx ends.
	AwaitReturn(ctx context.Context) error
}

// maxLost bounds how many attempts at one sample the launcher may lose. More,
// and it does not go away by chance.
const maxLost = 3

// sampleAcross takes a sample again that was lost since the launcher went away
// under it, once it is back.
func (r Runner) sampleAcross(ctx context.Context, b Build, sw *Sweep) (Sample, error) {
	for lost := 1; ; lost++ {
		s, err := r.sample(ctx, b, sw)
		returner, can := r.Launcher.(Returner)
		if !errors.Is(err, ErrAway) || !can || lost == maxLost || ctx.Err() != nil {
			return s, err
		}
		if err := returner.AwaitReturn(ctx); err != nil {
			return Sample{}, err
		}
	}
}
