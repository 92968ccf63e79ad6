-- What gc has taken away of a sweep's raw data. Figures, marks and reasons stay.

-- +goose Up

CREATE TABLE thinning (
    sweep_id INTEGER PRIMARY KEY REFERENCES sweep (id) ON DELETE CASCADE,
    -- 1: histograms of service time and lateness are gone
    -- 2: and a version's histograms are merged into that of its first sample
    -- 3: and those are gone
    level    INTEGER NOT NULL CHECK (level BETWEEN 1 AND 3),
    at_ns    INTEGER NOT NULL -- when it got there
) STRICT;
