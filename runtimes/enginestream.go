package runtimes

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// ErrEngineFull says that the engine's disk is full: what follows would fail
// too.
var ErrEngineFull = errors.New("the engine's disk is full")

// message is one JSON message of a pull or build stream. Errors come inside
// the stream, after the answer's status said that all is well.
type message struct {
	Stream      string `json:"stream"`
	Status      string `json:"status"`
	Error       string `json:"error"`
	ErrorDetail struct {
		Message string `json:"message"`
	} `json:"errorDetail"`
	Aux struct {
		ID string `json:"ID"`
	} `json:"aux"`
}

// readStream reads a pull or build stream to its end, without which the engine
// does not finish. It returns the id of the image that a build made. A failure
// is a *BuildError with the engine's words and its last lines.
func readStream(stream io.Reader) (imageID string, err error) {
	var log Tail
	for messages := json.NewDecoder(stream); ; {
		var m message
		if err := messages.Decode(&m); errors.Is(err, io.EOF) {
			return imageID, nil
		} else if err != nil {
			return "", fmt.Errorf("reading the engine's answer: %w", err)
		}
		io.WriteString(&log, m.Stream)
		if m.Aux.ID != "" {
			imageID = m.Aux.ID
		}
		if m.ErrorDetail.Message != "" || m.Error != "" {
			reason := m.ErrorDetail.Message
			if reason == "" {
				reason = m.Error
			}
			failed := &BuildError{Reason: firstWords(reason), Log: log.Lines()}
			// The engine tells everything in words.
			if strings.Contains(reason, "no space left on device") {
				return "", fmt.Errorf("%w: %w", ErrEngineFull, failed)
			}
			return "", failed
		}
	}
}
