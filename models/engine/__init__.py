"""The engine: what happens on a machine, compiled when the package is installed."""
