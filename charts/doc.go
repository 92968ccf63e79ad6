// Package charts turns what sweeps measured into what people look at: PNG and
// SVG pictures, and tables as text, Markdown, CSV and HTML.
//
// Each kind of picture has a file of its own that decides what is marked where:
// Trend (trend.go, changes.go for what a judgement says), Ramp,
// LatencyPercentiles, Scatter, Compare and Systems, History. frame.go lays out
// what all kinds share, heading, legend and panels; a panel has a value axis
// and an x axis of names or numbers, whose labels labels.go rotates and thins;
// callouts.go keeps texts beside marks apart. palette.go has the colours,
// light and dark. Every function here is a pure function of its arguments: the
// same input gives the same bytes, nothing is kept between calls, and
// goroutines may call at will.
//
// Names and reasons come from outside (tags, log lines). Whatever reaches a
// terminal or a picture goes through Printable first.
//
// Read Trend next, then newTrend.
package charts
