"""Compile the engine of this tree, for an editable install: ``python -m tools.engine``."""

from tools.engine.commands import build_in_place

if __name__ == "__main__":
    build_in_place()
