// Command plantrepo makes a git repository in which it is known which commit
// made a server slower, and a target of it, to try versweep bisect on:
//
//	plantrepo -o DIR
//	versweep bisect planted 1.0.0 1.1.0 --commits --target-dir DIR/targets --launcher process
//
// It prints which commits are the culprits, and which cannot be built.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"versweep/runtimes/planted"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "plantrepo:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("plantrepo", flag.ContinueOnError)
	p := planted.Usual()
	dir := flags.String("o", "", "folder for the repository and the target (needed)")
	flags.IntVar(&p.Commits, "commits", p.Commits, "commits between the two releases")
	flags.Float64Var(&p.Noise, "noise", p.Noise, "standard deviation of the work from process to process, a fraction")
	flags.IntVar(&p.Changes[0].At, "at", p.Changes[0].At, "place of the slow commit")
	flags.Float64Var(&p.Changes[0].Share, "share", p.Changes[0].Share, "work that it adds, a fraction")
	flags.BoolVar(&p.Changes[0].Merged, "merged", false, "put it on a branch that is merged there")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *dir == "" {
		return errors.New("-o is needed")
	}
	p.Broken = slices.DeleteFunc(p.Broken, func(at int) bool { return at >= p.Commits || at == p.Changes[0].At })
	r, err := planted.Plant(filepath.Join(*dir, "repository"), p)
	if err != nil {
		return err
	}
	file, err := r.WriteTarget(filepath.Join(*dir, "targets"), "planted")
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "repository\t%s\ntarget\t%s\ngood\t%s\t%s\nbad\t%s\t%s\n", r.Dir, file, planted.Good, r.Good, planted.Bad, r.Commits[len(r.Commits)-1])
	fmt.Fprintf(out, "slow\t%d\t%s\n", p.Changes[0].At, r.Changes[0])
	for i, hash := range r.Broken {
		fmt.Fprintf(out, "broken\t%d\t%s\n", p.Broken[i], hash)
	}
	return nil
}
