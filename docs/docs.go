// Package docs holds the pages and files of this folder that the program hands
// out.
package docs

import _ "embed"

// TargetSchema is the JSON schema of target.yaml. It is written by
// go test ./runtimes -run Schema -update.
//
//go:embed target.schema.json
var TargetSchema []byte

// NightlySchema is the JSON schema of versweep.yaml. It is written by
// go test ./cmd/versweep/settings -run Schema -update.
//
//go:embed nightly.schema.json
var NightlySchema []byte
