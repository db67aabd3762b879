"""Files appear whole or not at all, and errors name them."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from thinktime.cli.errors import sentence
from thinktime.workloads.files import whole_or_nothing


def test_a_full_disk_names_the_file(tmp_path: Path) -> None:
    """Python does not say which file; the sentence does, and nothing is left behind."""
    with pytest.raises(OSError, match="No space left") as caught, whole_or_nothing(tmp_path / "log.swf") as aside:
        aside.write_text("half of it")
        raise OSError(errno.ENOSPC, "No space left on device")
    assert sentence(caught.value) == f"{tmp_path / 'log.swf'}: no space left on device"
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_names_the_file(tmp_path: Path) -> None:
    """The name is that of the file, not of the temporary one."""
    with pytest.raises(FileNotFoundError) as caught, whole_or_nothing(tmp_path / "no" / "log.swf") as aside:
        aside.write_text("")
    assert caught.value.filename == str(tmp_path / "no" / "log.swf")


def test_an_error_without_a_number_keeps_its_sentence(tmp_path: Path) -> None:
    """Of another library, say: with the name of a file, Python would show that and nothing else."""
    with pytest.raises(OSError, match=r"^no such folder$"), whole_or_nothing(tmp_path / "log.swf"):
        raise OSError("no such folder")
