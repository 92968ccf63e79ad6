//go:build linux

package main

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"sync"
	"time"
)

// scenarios are all faults, in the order of the table.
func scenarios() []scenario {
	return slices.Concat(serverFaults(), engineFaults(), diskFaults(), storeFaults(), clockFaults(), networkFaults(), signalFaults())
}

// result is what came of a scenario.
type result struct {
	scenario scenario
	row      row
	problems []string
}

// carryOutAll runs the scenarios that match, several at once, the long ones
// first. The results are in the order of the table; tell gets each as it comes.
// When ctx ends, those that run go on to their end, and no more begin.
func carryOutAll(ctx context.Context, s *suite, only *regexp.Regexp, atOnce int, tell func(result, time.Duration)) []result {
	var results []result
	for _, sc := range scenarios() {
		if only.MatchString(sc.name) {
			results = append(results, result{scenario: sc})
		}
	}
	var mu sync.Mutex
	var all sync.WaitGroup
	places := make(chan struct{}, atOnce)
	for _, long := range []bool{true, false} {
		for i := range results {
			if results[i].scenario.long != long {
				continue
			}
			places <- struct{}{}
			if ctx.Err() != nil {
				results[i].problems = []string{ctx.Err().Error()}
				<-places
				continue
			}
			all.Go(func() {
				defer func() { <-places }()
				began := time.Now()
				r := result{scenario: results[i].scenario}
				r.row, r.problems = r.scenario.carryOut(s)
				mu.Lock()
				defer mu.Unlock()
				results[i] = r
				tell(r, time.Since(began))
			})
		}
	}
	all.Wait()
	return results
}

const heading = `# Faults

What happens when something goes wrong in mid-sweep. ` + "`make faults`" + ` brings each of these faults about, with the real program, and
writes this page; the tests of ` + "`cmd/faults`" + ` compare it. Engines are Docker engines that the suite starts and breaks; the
machine's own is left alone.

*Left behind* is what was looked for after the command had ended: processes, containers, volumes, networks, images without a
name, working folders, unfinished builds, files beside the store, mounts. Builds and images that are whole are kept for the next
sweep, as always.

How long something is waited for before it is given up:

| what | how long |
|---|---|
| a container engine that went away | 1 minute; three times for one sample |
| another process that writes into the store | 10 seconds |
| a git server or an image registry that says nothing in the middle of an answer | 1 minute |
| an engine that says nothing while it pulls an image, or builds one | 5 minutes, or 30 |
| one call of npm or go, one build command | 30 minutes |
| a server's first right answer | the target's ` + "`answer: {timeout: …}`" + `, 10 seconds without |
| a server's end | 0.3 seconds, then it is killed |
| the removal of a container that has ended | 10 seconds, then it is left to the next start |

| fault | seen | stored | left behind |
|---|---|---|---|
`

func (r row) String() string {
	return fmt.Sprintf("| %s | %s | %s | %s |", r.fault, r.seen, r.stored, r.left)
}

// page is docs/faults.md.
func page(results []result) string {
	text := heading
	for _, r := range results {
		text += r.row.String() + "\n"
	}
	return text
}
