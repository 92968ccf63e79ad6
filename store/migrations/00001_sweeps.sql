-- The first schema: sweeps, what they ran on, and what was measured.
--
-- Times are nanoseconds since 1970 in UTC (_ns), as are lengths of time; sizes
-- are bytes (_bytes). NULL is "unknown" or "none", never 0. There is no way
-- down: before a migration the whole file is copied.

-- +goose Up

-- Machines as sweep.Environment describes them, one row for each hash.
CREATE TABLE environment (
    id   INTEGER PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    json TEXT NOT NULL
) STRICT;

-- Loads. The hash is over the JSON, which leaves the profile's name out: a
-- load that was renamed is still the same load.
CREATE TABLE profile (
    id   INTEGER PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    json TEXT NOT NULL
) STRICT;

-- What can be compared over time: one target from one source under one profile
-- in one environment, and the reference that ties its sweeps together.
CREATE TABLE series (
    id             INTEGER PRIMARY KEY,
    target         TEXT NOT NULL CHECK (target <> ''),
    source         TEXT NOT NULL,
    profile_id     INTEGER NOT NULL REFERENCES profile (id),
    environment_id INTEGER NOT NULL REFERENCES environment (id),
    reference      TEXT CHECK (reference <> '') -- version name; set once
) STRICT;
CREATE UNIQUE INDEX series_once ON series (target, source, profile_id, environment_id);

-- AUTOINCREMENT: the id is on containers and in logs, so it is never used again.
CREATE TABLE sweep (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    series_id   INTEGER NOT NULL REFERENCES series (id),
    created_ns  INTEGER NOT NULL,
    finished_ns INTEGER,
    owner       TEXT, -- the process that carries it out; NULL when none does
    plan        TEXT NOT NULL -- JSON of sweep.Plan without its versions
) STRICT;
CREATE INDEX sweep_series ON sweep (series_id);
CREATE INDEX sweep_unfinished ON sweep (id) WHERE finished_ns IS NULL;

-- A plan's versions; ordinal is the place in version order, from 0.
CREATE TABLE version (
    sweep_id   INTEGER NOT NULL REFERENCES sweep (id) ON DELETE CASCADE,
    ordinal    INTEGER NOT NULL,
    name       TEXT NOT NULL,
    raw        TEXT NOT NULL,
    source     TEXT NOT NULL,
    line       TEXT NOT NULL,
    prerelease INTEGER NOT NULL,
    git_commit TEXT,
    digest     TEXT,
    PRIMARY KEY (sweep_id, ordinal),
    UNIQUE (sweep_id, name)
) STRICT, WITHOUT ROWID;

