package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"versweep/cmd/versweep/settings"
	"versweep/docs"
)

// nightlySchemaFile lies beside versweep.yaml, whose first line points editors to
// it.
const nightlySchemaFile = "nightly.schema.json"

func (a *app) nightlySchemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "schema",
		Short:   "Print the JSON schema of versweep.yaml, for editors",
		Example: "  versweep nightly schema >" + nightlySchemaFile,
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := a.stdout.Write(docs.NightlySchema)
			return err
		},
	}
}

func (a *app) nightlyInitCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "init [FILE]",
		Short: "Write commented settings for nightly sweeps",
		Long: `init writes settings that work as they are, to be changed into your own:
` + settings.Name + ` in the working folder, or FILE. Beside it goes the schema that its first
line names to editors. Nothing is overwritten.`,
		Example: "  versweep nightly init\n  versweep nightly init sweeps/" + settings.Name,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			file := settings.Name
			if len(args) > 0 {
				file = args[0]
			}
			return a.initNightly(file)
		},
	}
}

func (a *app) initNightly(file string) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	switch {
	case errors.Is(err, fs.ErrExist):
		return misuse("name another file, or move what is there away", "%s is there already", file)
	case err != nil:
		return &hintedError{fmt.Errorf("writing settings: %w", err), "name a file in a folder that is there and that you may write to"}
	}
	_, err = f.Write(settings.Skeleton)
	if err := errors.Join(err, f.Close()); err != nil {
		return errors.Join(fmt.Errorf("writing %s: %w", file, err), os.Remove(file))
	}
	files := []string{file}
	schema, err := a.writeEditorSchema(filepath.Join(filepath.Dir(file), nightlySchemaFile), docs.NightlySchema, "urn:versweep:nightly")
	if err != nil {
		return err
	}
	if schema != "" {
		files = append(files, schema)
	}
	next := shellLine("versweep", "nightly")
	if file != settings.Name {
		next = shellLine("versweep", "nightly", "--config", file)
	}
	if a.json {
		return a.printJSON(struct {
			Schema int      `json:"schema"`
			Files  []string `json:"files"`
			Next   []string `json:"next"`
		}{jsonSchema, files, []string{next}})
	}
	for _, f := range files {
		fmt.Fprintln(a.stdout, "wrote "+f)
	}
	fmt.Fprintln(a.stdout, "next: "+next)
	return nil
}
