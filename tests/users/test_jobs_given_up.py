"""Jobs of a log that were cancelled before they ran: they wait as long as recorded, and leave or run."""

import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thinktime as tt
from tests.commands import refusal_of, stdout_of
from thinktime.models.state import State
from thinktime.users import sources
from thinktime.workloads.header import Header
from thinktime.workloads.withdrawn import demanded, would_run

GONE = 5


def trace(rows, processors=1):
    """A log from (user, submit, wait, run time, requested time, status), jobs of one processor."""
    names = ("user", "submit", "wait", "runtime", "requested_time", "status")
    columns = {name: np.array(column, float) for name, column in zip(names, zip(*rows, strict=True), strict=True)}
    whole = {name: columns[name].astype(int) for name in ("user", "status")}
    more = {"id": np.arange(1, len(rows) + 1), "requested_processors": np.ones(len(rows), int)}
    return tt.Trace(columns | whole | more, Header().set("MaxProcs", processors))


LOG = trace([(1, 0, 0, 100, 100, 1), (2, 10, 40, 0, 60, GONE), (2, 20, 90, 0, 60, GONE), (2, 100, 0, 50, 60, 1)])
"""Behind a job of 100 s, user 2 gives one up after 40 s; the next, given up after 90 s in the log, starts at 100 s."""


@pytest.mark.parametrize("policy", ["fcfs", "easy", "conservative", "slack", "easy:order=fairshare"])
def test_who_has_waited_too_long_leaves_and_who_starts_before_runs(policy):
    """For as long as the user's other job, whose request is the same."""
    result = tt.replay(LOG, policy)
    assert result["state"].tolist() == [State.FINISHED, State.WITHDRAWN, State.FINISHED, State.FINISHED]
    assert result["end"].tolist() == [100, 50, 150, 200]
    assert (
        "2 jobs that were cancelled in the log before they ran: 1 left the queue after as long, 1 started before, with "
        "run times by rank" in result.notes
    )


def test_the_recorded_schedule_starts_none_of_them():
    """They leave when they left."""
    result = tt.replay(LOG, "recorded")
    assert result["end"].tolist() == [100, 50, 110, 150]
    assert result["state"].tolist().count(State.WITHDRAWN) == 2


def test_their_users_wait_for_them_with_feedback():
    """The next job comes 50 s after the one that was given up, whenever that is submitted."""
    log = trace([(1, 0, 0, 100, 100, 1), (2, 10, 40, 0, 60, GONE), (2, 4000, 0, 50, 60, 1)])
    free = tt.run(tt.MachineSpec(2, "easy"), sources.feedback(log))
    assert free["state"].tolist() == [State.FINISHED] * 3  # with two processors it runs at once, for 50 s
    assert free["submit"].tolist() == [0, 10, 60 + 3950]
    busy = tt.run(tt.MachineSpec(1, "easy"), sources.feedback(log))
    assert busy["submit"].tolist() == [0, 10, 4000]


def test_drawn_users_give_up_too():
    """Their samples have what the log's users gave up."""
    rows = [(1, 0, 0, 5000, 5000, 1)] + [(2, 100 * k, 30, 0, 60, GONE) for k in range(1, 9)] + [(2, 1000, 0, 9, 60, 1)]
    found = tt.run(tt.MachineSpec(1, "easy"), sources.drawn(trace(rows), seed=1))
    gone = found["state"] == State.WITHDRAWN
    assert gone.any()
    assert (found["end"] - found["submit"])[gone].tolist() == [30] * gone.sum()


def test_users_do_not_give_up_what_has_run():
    """A job that was interrupted waits for its second run."""
    log = trace([(1, 0, 500, 0, 100, GONE), (1, 1, 9, 100, 100, 1)], processors=1)
    outage = tt.Outages.of([(50, 700, [0])])
    result = tt.replay(log, "easy", changes=tt.Changes(outages=outage))
    assert result["state"].tolist() == [State.FINISHED, State.FINISHED]
    assert result["end"].tolist() == [800, 900]


