package yamlschema

import (
	"bytes"
	"encoding/json"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Compiled is a published schema, as an editor uses it.
type Compiled struct{ schema *jsonschema.Schema }

// Compile reads a schema's file.
func Compile(file string) (Compiled, error) {
	s, err := jsonschema.NewCompiler().Compile(file)
	return Compiled{s}, err
}

// Validate says what the schema has against a YAML text.
func (c Compiled) Validate(text []byte) error {
	var document any
	if err := yaml.Unmarshal(text, &document); err != nil {
		return err
	}
	asJSON, err := json.Marshal(document)
	if err != nil {
		return err
	}
	if document, err = jsonschema.UnmarshalJSON(bytes.NewReader(asJSON)); err != nil {
		return err
	}
	return c.schema.Validate(document)
}