-- What became of a version; no row while it is still to be obtained.
CREATE TABLE outcome (
    sweep_id INTEGER NOT NULL,
    ordinal  INTEGER NOT NULL,
    reason   TEXT, -- why it was not measured
    log      TEXT, -- last lines of the build
    PRIMARY KEY (sweep_id, ordinal),
    FOREIGN KEY (sweep_id, ordinal) REFERENCES version (sweep_id, ordinal) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- The build that an outcome measured; no row when none could be had.
CREATE TABLE build (
    sweep_id   INTEGER NOT NULL,
    ordinal    INTEGER NOT NULL,
    version    TEXT NOT NULL,
    dir        TEXT,
    runtime    TEXT, -- folder of the runtime that runs it
    base       TEXT, -- image that it comes in, by digest
    image      TEXT,
    digest     TEXT,
    size_bytes INTEGER NOT NULL,
    from_cache INTEGER NOT NULL,
    PRIMARY KEY (sweep_id, ordinal),
    FOREIGN KEY (sweep_id, ordinal) REFERENCES outcome (sweep_id, ordinal) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- Bundled components of a build.
CREATE TABLE component (
    sweep_id INTEGER NOT NULL,
    ordinal  INTEGER NOT NULL,
    name     TEXT NOT NULL,
    version  TEXT NOT NULL,
    PRIMARY KEY (sweep_id, ordinal, name),
    FOREIGN KEY (sweep_id, ordinal) REFERENCES build (sweep_id, ordinal) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE sample (
    id         INTEGER PRIMARY KEY, -- in the order in which they were taken
    sweep_id   INTEGER NOT NULL,
    ordinal    INTEGER NOT NULL,
    round      INTEGER NOT NULL CHECK (round >= 1),
    position   INTEGER NOT NULL CHECK (position >= 0),
    twin       INTEGER NOT NULL CHECK (twin IN (0, 1)),
    status     TEXT NOT NULL CHECK (status <> ''),
    reason     TEXT,
    log        TEXT,
    started_ns INTEGER,
    FOREIGN KEY (sweep_id, ordinal) REFERENCES version (sweep_id, ordinal) ON DELETE CASCADE
) STRICT;
-- A sweep that was killed and resumed cannot count a sample twice. An index
-- and not a constraint, so that a later schema can change it without copying
-- the table.
CREATE UNIQUE INDEX sample_once ON sample (sweep_id, ordinal, round, twin);

-- Names of metrics, so that a value costs a number and not a word.
CREATE TABLE metric (
    id  INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE
) STRICT;

-- A metric without a row is unknown. NaN would arrive as NULL; the check keeps
-- infinities out.
CREATE TABLE value (
    sample_id INTEGER NOT NULL REFERENCES sample (id) ON DELETE CASCADE,
    metric_id INTEGER NOT NULL REFERENCES metric (id),
    value     REAL NOT NULL CHECK (abs(value) <= 1.7976931348623157e308),
    PRIMARY KEY (sample_id, metric_id)
) STRICT, WITHOUT ROWID;

-- What the load engine counted in a pass: 0 the measuring window, 1 the second
-- one at a fixed rate. No row when that load never ran. Shares are fractions.
CREATE TABLE load (
    sample_id          INTEGER NOT NULL REFERENCES sample (id) ON DELETE CASCADE,
    pass               INTEGER NOT NULL CHECK (pass IN (0, 1)),
    scheduled          INTEGER NOT NULL,
    started            INTEGER NOT NULL,
    ok                 INTEGER NOT NULL,
    in_flight          INTEGER NOT NULL,
    error_status       INTEGER NOT NULL,
    error_timeout      INTEGER NOT NULL,
    error_reset        INTEGER NOT NULL,
    error_refused      INTEGER NOT NULL,
    error_closed       INTEGER NOT NULL,
    error_body         INTEGER NOT NULL,
    error_protocol     INTEGER NOT NULL,
    error_client       INTEGER NOT NULL,
    elapsed_ns         INTEGER NOT NULL,
    connections        INTEGER NOT NULL,
    received_bytes     INTEGER NOT NULL,
    cpu_ns             INTEGER NOT NULL,
    cpu_share          REAL NOT NULL,
    busy_share         REAL NOT NULL, -- -1 when unknown, as in load.Result
    peak_rss_bytes     INTEGER NOT NULL, -- 0 when unknown
    offered_per_second REAL NOT NULL,
    sustained          INTEGER NOT NULL,
    corrected          INTEGER NOT NULL,
    client_bound       INTEGER NOT NULL,
    first_error        TEXT NOT NULL, -- empty when there was none
    PRIMARY KEY (sample_id, pass)
) STRICT, WITHOUT ROWID;

-- Nanoseconds as HdrHistogram V2, compressed, not base64. Apart from load, since
-- they are the bulk of the file and old ones are thinned out.
CREATE TABLE histogram (
    id        INTEGER PRIMARY KEY, -- blobs do better in a table with rowids
    sample_id INTEGER NOT NULL,
    pass      INTEGER NOT NULL,
    latency   BLOB,
    service   BLOB, -- two significant digits
    lateness  BLOB, -- one significant digit
    FOREIGN KEY (sample_id, pass) REFERENCES load (sample_id, pass) ON DELETE CASCADE
) STRICT;
CREATE UNIQUE INDEX histogram_once ON histogram (sample_id, pass);
