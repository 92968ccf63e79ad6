package imports

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Decimal says which sign stands before the fraction of a number.
type Decimal string

const (
	// DecimalAuto finds out from the numbers of the file, and refuses to guess.
	DecimalAuto  Decimal = "auto"
	DecimalPoint Decimal = "point"
	DecimalComma Decimal = "comma"
)

var errNotNumber = errors.New("not a number")

// spaces that group digits, and that spreadsheets put around numbers.
const numberSpaces = " \u00a0\u2009\u202f"

// parseDecimal reads a number in which thousands may be grouped by spaces,
// apostrophes or the sign that is not the decimal one. It takes no other number
// words: not Inf, not NaN, not 0x10.
func parseDecimal(text string, d Decimal) (float64, error) {
	point, groups := ".", ","
	if d == DecimalComma {
		point, groups = groups, point
	}
	text = strings.Trim(text, numberSpaces)
	sign := ""
	if text != "" && strings.ContainsRune("+-", rune(text[0])) {
		sign, text = text[:1], text[1:]
	}
	mantissa, exponent := text, ""
	if at := strings.IndexAny(text, "eE"); at >= 0 {
		mantissa, exponent = text[:at], text[at:]
	}
	whole, fraction, _ := strings.Cut(mantissa, point)
	whole, grouped := ungroup(whole, groups+numberSpaces+"'’")
	if !grouped || !onlyDigits(fraction) || whole+fraction == "" {
		return 0, errNotNumber
	}
	v, err := strconv.ParseFloat(sign+whole+"."+fraction+exponent, 64)
	if err != nil {
		return 0, errNotNumber
	}
	return v, nil
}

// ungroup takes out the separators of thousands, if they are where they belong
// and all the same.
func ungroup(whole, separators string) (string, bool) {
	at := strings.IndexAny(whole, separators)
	if at < 0 {
		return whole, onlyDigits(whole)
	}
	_, n := utf8.DecodeRuneInString(whole[at:])
	groups := strings.Split(whole, whole[at:at+n])
	if at > 3 || at == 0 || whole[0] == '0' || !onlyDigits(groups[0]) {
		return "", false
	}
	for _, g := range groups[1:] {
		if len(g) != 3 || !onlyDigits(g) {
			return "", false
		}
	}
	return strings.Join(groups, ""), true
}

// onlyDigits tells whether s holds nothing else.
func onlyDigits(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < '0' || r > '9' })
}

// csvDecimals gathers what the numbers of a file tell about its decimal sign.
type csvDecimals struct {
	// pointLeads says that a lone point is a decimal one although it might group
	// thousands: so it is in files whose cells commas or tabs part, which
	// programs write. Semicolons part cells where commas are decimal signs.
	pointLeads bool

	point, comma, either *csvNumber // the first that can be read only so, and both ways
}

type csvNumber struct {
	line int
	text string
}

// add looks at a number. What is none tells nothing.
func (d *csvDecimals) add(line int, text string) {
	p, errP := parseDecimal(text, DecimalPoint)
	c, errC := parseDecimal(text, DecimalComma)
	var seen **csvNumber
	switch {
	case errP != nil && errC != nil, errP == nil && errC == nil && p == c:
		return
	case errC != nil, errP == nil && d.pointLeads && strings.Contains(text, "."):
		seen = &d.point
	case errP != nil:
		seen = &d.comma
	default:
		seen = &d.either
	}
	if *seen == nil {
		*seen = &csvNumber{line, text}
	}
}

// decide names the decimal sign. It fails when numbers contradict each other,
// or when one can be read in two ways and no other tells in which.
func (d *csvDecimals) decide() (Decimal, error) {
	const hint = "--decimal point or --decimal comma says which"
	switch {
	case d.point != nil && d.comma != nil:
		first, second := d.point, d.comma
		if first.line > second.line {
			first, second = second, first
		}
		return "", &CSVError{Line: second.line, Why: csvQuote(second.text) + " has another decimal sign than " + csvQuote(first.text) + " in line " + strconv.Itoa(first.line), Hint: hint}
	case d.comma != nil:
		return DecimalComma, nil
	case d.point != nil || d.either == nil:
		return DecimalPoint, nil
	}
	p, _ := parseDecimal(d.either.text, DecimalPoint)
	c, _ := parseDecimal(d.either.text, DecimalComma)
	both := []float64{p, c}
	slices.Sort(both)
	return "", &CSVError{Line: d.either.line, Why: csvQuote(d.either.text) + " may be " + plainNumber(both[1]) + " or " + plainNumber(both[0]), Hint: hint}
}

func plainNumber(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
