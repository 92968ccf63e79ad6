package sweep

import "strings"

// NoFigure begins the reason why a version has none of the figures that were
// imported or published, though nobody says that it failed: "no figure in the
// file".
const NoFigure = "no figure"

// WithoutFigure tells a version that only lacks figures from one that failed;
// both have the status Failed, since nothing can be said of either.
func (r Row) WithoutFigure() bool {
	return r.Status == Failed && strings.HasPrefix(r.Reason, NoFigure)
}
