// Command calibrate measures how often the methods of package stats go wrong,
// on simulated samples of which the truth is known, and prints the tables of
// docs/method.md. Seeds are fixed: the same program prints the same figures.
//
// `make calibrate` runs it; FLAGS="-only pairs -runs 500" picks a section.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// section prints one part, in Markdown, from so many simulated runs a figure.
type section struct {
	name  string
	print func(out io.Writer, runs int)
}

// sections are in the order in which they are printed.
var sections = []section{
	{"coverage", coverage},
	{"pairs", pairs},
	{"families", families},
	{"steps", steps},
	{"sweeps", sweeps},
	{"intervals", intervals},
	{"nights", nights},
	{"machine", machine},
}

// onlyAsked are the sections that are no simulations: they measure this machine,
// and are printed only when they are named.
var onlyAsked = []string{"machine"}

func main() {
	if err := calibrate(os.Args[1:], os.Stdout); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "calibrate:", err)
		os.Exit(2)
	}
}

// calibrate prints as it goes, since some rows take a minute.
func calibrate(args []string, stdout io.Writer) error {
	var names []string
	for _, s := range sections {
		names = append(names, s.name)
	}
	flags := flag.NewFlagSet("calibrate", flag.ContinueOnError)
	runs := flags.Int("runs", 4000, "simulated comparisons or sweeps behind each figure")
	only := flags.String("only", "", "sections to print, with commas: "+strings.Join(names, ", ")+"; default all but "+strings.Join(onlyAsked, ", "))
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *runs < 1 || flags.NArg() > 0 {
		return fmt.Errorf("-runs is at least 1, and there are no arguments")
	}
	wanted := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(onlyAsked, name) })
	if *only != "" {
		wanted = strings.Split(*only, ",")
	}
	for _, name := range wanted {
		if !slices.Contains(names, name) {
			return fmt.Errorf("there is no section %q, only %s", name, strings.Join(names, ", "))
		}
	}
	for _, s := range sections {
		if slices.Contains(wanted, s.name) {
			s.print(stdout, *runs)
		}
	}
	return nil
}
