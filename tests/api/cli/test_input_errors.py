"""A wrong file, number or date ends with exit status 2 and one sentence: what, where, what instead."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import HEADER, line

Fails = Callable[..., str]


def test_missing_file(tmp_path: Path, fails: Fails) -> None:
    """A missing file is named, with where logs come from."""
    path = tmp_path / "absent.swf"
    assert fails("replay", path) == f"there is no file {path}; `thinktime trace get NAME` downloads a log"


def test_misspelt_file(log: Path, fails: Fails) -> None:
    """For a missing file, one of a similar name in the folder is offered."""
    wrong = log.with_name("tinny.swf")
    assert fails("replay", wrong) == f"there is no file {wrong}; did you mean '{log.name}'?"


def test_folder_instead_of_a_file(tmp_path: Path, fails: Fails) -> None:
    """A folder is not a log, but may be a data set."""
    said = f"{tmp_path} is a folder; give a log (.swf or .swf.gz) inside it, or of a data set, PRESET:{tmp_path}"
    assert fails("trace", "info", tmp_path) == said


def test_not_a_log(tmp_path: Path, fails: Fails) -> None:
    """A file in another format is refused by name."""
    path = tmp_path / "notes.swf"
    path.write_text("Dear diary,\n")
    assert "not in the Standard Workload Format" in fails("replay", path)


def test_malformed_line(log: Path, fails: Fails) -> None:
    """A malformed line is named by its number."""
    log.write_text(log.read_text() + line(6, 400, 1, 1, 1).replace("400", "four") + "\n")
    assert "11" in fails("replay", log)


@pytest.mark.parametrize("content", [b"\x1f\x8b\x08\x00broken", b"\x1f\x8b"], ids=["broken", "cut"])
def test_damaged_gzip(tmp_path: Path, fails: Fails, content: bytes) -> None:
    """A damaged file is named."""
    path = tmp_path / "damaged.swf.gz"
    path.write_bytes(content)
    assert "damaged.swf.gz" in fails("replay", path)


def test_no_jobs(tmp_path: Path, fails: Fails) -> None:
    """A file without jobs is an error."""
    path = tmp_path / "empty.swf"
    path.write_text(HEADER)
    assert fails("replay", path) == f"{path} has no jobs to simulate: it has no records"


def test_all_jobs_dropped(tmp_path: Path, fails: Fails) -> None:
    """A log of which cleaning leaves nothing is refused with the reasons."""
    path = tmp_path / "empty.swf"
    path.write_text(f"{HEADER}{line(1, 0, -1, 1, 10)}\n")
    reason = "all 1 were dropped (run time missing or negative)"
    assert fails("replay", path) == f"{path} has no jobs to simulate: {reason}"


def test_unknown_machine_size(log: Path, fails: Fails) -> None:
    """Without a size in the header, the size must be given."""
    log.write_text(log.read_text().replace("MaxProcs", "Procs"))
    sentence = "has neither MaxProcs nor MaxNodes; give --processors N (the widest job uses 4)"
    assert fails("replay", log) == f"the header of {log} {sentence}"


@pytest.mark.parametrize("number", ["0", "-3", "many", "1.5"])
def test_wrong_processors(log: Path, fails: Fails, number: str) -> None:
    """A machine has a whole number of processors."""
    wrong = f"--processors={number}"
    expected = f"--processors must be a whole number of at least 1, not {number!r}"
    assert fails("replay", log, wrong) == expected


@pytest.mark.parametrize("option", ["--from", "--to"])
def test_wrong_date(log: Path, fails: Fails, option: str) -> None:
    """A wrong time is named with its option."""
    sentence = fails("replay", log, option, "yesterday")
    assert sentence.startswith(f"{option}: ") and "'yesterday'" in sentence


def test_date_without_start(log: Path, fails: Fails) -> None:
    """A date means nothing where the log does not say when it starts."""
    log.write_text(log.read_text().replace("UnixStartTime", "Unix"))
    assert "UnixStartTime" in fails("replay", log, "--from", "2001-09-09")


def test_empty_slice(log: Path, fails: Fails) -> None:
    """A slice without jobs is an error that says when there are some."""
    where = "its jobs are submitted from 0 s to 300 s after its start"
    assert fails("replay", log, "--from", 301) == f"{log} has no jobs from 301 to its end; {where}"


def test_reversed_slice(log: Path, fails: Fails) -> None:
    """The end of a slice lies after its beginning."""
    assert fails("replay", log, "--from", 20, "--to", 10) == "--to 10 must be after --from 20"


def test_wrong_overrun(log: Path, fails: Fails) -> None:
    """An unknown overrun rule is answered with the nearest one."""
    assert fails("replay", log, "--overrun", "extent") == "--overrun cannot be 'extent'; did you mean 'extend'?"


def test_recorded_without_waits(log: Path, fails: Fails) -> None:
    """The log's own schedule needs recorded waits."""
    log.write_text(HEADER + line(1, 0, 10, 1, 10, wait=-1) + "\n")
    assert "recorded" in fails("replay", log, "--policy", "recorded")


