package settings

import _ "embed"

// Skeleton is a versweep.yaml that works as it is, with comments for people who
// write their own.
//
//go:embed skeleton.yaml
var Skeleton []byte
