package main

import (
	"context"

	"versweep/store"
	"versweep/sweep"
)

// openHistory opens the store for what the commands about verdicts read.
func (a *app) openHistory(ctx context.Context) (history, error) {
	return store.OpenReadOnly(ctx, a.db)
}

// setState keeps what people make of a finding.
func (a *app) setState(ctx context.Context, ack sweep.Acknowledgement) error {
	st, err := openStore(ctx, a.db)
	if err != nil {
		return err
	}
	defer st.Close()
	return st.SetState(ctx, ack, a.now())
}

// storedTargets is what completions choose from: the store, to be closed, and the
// targets in it; false when there is none.
func (a *app) storedTargets(ctx context.Context) (h history, targets []string, ok bool) {
	h, err := a.openHistory(ctx)
	if err != nil {
		return nil, nil, false
	}
	if targets, err = h.Targets(ctx); err != nil {
		h.Close()
		return nil, nil, false
	}
	return h, targets, true
}
