// Command vulns reads what "govulncheck -format json" prints and fails when a
// known vulnerability can be reached from versweep, but for those that are
// accepted here with a reason. govulncheck itself has no list of exceptions.
// make vuln calls it.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
)

// accepted are vulnerabilities that govulncheck tells and that are none of
// versweep's, with the reason. An entry that has become needless is an error too.
var accepted = map[string]string{
	"GO-2026-4883": "in the Docker daemon's plugins; versweep has the client of that module alone, whose database entry names no symbols",
	"GO-2026-4887": "in the Docker daemon's authorisation plugins; as above",
}

func main() {
	if err := judge(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "vulns:", err)
		os.Exit(1)
	}
}

// message is one of the JSON objects that govulncheck prints one after the other.
type message struct {
	Config *struct {
		DB           string `json:"db"`
		LastModified string `json:"db_last_modified"`
	} `json:"config"`
	OSV *struct {
		ID      string `json:"id"`
		Summary string `json:"summary"`
	} `json:"osv"`
	Finding *struct {
		OSV   string `json:"osv"`
		Fixed string `json:"fixed_version"`
		Trace []struct {
			Module   string `json:"module"`
			Version  string `json:"version"`
			Function string `json:"function"`
		} `json:"trace"`
	} `json:"finding"`
}

// vulnerability is one that versweep's code can reach.
type vulnerability struct{ module, version, fixed string }

func judge(in io.Reader, out io.Writer) error {
	reached, summaries, present := map[string]vulnerability{}, map[string]string{}, map[string]bool{}
	scanned := false
	for messages := json.NewDecoder(in); ; {
		var m message
		if err := messages.Decode(&m); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return fmt.Errorf("reading what govulncheck found: %w", err)
		}
		switch {
		case m.Config != nil:
			scanned = true
			fmt.Fprintf(out, "database %s of %s\n", m.Config.DB, m.Config.LastModified)
		case m.OSV != nil:
			summaries[m.OSV.ID] = m.OSV.Summary
		case m.Finding != nil && len(m.Finding.Trace) > 0:
			at := m.Finding.Trace[0]
			present[m.Finding.OSV] = true
			if at.Function != "" {
				reached[m.Finding.OSV] = vulnerability{at.Module, at.Version, m.Finding.Fixed}
			}
		}
	}
	if !scanned {
		return errors.New("govulncheck told nothing: it has failed")
	}
	bad := 0
	for _, id := range slices.Sorted(maps.Keys(reached)) {
		v := reached[id]
		why, known := accepted[id]
		switch {
		case known && v.fixed == "":
			fmt.Fprintf(out, "accepted %s: %s: %s\n", id, summaries[id], why)
			continue
		case known:
			why = "accepted while there was no fix, but " + v.fixed + " has one"
		case v.fixed != "":
			why = "fixed in " + v.fixed
		default:
			why = "not fixed yet"
		}
		bad++
		fmt.Fprintf(out, "FOUND %s: %s: %s %s: %s\n", id, summaries[id], v.module, v.version, why)
	}
	for _, id := range slices.Sorted(maps.Keys(accepted)) {
		if _, still := reached[id]; !still {
			bad++
			fmt.Fprintf(out, "%s is not found any more: take it off the list in cmd/vulns\n", id)
		}
	}
	fmt.Fprintf(out, "%d vulnerabilities of required modules, %d in code that can be reached\n", len(present), len(reached))
	if bad > 0 {
		return fmt.Errorf("%d to see to", bad)
	}
	return nil
}
