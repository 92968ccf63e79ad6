//go:build !unix

package load

func reserveConnections(int) error { return nil }
