//go:build linux

package runtimes

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/image"

	"versweep/sweep"
	"versweep/sweep/load"
)

// A server for an image that has no more than Perl.
const perlServer = `use IO::Socket::INET;
$SIG{TERM} = sub { exit };
my $port = IO::Socket::INET->new(Listen => 128, LocalAddr => "127.0.0.1:$ENV{PORT}", ReuseAddr => 1) or die $!;
while (my $c = $port->accept) {
    while (my $line = <$c>) {
        next if $line ne "\r\n";
        print $c "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 12\r\nConnection: close\r\n\r\nHello World\n";
        last;
    }
    close $c;
}
`

// Releases are built by the target's Dockerfile from the files of their tags, and
// so is any commit. One fails, with the builder's words; the others are measured.
func TestEngineBuildsGitReleases(t *testing.T) {
	t.Parallel()
	e := needEngine(t)
	t.Cleanup(func() { removeImages(t, e, "server") })
	dir := t.TempDir()
	runGit(t, dir, "init", "-q")
	commitFiles(t, dir, map[string]string{"server.pl": perlServer, "configure": "echo configured $VERSION\n"})
	runGit(t, dir, "tag", "v1.0.0")
	commitFiles(t, dir, map[string]string{"configure": "echo no libfoo; exit 7\n"})
	runGit(t, dir, "tag", "v1.1.0")

	s := gitTarget(t, GitSource{Repository: dir}, Recipe{Dockerfile: "Dockerfile", Start: []string{"perl", "/app/server.pl"}})
	s.definition.files = fstest.MapFS{"Dockerfile": {Data: []byte(
		"FROM debian:bookworm-slim\nARG VERSION\nCOPY source /app\nRUN test ! -e /app/.git && VERSION=$VERSION sh /app/configure\n",
	)}}
	usable := sweep.UsableCPUs()
	l, err := newDockerLauncher(t.Context(), e, s, CPUSets{Server: usable[:1], Load: usable[len(usable)-1:]}, staticVersweep(t))
	if err != nil {
		t.Fatal(err)
	}
	found, _ := listed(t, s)
	outcomes, err := s.Obtain(t.Context(), found, l.Image, func(Obtained) {})
	if err != nil {
		t.Fatal(err)
	}
	if broken := outcomes[1]; !strings.Contains(broken.Reason, "returned a non-zero code: 7") || !strings.Contains(strings.Join(broken.Log, "\n"), "no libfoo") {
		t.Errorf("the broken release: %q, log %q", broken.Reason, broken.Log)
	}
	if outcomes[0].Reason != "" {
		t.Fatalf("%+v", outcomes[0])
	}
	commit, err := s.Commit(t.Context(), "v1.1.0~1")
	if err != nil {
		t.Fatal(err)
	}
	commits, err := s.Obtain(t.Context(), []sweep.Version{commit}, l.Image, func(Obtained) {})
	if err != nil || commits[0].Reason != "" {
		t.Fatalf("%+v, %v", commits, err)
	}
	for _, b := range []sweep.Build{outcomes[0].Build, commits[0].Build} {
		instance, err := l.Start(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}
		defer instance.Stop()
		r, err := instance.Load(t.Context(), load.Profile{
			Shape: load.ShapeClosed, Connections: 2, Duration: 300 * time.Millisecond, Timeout: time.Second,
		}, load.Hooks{})
		if err != nil || r.OK == 0 || r.Errors.Total() != 0 {
			t.Errorf("%s: %+v, %v", b.Version, r, err)
		}
	}
}

// A recipe whose build command is for processes is never measured unbuilt.
func TestEngineDoesNotTakeUnbuiltSource(t *testing.T) {
	s := gitTarget(t, GitSource{Repository: everyTagForm(t)}, Recipe{
		Build: []string{"make"}, Start: []string{"{build}/server"}, Image: Image{Base: "debian:bookworm-slim"},
	})
	if _, err := newDockerLauncher(t.Context(), needEngine(t), s, CPUSets{}, ""); err == nil || !strings.Contains(err.Error(), "no Dockerfile") {
		t.Errorf("%v", err)
	}
}

// removeImages removes the images of a target: commits made by a test are new
// each time, and so are their images.
func removeImages(t *testing.T, e *Engine, target string) {
	t.Helper()
	list, err := e.api.ImageList(context.Background(), image.ListOptions{Filters: filters.NewArgs(filters.Arg("label", labelTarget+"="+target))})
	if err != nil {
		t.Error(err)
	}
	for _, i := range list {
		for _, name := range i.RepoTags { // what has no name goes with its child
			if _, err := e.api.ImageRemove(context.Background(), name, image.RemoveOptions{Force: true, PruneChildren: true}); err != nil {
				t.Error(err)
			}
		}
	}
}
