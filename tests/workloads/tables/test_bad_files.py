"""Files that are none of the data set, damaged, or too much: one sentence each."""

import gzip
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.workloads.tables.conftest import PLAIN, ROW, write
from tests.workloads.tables.test_presets import table_of
from thinktime.workloads.tables import arrow
from thinktime.workloads.tables.mapping import Mapping, mapping
from thinktime.workloads.tables.reader import read_table

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

HOW = Mapping.model_validate({"columns": PLAIN})


def sentence(*args: Any, **options: Any) -> str:
    """The error of reading."""
    with pytest.raises(ValueError) as error:
        read_table(*args, **options)
    text = str(error.value)
    assert "\n" not in text
    return text


def test_the_wrong_preset(tmp_path: Path) -> None:
    """It names the columns that are missing and the preset that would fit."""
    path = table_of(mapping("kestrel"), tmp_path / "x.parquet")
    said = sentence(path, "f-data")
    assert "lacks the columns jid, usr, adt, sdt, edt, elpl" in said and said.endswith("the preset kestrel would fit")
    (tmp_path / "y.csv").write_text("a,b\n1,2\n")
    assert "no preset would fit its columns (a, b); `thinktime trace guess FILE`" in sentence(
        tmp_path / "y.csv", "f-data"
    )


def test_a_preset_that_does_not_exist(tmp_path: Path) -> None:
    """It suggests one."""
    assert sentence(tmp_path, "kestral") == "there is no preset 'kestral'; did you mean 'kestrel'?"


def test_parquet_that_is_cut_off(tmp_path: Path) -> None:
    """Its end is missing, where its columns are listed; or its middle, which is found while reading."""
    path = table_of(mapping("kestrel"), tmp_path / "x.parquet")
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert "it is cut off, or no parquet file" in sentence(path, "kestrel")
    path.write_bytes(whole[:4] + bytes(200) + whole[204:])
    assert str(path) in sentence(path, "kestrel")


def test_months_with_other_columns(tmp_path: Path) -> None:
    """The file that lacks a column is named; other types of the same column are read all the same."""
    first, second = tmp_path / "a.csv", tmp_path / "b.csv"
    write(first, [{}])
    second.write_text("id,user,submit,start,end,cores,state\n")
    assert sentence([first, second], HOW).startswith(f"{second} lacks the column limit of the mapping")
    columns: dict[str, Any] = {
        name: pa.array([1_700_000_000_000], pa.timestamp("ms")) for name in ("submit", "start", "end")
    }
    columns |= {"id": [2], "user": [3], "limit": [60], "cores": [2.0], "state": ["COMPLETED"]}
    pq.write_table(pa.table(columns), tmp_path / "c.parquet")
    trace = read_table([first, tmp_path / "c.parquet"], HOW)
    assert trace.submit.tolist() == [0, 0] and trace.names["user"] == {1: "ann", 2: "3"}


def test_months_without_a_column_that_is_not_needed(tmp_path: Path) -> None:
    """The jobs of such a file have nothing there, whatever those of others have, and the report says so."""
    how = Mapping.model_validate({"columns": {**PLAIN, "memory": "mem", "queue": "qos"}})
    files = [
        write(tmp_path / f"{n}.csv", [{"id": str(n), **row}]) for n, row in enumerate([{}, {"mem": "2048", "qos": "q"}])
    ]
    trace = read_table(files, how)
    assert trace.requested_memory.tolist() == [-1, 1] and trace.queue.tolist() == [-1, 1]
    assert trace.report.noted["0.csv has no column mem (memory)"] == 1


def test_a_zip_with_two_tables(tmp_path: Path) -> None:
    """They are named, and one may be chosen."""
    archive = tmp_path / "data.zip"
    text = write(tmp_path / "jobs.csv", [{}]).read_text()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("Venus/jobs.csv", text)
        file.writestr("Earth/jobs.csv", text)
    assert sentence(archive, HOW) == (
        f"{archive} has 2 tables (Venus/jobs.csv, Earth/jobs.csv); name one, such as {archive}/Venus/jobs.csv"
    )
    assert len(read_table(archive / "Earth" / "jobs.csv", HOW)) == 1
    machines = [{"path": name.lower(), "nodes": nodes, "cores": 8} for name, nodes in (("Venus", 1), ("Earth", 2))]
    several = Mapping.model_validate({"columns": PLAIN, "machine": machines})
    assert read_table(archive / "Earth" / "jobs.csv", several).machine_size == 16
    assert sentence(archive / "Mars.csv", HOW).startswith(f"{archive} has no Mars.csv")


