package main

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"versweep/sweep"
	"versweep/sweep/load"
)

// costs says what a sweep took beside the measuring itself.
func costs(p sweep.Plan, taken []sweep.Sample, elapsed time.Duration) string {
	parts := []string{fmt.Sprintf("%d samples in %v", len(taken), elapsed.Round(time.Second))}
	var inside time.Duration
	var engine int64 // bytes
	measured := 0
	for _, s := range taken {
		if s.Load == nil {
			continue
		}
		measured++
		engine = max(engine, s.Load.PeakRSS)
		inside += p.Profile.Warmup + s.Load.Elapsed
		if s.Paced != nil {
			inside += p.Paced().Warmup + s.Paced.Elapsed
		}
	}
	if measured > 0 && measured == len(taken) { // a failed start has a length of its own
		parts = append(parts, fmt.Sprintf("%.2f s of each besides warm-up and window", (elapsed-inside).Seconds()/float64(measured)))
	}
	if bytes := load.PeakRSS(os.Getpid()); bytes > 0 {
		parts = append(parts, fmt.Sprintf("peak memory %s here and %s in the load engine", humanize.IBytes(uint64(bytes)), humanize.IBytes(uint64(engine))))
	}
	return strings.Join(parts, ", ")
}

// takenAgain says how many samples were taken again and why; empty when none was.
func takenAgain(taken []sweep.Sample) string {
	again := 0
	why := map[sweep.MarkKind]int{}
	for i, s := range taken {
		if s.Attempt == 0 || i == 0 {
			continue
		}
		again++
		for _, m := range taken[i-1].Marks { // the attempt that it replaces
			if m.Spoils {
				why[m.Kind]++
				break
			}
		}
	}
	if again == 0 {
		return ""
	}
	var parts []string
	for _, kind := range sweep.MarkKinds {
		if n := why[kind]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", kind, n))
		}
	}
	return fmt.Sprintf("%s taken again because the machine spoilt the attempt before: %s", counted(again, "sample"), strings.Join(parts, ", "))
}
