"""The names behind a log's numbers: written, read back, and carried by what is made of the log."""

import pickle
from pathlib import Path

import numpy as np
import pytest

from thinktime.workloads.sacct.name_file import Names, beside, read_names, with_names
from thinktime.workloads.trace import Trace
from thinktime.workloads.user_models import resample, scale_users


def names(*kinds: str) -> Names:
    """Two names of each kind."""
    found = Names(jobs={7: "6_1"})
    for kind in kinds:
        found.number(kind, [f"{kind} a", "", f'{kind} "b", c'])
    return found


def test_what_is_written_is_read(tmp_path: Path) -> None:
    """Accounts are groups, QOS are queues, or partitions in a log without QOS, and jobs have the names of numbers."""
    file = tmp_path / "log.names.csv"
    file.write_text(names("user", "account", "executable", "qos", "partition").to_csv())
    found = read_names(file)
    assert list(found) == ["user", "group", "queue", "partition", "executable", "id"]
    assert all(list(each) == [1, 2] for name, each in found.items() if name != "id") and found["id"] == {7: "6_1"}
    assert [found[name][2] for name in list(found)[:4]] == [
        f'{kind} "b", c' for kind in ("user", "account", "qos", "partition")
    ]
    file.write_text(names("user", "partition").to_csv())
    assert read_names(file)["queue"] == read_names(file)["partition"] == {1: "partition a", 2: 'partition "b", c'}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1 must be kind,number,name, not ''"),
        ("kind;number;name\n", "line 1 must be kind,number,name"),
        ("kind,number,name\nuser,1\n", "line 2 must have a kind, a number and a name, not 'user,1'"),
        ("kind,number,name\nuser,1,a\nusr,2,b\n", "line 3: there is no kind 'usr'; did you mean 'user'"),
        ("kind,number,name\nuser,x,a\n", "line 2: the number must be a whole one, not 'x'"),
        ("kind,number,name\nuser,1,a\nuser,1,b\n", "user 1 is 'a' and 'b'"),
        ("\xff", "is in LATIN1, but must be in UTF-8"),
    ],
)
def test_a_file_that_is_wrong(tmp_path: Path, text: str, said: str) -> None:
    """One sentence names the file and the line."""
    file = tmp_path / "log.names.csv"
    file.write_bytes(text.encode("latin-1"))
    with pytest.raises(ValueError) as error:
        read_names(file)
    assert str(error.value).startswith(str(file)) and said in str(error.value)


def test_the_file_beside_a_log(tmp_path: Path) -> None:
    """It has the log's name; another may be given; without one, the jobs have their numbers."""
    assert [beside(f"{tmp_path}/x.y{end}").name for end in (".swf", ".swf.gz")] == ["x.y.names.csv"] * 2
    log, trace = tmp_path / "x.swf.gz", Trace({"submit": [0]})
    assert with_names(trace, log) is trace
    beside(log).write_text("kind,number,name\nuser,1,ann\n")
    assert with_names(trace, log).names["user"] == {1: "ann"}
    (tmp_path / "other").write_text("kind,number,name\nuser,1,bob\n")
    assert with_names(trace, log, tmp_path / "other").names["user"] == {1: "bob"}


def test_logs_made_of_a_log_keep_its_names() -> None:
    """Parts, other columns and headers, copies of users under new numbers, and processes."""
    columns = {"submit": np.arange(40) * 3600.0, "runtime": [60] * 40, "allocated": [1] * 40, "user": [1, 2, 7, 9] * 10}
    called = {"user": {1: "ann", 2: "bob", 7: "cem"}, "group": {3: "x"}}
    trace = Trace(columns | {"group": [3] * 40}).with_names(called)
    for made in (trace.select(trace.user < 8), trace.with_columns(wait=[1] * 40), pickle.loads(pickle.dumps(trace))):
        assert made.names == called
    assert trace.with_header(trace.header).equals(trace) and not trace.with_names({}).equals(trace)

    def who(log: Trace, row: int) -> str:
        number = log.user.item(row)
        return log.names["user"].get(number, "9")

    drawn = resample(trace, seed=3, population=2)
    hours = (drawn.submit // 3600 % 4).astype(int).tolist()
    assert [who(drawn, row) for row in range(len(drawn))] == [["ann", "bob", "cem", "9"][hour] for hour in hours]
    more, _ = scale_users(trace, 0.04, processors=1)
    assert len(more) > 60
    hours = (more.submit // 3600 % 4).astype(int).tolist()
    assert [who(more, row) for row in range(len(more))] == [["ann", "bob", "cem", "9"][hour] for hour in hours]
    assert drawn.names["group"] == more.names["group"] == {3: "x"}
