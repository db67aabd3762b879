-- The tables of results.sqlite (JSON is sorted by key; None is an undefined number):
-- meta      `format`, `thinktime`, `scenario` (JSON)
-- runs      one row per finished run; parameters and metrics are JSON objects; `jobs` is the SHA-256 of its file,
--           `checksum` that of all its data
-- series    small curves of a run, for pictures; JSON object of lists
-- batches   batch means of a point's only run; JSON object
-- observed  what was served, given up, unfinished; JSON object
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS runs (key TEXT PRIMARY KEY, digest TEXT NOT NULL, policy TEXT NOT NULL,
    seed INTEGER NOT NULL, parameters TEXT NOT NULL, metrics TEXT NOT NULL, jobs TEXT NOT NULL,
    checksum TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS series (key TEXT PRIMARY KEY, series TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS batches (key TEXT PRIMARY KEY, batches TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS observed (key TEXT PRIMARY KEY, observed TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS failures (key TEXT PRIMARY KEY, digest TEXT NOT NULL, policy TEXT NOT NULL,
    seed INTEGER NOT NULL, parameters TEXT NOT NULL, error TEXT NOT NULL, traceback TEXT NOT NULL) WITHOUT ROWID;

-- The tables of manifest.sqlite; versions are JSON:
CREATE TABLE IF NOT EXISTS runs (key TEXT PRIMARY KEY, session INTEGER NOT NULL, policy TEXT NOT NULL,
    seed INTEGER NOT NULL, parameters TEXT NOT NULL, host TEXT, pid INTEGER, started TEXT, seconds REAL,
    simulation_seconds REAL, jobs INTEGER) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sessions (session INTEGER PRIMARY KEY, started TEXT, ended TEXT, host TEXT,
    executor TEXT, workers INTEGER, versions TEXT);
