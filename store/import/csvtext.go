package imports

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// csvText is the text of a CSV file and how it is to be taken apart.
type csvText struct {
	rows   *csv.Reader
	before int // lines before the first one that rows reads
	comma  rune
}

// newCSVText takes off what spreadsheets put before the text, and finds out
// which character parts the cells: the one for which the first row has a column
// called version.
func newCSVText(content []byte) (*csvText, error) {
	if bytes.HasPrefix(content, []byte("\xff\xfe")) || bytes.HasPrefix(content, []byte("\xfe\xff")) {
		return nil, &CSVError{Line: 1, Why: "the text is UTF-16", Hint: "save it as UTF-8; spreadsheets offer \"CSV UTF-8\""}
	}
	content = bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	if !bytes.ContainsRune(content, '\n') {
		content = bytes.ReplaceAll(content, []byte("\r"), []byte("\n"))
	}
	number := 0
	for line := range bytes.Lines(content) {
		number++
		switch {
		case len(line) > csvLineBytes:
			return nil, &CSVError{Line: number, Why: "the line is longer than 64 KB"}
		case !utf8.Valid(line):
			return nil, &CSVError{Line: number, Why: "the text is not UTF-8", Hint: "save it as UTF-8; spreadsheets offer \"CSV UTF-8\""}
		}
	}
	t := &csvText{}
	if rest, ok := bytes.CutPrefix(content, []byte("sep=")); ok { // for Excel
		_, content, _ = bytes.Cut(rest, []byte("\n"))
		t.before = 1
	}
	commas := []rune{',', ';', '\t'}
	at := slices.IndexFunc(commas, func(comma rune) bool {
		t.comma, t.rows = comma, newCSVReader(content, comma)
		header, _, err := t.next()
		return err == nil && slices.ContainsFunc(header, func(cell string) bool { return csvColumnName(cell) == "version" })
	})
	if at < 0 {
		return nil, t.noHeader(content)
	}
	t.rows = newCSVReader(content, t.comma)
	return t, nil
}

func newCSVReader(content []byte, comma rune) *csv.Reader {
	r := csv.NewReader(bytes.NewReader(content))
	r.Comma = comma
	r.Comment = '#'
	r.FieldsPerRecord = -1             // checked with a better message
	r.TrimLeadingSpace = comma != '\t' // it would eat empty cells
	r.ReuseRecord = true
	return r
}

func (t *csvText) noHeader(content []byte) error {
	t.rows = newCSVReader(content, ',')
	header, line, err := t.next()
	if errors.Is(err, io.EOF) {
		return &CSVError{Why: "there is nothing in the file", Hint: headerHint}
	}
	if err != nil {
		return err
	}
	return &CSVError{Line: line, Why: fmt.Sprintf("there is no column \"version\", only %s", csvQuote(strings.Join(header, ","))), Hint: headerHint}
}

const headerHint = "the first row names the columns: version,round,qps,p99_ms or version,round,metric,value,unit"

// next reads a row with its line; io.EOF after the last. The row is good until
// the next call. Rows without anything in them are left out.
func (t *csvText) next() (row []string, line int, err error) {
	for {
		row, err = t.rows.Read()
		if errors.Is(err, io.EOF) {
			return nil, 0, io.EOF
		}
		if err != nil {
			return nil, 0, t.damaged(err)
		}
		line, _ = t.rows.FieldPos(0)
		for i := range row {
			row[i] = strings.TrimSpace(row[i])
		}
		if slices.ContainsFunc(row, func(cell string) bool { return cell != "" }) {
			return row, t.before + line, nil
		}
	}
}

// damaged puts an error of the reader into one of ours.
func (t *csvText) damaged(err error) error {
	if e, ok := errors.AsType[*csv.ParseError](err); ok {
		return &CSVError{Line: t.before + e.StartLine, Why: e.Err.Error(), Hint: "a cell with quotes in it stands in quotes, and each of them twice"}
	}
	return err
}

// csvColumnName is how a column's name is looked up.
func csvColumnName(cell string) string { return strings.ToLower(strings.TrimSpace(cell)) }

// formulaStart begins a cell that a spreadsheet, or a reader of CSV, takes for
// something else than text.
const formulaStart = "=+-@#'\t\r"

// unprintable are control characters, and others that change how what follows is
// shown or that nobody sees: no name needs one, and two names that differ in one
// look alike.
func unprintable(r rune) bool { return !unicode.IsPrint(r) }

// csvName reads a name of a target, profile, environment or version. An
// apostrophe before a character that begins formulas is the spreadsheets' mark
// of plain text, which export writes as well, and no part of the name.
func csvName(cell string) (string, error) {
	if rest, ok := strings.CutPrefix(cell, "'"); ok && rest != "" && strings.ContainsRune(formulaStart, rune(rest[0])) {
		cell = rest
	}
	switch {
	case len(cell) > csvNameBytes:
		return "", fmt.Errorf("%s is longer than %d bytes", csvQuote(cell), csvNameBytes)
	case strings.ContainsFunc(cell, unprintable):
		return "", fmt.Errorf("%s holds a character that cannot be seen", csvQuote(cell))
	}
	return cell, nil
}
