package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"versweep/docs"
	"versweep/runtimes"
)

func (a *app) initCommand() *cobra.Command {
	var from string
	cmd := &cobra.Command{
		Use:   "init NAME",
		Short: "Write a commented definition of a target of your own",
		Long: `init writes a folder with a definition and a hello-world program that can be
swept as they are, to be changed into a target of your own: targets/NAME beside
the store, or NAME in the folder that --target-dir names. Nothing is overwritten.`,
		Example: `  versweep init mine
  versweep init fasthttp-prefork --from gomod`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return a.init(args[0], from)
		},
	}
	cmd.Flags().StringVar(&from, "from", runtimes.SkeletonKinds()[0], "where its versions come from: "+strings.Join(runtimes.SkeletonKinds(), ", "))
	return cmd
}

func (a *app) init(name, from string) error {
	if !runtimes.ValidTargetName(name) {
		return misuse(runtimes.TargetNameRule, "%q is not a target's name", name)
	}
	if kinds := runtimes.SkeletonKinds(); !slices.Contains(kinds, from) {
		return misuse("use "+strings.Join(kinds, ", "), "--from: unknown value %q", from)
	}
	files, err := runtimes.WriteSkeleton(a.targetFolder(), name, from)
	if errors.Is(err, runtimes.ErrTargetExists) {
		return misuse("take another name, or move what is there away", "%v", err)
	}
	if err != nil {
		return err
	}
	schema, err := a.writeSchema()
	if err != nil {
		return err
	}
	if schema != "" {
		files = append(files, schema)
	}
	if _, err := a.findTarget(name); err != nil {
		return fmt.Errorf("reading what was written: %w", err)
	}
	next := []string{a.commandLine("versions", name), a.commandLine("run", name, "--versions", "latest", "--rounds", "1")}
	if a.json {
		return a.printJSON(struct {
			Schema int      `json:"schema"`
			Target string   `json:"target"`
			Files  []string `json:"files"`
			Next   []string `json:"next"`
		}{jsonSchema, name, files, next})
	}
	for _, f := range files {
		fmt.Fprintln(a.stdout, "wrote "+f)
	}
	fmt.Fprintf(a.stdout, "next: %s\n      %s\n", next[0], next[1])
	return nil
}

// schemaFile lies beside the targets' folders, where the first line of each
// definition points editors to.
const schemaFile = "target.schema.json"

// writeSchema writes the schema beside the targets' folders and returns its
// name; empty when it was there. One of another versweep is replaced, a file of
// something else is not.
func (a *app) writeSchema() (string, error) {
	return a.writeEditorSchema(filepath.Join(a.targetFolder(), schemaFile), docs.TargetSchema, "urn:versweep:target")
}

// writeEditorSchema writes a schema that is known by its ID, as writeSchema does.
func (a *app) writeEditorSchema(file string, schema []byte, id string) (string, error) {
	there, err := os.ReadFile(file)
	switch {
	case err == nil && bytes.Equal(there, schema):
		return "", nil
	case err == nil && !bytes.Contains(there, []byte(strconv.Quote(id))):
		a.warn("%s is something else and was left as it is: editors will not know the form", file)
		return "", nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("writing the schema for editors: %w", err)
	}
	return file, writeWhole(file, func(w io.Writer) error {
		_, err := w.Write(schema)
		return err
	})
}

// commandLine is a command as the user would type it, with the flags that say
// where the store and the targets are.
func (a *app) commandLine(args ...string) string {
	return shellLine(append([]string{"versweep"}, args...)...) + a.placeFlags()
}

// placeFlags are the flags, as they are typed behind a command, that say where the
// store and the targets are; empty where they are in their usual places.
func (a *app) placeFlags() (flags string) {
	if a.db != "" && a.db != defaultDB() {
		flags += " " + shellLine("--db", a.db)
	}
	if a.targetDir != "" {
		flags += " " + shellLine("--target-dir", a.targetDir)
	}
	return flags
}

// shellLine is a command as it is typed to a shell.
func shellLine(words ...string) string {
	words = slices.Clone(words)
	for i, w := range words {
		if strings.ContainsFunc(w, notPlain) {
			words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

// notPlain tells what a shell may take for something else.
func notPlain(r rune) bool {
	return !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune("-_./:@,+=", r))
}
