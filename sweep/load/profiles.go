package load

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
)

// NamedProfile is a profile that comes with the program.
type NamedProfile struct {
	Profile Profile `json:"profile"`
	About   string  `json:"about"` // where it comes from and what for
}

//go:embed profiles.json
var profilesFile []byte

var namedProfiles = sync.OnceValue(func() []NamedProfile {
	var all []NamedProfile
	if err := json.Unmarshal(profilesFile, &all); err != nil {
		panic(fmt.Sprintf("profiles.json: %v", err)) // it is part of the program and tested
	}
	return all
})

// Profiles lists the named profiles, the default first. The slice is the
// caller's.
func Profiles() []NamedProfile {
	all := namedProfiles()
	copied := make([]NamedProfile, len(all))
	for i, n := range all {
		n.Profile.Steps = append([]float64(nil), n.Profile.Steps...)
		copied[i] = n
	}
	return copied
}

// ProfileByName finds a named profile. An unknown name is a *MisuseError that
// lists the known ones.
func ProfileByName(name string) (Profile, error) {
	var names []string
	for _, n := range Profiles() {
		if n.Profile.Name == name {
			return n.Profile, nil
		}
		names = append(names, n.Profile.Name)
	}
	return Profile{}, &MisuseError{
		What: "profile", Why: fmt.Sprintf("there is none called %s", quote(name)),
		Hint: "known are " + strings.Join(names, ", "),
	}
}