def test_unknown_log_of_the_archive(fails: Fails) -> None:
    """An unknown name of a log is answered with a known one."""
    assert "KTH-SP2-1996-2.1-cln" in fails("trace", "get", "KTH-SP2-1996-2.1")


READERS = [
    ("replay",),
    ("feedback",),
    ("expectations",),
    ("trace", "info"),
    ("trace", "plot"),
    ("trace", "sessions"),
    ("trace", "convert"),
    ("generate", "-o", "made.swf", "--like"),
    ("study", "cplant"),
    ("study", "slack"),
    ("study", "goal"),
    ("study", "expectations"),
    ("study", "feedback", "--trace"),
]


@pytest.mark.parametrize("words", READERS, ids=" ".join)
def test_compressed_logs_have_a_limit(log: Path, tmp_path: Path, fails: Fails, words: tuple[str, ...]) -> None:
    """Every command that reads a log refuses one that decompresses to more than --max-size."""
    packed = tmp_path / "packed.swf.gz"
    packed.write_bytes(gzip.compress(b"\n" * 100_000 + log.read_bytes()))
    sentence = fails(*words, packed, "--max-size", "10 kb")
    assert sentence.startswith(f"{packed} (") and "decompresses to more than 10,240 bytes; to allow" in sentence
    assert "--max-size" in sentence
    assert fails(*words, packed, "--max-size", "much").startswith("--max-size: a size must be at least 1 byte")


def test_compared_logs_have_a_limit(log: Path, tmp_path: Path, fails: Fails) -> None:
    """Two logs that are compared obey the limit on their unfolded size."""
    packed = tmp_path / "packed.swf.gz"
    packed.write_bytes(gzip.compress(b"\n" * 100_000 + log.read_bytes()))
    assert "decompresses to more than 10,240 bytes" in fails("trace", "compare", log, packed, "--max-size", "10 kb")


def test_compressed_logs_of_scenarios_have_a_limit(log: Path, tmp_path: Path, fails: Fails) -> None:
    """A sweep takes --max-size, and `max_size` in [trace], for its log alone."""
    scenario = tmp_path / "one.toml"
    scenario.write_text(f'trace.file = "{log}"\n')
    assert fails("run", scenario, "--max-size", "much").startswith("--max-size: a size must be")
    scenario.write_text(f'trace.file = "{log}"\ntrace.max_size = "much"\n')
    assert "trace max_size: a size must be" in fails("run", scenario).replace("trace: ", "trace ")
    scenario.write_text('horizon = "1 d"\nmachine.processors = 4\nusers.a.profile = "short"\n')
    assert "has no [trace]" in fails("run", scenario, "--max-size", "1 gb")
