"""Slurm's accounting is a log as any other: by what is in the file, by a preset, as SWF, and as parquet."""

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from thinktime.workloads import read_swf, write_swf
from thinktime.workloads.read_log import conditions_in, read_log
from thinktime.workloads.sacct import read_names, read_sacct
from thinktime.workloads.sacct.name_file import write_names

from .sacct.made_up import ONE_OF_EACH, T0, Made, as_json, as_text

TEXT, JSON = as_text(ONE_OF_EACH), as_json(ONE_OF_EACH, 40)


@pytest.mark.parametrize("name", ["{}", "sacct:{}", "slurm-json:{}"])
@pytest.mark.parametrize("text", [TEXT, "# may\n\n" + TEXT, JSON, "\n \t" + JSON], ids=range(4))
def test_a_file_says_what_it_is(tmp_path: Path, text: str, name: str) -> None:
    """Text and JSON are known by their beginnings, compressed or not, whatever the file is called."""
    plain, packed = tmp_path / "may.log", tmp_path / "may.log.gz"
    plain.write_text(text)
    packed.write_bytes(gzip.compress(text.encode()))
    for path in (plain, packed):
        found = read_log(name.format(path))
        assert len(found) == 12 and found.names["user"] == {1: "ann", 2: "bob"}
        assert found.equals(read_sacct([path])) and found.report.source == path.name


def test_a_pattern_is_several_files(tmp_path: Path) -> None:
    """Dumps of several months are one log, in which a later line of a job counts."""
    for month, jobs in (("04", ONE_OF_EACH[:5]), ("05", ONE_OF_EACH[2:])):
        (tmp_path / f"may-{month}.txt").write_text(as_text(jobs))
    found = read_log(f"sacct:{tmp_path}/may-*.txt")
    (tmp_path / "all.txt").write_text(TEXT)
    assert found.equals(read_log(tmp_path / "all.txt"))
    assert found.report.dropped["superseded by a later line of the same job"] == 3


def test_size_of_the_machine_and_withdrawn_jobs(tmp_path: Path) -> None:
    """Jobs must fit the machine that is given; jobs that left the queue are kept if that is asked for."""
    (tmp_path / "may.json").write_text(JSON)
    assert len(read_log(tmp_path / "may.json", processors=8)) == 11
    assert read_log(tmp_path / "may.json", withdrawn="queue").withdrawn.sum() == 1


def test_what_jobs_wait_for(tmp_path: Path) -> None:
    """Dependencies are those of the accounting; other logs have none of these."""
    (tmp_path / "may.json").write_text(JSON)
    (tmp_path / "log.swf").write_text("; MaxProcs: 4\n1 0 5 60 2 -1 -1 2 90 -1 1 7 -1 -1 -1 -1 -1 -1\n")
    found = conditions_in(tmp_path / "may.json")
    assert found is not None and {each.job: each.depends for each in found}[42] == "afterany:11"
    assert conditions_in(tmp_path / "log.swf") is None


def energetic() -> str:
    """JSON of two jobs, of which one has a known energy."""
    text = as_json([Made(1, 0, 10, 70, eligible=5), Made(2, 1, 10, 70)], 41)
    return text.replace('"count": -2', '"count": 7200', 2)


@pytest.mark.parametrize("text", [energetic(), TEXT, JSON], ids=["energy", "text", "json"])
def test_round_trip_through_swf_and_parquet(tmp_path: Path, text: str) -> None:
    """A log of Slurm's is written as SWF beside its names, or as parquet, and read back equal."""
    pytest.importorskip("pyarrow")
    from thinktime.workloads.tables.own import write_own

    (tmp_path / "dump").write_text(text)
    trace = read_log(tmp_path / "dump")
    write_own(trace, tmp_path / "log.parquet")
    assert read_log(tmp_path / "log.parquet").equals(trace)
    write_swf(trace, tmp_path / "log.swf")
    write_names(trace.names, tmp_path / "log.names.csv")
    again = read_swf(tmp_path / "log.swf").with_names(read_names(tmp_path / "log.names.csv"))
    assert {name for name, column in again.columns.items() if not same(column, trace.columns[name])} == set()
    assert (again.names, again.extra, again.header) == (trace.names, trace.extra, trace.header)


def same(one: Any, other: Any) -> bool:
    """Whether two columns are equal, missing values included."""
    return np.array_equal(one, other, equal_nan=True)


def test_energy_and_eligibility(tmp_path: Path) -> None:
    """Of energy, what was not measured is unknown; eligible counts from the beginning of the log."""
    (tmp_path / "dump.json").write_text(energetic())
    found = read_log(tmp_path / "dump.json")
    assert found.further["eligible"].tolist() == [5, 1]
    assert found.further["energy"][0] == 7200 and np.isnan(found.further["energy"][1])
    rows = "".join(f"{k}|COMPLETED|{T0}|{T0}|{T0 + 9}|4|{e}\n" for k, e in enumerate(("5000", "0", "", str(2**64 - 2))))
    (tmp_path / "dump.txt").write_text(f"JobID|State|Submit|Start|End|AllocCPUS|ConsumedEnergyRaw\n{rows}")
    energy = read_log(tmp_path / "dump.txt").further["energy"]
    assert energy[0] == 5000 and np.isnan(energy[1:]).all()


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("sacct:{}/nothing", "there is no file"),
        ("slurm-json:{}", "is a folder; give files of it, such as sacct:"),
        ("sakct:{}/dump", "there is no preset 'sakct'; did you mean 'sacct'"),
        ("{}/dump", "is cut off: the JSON text ends in the middle"),
        ("sacct:{}/words", "there is no column JobID"),
        ("{}/list", r"is no JSON text as Slurm prints it: expected \{"),
        ("{}/damaged.gz", "is a damaged gzip file"),
        ("sacct:{}/damaged.gz", "is a damaged gzip file"),
        ("slurm-json:{}/json.gz", "is a damaged gzip file"),
    ],
)
def test_other_files(tmp_path: Path, name: str, complaint: str) -> None:
    """Files that are none of Slurm's are one sentence."""
    (tmp_path / "dump").write_text(JSON[:500])
    (tmp_path / "words").write_text("words of no kind\n")
    (tmp_path / "list").write_text("[1, 2, 3]")
    packed = gzip.compress(np.random.default_rng(1).bytes(50_000).hex().encode())
    (tmp_path / "damaged.gz").write_bytes(packed[: len(packed) // 2])
    (tmp_path / "json.gz").write_bytes(gzip.compress((JSON * 50).encode())[:-2000])
    with pytest.raises((ValueError, OSError), match=complaint) as error:
        read_log(name.format(tmp_path))
    assert "\n" not in str(error.value) and len(str(error.value)) < 400