def test_a_text_without_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A record that is longer than a block is refused, so that a text of 10 GB is not read into memory."""
    for module in ("arrow", "layouts"):
        monkeypatch.setattr(f"thinktime.workloads.tables.{module}.MOST_RECORD", 2**12)
    path = write(tmp_path / "jobs.csv", [{}, {"user": "x" * 2**14}, {}])
    assert "a record is longer than" in sentence(path, HOW)
    lines = tmp_path / "jobs.jsonl"
    row = json.dumps({**ROW, "limit": 60})
    lines.write_text(f'{row}\n{{"id": "' + "x" * 2**14)
    assert "is longer than" in sentence(lines, HOW)
    head = tmp_path / "head.csv"
    head.write_text("x" * 2**14)
    assert "is longer than" in sentence(head, HOW)


def test_a_name_of_a_user_without_an_end(tmp_path: Path) -> None:
    """Names are at most 10,000 characters."""
    path = write(tmp_path / "jobs.csv", [{"user": "x" * 10_001}])
    assert "column 'user': a name has 10,001 characters" in sentence(path, HOW)


def test_gzip_that_unfolds_without_end(tmp_path: Path) -> None:
    """Up to a limit, as for logs in SWF."""
    path = tmp_path / "jobs.csv.gz"
    path.write_bytes(gzip.compress(write(tmp_path / "jobs.csv", [{}] * 200).read_bytes()))
    assert len(read_table(path, HOW)) == 200
    assert "decompresses to more than 1,024 bytes" in sentence(path, HOW, max_size=1024)
    path.write_bytes(path.read_bytes()[:-20])
    assert str(path) in sentence(path, HOW)


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("submit", "yesterday", "row 2, column 'submit': found 'yesterday', expected a time"),
        ("limit", "long", "row 2, column 'limit': found 'long', expected a duration"),
        ("cores", "many", "row 2, column 'cores': found 'many', expected a whole number"),
    ],
)
def test_values_that_are_none(tmp_path: Path, column: str, value: str, said: str) -> None:
    """The row, the column, what was found and what was expected."""
    assert said in sentence(write(tmp_path / "jobs.csv", [{}, {column: value}]), HOW)


def test_lines_of_other_lengths(tmp_path: Path) -> None:
    """A line with too few values."""
    path = write(tmp_path / "jobs.csv", [{}])
    path.write_text(path.read_text() + "1,2\n")
    assert "has 2 values, but must have 8" in sentence(path, HOW)


def test_line_ends_in_texts(tmp_path: Path) -> None:
    """A quoted text may have line ends."""
    trace = read_table(write(tmp_path / "jobs.csv", [{"user": "a\nb"}, {}]), HOW)
    assert trace.names["user"] == {1: "a b", 2: "ann"}


def test_folders_and_patterns(tmp_path: Path) -> None:
    """A folder has the files of the data set, below it too; one without any is named."""
    (tmp_path / "year=2024").mkdir()
    write(tmp_path / "year=2024" / "a.csv", [{}])
    write(tmp_path / "b.csv", [{"id": "9"}])
    assert len(read_table(tmp_path, HOW)) == 2 and len(read_table(tmp_path / "*.csv", HOW)) == 1
    empty = tmp_path / "empty"
    empty.mkdir()
    assert sentence(empty, HOW).startswith(f"{empty} has no ")
    assert "there is no file" in sentence(tmp_path / "c.csv", HOW)


def test_no_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says what to install."""
    import sys

    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert sentence(write(tmp_path / "jobs.csv", [{}]), HOW) == arrow.MISSING
    assert "pip install 'thinktime[data]'" in arrow.MISSING


@pytest.mark.parametrize("option", [{"withdrawn": "keep"}, {"further": ("cost",)}])
def test_wrong_arguments(tmp_path: Path, option: dict[str, Any]) -> None:
    """Each is named."""
    path = table_of(mapping("kestrel"), tmp_path / "x.parquet")
    assert any(word in sentence(path, "kestrel", **option) for word in ("keep", "cost"))


def test_a_wrong_zone(tmp_path: Path) -> None:
    """It is named."""
    path = table_of(mapping("kestrel"), tmp_path / "x.parquet")
    assert "Mars" in sentence(path, mapping("kestrel", {"zone": "Mars"}))
