// Package docs holds the pages and files of this folder that the program hands
// out.
package docs

import _ "embed"

// TargetSchema is the JSON schema of target.yaml. It is written by
// go test ./runtimes -run Schema -update.
//
//go:embed target.schema.json
var TargetSchema []byte
