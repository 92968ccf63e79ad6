-- What may have spoilt a sample, and attempts at one that was spoilt.

-- +goose Up

-- From 0. Only the last attempt of a round counts; those before are kept.
ALTER TABLE sample ADD COLUMN attempt INTEGER NOT NULL DEFAULT 0 CHECK (attempt >= 0);
DROP INDEX sample_once;
CREATE UNIQUE INDEX sample_once ON sample (sweep_id, ordinal, round, twin, attempt);

-- Doubts about a sample, in the order in which they were found.
CREATE TABLE mark (
    sample_id INTEGER NOT NULL REFERENCES sample (id) ON DELETE CASCADE,
    number    INTEGER NOT NULL CHECK (number >= 0), -- in that order, from 0
    kind      TEXT NOT NULL CHECK (kind <> ''),
    detail    TEXT NOT NULL,
    spoils    INTEGER NOT NULL CHECK (spoils IN (0, 1)), -- it must not enter a verdict
    PRIMARY KEY (sample_id, number)
) STRICT, WITHOUT ROWID;
