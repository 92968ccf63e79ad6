package report

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// fileName turns a name from outside into one that every file system and every
// URL takes as it is. Two names never share one: a name that is safe is kept,
// any other gets a tilde, which no safe name has, and a hash.
func fileName(name string) string {
	if safeName(name) {
		return name
	}
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		if b.Len() == maxKept {
			break
		}
		if !safeRune(r) {
			r = '-'
		}
		b.WriteRune(r)
	}
	sum := sha256.Sum256([]byte(name))
	return strings.Trim(b.String(), ".-") + "~" + hex.EncodeToString(sum[:8])
}

const (
	maxKept = 40 // letters of an unsafe name that are kept
	maxSafe = 64 // bytes of a safe name
)

// safeRune has lower case only: some file systems do not tell upper case apart.
func safeRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '.' || r == '-' || r == '_'
}

func safeName(name string) bool {
	stem, extension, _ := strings.Cut(name, ".")
	return name != "" && len(name) <= maxSafe && !strings.ContainsFunc(name, func(r rune) bool { return !safeRune(r) }) &&
		!strings.HasPrefix(name, ".") && !strings.HasSuffix(name, ".") && !slices.Contains(reserved, stem) &&
		extension != "html" && extension != "json"
}

// reserved are the names that Windows keeps for devices.
var reserved = []string{
	"con", "prn", "aux", "nul", "com0", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9",
	"lpt0", "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9",
}
