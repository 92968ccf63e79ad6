package runtimes

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"versweep/sweep"
)

// The test binary is its own load engine, as versweep is, and its own servers:
// real processes that misbehave as told.
func TestMain(m *testing.M) {
	switch {
	case len(os.Args) > 1 && os.Args[1] == EngineCommand:
		if err := ServeEngine(context.Background(), os.Stdin, os.Stdout, 0); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	case os.Getenv("FAKE_SERVER") != "":
		fakeServer(os.Getenv("FAKE_SERVER"))
	default:
		status := m.Run()
		removeBuiltPrograms()
		os.Exit(status)
	}
}

// builtVersweep is the program, built once for all tests.
var builtVersweep = sync.OnceValues(func() (string, error) {
	file := builtPrograms() + "versweep"
	cmd := exec.Command("go", "build", "-o", file, "versweep/cmd/versweep")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return file, nil
})

// builtPrograms begins the names of this test run's own programs.
func builtPrograms() string { return fmt.Sprintf("%s/versweep-test-%d-", os.TempDir(), os.Getpid()) }

func removeBuiltPrograms() {
	files, _ := filepath.Glob(builtPrograms() + "*")
	for _, f := range files {
		os.Remove(f)
	}
}

func fakeServer(how string) {
	status, body := 200, "Hello World\n"
	switch how {
	case "missing library":
		fmt.Fprintln(os.Stderr, "error while loading shared libraries: libfoo.so.1")
		os.Exit(127)
	case "joins a socket": // as "docker system dial-stdio" does
		joinSocket(os.Args[1])
		return
	case "looks around":
		lookAround()
		os.Exit(7)
	case "never listens":
		time.Sleep(time.Hour)
	case "not found":
		status = 404
	case "another body":
		body = "It works!\n"
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
		child := exec.Command("sleep", "3600")
		if err := child.Start(); err != nil {
			panic(err)
		}
	}
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	})
	fmt.Println("listening")
	fmt.Fprintln(os.Stderr, http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil))
	os.Exit(1)
}

// lookAround prints what a server is given, a fact a line.
func lookAround() {
	for _, variable := range os.Environ() {
		fmt.Println("variable", variable)
	}
	open, _ := filepath.Glob("/proc/self/fd/*")
	for _, link := range open {
		to, err := os.Readlink(link)
		if err == nil && !strings.HasPrefix(to, "anon_inode:") && !strings.HasPrefix(to, "/sys/fs/cgroup/") {
			fmt.Println("descriptor", filepath.Base(link), to)
		}
	}
	dir, _ := os.Getwd()
	info, _ := os.Stat(dir)
	fmt.Println("folder", dir, info.Mode())
	fmt.Println("leads its group", syscall.Getpgrp() == os.Getpid())
}

func joinSocket(socket string) {
	conn, err := net.Dial("unix", socket)
	if err != nil {
		panic(err)
	}
	go io.Copy(conn, os.Stdin)
	io.Copy(os.Stdout, conn)
}

// fakeTarget is a target whose server is this test binary.
func fakeTarget(t *testing.T, how string) (*Supply, sweep.Build) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	d := &Definition{Name: "fake", Title: "Fake", Recipe: Recipe{Start: []string{self}, Env: map[string]string{"FAKE_SERVER": how}}}
	d.fillIn()
	d.Answer.Timeout = 5 * time.Second
	return &Supply{definition: d, recipe: d.Recipe}, sweep.Build{Version: "1.0.0", Dir: t.TempDir()}
}

// embeddedTarget is a target of the catalogue.
func embeddedTarget(t testing.TB, name string) *Definition {
	t.Helper()
	catalog, err := EmbeddedCatalog()
	if err != nil {
		t.Fatal(err)
	}
	d, err := catalog.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func emptyCache(t testing.TB) *Cache {
	t.Helper()
	cache, err := OpenCache(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return cache
}

// fakeCommand puts a shell script of that name first on the path.
func fakeCommand(t *testing.T, name, script string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}
