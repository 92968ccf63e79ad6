package charts

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
)

// diagonal is the line on which a server answers all that it is offered.
type diagonal struct{ look theme }

func (d diagonal) line() draw.LineStyle { return stroke(d.look.reference, 1*px, 4*px, 3*px) }

// Plot implements plot.Plotter.
func (d diagonal) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	from, to := max(p.X.Min, p.Y.Min), min(p.X.Max, p.Y.Max)
	if from < to {
		c.StrokeLine2(d.line(), x(from), y(from), x(to), y(to))
	}
}
