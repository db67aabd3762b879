"""A damaged cache of compiled kernels: one line, and they are compiled again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from numba.core.caching import IndexDataCacheFile

from thinktime.workloads import compiler


@pytest.mark.parametrize("damaged", ["*.nbi", "*.nbc"])
@pytest.mark.parametrize("content", [b"", b"\x80\x05no pickle", b"(lp0\n"])
def test_damage_is_said_once(
    damaged: str, content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What cannot be read is as good as not there, and may be written again."""
    monkeypatch.setattr(compiler, "_damaged", [])

    def cache() -> Any:
        found: Any = IndexDataCacheFile(str(tmp_path), "kernel", "stamp")
        compiler._mind_damage(found)
        return found

    cache().save("key", "code")
    assert cache().load("key") == "code"
    for file in tmp_path.glob(damaged):
        file.write_bytes(content)
    assert cache().load("key") is None and cache().load("key") is None
    said = capsys.readouterr().err
    assert said == f"thinktime: compiled kernels in {tmp_path} are damaged, so they are compiled again\n"
    cache().save("key", "code")
    assert cache().load("key") == "code"
