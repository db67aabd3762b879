"""A wrong file, number or date ends with exit status 2 and one sentence: what, where, what instead."""

import gzip
import re
from pathlib import Path

import pytest

from .conftest import HEADER, JOBS, Fails, line

LOG = "".join(f"{line(*job)}\n" for job in JOBS)
NUMBER = "--processors must be a whole number of at least 1, not "
REFUSED = [
    ("replay absent.swf", None, "there is no file absent.swf; `thinktime trace get NAME` downloads a log"),
    ("replay tiny.swf --begin absent", None, "there is no file absent"),
    ("replay tiny.swf --begin .", None, ". is a folder; give a file"),
    ("replay tiny.swf --charge kWh=x", None, "--charge: rate must be a number, not 'x'"),
    ("replay tinny.swf", None, "there is no file tinny.swf; did you mean 'tiny.swf'?"),
    ("trace info .", None, ". is a folder; give a log (.swf or .swf.gz) inside it, or of a data set, PRESET:."),
    ("replay x.swf", "Dear diary,\n", "…not in the Standard Workload Format…"),
    ("replay x.swf", HEADER + LOG + line(6, 400, 1, 1, 1).replace("400", "four"), "x.swf, line 11…"),
    ("replay x.swf", b"\x1f\x8b\x08\x00broken", "…x.swf…"),
    ("replay x.swf", b"\x1f\x8b", "…x.swf…"),
    ("replay x.swf", HEADER, "x.swf has no jobs to simulate: it has no records"),
    ("replay x.swf", HEADER + line(1, 0, -1, 1, 10),
     "x.swf has no jobs to simulate: all 1 were dropped (run time missing or negative)"),
    ("replay x.swf", HEADER.replace("MaxProcs", "Procs") + LOG,
     "the header of x.swf has neither MaxProcs nor MaxNodes; give --processors N (the widest job uses 4)"),
    *((f"replay tiny.swf --processors={wrong}", None, f"{NUMBER}'{wrong}'") for wrong in ("0", "-3", "many", "1.5")),
    *((f"replay tiny.swf {option} yesterday", None, f"{option}: …'yesterday'…") for option in ("--from", "--to")),
    ("replay x.swf --from 2001-09-09", HEADER.replace("UnixStartTime", "Unix") + LOG, "…UnixStartTime…"),
    ("replay tiny.swf --from 301", None,
     "tiny.swf has no jobs from 301 to its end; its jobs are submitted from 0 s to 300 s after its start"),
    ("replay tiny.swf --from 20 --to 10", None, "--to 10 must be after --from 20"),
    ("replay tiny.swf --overrun extent", None, "--overrun cannot be 'extent'; did you mean 'extend'?"),
    ("replay x.swf --policy recorded", HEADER + line(1, 0, 10, 1, 10, wait=-1), "…recorded…"),
    ("trace get KTH-SP2-1996-2.1", None, "…KTH-SP2-1996-2.1-cln…"),
]  # fmt: skip
"""Words, what x.swf holds if there is such a file, and the sentence, in which … is anything."""


@pytest.mark.parametrize(("words", "content", "sentence"), REFUSED)
def test_what_is_wrong_is_one_sentence(
    log: Path, fails: Fails, monkeypatch: pytest.MonkeyPatch, words: str, content: str | bytes | None, sentence: str
) -> None:
    """A missing, damaged or empty log, a wrong number or date, and what a log does not say, is named."""
    monkeypatch.chdir(log.parent)
    if content is not None:
        Path("x.swf").write_bytes(content if isinstance(content, bytes) else content.encode())
    assert re.fullmatch(".*".join(map(re.escape, sentence.split("…"))), fails(*words.split()))


READERS = [
    "replay", "feedback", "expectations", "trace info", "trace plot", "trace sessions", "trace convert",
    "generate -o made.swf --like", "study cplant", "study slack", "study goal", "study expectations",
    "study feedback --trace",
]  # fmt: skip


@pytest.mark.parametrize("command", READERS)
def test_compressed_logs_have_a_limit(log: Path, tmp_path: Path, fails: Fails, command: str) -> None:
    """Every command that reads a log refuses one that decompresses to more than --max-size."""
    packed = tmp_path / "packed.swf.gz"
    packed.write_bytes(gzip.compress(b"\n" * 100_000 + log.read_bytes()))
    words = command.split()
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
