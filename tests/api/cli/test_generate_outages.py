"""`thinktime generate outages`: random failures as a log of outages."""

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import thinktime as tt
from thinktime.workloads.changes import write_outages

FAILURES = ("--failures", "mtbf=3d,mttr=4h,shape=0.7", "--until", "30d")


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz"])
def test_the_same_seed_gives_the_same_bytes(tmp_path: Path, run: Callable[..., Any], suffix: str) -> None:
    """The command writes what `Failures` draws; the same seed gives the same bytes, another seed others."""
    contents = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        path = tmp_path / f"{name}{suffix}"
        outcome = run("generate", "outages", *FAILURES, "--processors", 8, "--seed", seed, "-o", path)
        assert (outcome.status, outcome.err) == (0, "")
        contents.append(path.read_bytes())
    assert contents[0] == contents[1] != contents[2]
    expected = tt.Failures.parse(FAILURES[1], seed=1).outages(8, 30 * tt.DAY)
    assert tt.read_outages(tmp_path / f"a{suffix}", 8) == expected
    write_outages(tmp_path / f"d{suffix}", expected)
    assert (tmp_path / f"d{suffix}").read_bytes() == contents[0]


def test_what_it_says(tmp_path: Path, run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """The command says how many outages it wrote, of a machine of 64 processors by default."""
    monkeypatch.chdir(tmp_path)
    outcome = run("generate", "outages", *FAILURES, "-o", "o.csv.gz")
    count = gzip.decompress(Path("o.csv.gz").read_bytes()).count(b"\n") - 1
    said = (
        f"o.csv.gz: {count} outages of 64 processors in 30 d; in the long run a processor is up 94.737% of the time\n"
    )
    assert outcome.out == said


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("outages", "--until", "5d"), "outages need --failures, such as mtbf=30d,mttr=4h"),
        (("outages", "--failures", "mtbf=3d,mttr=4h"), "outages need --until, such as 365d"),
        (("outages", *FAILURES, "--until", "soon"),
         "--until: a duration must be a number of seconds, or a string such as "
         "'7 d' or '1 h 30 min' (units: s, m, min, h, d, w), not 'soon'"),
        (("outages", *FAILURES, "--failures", "mtb=3d"), "--failures: failures have no 'mtb'; did you mean 'mtbf'?"),
        (("outages", *FAILURES, "--jobs", "5"), "--jobs is for logs, not for outages"),
        (("outages", *FAILURES, "--like", "x.swf"), "--like is for logs, not for outages"),
        (("lublin", "--until", "5d"), "--until is for outages, not for lublin"),
        (("--failures", "mtbf=3d"), "--failures is for outages, not for a log"),
        (("outages", *FAILURES, "-o", "x.swf"), "--out must be a file FILE.csv or FILE.csv.gz, not 'x.swf'"),
        (("outages", *FAILURES, "--processors", "0"), "--processors must be a whole number of at least 1, not '0'"),
    ],
)  # fmt: skip
def test_refusals(
    words: tuple[str, ...], message: str, tmp_path: Path, run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is missing, wrong, or meant for logs is refused in one sentence, and no file is left."""
    monkeypatch.chdir(tmp_path)
    outcome = run("generate", "-o", "o.csv", *words)
    assert (outcome.status, outcome.out, outcome.err) == (2, "", f"thinktime: error: {message}\n")
    assert list(tmp_path.iterdir()) == []