@pytest.mark.parametrize(
    ("requests", "asked", "runs"),
    [((60, 60, 60), 60, 20), ((60, 120, 240), 240, 30), ((60, 120, 240), 30, 10), ((60, 120, 240), 25, 10)],
)
def test_run_times_by_rank(requests, asked, runs):
    """The longest request has the longest run, and one among equals their median."""
    rows = [(1, k, 0, 10 * (k + 1), request, 1) for k, request in enumerate(requests)]
    log = trace([*rows, (1, 9, 5, 0, asked, GONE), (2, 9, 0, 999, 999, 1)])
    assert would_run(log).tolist() == [10, 20, 30, runs, 999]


def test_run_times_of_users_without_other_jobs():
    """All jobs of the log count; none runs for longer than it requests."""
    log = trace([(1, 0, 0, 80, 100, 1), (2, 1, 5, 0, 50, GONE)])
    assert would_run(log).tolist() == [80, 50]
    assert demanded(trace([(1, 0, 0, 80, 100, 1)])).runtime.tolist() == [80]
    assert would_run(trace([(2, 1, 5, 0, 50, GONE)])).tolist() == [0]


@settings(max_examples=40)
@given(
    st.lists(
        st.tuples(st.integers(0, 60), st.integers(0, 40), st.integers(1, 30), st.booleans()), min_size=1, max_size=12
    )
)
def test_one_processor_by_hand(rows):
    """First come, first served on one processor, gone through by hand."""
    jobs = sorted((submit, wait, run, gone) for submit, wait, run, gone in rows)
    log = trace([(k, s, w, 0 if gone else r, 30, GONE if gone else 1) for k, (s, w, r, gone) in enumerate(jobs)])
    result = tt.replay(log, "fcfs")
    length, free = would_run(log).tolist(), 0.0
    for (submit, wait, _, gone), run, start, end in zip(
        jobs, length, result["start"].tolist(), result["end"].tolist(), strict=True
    ):
        begin = max(free, submit)
        if gone and begin >= submit + wait and begin > submit:
            assert np.isnan(start) and end == submit + wait
        else:
            assert (start, end) == (begin, begin + run)
            free = end


def test_they_are_read_on_request(tmp_path):
    """And dropped otherwise, as ever; the report counts them."""
    path = tmp_path / "log.swf"
    tt.write_swf(LOG, path)
    dropped = tt.read_swf(path)
    assert (len(dropped), dropped.report.dropped) == (2, {"cancelled without a run": 2})
    kept = tt.read_swf(path, withdrawn="queue")
    assert (len(kept), kept.report.dropped) == (4, {})
    assert "cancelled without a run, and kept" in str(kept.report)
    assert kept.patience.tolist() == pytest.approx([np.nan, 40, 90, np.nan], nan_ok=True)
    with pytest.raises(ValueError, match="withdrawn must be 'drop' or 'queue'"):
        tt.read_swf(path, withdrawn="keep")


def test_commands_and_scenarios_ask_for_them(tmp_path):
    """With --withdrawn queue, and with a key of [trace]."""
    path = tmp_path / "log.swf"
    tt.write_swf(LOG, path)
    jobs = []
    for words in ([], ["--withdrawn", "queue"]):
        jobs.append(json.loads(stdout_of("replay", str(path), "--policy", "easy", "--json", "--quiet", *words))["jobs"])
    assert jobs == [2, 4]
    scenario = tmp_path / "withdrawn.toml"
    scenario.write_text(
        'policies = ["easy"]\nmetrics = ["withdrawn"]\nmachine = { processors = 1 }\n'
        '[trace]\nfile = "log.swf"\nwithdrawn = "queue"\n'
    )
    assert re.search(
        r"withdrawn +1$", stdout_of("run", str(scenario), "--out", str(tmp_path / "out"), "--quiet"), re.MULTILINE
    )
    assert "--withdrawn cannot be 'keep'" in refusal_of("replay", str(path), "--withdrawn", "keep")
