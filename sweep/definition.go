package sweep

// Definition tells what the name of a target stood for when a sweep was planned.
// The zero value is that of sweeps that do not tell: imported ones, and those of
// versions before this was kept.
type Definition struct {
	// Hash is over all that decides what is measured: where versions come
	// from, how they become servers, the program's files, the question and the
	// answer. 12 hex digits.
	Hash string `json:"hash"`
	// Yours says that it is the user's own and not one of the catalogue.
	Yours bool `json:"yours,omitempty"`
}

// SameDefinition tells whether two sweeps asked the same of the same. What the
// catalogue has is the same in all its editions, as far as figures go: where a new
// one changes what is measured, MethodVersion is raised. One that is not known
// counts as the same.
func SameDefinition(p, q Plan) bool {
	a, b := p.Definition, q.Definition
	return a.Hash == "" || b.Hash == "" || a == b || !a.Yours && !b.Yours
}
