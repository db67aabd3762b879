"""What is read can be written as SWF with its names, or as parquet, and is read back equal."""

from pathlib import Path

import pytest

from tests.workloads.tables.test_presets import TABLES, table_of
from thinktime.workloads.read_log import log_name, read_log
from thinktime.workloads.sacct.name_file import beside, with_names, write_names
from thinktime.workloads.swf.read import read_swf
from thinktime.workloads.swf.write import write_swf
from thinktime.workloads.tables.mapping import mapping
from thinktime.workloads.tables.own import read_own, write_own
from thinktime.workloads.tables.reader import read_table
from thinktime.workloads.trace import Trace


def known(trace: Trace) -> dict[str, dict[int, str]]:
    """The names of a trace that are any."""
    return {column: dict(names) for column, names in trace.names.items() if names}


@pytest.mark.parametrize("name", TABLES)
def test_parquet(name: str, tmp_path: Path) -> None:
    """Columns, further ones, header, names and requests are equal, and so is what the set supports."""
    trace = read_table(table_of(mapping(name), tmp_path / "x.parquet"), name, further=("eligible", "energy", "power"))
    write_own(trace, tmp_path / "log.parquet")
    again = read_own(tmp_path / "log.parquet")
    assert again.equals(trace) and again.report.data_set == trace.report.data_set
    assert not (tmp_path / "log.parquet").read_bytes().count(b".part")


@pytest.mark.parametrize("name", TABLES)
def test_swf(name: str, tmp_path: Path) -> None:
    """In SWF, numbers and header are equal, and names are in the file beside it."""
    trace = read_table(table_of(mapping(name), tmp_path / "x.parquet"), name, further=())
    log = tmp_path / "log.swf.gz"
    write_swf(trace, log)
    write_names(trace.names, beside(log))
    again = with_names(read_swf(log), log)
    assert again.with_names({}).equals(trace.with_names({}))
    names = known(again)
    if "queue" not in trace.names:  # queues are partitions then
        names.pop("queue", None)
    assert names == known(trace)


def test_other_parquet(tmp_path: Path) -> None:
    """A table of a data set is no log by itself: its preset is named."""
    path = table_of(mapping("kestrel"), tmp_path / "x.parquet")
    with pytest.raises(ValueError, match=r"is a table of a data set: name its preset, as kestrel:x.parquet"):
        read_log(path)
    assert len(read_log(f"kestrel:{path}")) == 1
    with pytest.raises(ValueError, match="there is no file"):
        read_log(tmp_path / "none.parquet")


def test_names_of_logs(tmp_path: Path) -> None:
    """A preset and a path, or the path of a file whose name has a colon."""
    assert log_name("f-data:a/b.parquet") == ("f-data", "a/b.parquet")
    assert log_name("own.toml:jobs.csv") == ("own.toml", "jobs.csv")
    assert log_name("C:/x.swf") == (None, "C:/x.swf")
    odd = tmp_path / "f-data:x.swf"
    odd.touch()
    assert log_name(odd) == (None, str(odd))
    with pytest.raises(ValueError, match="there is no preset 'fdata'; did you mean 'f-data'"):
        log_name("fdata:x.parquet")


def test_a_trace_that_is_no_data_set(tmp_path: Path) -> None:
    """Any trace can be kept as parquet."""
    trace = Trace(
        {"submit": [0.5, 2], "runtime": [1, 2], "allocated": [3, 4], "user": [1, -1]}, extra=["- a 1:ppn=3", None]
    )
    write_own(trace, tmp_path / "x.parquet")
    assert read_log(tmp_path / "x.parquet").equals(trace) and read_log(tmp_path / "x.parquet").report.data_set is None
