"""Users fitted to a log: what the fit says, as sentences, tables, numbers and pictures."""
