"""Every preset: what it says is complete, and it reads a made-up table of the columns that it names."""

from pathlib import Path
from typing import Any

import pytest

from thinktime.workloads.tables.mapping import ColumnRule, Mapping, mapping, presets
from thinktime.workloads.tables.reader import read_table

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

TABLES = [name for name in presets() if mapping(name).layout == "table"]
NEEDED = {
    "adastra-mi250", "acme-kalos", "acme-seren", "alcf-aurora", "alcf-polaris", "alcf-theta", "blue-waters", "eagle",
    "eagle-nlr", "f-data", "google-2011", "helios", "in2p3-2024", "kestrel", "lassen", "m100", "mit-supercloud",
    "openb-2023", "pai-2020", "philly", "pm100",
}  # fmt: skip
BEGIN = 1_700_000_000


def made_up(role: str, rule: ColumnRule, how: Mapping) -> Any:
    """A value of a column, in the unit of the mapping: a job of 60 s on one node, submitted 10 s before its start."""
    moments = {"submit": 0, "eligible": 0, "start": 10, "end": 70}
    if role in moments:
        return BEGIN + moments[role]
    if rule.keys:
        return ",".join(f"{key}=2" for key in rule.keys)
    if role == "limit":
        return BEGIN + 110 if rule.deadline else {"min": 2, "": 100, "s": 100}[rule.unit]
    known = {"runtime": 60, "job": 17, "state": next(iter(how.states.get("completed", ["COMPLETED"])))}
    if rule.total:
        return [100, 200]
    return known.get(role, 1)


def table_of(how: Mapping, path: Path) -> Path:
    """A table of one such job as parquet."""
    columns = {rule.names[0]: [made_up(role, rule, how)] for role, rule in how.columns.items() if not rule.table}
    columns |= {rule.times: [1] for rule in how.columns.values() if rule.times}
    pq.write_table(pa.table(columns), path)
    return path


def test_all_sets_are_there() -> None:
    """The presets are those of the data sets that the documentation lists."""
    assert set(presets()) >= NEEDED


@pytest.mark.parametrize("name", presets())
def test_what_a_preset_says(name: str) -> None:
    """Each says what it is, where it is to be had, how large it is, its licence and whom to cite; guesses have keys."""
    how = mapping(name)
    assert all([how.title, how.where, how.size, how.licence, how.cite])
    for key in how.guesses:
        table: Any = how.model_dump()
        for part in key.split("."):
            assert part in table or part in ("cores", "factor") or part in ColumnRule.model_fields
            table = table.get(part, {}) if isinstance(table, dict) else {}


@pytest.mark.parametrize("name", TABLES)
def test_a_made_up_job(name: str, tmp_path: Path) -> None:
    """One job of each set: its times, its limit, and as many processors as one node or core has."""
    how = mapping(name)
    trace = read_table(table_of(how, tmp_path / "x.parquet"), name, further=("eligible", "energy", "power"))
    assert trace.report.dropped == {} and len(trace) == 1
    assert trace.wait.tolist() == [10] and trace.runtime.tolist() == [60]
    assert trace.requested_time.tolist() == [
        {"min": 120.0}.get(how.columns["limit"].unit, 100.0) if how.has_limits else 60
    ]
    assert trace.status.tolist() == [1]
    assert not how.whole_nodes or trace.processors[0] in {each.cores for each in how.machine}
    kinds = [each for each in how.machine if each.path in ("", how.machine[0].path)]
    assert trace.machine_size == sum(each.nodes * each.cores for each in kinds)
    known = trace.report.data_set
    assert known is not None and known.limits == how.has_limits and known.users == how.has_users
    assert len(known.guesses) >= len(how.guesses) and all(each in str(trace.report) for each in known.guesses)


def test_an_option_overrides_a_guess(tmp_path: Path) -> None:
    """And then the report does not say it any more."""
    path = table_of(mapping("eagle"), tmp_path / "x.parquet")
    told = {"zone": "UTC", "columns.memory.unit": "KB", "whole_nodes": False}
    usual = read_table(path, "eagle").report.data_set
    other = read_table(path, mapping("eagle", told)).report.data_set
    assert usual is not None and other is not None and usual.guesses and other.guesses == ()


def test_a_mapping_of_ten_lines(tmp_path: Path) -> None:
    """A site's own table is read by a file, and a file may change a preset."""
    (tmp_path / "jobs.csv").write_text("nr;who;sent;began;over;n\n1;ann;0;5;65;2\n")
    own = tmp_path / "own.toml"
    own.write_text(
        'separator = ";"\n[columns]\njob = "nr"\nuser = "who"\nsubmit = "sent"\nstart = "began"\nend = "over"\n'
        'nodes = "n"\n[[machine]]\nnodes = 4\ncores = 16\n'
    )
    trace = read_table(tmp_path / "jobs.csv", str(own))
    assert trace.processors.tolist() == [2] and trace.machine_size == 64 and trace.extra == ("- - 2:ppn=1",)
    own.write_text('base = "eagle"\nzone = "UTC"\nwhole_nodes = true\n[columns.memory]\nunit = "GB"\n')
    changed = mapping(str(own))
    assert (
        changed.zone == "UTC"
        and changed.columns["memory"].unit == "GB"
        and changed.columns["memory"].column == "mem_req"
    )
    assert changed.guesses == {}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("zone = ", "own.toml: "),
        ('base = "eagel"', "own.toml: base is 'eagel'; did you mean 'eagle'?"),
        ('zon = "UTC"\n[columns]\nsubmit="a"\nstart="b"\nend="c"\ncores="d"', "own.toml: zon: there is no such key"),
        ('[columns]\nsubmitted = "a"', "there is no 'submitted'; did you mean 'submit'?"),
        ('[columns]\nsubmit = "a"', "columns needs start or wait"),
        ('[columns]\nsubmit = "a"\nstart = "b"\nend = "c"', "columns needs nodes, cores or gpus"),
        (
            '[columns]\nsubmit={column="a",unit="weeks"}\nstart="b"\nend="c"\ncores="d"',
            "columns.submit.unit cannot be 'weeks'",
        ),
        ("[columns]\nsubmit = 3", "own.toml: columns.submit.column"),
    ],
)
def test_a_mapping_that_is_wrong(tmp_path: Path, text: str, said: str) -> None:
    """One sentence says where."""
    own = tmp_path / "own.toml"
    own.write_text(text)
    with pytest.raises(ValueError) as error:
        mapping(str(own))
    assert said in str(error.value) and "\n" not in str(error.value)
