"""What must not be in the tree: somebody's own folders, and files that no check reads."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

HOME = re.compile(r"(?<![\w.])(?:/(?:home|Users)/\w|/root[/]|[A-Z]:[\\]Users)")
TEXT = {"", ".cfg", ".csv", ".json", ".md", ".out", ".py", ".svg", ".swf", ".toml", ".txt", ".yaml"}


def text_files(root: Path) -> Iterator[Path]:
    """The text files that git has or would add."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        capture_output=True,
        text=True,
    )
    if listed.returncode:
        pytest.skip("not a git checkout")
    paths = (root / name for name in listed.stdout.split("\0") if name)
    yield from (path for path in paths if path.is_file() and path.suffix in TEXT)


def test_no_file_names_a_home_folder(root: Path) -> None:
    """A path below somebody's home works on one computer only."""
    named = [
        f"{path.relative_to(root)}:{number}"
        for path in text_files(root)
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1)
        if HOME.search(line)
    ]
    assert named == []


def test_ci_runs_the_tests_that_developers_run(root: Path) -> None:
    """`.ci/run` can be executed and ends with `make test` and `make docs`, so nobody is surprised by it."""
    script = root / ".ci" / "run"
    assert script.stat().st_mode & 0o111
    assert script.read_text().rstrip().endswith("\nmake test\nmake docs")
