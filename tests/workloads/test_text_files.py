"""Files that cannot be written, or are not in UTF-8, are named."""

import errno
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import thinktime as tt
from thinktime.cli.errors import sentence
from thinktime.models.policies.slack.priorities import read_table
from thinktime.workloads.changes.events_file import read_events
from thinktime.workloads.changes.outage_logs import read_outages
from thinktime.workloads.conditions import LogConditions
from thinktime.workloads.files import whole_or_nothing
from thinktime.workloads.generators.recipe_text import read_file
from thinktime.workloads.nodes import Nodes
from thinktime.workloads.sacct.lines import rows
from thinktime.workloads.sacct.name_file import read_names

TEXT = "name,naïve\n1,2\n"
STRICT: dict[str, Callable[[Path], Any]] = {
    "events": read_events,
    "outages": read_outages,
    "conditions": LogConditions.read,
    "names": read_names,
    "machines": Nodes.read,
    "site": tt.Site.read,
    "scenario": tt.Scenario.read,
    "recipe": read_file,
    "priorities": lambda path: read_table(path, ["name"]),
}
LOGS: dict[str, Callable[[Path], Any]] = {"swf": tt.read_swf, "sacct": lambda path: list(rows(path))}


@pytest.mark.parametrize("read", (STRICT | LOGS).values(), ids=STRICT | LOGS)
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_named(read: Callable[[Path], Any], encoding: str, tmp_path: Path) -> None:
    """With or without a mark, by every reader of texts."""
    path = tmp_path / "wide.txt"
    path.write_bytes(TEXT.encode(encoding))
    with pytest.raises(ValueError, match=r"wide\.txt is in UTF-16, but must be in UTF-8; convert it"):
        read(path)


@pytest.mark.parametrize("read", LOGS.values(), ids=LOGS)
@pytest.mark.parametrize(
    ("begins", "how"), [(b"(\xb5/\xfd", "zstd"), (b"\xfd7zXZ\0", "xz"), (b"BZh9", "bzip2"), (b"PK\3\4", "zip")]
)
def test_what_is_compressed_otherwise_is_named(
    read: Callable[[Path], Any], begins: bytes, how: str, tmp_path: Path
) -> None:
    """A log may be compressed by gzip."""
    path = tmp_path / "log.swf"
    path.write_bytes(begins + bytes(range(256)))
    with pytest.raises(ValueError, match=rf"log\.swf is compressed by {how}; decompress it, or compress it by gzip"):
        read(path)


@pytest.mark.parametrize("read", STRICT.values(), ids=STRICT)
def test_latin_1_is_named(read: Callable[[Path], Any], tmp_path: Path) -> None:
    """Where names matter; in logs, comments and names of jobs may be in any encoding."""
    path = tmp_path / "old.txt"
    path.write_bytes(TEXT.encode("latin-1"))
    with pytest.raises(ValueError, match=r"old\.txt is in LATIN1, but must be in UTF-8; convert it"):
        read(path)


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
