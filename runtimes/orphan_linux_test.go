package runtimes

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// working starts a shell that leads a process group and works in folder, and a
// child of it; it returns both.
func working(t *testing.T, folder string) (leader *exec.Cmd, child int) {
	t.Helper()
	leader = exec.Command("sh", "-c", "sleep 60 & echo $!; wait")
	leader.Dir, leader.SysProcAttr = folder, &syscall.SysProcAttr{Setpgid: true}
	out, err := leader.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := leader.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Kill(-leader.Process.Pid, syscall.SIGKILL); leader.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if child, err = strconv.Atoi(strings.TrimSpace(line)); err != nil {
		t.Fatal(err)
	}
	return leader, child
}

// The kernel ends a server with the program that was killed, but not the server's
// own children. The next start does, and leaves a person's shell alone.
func TestWhatAKilledServerStartedIsEnded(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, runFolderPrefix+thisMachine()+"-999999999-5-123")
	if err := os.MkdirAll(filepath.Join(folder, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	server, worker := working(t, filepath.Join(folder, "sub"))
	_, person := working(t, folder)
	server.Process.Kill()
	server.Wait()
	if !alive(worker) {
		t.Fatal("the worker ended with its server: nothing is shown")
	}
	if err := removeRunFolders(dir); err != nil {
		t.Fatal(err)
	}
	if alive(worker) {
		t.Error("the worker goes on")
	}
	if !alive(person) {
		t.Error("a person's process was ended")
	}
	if _, err := os.Stat(folder); err == nil {
		t.Error("the folder is there")
	}
}

func TestScratchFoldersOfGoneProcessesAreRemoved(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	c, err := OpenCache(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	mine, err := c.scratchFolder("build")
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(c.scratch(), "build-00000000-999999999-5-123")
	gone := filepath.Join(c.scratch(), "build-"+thisMachine()+"-999999999-5-123")
	old := filepath.Join(c.scratch(), "build-1234")
	for _, folder := range []string{elsewhere, gone, old} {
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	yesterday := time.Now().Add(-25 * time.Hour)
	if err := os.Chtimes(old, yesterday, yesterday); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenCache(c.dir); err != nil {
		t.Fatal(err)
	}
	for folder, stays := range map[string]bool{mine: true, elsewhere: true, gone: false, old: false} {
		if _, err := os.Stat(folder); (err == nil) != stays {
			t.Errorf("%s: stays %v, want %v", filepath.Base(folder), err == nil, stays)
		}
	}
}

// A command ends with the program that started it, however that ends.
func TestBuildDoesNotOutliveAKill(t *testing.T) {
	parent := exec.Command(os.Args[0], "-test.run=^TestBuildDoesNotOutliveAKill$")
	parent.Env = append(os.Environ(), "VERSWEEP_TEST_BUILDS=1")
	if os.Getenv("VERSWEEP_TEST_BUILDS") != "" {
		build := exec.CommandContext(t.Context(), "sh", "-c", "echo $$; exec sleep 60")
		build.Stdout = os.Stderr
		runGroup(build, newBuildMemory(0, 0))
		return
	}
	out, err := parent.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	parent.Process.Kill()
	parent.Wait()
	for end := time.Now().Add(5 * time.Second); alive(pid); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			syscall.Kill(pid, syscall.SIGKILL)
			t.Fatal("the build goes on")
		}
	}
}
