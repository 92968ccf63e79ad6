package sweep

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// MethodVersion is raised whenever the load engine or a hello program changes
// what is measured, so that numbers from before and after are kept apart.
const MethodVersion = 1

// Environment is what samples ran on. Samples of two environments are never
// mixed. Unknown parts are empty.
type Environment struct {
	CPU        string `json:"cpu"`       // model name
	Cores      int    `json:"cores"`     // CPUs that this process may use
	Governor   string `json:"governor"`  // of the first CPU
	Microcode  string `json:"microcode"` // revision
	OS         string `json:"os"`        // "linux/amd64"
	Kernel     string `json:"kernel"`    // release
	Memory     int64  `json:"memory_bytes"`
	Launcher   string `json:"launcher"`    // "process" or "docker"
	Engine     string `json:"engine"`      // container engine and version; empty for processes
	ServerCPUs []int  `json:"server_cpus"` // CPUs of the server; empty when not pinned
	LoadCPUs   []int  `json:"load_cpus"`   // CPUs of the load engine; empty when not pinned
	Method     int    `json:"method_version"`
	// Facts that change what is measured, as read at the start of a sweep.
	Turbo       string `json:"turbo,omitempty"`       // "on" or "off"
	SMT         string `json:"smt,omitempty"`         // "on" or "off"
	Hypervisor  string `json:"hypervisor,omitempty"`  // its name; empty on bare metal too
	THP         string `json:"thp,omitempty"`         // transparent huge pages: "always", "madvise", "never"
	Mitigations string `json:"mitigations,omitempty"` // flaws of the CPU that the kernel works around, with commas
	// Name is what imported results call their machine; empty for this one.
	Name string `json:"name,omitempty"`
}

// Hash tells environments apart: 12 hex digits over every field.
func (e Environment) Hash() string {
	b, err := json.Marshal(e)
	if err != nil {
		panic(err) // a struct of plain fields always encodes
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:6])
}
