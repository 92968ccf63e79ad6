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
