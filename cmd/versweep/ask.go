package main

import (
	"bufio"
	"context"
	"fmt"
	"strings"
)

// ask puts a question to somebody who can answer it. An empty answer is usual;
// the end of the input is no.
func (a *app) ask(ctx context.Context, question string, usual bool) (bool, error) {
	fmt.Fprint(a.stderr, question)
	answer := make(chan string, 1)
	go func() {
		line, err := bufio.NewReader(a.stdin).ReadString('\n')
		if err != nil {
			line = "no"
		}
		answer <- line
	}()
	select {
	case <-ctx.Done():
		return false, ctx.Err()
	case line := <-answer:
		switch strings.ToLower(strings.TrimSpace(line)) {
		case "":
			return usual, nil
		case "y", "yes":
			return true, nil
		}
		return false, nil
	}
}
