"""Names that look like numbers, and a result as the log of a site."""

import csv
import math
from pathlib import Path

import numpy as np
import pytest
import simpy
from hypothesis import given, settings
from hypothesis import strategies as st

import thinktime as tt
from tests.workloads.user_models.logs import logs
from thinktime.models.results.site_log import site_log
from thinktime.models.results.swf_export import label_numbers
from thinktime.models.state import State
from thinktime.workloads import Trace
from thinktime.workloads.sacct.name_file import read_names

LABELS = st.lists(
    st.one_of(st.integers(-2, 12), st.integers(0, 12).map(str), st.sampled_from(["ann", "07", "+1", "٣"]))
)


@given(labels=LABELS.map(lambda each: list(dict.fromkeys(each))))
def test_numbers_are_unambiguous(labels: list[object]) -> None:
    """Whole numbers stay themselves, texts like them too unless the number is taken, and no two labels share one."""
    numbers = label_numbers(labels)
    assert len(set(numbers)) == len(numbers) and min(numbers, default=0) >= 0
    for label, number in zip(labels, numbers, strict=True):
        if isinstance(label, int) and label >= 0:
            assert number == label
        elif isinstance(label, str) and label in map(str, range(13)) and int(label) not in labels:
            assert number == int(label)


def users(names: list[object]) -> tt.Result:
    """A machine on which these users had a job each, of 1 s more than the one before."""
    env = simpy.Environment()
    machine = tt.Machine(env, processors=4)
    for place, name in enumerate(names):
        machine.submit(tt.Job(user=name, runtime=place + 1.0, id=place + 1))
    env.run()
    return machine.result()


def test_users_called_by_numbers_come_back_with_them(tmp_path: Path) -> None:
    """Users "1" to "n", in any order, can be joined with those of the log by number."""
    names: list[object] = [str(number) for number in (3, 1, 4, 2, 5)]
    trace = tt.read_swf(users(names).to_swf(tmp_path / "log.swf"))
    assert trace.user.tolist() == [3, 1, 4, 2, 5]
    assert not any(" is " in line for line in trace.header.all("Note") if line.startswith("user"))


def test_a_name_whose_number_is_taken_is_told(tmp_path: Path) -> None:
    """With a user 7 and one called "7" the second has another number, and Notes say which."""
    trace = tt.read_swf(users(["7", 7, "ann"]).to_swf(tmp_path / "log.swf"))
    assert trace.user.tolist() == [1, 7, 2]
    assert {"user 1 is '7'", "user 2 is ann"} <= set(trace.header.all("Note"))


def test_the_file_of_names_has_every_name(tmp_path: Path) -> None:
    """Names, those that look like numbers among them, are beside the log of a site."""
    path = users(["7", 7, "5", "ann"]).to_swf(tmp_path / "log.swf", site=True)
    assert tt.read_swf(path).user.tolist() == [1, 7, 5, 2]
    rows = list(csv.reader((tmp_path / "log.names.csv").open()))
    assert rows == [["kind", "number", "name"], ["user", "1", "7"], ["user", "2", "ann"], ["user", "5", "5"]]
    assert read_names(tmp_path / "log.names.csv")["user"] == {1: "7", 2: "ann", 5: "5"}
    users([1, 2]).to_swf(tmp_path / "numbers.swf", site=True)
    assert not (tmp_path / "numbers.names.csv").exists()


def test_what_a_site_records(tmp_path: Path) -> None:
    """Jobs that are over, at whole seconds, without dependencies, notes or what happened after the horizon."""
    nan = math.nan
    columns = {
        "id": [1, 2, 3, 4, 5, 6],
        "submit": [0.5, 1.25, 2.75, 3.5, 4.0, 5.5],
        "start": [0.5, 10.75, nan, nan, nan, 11.5],
        "end": [10.75, 20.5, 9.25, nan, nan, nan],
        "processors": [2, 1, 1, 1, 1, 1],
        "estimate": [10.25, 9.75, 5.5, 60.0, 60.0, 60.0],
        "state": [State.FINISHED, State.KILLED, State.WITHDRAWN, State.REFUSED, State.WAITING, State.RUNNING],
        "campaign": [1, 2, 3, 4, 5, 6],
        "user": [0] * 6,
    }
    result = tt.Result.from_columns(columns, 2, names={"user": [9]}, now=30)
    text = result.to_swf(tmp_path / "log.swf", site=True).read_text()
    assert [line for line in text.splitlines() if not line.startswith(";")] == [
        "1 0 0 10 2 -1 -1 2 11 -1 1 9 -1 -1 -1 -1 -1 -1",
        "2 1 9 10 1 -1 -1 1 10 -1 0 9 -1 -1 -1 -1 -1 -1",
        "3 2 7 -1 -1 -1 -1 1 6 -1 5 9 -1 -1 -1 -1 -1 -1",
    ]
    assert "Note" not in text and "MaxJobs: 3" in text and "MaxProcs: 2" in text
    with pytest.raises(ValueError, match="give site or work"):
        result.to_swf(tmp_path / "log.swf", site=True, work=True)


@settings(max_examples=25)
@given(trace=logs(), shift=st.sampled_from([0.0, 0.25, 0.75]))
def test_a_sites_log_is_a_schedule(trace: Trace, shift: float) -> None:
    """Nothing starts before it is submitted or runs beyond its estimate, and what was whole seconds stays so."""
    result = tt.replay(trace.with_columns(submit=trace.submit + shift), "easy", 4)
    log = site_log(result)
    assert len(log) == len(result)
    assert (log.wait >= 0).all() and (log.runtime <= log.requested_time).all()
    ends = log.submit + log.wait + log.runtime
    assert (np.sort(ends) == np.sort(np.floor(result["end"]))).all()
    if not shift:
        again = tt.replay(log, "recorded", 4)
        assert again["start"].tolist() == result["start"].tolist() and again["end"].tolist() == result["end"].tolist()
