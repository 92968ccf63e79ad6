package charts

import (
	"versweep/sweep"
)

// Overlay is a further series in a trend, on the same version axis.
type Overlay struct {
	Title string // in the legend; the table's own title when empty
	Table sweep.Table
}

func (o Overlay) title() string {
	if o.Title != "" {
		return Printable(o.Title)
	}
	return targetTitle(o.Table)
}

// versionAxis is the versions of a picture, equally spaced.
type versionAxis struct {
	names    []string
	versions []sweep.Version
	lines    []releaseLine
	banded   bool           // lines are told apart, as the first table wants it
	at       map[string]int // position by name; nil when rows are positions
}

// newVersionAxis has t's versions and, in version order between them, those
// that only an overlay has.
func newVersionAxis(t sweep.Table, with []Overlay) *versionAxis {
	a := &versionAxis{}
	for _, row := range t.Rows {
		a.versions = append(a.versions, row.Version)
	}
	a.banded = banded(t)
	if len(with) > 0 {
		a.merge(with, t.Plan.InOwnOrder())
	}
	for _, v := range a.versions {
		a.names = append(a.names, v.Name)
	}
	a.lines = linesOf(a.versions)
	return a
}

// banded tells whether some of t's lines have several versions, so that lines
// should be told apart.
func banded(t sweep.Table) bool {
	var versions []sweep.Version
	for _, row := range t.Rows {
		versions = append(versions, row.Version)
	}
	lines := len(linesOf(versions))
	return lines > 1 && lines < len(versions)
}

// linesOf are the lines of releases that the versions come in.
func linesOf(versions []sweep.Version) []releaseLine {
	var lines []releaseLine
	for i, v := range versions {
		if n := len(lines); n > 0 && lines[n-1].name == v.Line {
			lines[n-1].to = i + 1
		} else {
			lines = append(lines, releaseLine{interval{i, i + 1}, v.Line})
		}
	}
	return lines
}

// merge takes in what only overlays have: in version order, or after t's where
// their names have none.
func (a *versionAxis) merge(with []Overlay, ownOrder bool) {
	seen := map[string]bool{}
	var all []sweep.Version
	add := func(v sweep.Version) {
		if !seen[v.Name] {
			seen[v.Name] = true
			all = append(all, v)
		}
	}
	for _, v := range a.versions {
		add(v)
	}
	for _, o := range with {
		for _, row := range o.Table.Rows {
			add(row.Version)
		}
	}
	if !ownOrder {
		all = sweep.SortVersions(all)
	}
	a.versions = all
	a.at = make(map[string]int, len(a.versions))
	for i, v := range a.versions {
		a.at[v.Name] = i
	}
}

// position is where the r-th row of t stands.
func (a *versionAxis) position(t sweep.Table, r int) int {
	if a.at == nil {
		return r
	}
	return a.at[t.Rows[r].Version.Name]
}

// boundary is the position of the first version that is not before the named
// one: its own when it is shown.
func (a *versionAxis) boundary(name string) int {
	for i, n := range a.names {
		if n == name {
			return i
		}
	}
	v := sweep.Version{Name: name}
	for i, w := range a.versions {
		if v.Compare(w) < 0 {
			return i
		}
	}
	return len(a.names)
}
