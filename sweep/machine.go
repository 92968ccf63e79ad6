package sweep

import (
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// Machine is the computer that samples are taken on, as far as its /proc and
// /sys tell about it. What is not there is unknown: the zero value knows
// nothing, as do systems other than Linux.
type Machine struct {
	files fs.FS
}

// ThisMachine is the computer that the program runs on.
func ThisMachine() Machine { return Machine{os.DirFS("/")} }

// MachineIn is the computer whose /proc and /sys are in files.
func MachineIn(files fs.FS) Machine { return Machine{files} }

// maxMachineFile bounds what is read of one file, in bytes. The largest,
// /proc/stat, has some hundred KB on machines of a thousand CPUs.
const maxMachineFile = 4 << 20

// text is a file's content, trimmed; empty when it cannot be read.
func (m Machine) text(path string) string {
	if m.files == nil {
		return ""
	}
	f, err := m.files.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxMachineFile))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// number is the whole number that a file holds.
func (m Machine) number(path string) (int64, bool) {
	n, err := strconv.ParseInt(m.text(path), 10, 64)
	return n, err == nil
}

// chosen is the word in brackets of a line such as "always [madvise] never".
func (m Machine) chosen(path string) string {
	_, after, _ := strings.Cut(m.text(path), "[")
	word, _, ok := strings.Cut(after, "]")
	if !ok {
		return ""
	}
	return word
}

// glob lists the files that match a pattern of io/fs.
func (m Machine) glob(pattern string) []string {
	if m.files == nil {
		return nil
	}
	names, err := fs.Glob(m.files, pattern)
	if err != nil {
		panic(err) // patterns are written in this package
	}
	return names
}

// table is a file of lines "name value", such as /proc/vmstat; a colon after
// the name is left out.
func (m Machine) table(path string) map[string]string {
	lines := map[string]string{}
	for line := range strings.Lines(m.text(path)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		lines[strings.TrimSuffix(name, ":")] = strings.TrimSpace(value)
	}
	return lines
}

// parseInt is a whole number, or 0: these files write no others.
func parseInt(s string) int64 {
	n, _ := strconv.ParseInt(s, 10, 64)
	return n
}
