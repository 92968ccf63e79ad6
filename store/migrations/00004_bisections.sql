-- Searches for the version or commit in which a metric changed.

-- +goose Up

CREATE TABLE bisection (
    id          INTEGER PRIMARY KEY AUTOINCREMENT, -- in logs, so never used again
    part_of     INTEGER REFERENCES bisection (id), -- whose versions it looks between, for the commit
    target      TEXT NOT NULL CHECK (target <> ''),
    source      TEXT NOT NULL,
    good        TEXT NOT NULL, -- version name
    bad         TEXT NOT NULL,
    metric      TEXT NOT NULL, -- key
    effect      REAL NOT NULL, -- smallest of interest, a fraction
    options     TEXT NOT NULL, -- JSON of what else decides how it goes
    created_ns  INTEGER NOT NULL,
    finished_ns INTEGER,
    owner       TEXT, -- the process that carries it out; NULL when none does
    answer      TEXT -- JSON; NULL while it is not finished
) STRICT;

-- The sweeps that a bisection takes are chosen by what came before and are no
-- part of a target's trend: only the bisection reads them.
ALTER TABLE sweep ADD COLUMN bisection_id INTEGER REFERENCES bisection (id);
ALTER TABLE sweep ADD COLUMN trial INTEGER CHECK (trial >= 1); -- of the bisection, in order
CREATE UNIQUE INDEX sweep_trial ON sweep (bisection_id, trial) WHERE bisection_id IS NOT NULL;
