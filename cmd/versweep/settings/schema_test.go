package settings

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"versweep/runtimes/strictyaml/yamlschema"
)

var update = flag.Bool("update", false, "write docs/nightly.schema.json anew")

const schemaFile = "../../../docs/nightly.schema.json"

func TestSchemaFollowsTheTypes(t *testing.T) {
	comments, err := yamlschema.ReadComments(".")
	if err != nil {
		t.Fatal(err)
	}
	want, err := yamlschema.File{
		ID: "urn:versweep:nightly", Title: "What versweep nightly does: versweep.yaml", Form: Document.Form, Comments: comments,
		Required: map[string][]string{"Settings": {"targets"}, "Target": {"name"}, "Export": {"format", "file"}},
		OneOf:    map[string][]string{"Channel": {"webhook", "command", "github"}, "Webhook": {"url", "url_env"}},
	}.Write()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(schemaFile, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what the Go types say; write it anew: go test ./cmd/versweep/settings -run Schema -update", schemaFile)
	}
}
