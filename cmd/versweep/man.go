package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func (a *app) manCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write the manual pages, one for each command",
		Long: `man writes a manual page for each command into DIR, made from the same texts
as --help.`,
		Example: "  versweep man ~/.local/share/man/man1",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.writeManual(cmd.Root(), args[0])
		},
	}
}

func (a *app) writeManual(root *cobra.Command, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("making the folder of manual pages: %w", err)
	}
	// The date of the day would make every build's pages different.
	undated := time.Unix(0, 0).UTC()
	root.DisableAutoGenTag = true
	header := &doc.GenManHeader{Section: "1", Source: "versweep", Manual: "versweep", Date: &undated}
	if err := doc.GenManTree(root, header, dir); err != nil {
		return fmt.Errorf("writing manual pages to %s: %w", dir, err)
	}
	pages, err := filepath.Glob(filepath.Join(dir, "versweep*.1"))
	if err != nil {
		return err
	}
	for _, page := range pages {
		fmt.Fprintln(a.stdout, "wrote "+page)
	}
	return nil
}
