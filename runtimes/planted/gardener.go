package planted

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/storage"
)

// state is what a commit has.
type state struct {
	hash    plumbing.Hash
	notes   []int // parts of the work that are described, ascending
	changes []int // of the plan that are in it
	broken  int   // 1 for a program that is none, 2 for a build that fails; 0 for neither
}

func (s state) with(note int) state {
	s.notes = append(slices.Clone(s.notes), note)
	return s
}

func (s state) changed(change int) state {
	s.changes = append(slices.Clone(s.changes), change)
	return s
}

func (s state) merging(other state) state {
	join := func(a, b []int) []int {
		all := append(slices.Clone(a), b...)
		slices.Sort(all)
		return slices.Compact(all)
	}
	s.notes, s.changes = join(s.notes, other.notes), join(s.changes, other.changes)
	return s
}

// gardener writes commits. What fails first is kept, and ends all after it.
type gardener struct {
	plan    Plan
	objects storage.Storer
	made    int // commits so far, which their dates count
	failed  error
}

// begun is when the first commit was made; each is an hour after the one before.
var begun = time.Date(2024, time.March, 1, 9, 0, 0, 0, time.FixedZone("", 2*60*60))

func (g *gardener) signature() object.Signature {
	return object.Signature{Name: "Gardener", Email: "gardener@example.org", When: begun.Add(time.Duration(g.made) * time.Hour)}
}

//go:embed server/main.go.txt
var server string

const (
	module = "module planted\n\ngo 1.24\n"
	build  = "set -e\nCGO_ENABLED=0 exec go build -buildvcs=false -o server .\n"
)

// files are those of a commit, by name.
func (g *gardener) files(s state) map[string]string {
	work := float64(g.plan.Work)
	for _, c := range s.changes {
		work *= 1 + g.plan.Changes[c].Share
	}
	var notes strings.Builder
	for _, n := range s.notes {
		fmt.Fprintf(&notes, "Part %d is described.\n", n)
	}
	files := map[string]string{
		"go.mod": module, "main.go": server, "build.sh": build, "NOTES": notes.String(),
		"work.go": fmt.Sprintf("package main\n\nconst (\n\twork  = %.0f\n\tnoise = %g\n)\n", work, g.plan.Noise),
	}
	switch s.broken {
	case 1:
		files["work.go"] += "\nfunc unfinished( {\n"
	case 2:
		files["build.sh"] = "echo 'build.sh: not yet' >&2\nexit 1\n"
	}
	return files
}

// commit makes a commit with what s has on top of the parents; the first one
// has none, since there is nothing under it.
func (g *gardener) commit(s state, subject string, parents ...state) state {
	var tree object.Tree
	for name, text := range g.files(s) {
		blob := g.objects.NewEncodedObject()
		blob.SetType(plumbing.BlobObject)
		g.fill(blob, text)
		tree.Entries = append(tree.Entries, object.TreeEntry{Name: name, Mode: filemode.Regular, Hash: g.keep(blob)})
	}
	slices.SortFunc(tree.Entries, func(a, b object.TreeEntry) int { return strings.Compare(a.Name, b.Name) })
	c := &object.Commit{Author: g.signature(), Committer: g.signature(), Message: subject + "\n", TreeHash: g.write(&tree)}
	for _, p := range parents {
		if !p.hash.IsZero() {
			c.ParentHashes = append(c.ParentHashes, p.hash)
		}
	}
	s.hash = g.write(c)
	g.made++
	return s
}

// tag makes an annotated tag, as releases have, a day after the last commit.
func (g *gardener) tag(name string, commit plumbing.Hash) {
	by := g.signature()
	by.When = by.When.Add(24 * time.Hour)
	t := &object.Tag{Name: name, Tagger: by, Message: name + "\n", TargetType: plumbing.CommitObject, Target: commit}
	g.refer(plumbing.NewHashReference(plumbing.NewTagReferenceName(name), g.write(t)))
}

func (g *gardener) refer(r *plumbing.Reference) {
	if g.failed == nil {
		g.failed = g.objects.SetReference(r)
	}
}

func (g *gardener) fill(o plumbing.EncodedObject, text string) {
	w, err := o.Writer()
	if err == nil {
		if _, err = w.Write([]byte(text)); err == nil {
			err = w.Close()
		}
	}
	if g.failed == nil {
		g.failed = err
	}
}

// write keeps a tree, commit or tag and returns its hash.
func (g *gardener) write(o interface {
	Encode(plumbing.EncodedObject) error
}) plumbing.Hash {
	encoded := g.objects.NewEncodedObject()
	if err := o.Encode(encoded); err != nil && g.failed == nil {
		g.failed = err
	}
	return g.keep(encoded)
}

func (g *gardener) keep(o plumbing.EncodedObject) plumbing.Hash {
	if g.failed != nil {
		return plumbing.ZeroHash
	}
	hash, err := g.objects.SetEncodedObject(o)
	g.failed = err
	return hash
}
