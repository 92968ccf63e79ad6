package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"versweep/charts"
	"versweep/sweep"
)

func (a *app) chartCommand() *cobra.Command {
	var picture, metric, posts, with string
	var options charts.Options
	cmd := &cobra.Command{
		Use:     "chart TARGET -o FILE.png",
		Short:   "Draw the trend of the latest sweep by version",
		Example: "  versweep chart node --metric p99_ms -o node-p99.svg",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if picture == "" {
				return misuse("-o FILE.png or -o FILE.svg", "there is no file to draw into")
			}
			if err := checkPicture(picture); err != nil {
				return err
			}
			if cmd.Flags().Changed("published") {
				d, err := publishedOf(args[0], posts)
				if err != nil {
					return err
				}
				return a.drawPublished(picture, d, metric, cmd.Flags().Changed("metric"), options)
			}
			t, err := a.latestTable(cmd.Context(), args[0])
			if unknown := checkMetric(t.Plan, metric); unknown != nil {
				return unknown
			}
			if err != nil {
				return err
			}
			if !cmd.Flags().Changed("metric") {
				metric = mainMetric(t)
			}
			switch with {
			case "":
			case "published":
				m, err := findMetric(t.Plan, metric)
				if err != nil {
					return err
				}
				if options.With, err = publishedBeside(t, m); err != nil {
					return err
				}
			default:
				return misuse("use published", "--with: unknown value %q", with)
			}
			if err := writePicture(picture, t, metric, options); err != nil {
				return err
			}
			a.say("wrote %s", picture)
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&picture, "output", "o", "", "the picture, a .png or .svg file (no default)")
	flags.StringVar(&metric, "metric", sweep.QPS, "what to draw: "+metricKeys())
	flags.BoolVar(&options.LogY, "log", false, "logarithmic axis")
	addPublishedFlag(flags, &posts)
	flags.StringVar(&with, "with", "", "published: draw what posts measured of the same releases beside it (default nothing)")
	return cmd
}

// checkPicture makes sure, before any work, that a picture can be written.
func checkPicture(file string) error {
	if _, err := charts.FormatOf(file); err != nil {
		return misuse("name it FILE.png or FILE.svg", "-o: %v", err)
	}
	return checkOutput(file)
}

// checkOutput makes sure, before any work, that a file can be written.
func checkOutput(file string) error {
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return misuse("name a file in it", "-o %s: this is a folder", file)
	}
	probe, err := os.CreateTemp(filepath.Dir(file), ".versweep-")
	if err != nil {
		return &hintedError{fmt.Errorf("-o %s: its folder cannot be written to: %w", file, errors.Unwrap(err)), "name a file in a folder that you may write to"}
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

func writePicture(file string, t sweep.Table, metric string, o charts.Options) error {
	m, err := findMetric(t.Plan, metric)
	if err != nil {
		return err
	}
	if o.Format, err = charts.FormatOf(file); err != nil {
		return err
	}
	return writeWhole(file, func(w io.Writer) error { return charts.Trend(w, t, m, o) })
}

// writeWhole writes a file so that it is there whole or not at all.
func writeWhole(file string, write func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(file), ".versweep-")
	if err != nil {
		return fmt.Errorf("writing %s: %w", file, err)
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	if err := errors.Join(write(f), f.Chmod(0o644), f.Close()); err != nil {
		return fmt.Errorf("writing %s: %w", file, err)
	}
	return os.Rename(f.Name(), file)
}
