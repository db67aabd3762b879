"""A mapping drafted from a table."""

from pathlib import Path

import pytest

from tests.workloads.tables.test_presets import TABLES, table_of
from thinktime.workloads.tables.guess import guess
from thinktime.workloads.tables.mapping import mapping
from thinktime.workloads.tables.reader import read_table

pytest.importorskip("pyarrow")

OWN = """job_id,user_name,project,submit_time,start_time,end_time,walltime_req,num_nodes,ncpus,gpus,reqmem,state,note
7,ann,p,1700000000000,1700000010000,1700000070000,100,2,16,1,4000,COMPLETED,x
"""


def test_a_draft_reads_its_table(tmp_path: Path) -> None:
    """The draft of a table with usual names can be used as it is; what it says of units stands beside them."""
    table, own = tmp_path / "jobs.csv", tmp_path / "own.toml"
    table.write_text(OWN)
    own.write_text(guess(str(table)))
    trace = read_table(table, str(own))
    assert (
        trace.wait.tolist() == [10] and trace.runtime.tolist() == [60] and trace.requested_time.tolist() == [100 * 60]
    )
    assert trace.processors.tolist() == [16] and trace.names["user"] == {1: "ann"} and trace.names["group"] == {1: "p"}
    text = own.read_text()
    assert 'submit = { column = "submit_time", unit = "ms" }  # the unit' in text and "# not used: note" in text
    assert len(text.splitlines()) < 25


def test_what_no_column_looks_like(tmp_path: Path) -> None:
    """It is said what is needed, and the draft is refused for it until it is there."""
    table, own = tmp_path / "jobs.csv", tmp_path / "own.toml"
    table.write_text("a,b\n1,2\n")
    text = guess(str(table))
    assert '# submit = "…"  # needed, and no column looks like it' in text and '# nodes or cores or gpus = "…"' in text
    own.write_text(text)
    with pytest.raises(ValueError, match="columns needs submit"):
        mapping(str(own))


@pytest.mark.parametrize("name", TABLES)
def test_presets_that_fit_are_named(name: str, tmp_path: Path) -> None:
    """The table of a known set needs no draft."""
    text = guess(str(table_of(mapping(name), tmp_path / "x.parquet")))
    assert any(line.startswith("# The preset ") for line in text.splitlines())
