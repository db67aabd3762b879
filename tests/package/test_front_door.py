"""`import thinktime` and `thinktime --help` stay fast: what is heavy is imported where it is used."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys

import pytest

HEAVY = ("matplotlib", "numba", "pandas", "scipy")
LOADED = f"import sys; print(*sorted(set({HEAVY!r}) & set(sys.modules)), file=sys.stderr)"


def heavy_after(code: str) -> list[str]:
    """Which of the heavy libraries a fresh interpreter has imported once `code` has run."""
    return run("-c", f"{code}\n{LOADED}").stderr.split()


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, check=True)


def command(*words: str) -> str:
    return (
        f"import sys; sys.argv = ['thinktime', *{words!r}]\n"
        "from thinktime.cli import main\n"
        "try: main()\nexcept SystemExit as exit: assert not exit.code, exit.code"
    )


def test_import_is_light() -> None:
    """Importing the package imports none of the heavy libraries."""
    assert heavy_after("import thinktime") == []


def test_version_is_that_of_the_metadata() -> None:
    """`thinktime.__version__` is read from the installed metadata, which is written once, in setup.cfg."""
    import thinktime

    assert thinktime.__version__ == importlib.metadata.version("thinktime")


def test_version_is_read_when_asked_for() -> None:
    """Reading the metadata takes longer than the import itself, so the import does not do it."""
    run("-c", "import sys, thinktime; assert 'importlib.metadata' not in sys.modules; thinktime.__version__")


@pytest.mark.parametrize("words", [("--help",), ("--version",), ("replay", "--help"), ("run", "--help")])
def test_help_is_light(words: tuple[str, ...]) -> None:
    """Help and version are printed without the heavy libraries."""
    assert heavy_after(command(*words)) == []


def test_python_m_thinktime_is_the_command() -> None:
    """`python -m thinktime` does what `thinktime` does, under its name."""
    assert "Usage: thinktime [OPTIONS] COMMAND" in run("-m", "thinktime", "--help").stdout
