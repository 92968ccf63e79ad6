//go:build !linux

package load

func newEngine(t *task) (engine, error) { return newPortable(t) }
