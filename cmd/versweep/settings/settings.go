// Package settings is versweep.yaml as it is written: what nightly sweeps, how,
// and whom it tells. It is read strictly, and each flaw is told with its place.
// What the values mean is checked where the flags of versweep run are, in
// cmd/versweep, by the same code.
package settings

import "time"

// Settings is a whole versweep.yaml. Unknown keys are errors. Names of files
// and folders count from the folder that it is in.
type Settings struct {
	// Store is the SQLite file that holds all results; versweep.db when empty.
	Store string `yaml:"store"`
	// TargetDir is the folder of your own targets; targets beside the store
	// when empty.
	TargetDir string `yaml:"target_dir"`
	// Cache is the folder of fetched builds; versweep in the user's cache
	// folder when empty.
	Cache string `yaml:"cache"`
	// CABundle is a PEM file of the certificates that builds in containers
	// trust, where a proxy signs with its own; none when empty.
	CABundle string `yaml:"ca_bundle"`
	// KeepImages says whether the engine's images are kept for the next night,
	// up to 20 GiB and 30 days; true when left out.
	KeepImages *bool `yaml:"keep_images"`

	// Every is how often nights are meant to run, such as 24h or 7d; 24h when
	// left out. A night that is asked for earlier still runs.
	Every Period `yaml:"every"`
	// Budget bounds the measuring of a whole night, over all targets, such as
	// 2h; no limit when left out.
	Budget Period `yaml:"budget"`

	// Defaults are laid under every target: what a target leaves out is taken
	// from here.
	Defaults Sweeping `yaml:"defaults"`
	// Targets are swept one after the other, in this order.
	Targets []Target `yaml:"targets"`
	// Outputs are the files that are written at the end of each night.
	Outputs Outputs `yaml:"outputs"`
	// Notify lists whom changes are told to; the summary and the annotations of
	// GitHub Actions need no entry.
	Notify []Channel `yaml:"notify"`
}

// Target is one target and how it is swept.
type Target struct {
	// Name is the target's name: one of versweep targets, or one of your own.
	Name     string `yaml:"name"`
	Sweeping `yaml:",inline"`
}

// Sweeping says how a target is swept. Keys that versweep run has flags of the
// same name for mean the same, and have the same defaults.
type Sweeping struct {
	// Source is where versions come from; the first of the target's that
	// answers when empty.
	Source string `yaml:"source"`
	// Launcher is docker, process or auto.
	Launcher string `yaml:"launcher"`
	// Versions is the range that is kept fresh: ">=18 <23", "0.10.x",
	// "18,20.11.1,latest"; all when empty.
	Versions string `yaml:"versions"`
	// Per keeps the newest of each line, minor or patch release.
	Per string `yaml:"per"`
	// Prereleases takes prereleases too.
	Prereleases *bool `yaml:"prereleases"`

	// Profile is the named load that the next keys change.
	Profile string `yaml:"profile"`
	// Connections are kept busy at once.
	Connections *int `yaml:"connections"`
	// Duration is the measuring window of a sample.
	Duration *time.Duration `yaml:"duration"`
	// Warmup is the same load before the window, thrown away.
	Warmup *time.Duration `yaml:"warmup"`
	// Timeout is for connecting, and again for each answer.
	Timeout *time.Duration `yaml:"timeout"`

	// Rounds are the samples of each version: a number, or MIN:MAX.
	Rounds Rounds `yaml:"rounds"`
	// Effect is the smallest change of interest, such as 3% or 0.03.
	Effect Share `yaml:"effect"`
	// Reference is the version sampled in every round and twice; the newest
	// stable one when empty, kept for later nights.
	Reference string `yaml:"reference"`
	// ServerCPUs are those of the server, such as 0 or 0-3; the first when
	// empty.
	ServerCPUs CPUs `yaml:"server_cpus"`
	// LoadCPUs are those of the load engine; the rest when empty.
	LoadCPUs CPUs `yaml:"load_cpus"`

	// Fresh is how old a version's newest samples may grow before it is
	// measured again with what is left of the budget; 30d when left out.
	Fresh Period `yaml:"fresh"`
	// Budget bounds the measuring of this target in one night; only the whole
	// night's when left out.
	Budget Period `yaml:"budget"`
	// Metrics are those that are judged and told of; all when empty.
	Metrics []string `yaml:"metrics"`
	// MinChange is the regression from which on it is told of and counts for the
	// exit status, such as 5%; every one when left out.
	MinChange Share `yaml:"min_change"`
	// Improvements tells of improvements too; false when left out.
	Improvements *bool `yaml:"improvements"`
}

// Outputs are what a night writes besides the store. "{target}" in the name of a
// file stands for the target's name.
type Outputs struct {
	// Report is the folder of HTML pages; none when empty.
	Report string `yaml:"report"`
	// Charts is the .png or .svg file of each target's trend, such as
	// charts/{target}.png; none when empty.
	Charts string `yaml:"charts"`
	// Export lists files for other tools.
	Export []Export `yaml:"export"`
}

// Export is one file for another tool.
type Export struct {
	// Format is one of those that versweep export has.
	Format string `yaml:"format"`
	// Better is, of github-action, whether the metrics are written that are better
	// when bigger, or smaller; bigger when empty.
	Better string `yaml:"better"`
	// File is what is written.
	File string `yaml:"file"`
}

// Channel is one way to tell people: exactly one of its kinds.
type Channel struct {
	Webhook *Webhook `yaml:"webhook"`
	// Command is started once for each notice, without a shell, with the notice
	// as JSON on its standard input: [./tell.sh, --loud].
	Command []string `yaml:"command"`
	// GitHub says whether annotations and a summary are written in GitHub
	// Actions; true when no entry has it.
	GitHub *bool `yaml:"github"`

	// Timeout bounds one try; 30s when left out.
	Timeout Period `yaml:"timeout"`
}

// Webhook is an address that changes are posted to.
type Webhook struct {
	// URL is the address. Who knows it can post there, so url_env is better.
	URL string `yaml:"url"`
	// URLEnv is the environment variable that holds the address.
	URLEnv string `yaml:"url_env"`
	// Format is json, or slack for Slack's incoming webhooks and what
	// understands them.
	Format Format `yaml:"format"`
	// Header is sent along, by name.
	Header map[string]string `yaml:"header"`
	// HeaderEnv is sent along, by name, each value being that of an environment
	// variable: {Authorization: HOOK_AUTHORIZATION}.
	HeaderEnv map[string]string `yaml:"header_env"`
	// Always posts after nights without news too; false when left out.
	Always bool `yaml:"always"`
}

// Format is what a webhook understands.
type Format string

const (
	FormatJSON  Format = "json"
	FormatSlack Format = "slack"
)

// Period is a length of time as time.ParseDuration reads it, or with days:
// "30d", "1d12h".
type Period time.Duration

// Rounds, Share and CPUs are texts that look like numbers, and may be written as
// such.
type (
	Rounds string // "10" or "5:15"
	Share  string // "3%" or "0.03"
	CPUs   string // "0" or "0-3,6"
)
