//go:build !linux

package sweep

import "runtime"

// UsableCPUs is empty: this system does not let a program choose its CPUs.
func UsableCPUs() []int { return nil }

// ProbeEnvironment reads what this machine tells about itself. What it does
// not tell stays empty; launcher and engine are the caller's to add.
func ProbeEnvironment() Environment {
	return Environment{OS: runtime.GOOS + "/" + runtime.GOARCH, Cores: runtime.NumCPU(), Method: MethodVersion}
}
