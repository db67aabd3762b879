"""Where nothing can be written, as in a container: kernels are compiled in memory, and that is said once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.how_many import few_or_many
from thinktime.workloads.notice import LINE

pytestmark = pytest.mark.compiled

READ_ONLY = """
import sys
from numba.core import caching
if {refuse}:
    def refuse(self):
        raise PermissionError(13, "Permission denied")
    caching._CacheLocator.ensure_cache_path = refuse
from thinktime.cli import main
sys.exit(main(sys.argv[1:]))
"""

LOG = "; MaxProcs: 4\n" + "".join(
    f"{number} {number} 0 60 2 -1 -1 2 90 -1 1 1 1 -1 1 -1 -1 -1\n" for number in range(1, 6)
)


READ = ("trace", "info", "log.swf")
REPLAY = ("replay", "log.swf", "--policy", "easy", "--json", "--quiet")


def done_with(folder: Path, refuse: bool, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    (folder / "log.swf").write_text(LOG)
    command = [sys.executable, "-c", READ_ONLY.format(refuse=refuse), *words]
    return subprocess.run(
        command, cwd=folder, env=os.environ | environment, capture_output=True, text=True, timeout=900
    )


def without_times(text: str) -> list[str]:
    return [line for line in text.splitlines() if "second" not in line]


@pytest.mark.parametrize("words", few_or_many(READ, REPLAY), ids=["read", "replay"])
def test_without_a_cache(tmp_path: Path, words: tuple[str, ...]) -> None:
    """Without a folder to write to, the result is the same, and one line names NUMBA_CACHE_DIR, which chooses it."""
    done = done_with(tmp_path, True, *words)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("\n") == 1 and "compiled in memory" in done.stderr
    assert "NUMBA_CACHE_DIR" in done.stderr
    usual = done_with(tmp_path, False, *words, NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    assert usual.returncode == 0 and usual.stderr in ("", f"{LINE}\n"), usual.stderr
    assert without_times(usual.stdout) == without_times(done.stdout)
    assert list((tmp_path / "cache").rglob("*.nbi"))
