package planted

import (
	"fmt"
	"os"
	"path/filepath"
)

const definition = `title: Planted
homepage: https://example.org/planted
about: A Go server with some work for each request, from a repository with a known culprit.

sources:
  - git:
      repository: %q
      tags: "v{version}"

build: [sh, build.sh]
start: ["{build}/server"]
`

// WriteTarget writes a definition named name of the repository's server into a
// folder of targets (--target-dir), and returns the file.
func (r Repository) WriteTarget(folder, name string) (string, error) {
	file := filepath.Join(folder, name, "target.yaml")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return "", fmt.Errorf("writing a target of %s: %w", r.Dir, err)
	}
	if err := os.WriteFile(file, fmt.Appendf(nil, definition, r.Dir), 0o644); err != nil {
		return "", fmt.Errorf("writing a target of %s: %w", r.Dir, err)
	}
	return file, nil
}
