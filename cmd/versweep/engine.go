package main

import (
	"time"

	"github.com/spf13/cobra"

	"versweep/runtimes"
)

// engineCommand makes this program its own load engine. The launchers start it;
// people have no use for it.
func (a *app) engineCommand() *cobra.Command {
	var wait time.Duration
	cmd := &cobra.Command{
		Use:    runtimes.EngineCommand,
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runtimes.ServeEngine(cmd.Context(), a.stdin, a.stdout, wait)
		},
	}
	cmd.Flags().DurationVar(&wait, "await", 0, "first wait so long for the right answer")
	return cmd
}
