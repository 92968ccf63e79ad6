package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"versweep/charts"
	"versweep/cmd/versweep/settings"
	"versweep/runtimes"
	"versweep/sweep"
	"versweep/sweep/load"
	"versweep/sweep/stats"
)

// readNightly reads and checks a versweep.yaml, with the checks of versweep run
// and before anything is fetched, measured or sent. given tells whether a common
// flag stood on the command line: then it counts more than the file. It sets a.db
// and a.targetDir. What is wrong with the file is a *strictyaml.Error.
func (a *app) readNightly(ctx context.Context, file string, given func(flag string) bool) (*nightlySettings, error) {
	f, err := settings.Read(file)
	if err != nil {
		return nil, err
	}
	switch {
	case given("db"):
	case f.Store != "":
		a.db = f.Path(f.Store)
		if _, err := os.Stat(filepath.Dir(a.db)); errors.Is(err, fs.ErrNotExist) {
			return nil, f.Wrong("store", "its folder is not there", shellLine("mkdir", "-p", filepath.Dir(a.db)))
		}
	case os.Getenv("VERSWEEP_DB") == "":
		a.db = f.Path(defaultDB())
	}
	if f.TargetDir != "" && !given("target-dir") {
		a.targetDir = f.Path(f.TargetDir)
	}
	s := &nightlySettings{file: file, every: time.Duration(f.Every), budget: time.Duration(f.Budget)}
	for i := range f.Targets {
		t, err := a.nightlyTarget(ctx, f, i)
		if err != nil {
			return nil, err
		}
		s.targets = append(s.targets, t)
	}
	if s.outputs, err = checkNightlyOutputs(f, map[string]string{a.db: "the store", file: "the settings"}); err != nil {
		return nil, err
	}
	s.channels, err = a.nightlyChannels(f)
	return s, err
}

// nightlyTarget makes of the target at index i what versweep run would have made
// of the same words as flags.
func (a *app) nightlyTarget(ctx context.Context, f *settings.File, i int) (nightlyTarget, error) {
	s := f.Targets[i].Sweeping.Over(f.Defaults)
	t := nightlyTarget{
		fresh: time.Duration(s.Fresh), improvements: s.Improvements != nil && *s.Improvements,
		placed: func(err error) error { return wrongTarget(f, i, err) },
	}
	var flags runFlags
	cmd := &cobra.Command{}
	flags.add(cmd)
	for _, given := range append(sweepingFlags(s), commonFlags(f)...) {
		if given.value == "" {
			continue
		}
		if err := cmd.Flags().Set(given.flag, given.value); err != nil {
			return t, f.WrongTarget(i, settings.Key(given.flag), err.Error(), "")
		}
	}
	flags.yes = true
	var err error
	if t.order, err = a.check(ctx, f.Targets[i].Name, flags); err != nil {
		return t, wrongTarget(f, i, err)
	}
	if t.adaptive.max < stats.MinPairs { // it would suspect, and never confirm
		return t, wrongTarget(f, i, inKey("rounds", misuse(fmt.Sprintf("--rounds %d:15", stats.MinPairs), "nothing can be settled in fewer than %d rounds", stats.MinPairs)))
	}
	if t.judging, err = (judgingFlags{effect: flags.effect, metrics: s.Metrics, source: s.Source}).options(); err != nil {
		return t, wrongTarget(f, i, err)
	}
	if err := checkWatched(t.definition.Name, s.Metrics, f.Defaults.Metrics); err != nil {
		return t, wrongTarget(f, i, inKey("metrics", err))
	}
	if s.MinChange != "" {
		if t.minChange, err = parseShare("--min-change", string(s.MinChange)); err != nil {
			return t, wrongTarget(f, i, err)
		}
	}
	return t, nil
}

// checkWatched refuses unknown metrics, one that is named twice, and a list of none
// where that does not take back the metrics of the defaults.
func checkWatched(target string, keys, defaults []string) error {
	if keys != nil && len(keys) == 0 && len(defaults) == 0 {
		return misuse("leave metrics out to watch all", "it names no metric")
	}
	for i, key := range keys {
		if slices.Contains(keys[:i], key) {
			return misuse("name each metric once", "%s is there twice", charts.Printable(key))
		}
	}
	return checkMetrics(target, nil, keys)
}

// flagValue is a flag of versweep run as the settings give it; left alone when
// value is empty.
type flagValue struct{ flag, value string }

