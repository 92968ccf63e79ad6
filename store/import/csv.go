package imports

import (
	"fmt"
	"io"
	"strconv"

	"versweep/sweep"
)

// CSVOptions say what a CSV file leaves open.
type CSVOptions struct {
	File string // base name, kept as the origin of the numbers

	// Target, Profile and Environment are those of rows that do not name their
	// own. One that a row contradicts is an error.
	Target, Profile, Environment string

	Decimal Decimal                 // DecimalAuto when empty
	Line    sweep.LineBy            // sweep.LineByMajor when empty
	Order   Order                   // OrderAuto when empty
	Better  map[string]sweep.Better // directions of metrics that are not in sweep.Metrics, by key
}

// Order says in which order versions stand.
type Order string

const (
	// OrderAuto is OrderVersion when all names are versions, and OrderFile when
	// none is or all are commits.
	OrderAuto    Order = "auto"
	OrderVersion Order = "version" // as sweep.Version.Compare has it
	OrderFile    Order = "file"    // as they first stand in the file
)

// Bounds of a file. They are far beyond what a machine measures in a year.
const (
	csvBytes        = 256_000_000
	csvLineBytes    = 64_000
	csvRows         = 1_000_000
	csvValues       = 4_000_000
	csvVersions     = 10_000 // a sweep
	csvSweeps       = 1_000
	csvMetrics      = 1_000
	csvNameBytes    = 128
	csvHighestRound = 1_000_000
)

// csvFormat is the format's name, and the source of the sweeps.
const csvFormat = "csv"

// CSVError says what is wrong with a CSV file, or with the options it is read
// with. Its text is one line.
type CSVError struct {
	Line    int    // from 1; 0 when the file as a whole is meant
	Why     string // what is wrong
	Hint    string // what to do about it; may be empty
	Options bool   // the options are at fault, not the file
}

func (e *CSVError) Error() string {
	if e.Line == 0 {
		return e.Why
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Why)
}

// CSV reads a file into sweeps, one for each target, profile and environment in
// it, in the order in which they appear. Plan.Foreign says where they come from.
// The sweeps have no IDs and no times yet.
//
// It fails with a *CSVError, or when r fails.
func CSV(r io.Reader, o CSVOptions) ([]sweep.Sweep, error) {
	for _, f := range []struct{ flag, name string }{{"target", o.Target}, {"profile", o.Profile}, {"environment", o.Environment}} {
		if _, err := csvName(f.name); err != nil {
			return nil, &CSVError{Why: fmt.Sprintf("--%s: %v", f.flag, err), Options: true}
		}
	}
	content, err := io.ReadAll(io.LimitReader(r, csvBytes+1))
	if err != nil {
		return nil, err
	}
	if len(content) > csvBytes {
		return nil, &CSVError{Why: "the file is larger than 256 MB", Hint: "import it in parts, a target or a year each"}
	}
	text, err := newCSVText(content)
	if err != nil {
		return nil, err
	}
	f := newCSVFile(o, digestOf(content))
	if err := f.read(text); err != nil {
		return nil, err
	}
	return f.sweeps()
}

// csvQuote shows a piece of the file in a message, cut when it is long.
func csvQuote(s string) string {
	const most = 40
	if len(s) > most {
		cut := most
		for cut > 0 && s[cut]&0xc0 == 0x80 { // inside a character
			cut--
		}
		s = s[:cut] + "…"
	}
	return strconv.Quote(s)
}
