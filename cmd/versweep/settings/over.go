package settings

import "cmp"

// Over lays s over base: what s says counts, what it leaves out is base's.
func (s Sweeping) Over(base Sweeping) Sweeping {
	metrics := s.Metrics
	if metrics == nil {
		metrics = base.Metrics
	}
	return Sweeping{
		Source: cmp.Or(s.Source, base.Source), Launcher: cmp.Or(s.Launcher, base.Launcher), Versions: cmp.Or(s.Versions, base.Versions),
		Per: cmp.Or(s.Per, base.Per), Prereleases: cmp.Or(s.Prereleases, base.Prereleases),
		Profile: cmp.Or(s.Profile, base.Profile), Connections: cmp.Or(s.Connections, base.Connections), Duration: cmp.Or(s.Duration, base.Duration),
		Warmup: cmp.Or(s.Warmup, base.Warmup), Timeout: cmp.Or(s.Timeout, base.Timeout),
		Rounds: cmp.Or(s.Rounds, base.Rounds), Effect: cmp.Or(s.Effect, base.Effect), Reference: cmp.Or(s.Reference, base.Reference),
		ServerCPUs: cmp.Or(s.ServerCPUs, base.ServerCPUs), LoadCPUs: cmp.Or(s.LoadCPUs, base.LoadCPUs),
		Fresh: cmp.Or(s.Fresh, base.Fresh, defaultFresh), Budget: cmp.Or(s.Budget, base.Budget), Metrics: metrics,
		MinChange: cmp.Or(s.MinChange, base.MinChange), Improvements: cmp.Or(s.Improvements, base.Improvements),
	}
}
