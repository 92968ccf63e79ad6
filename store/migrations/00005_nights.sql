-- Nightly runs, and what they have told of findings and missing results. Sweeps
-- that a night began have its number in their plan.

-- +goose Up

-- AUTOINCREMENT: the number is in plans, so it is never used again.
CREATE TABLE night (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    began_ns INTEGER NOT NULL,
    ended_ns INTEGER -- NULL while it goes on, and for good when it was killed
) STRICT;

-- What was last told. Of a finding it has what judged it then, so that it is
-- known again when it has moved a little, and can be told when it is gone.
CREATE TABLE told (
    target         TEXT NOT NULL CHECK (target <> ''),
    key            TEXT NOT NULL CHECK (key <> ''), -- a finding's id, or missing-…
    state          TEXT NOT NULL CHECK (state <> ''),
    since_ns       INTEGER NOT NULL, -- when it was told first
    at_ns          INTEGER NOT NULL, -- when it was told last
    newest         TEXT, -- newest version with a figure then; of findings
    missing        TEXT, -- version that is missing; NULL for the whole target, and for findings
    reason         TEXT, -- why it is missing
    finding        TEXT, -- NULL when it is about something missing, and so are the rest
    kind           TEXT,
    metric         TEXT, -- key
    from_version   TEXT,
    to_version     TEXT,
    verdict        TEXT,
    finding_state  TEXT,
    change         REAL, -- new/old - 1; NULL when old is 0, and so are lo and hi
    lo             REAL,
    hi             REAL,
    confidence     REAL,
    place_lo       TEXT,
    place_hi       TEXT,
    PRIMARY KEY (target, key)
) STRICT, WITHOUT ROWID;

-- Findings that are told only once fresh rounds have confirmed them.
CREATE TABLE suspicion (
    target         TEXT NOT NULL CHECK (target <> ''),
    finding        TEXT NOT NULL CHECK (finding <> ''), -- its id
    standing       TEXT NOT NULL CHECK (standing IN ('suspected', 'confirmed', 'rejected')),
    since_ns       INTEGER NOT NULL,
    tries          INTEGER NOT NULL CHECK (tries >= 0), -- sweeps that did not decide
    sweep_id       INTEGER REFERENCES sweep (id) ON DELETE SET NULL, -- that settled it
    seen           TEXT, -- what it showed
    kind           TEXT NOT NULL,
    metric         TEXT NOT NULL,
    from_version   TEXT NOT NULL,
    to_version     TEXT NOT NULL,
    verdict        TEXT NOT NULL,
    finding_state  TEXT NOT NULL,
    change         REAL,
    lo             REAL,
    hi             REAL,
    confidence     REAL,
    place_lo       TEXT NOT NULL,
    place_hi       TEXT NOT NULL,
    PRIMARY KEY (target, finding)
) STRICT, WITHOUT ROWID;
