-- What people made of findings. Findings themselves are computed anew each
-- time; one without a row here is open.

-- +goose Up

CREATE TABLE acknowledgement (
    target       TEXT NOT NULL CHECK (target <> ''),
    finding      TEXT NOT NULL CHECK (finding <> ''), -- sweep.Finding.ID
    metric       TEXT NOT NULL, -- key
    from_version TEXT NOT NULL,
    to_version   TEXT NOT NULL,
    verdict      TEXT NOT NULL, -- when it was acknowledged
    state        TEXT NOT NULL CHECK (state IN ('acknowledged', 'expected')),
    note         TEXT,
    at_ns        INTEGER NOT NULL,
    PRIMARY KEY (target, finding)
) STRICT, WITHOUT ROWID;