// sweepingFlags are the keys of a target that versweep run has as flags.
func sweepingFlags(s settings.Sweeping) []flagValue {
	length := func(d *time.Duration) string {
		if d == nil {
			return ""
		}
		return d.String()
	}
	flags := []flagValue{
		{"source", s.Source}, {"launcher", s.Launcher}, {"versions", s.Versions}, {"per", s.Per}, {"prereleases", flagText(s.Prereleases)},
		{"profile", s.Profile}, {"duration", length(s.Duration)}, {"warmup", length(s.Warmup)}, {"timeout", length(s.Timeout)},
		{"rounds", string(s.Rounds)}, {"effect", string(s.Effect)}, {"reference", s.Reference},
		{"server-cpus", string(s.ServerCPUs)}, {"load-cpus", string(s.LoadCPUs)},
	}
	if s.Connections != nil {
		flags = append(flags, flagValue{"connections", strconv.Itoa(*s.Connections)})
	}
	if s.Budget > 0 {
		flags = append(flags, flagValue{"budget", time.Duration(s.Budget).String()})
	}
	return flags
}

// commonFlags are the keys of the top that versweep run has as flags.
func commonFlags(f *settings.File) []flagValue {
	return []flagValue{
		{"cache", f.Path(f.Cache)}, {"ca-bundle", f.Path(f.CABundle)}, {"keep-images", flagText(f.KeepImages)},
	}
}

func flagText(b *bool) string {
	if b == nil {
		return ""
	}
	return strconv.FormatBool(*b)
}

// keyError is an error about the key of a target whose flag its text does not
// name.
type keyError struct {
	key string
	error
}

func (e *keyError) Unwrap() error { return e.error }

func inKey(key string, err error) error { return &keyError{key, err} }

// wrongTarget tells at its place in the file what versweep run would tell of a
// flag. What is no misuse stays as it is.
func wrongTarget(f *settings.File, i int, err error) error {
	if e, ok := errors.AsType[*keyError](err); ok {
		if wrong, ok := errors.AsType[*misuseError](err); ok {
			return f.WrongTarget(i, e.key, wrong.problem, inFile(wrong.hint))
		}
	}
	if e, ok := errors.AsType[*runtimes.UnknownTargetError](err); ok {
		return f.WrongTarget(i, "name", e.Error(), inFile(unknownTargetHint(e)))
	}
	if e, ok := errors.AsType[*sweep.RangeError](err); ok {
		return f.WrongTarget(i, "versions", e.Error(), rangeHint)
	}
	if e, ok := errors.AsType[*load.MisuseError](err); ok {
		return f.WrongTarget(i, settings.Key(e.What), e.Why, inFile(e.Hint))
	}
	if e, ok := errors.AsType[*hintedError](err); ok {
		return &hintedError{e.error, inFile(e.hint)}
	}
	e, ok := errors.AsType[*misuseError](err)
	if !ok {
		return err
	}
	if strings.HasPrefix(e.problem, "$") { // the environment's fault, not the file's
		return err
	}
	// What is about a flag begins with it: "--rounds: …", "--target-dir x: …".
	flag, problem, _ := strings.Cut(e.problem, ": ")
	words := strings.Fields(flag)
	if len(words) == 0 || !strings.HasPrefix(words[0], "--") || problem == "" {
		return f.WrongTarget(i, "", charts.Printable(inFile(e.problem)), inFile(e.hint))
	}
	key := settings.Key(words[0])
	if slices.Contains(f.TopKeys(), key) {
		return f.Wrong(key, problem, inFile(e.hint))
	}
	return f.WrongTarget(i, key, problem, inFile(e.hint))
}

var flagInText = regexp.MustCompile(`--([a-z][a-z-]*)( [0-9'])?`)

// inFile says in the words of the file what is said in those of the command line:
// "rounds: 5:30" for "--rounds 5:30". Command lines that are to be typed stay.
func inFile(text string) string {
	parts := strings.Split(text, "; ")
	for i, part := range parts {
		typed := ""
		if at := strings.Index(part, "versweep "); at >= 0 {
			part, typed = part[:at], part[at:]
		}
		parts[i] = flagInText.ReplaceAllStringFunc(part, func(found string) string {
			m := flagInText.FindStringSubmatch(found)
			if m[2] != "" {
				return settings.Key(m[1]) + ":" + m[2]
			}
			return settings.Key(m[1])
		}) + typed
	}
	return strings.Join(parts, "; ")
}
