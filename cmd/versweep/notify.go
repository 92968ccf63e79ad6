package main

import (
	"context"
	"errors"
	"fmt"

	"versweep/sweep/nightly"
)

// channel is one way to tell people of a night.
type channel interface {
	// name tells channels apart for people: "webhook https://hooks.example.org",
	// "command ./tell.sh", "github". It holds no secret and is one line.
	name() string
	// deliver tells what the channel wants of night: nothing where there are no
	// notices, unless the channel is asked to tell of every night. It blocks
	// until all is told, was tried in vain or ctx is done.
	deliver(ctx context.Context, night nightly.Night) error
}

// deliverAll tells a night through every channel, whatever becomes of the others,
// and joins what went wrong. When it is nil, all notices may be kept as told.
// When it is not, none may: the next night then tells them again through every
// channel, and who got them already knows them by key, state and since.
func deliverAll(ctx context.Context, channels []channel, night nightly.Night) error {
	var failed []error
	for _, c := range channels {
		if err := c.deliver(ctx, night); err != nil {
			failed = append(failed, fmt.Errorf("telling %s: %w", c.name(), err))
		}
	}
	if len(failed) == 0 {
		return nil
	}
	return &oneLineError{errors.Join(failed...)}
}

// oneLineError has semicolons between the errors that were joined in it.
type oneLineError struct{ error }

func (e *oneLineError) Error() string { return nightly.OneLine(e.error) }
func (e *oneLineError) Unwrap() error { return e.error }

// placed is a channel with its place in the settings: several may have one name.
type placed struct {
	channel
	place string // "notify[2]"
}

func (p placed) name() string { return p.channel.name() + " (" + p.place + ")" }
