package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

const (
	config  = `{"config": {"db": "file:///x", "db_last_modified": "2026-08-21T00:00:00Z"}}` + "\n"
	reached = `{"finding": {"osv": %q, "fixed_version": %q, "trace": [{"module": "m", "version": "v1.0.0", "function": "F"}]}}` + "\n"
	unused  = `{"finding": {"osv": "GO-1", "fixed_version": "v2", "trace": [{"module": "m", "version": "v1.0.0"}]}}` + "\n"
)

func TestJudge(t *testing.T) {
	known := fmt.Sprintf(reached, "GO-2026-4883", "") + fmt.Sprintf(reached, "GO-2026-4887", "")
	for name, tt := range map[string]struct{ in, said, err string }{
		"what is known":         {config + known + unused, "accepted GO-2026-4883", ""},
		"another":               {config + known + fmt.Sprintf(reached, "GO-1", "v1.2.0"), "FOUND GO-1: : m v1.0.0: fixed in v1.2.0", "1 to see to"},
		"another without a fix": {config + known + fmt.Sprintf(reached, "GO-1", ""), "not fixed yet", "1 to see to"},
		"known, and fixed":      {config + fmt.Sprintf(reached, "GO-2026-4883", "v29") + fmt.Sprintf(reached, "GO-2026-4887", ""), "v29 has one", "1 to see to"},
		"known, and gone":       {config + fmt.Sprintf(reached, "GO-2026-4887", ""), "GO-2026-4883 is not found any more", "1 to see to"},
		"nothing":               {"", "", "govulncheck told nothing"},
		"cut short":             {config + `{"finding":`, "", "reading what govulncheck found"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			err := judge(strings.NewReader(tt.in), &out)
			if got := fmt.Sprint(err); tt.err == "" && err != nil || !strings.Contains(got, tt.err) || !strings.Contains(out.String(), tt.said) {
				t.Errorf("%s%v, want %q and %q", &out, err, tt.said, tt.err)
			}
		})
	}
}
