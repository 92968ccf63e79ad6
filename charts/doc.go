// Package charts turns a sweep.Table into what people look at: a PNG or SVG
// picture of one metric over the versions, and text tables.
//
// Each kind of picture has a file of its own (trend.go) that decides what is
// marked where; frame.go lays out what all kinds share: heading, legend, axes
// and the version labels, which labels.go rotates and thins. Every function
// here is a pure function of its arguments: the same input gives the same
// bytes, nothing is kept between calls, and goroutines may call at will.
//
// Names and reasons come from outside (tags, log lines). Whatever reaches a
// terminal or a picture goes through printable first.
//
// Read Trend next, then newTrend.
package charts
