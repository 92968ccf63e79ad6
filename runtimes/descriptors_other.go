//go:build !linux

package runtimes

// KeepDescriptors does nothing: this system has no call for it.
func KeepDescriptors() error { return nil }
