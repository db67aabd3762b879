"""Compile the engine of this tree, for an editable install: ``python -m tools.engine``.

With ``--hints``, fail if compiled code works on Python objects where it should not; without a C compiler, nothing is
known about that.
"""

import sys

from tools.engine.commands import build_in_place, say


def main(words: list[str]) -> int:
    """Do it; return the exit status."""
    builder = build_in_place()
    found = builder.hints() if builder is not None and "--hints" in words else []
    for line in found:
        say(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
