package runtimes

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"versweep/sweep"
)

// BuildMemoryVariable is the environment variable that sets another bound for
// the memory of a build than the usual.
const BuildMemoryVariable = "VERSWEEP_BUILD_MEMORY"

// usualBuildMemory is what a build may take where nobody says otherwise, in
// bytes: compiling the largest Go modules on two cores takes some 2 GiB.
const usualBuildMemory = 4 << 30

// leastBuildMemory is the smallest bound that is no mistake, in bytes: npm and go
// alone take some 100 MiB.
const leastBuildMemory = 256 << 20

// memorySize is a whole number with a unit.
var memorySize = regexp.MustCompile(`^([0-9]+)(MiB|GiB)$`)

// ParseBuildMemory reads "6GiB" or "1500MiB" in bytes. Empty is 0, which leaves
// it at the usual.
func ParseBuildMemory(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	m := memorySize.FindStringSubmatch(text)
	if m == nil {
		return 0, fmt.Errorf("%q is not a number with MiB or GiB", text)
	}
	n, err := strconv.ParseInt(m[1], 10, 32)
	if err != nil {
		return 0, fmt.Errorf("%q is not a number that any machine has", text)
	}
	bytes := n << map[string]int{"MiB": 20, "GiB": 30}[m[2]]
	if bytes < leastBuildMemory {
		return 0, fmt.Errorf("%s is less than %s", text, memoryText(leastBuildMemory))
	}
	return bytes, nil
}

// memoryText is "4 GiB" or "1500 MiB".
func memoryText(bytes int64) string {
	if bytes%(1<<30) == 0 {
		return fmt.Sprintf("%d GiB", bytes>>30)
	}
	return fmt.Sprintf("%d MiB", bytes>>20)
}

// buildMemory is the memory that builds may take, in bytes. Goroutines may share
// it; the builds of those that do are counted together.
type buildMemory struct {
	each int64 // by one build
	all  int64 // by all of them that are made at the same time

	mu    sync.Mutex
	held  map[int]int64 // by the builds that are being made, by their first process
	rough map[int]bool  // of which of them pages that processes share count several times
}

// newBuildMemory takes each as the user says, or where that is 0 as usual: so
// that a quarter of the machine's memory is left, 0 when that is unknown.
func newBuildMemory(each, machine int64) *buildMemory {
	share := machine / 4 * 3
	if each == 0 {
		each = usualBuildMemory
		if share > 0 {
			each = min(each, share)
		}
	}
	if share == 0 {
		share = atOnce * each
	}
	return &buildMemory{each: each, all: max(each, share), held: map[int]int64{}, rough: map[int]bool{}}
}

// memoryOfThisMachine is for builds by processes.
func memoryOfThisMachine(each int64) *buildMemory {
	return newBuildMemory(each, sweep.ProbeEnvironment().Memory)
}

// memoryError says that a build was ended for its memory, and how to allow more.
type memoryError struct {
	bound int64
	all   bool // it was the largest of several that together took too much
}

func (e *memoryError) Error() string {
	if e.all {
		return fmt.Sprintf("ended as the largest of the builds that together took more than %s of memory, three quarters of the machine's", memoryText(e.bound))
	}
	return fmt.Sprintf("ended for taking more than %s of memory (%s)", memoryText(e.bound), allowMore(e.bound))
}

// allowMore is a hint for a build that was ended for its memory.
func allowMore(bound int64) string {
	return fmt.Sprintf("%s=%s allows more", BuildMemoryVariable, strings.ReplaceAll(memoryText(2*bound), " ", ""))
}

// fits notes what a build takes at most, with pages that its processes share counted
// several times, unless that is too much: then it has to be known better.
func (m *buildMemory) fits(build int, rough int64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := rough
	for other, b := range m.held {
		if other != build {
			all += b
		}
	}
	if rough > m.each || all > m.all {
		return false
	}
	m.held[build], m.rough[build] = rough, true
	return true
}

// hold notes what a build takes, and says whether it has to end for it. Of builds that
// together take too much none ends before all are known as well.
func (m *buildMemory) hold(build int, bytes int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.held[build] = bytes
	delete(m.rough, build)
	if bytes > m.each {
		return &memoryError{bound: m.each}
	}
	var all, largest int64
	for _, b := range m.held {
		all, largest = all+b, max(largest, b)
	}
	if all > m.all && bytes == largest && len(m.rough) == 0 {
		return &memoryError{bound: m.all, all: true}
	}
	return nil
}

// release forgets a build that has ended.
func (m *buildMemory) release(build int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.held, build)
	delete(m.rough, build)
}

// killedWords are in what builds in containers write when the kernel has killed
// one of their processes: an exit status, a shell's word, a compiler's, go's.
var killedWords = regexp.MustCompile(`(code: |exit status )137\b|^Killed$|\bKilled signal terminated program\b|\bsignal: killed\b`)

// explainKilled adds to the reason of a build in a container that it may have
// failed for want of memory, where it looks so: the engine does not tell.
func explainKilled(failed *BuildError, bound int64) {
	if killedWords.MatchString(failed.Reason) || slices.ContainsFunc(failed.Log, killedWords.MatchString) {
		failed.Reason += fmt.Sprintf("; a process of it was killed, perhaps for taking more than %s of memory (%s)", memoryText(bound), allowMore(bound))
	}
}
