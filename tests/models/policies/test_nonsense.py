"""Whatever a policy of one's own names, it gets an error in Python: compiled code checks no index."""

import contextlib
import copy
import random
from math import inf, nan

import numpy as np
import pytest

import thinktime as tt
from thinktime.models.jobs.leaving import Leave

NONSENSE = [-1, 4, 10**6, 2**62, -(2**62), 2**70, np.int64(99)]
MACHINES = {
    "processors": {"processors": 3},
    "changes": {"processors": 3, "changes": tt.Changes(windows=[tt.Window(5, 9, 1)])},
}
ASKED = {
    "fits": lambda view, row: view.fits(row),
    "fits later": lambda view, row: view.fits(row, view.now + 1),
    "earliest": lambda view, row: view.earliest(row),
}


def log():
    """Four jobs."""
    return tt.Trace({"submit": [0, 1, 2, 3], "runtime": [10, 10, 5, 5], "allocated": [2, 2, 1, 1]})


@pytest.mark.parametrize("row", NONSENSE, ids=str)
@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("ask", ASKED.values(), ids=ASKED)
def test_a_question_about_no_job_is_an_index_error(row, machine, ask):
    """`view.fits` and `view.earliest` name the row and the rows that there are."""

    def policy(view, now):
        ask(view, row)
        return []

    with pytest.raises(IndexError, match="there is no job in row"):
        tt.replay(log(), policy, **MACHINES[machine])


@pytest.mark.parametrize("row", [row for row in NONSENSE if row != 4], ids=str)  # there is room for more than four jobs
def test_a_window_admits_no_job_that_is_not_there(row):
    """`window.admits` says so, too."""

    def policy(view, now):
        for window in view.windows:
            window.admits(row)
        return []

    with pytest.raises(IndexError, match="there is no job in row"):
        tt.replay(log(), policy, **MACHINES["changes"])


@pytest.mark.parametrize("row", NONSENSE, ids=str)
def test_no_job_can_be_proposed_that_is_not_there(row):
    """Neither to start nor to leave, nor as the one for which another leaves."""

    def start(view, now):
        return [row]

    def leave(view, now):
        return [Leave(row, "requeue", 0.0, -1)]

    def keep(view, now):
        return list(view.waiting[:1]) if not view.running else [Leave(view.running[0].row, "suspend", 0.0, row)]

    for policy in (start, leave):
        with pytest.raises((tt.PolicyError, ValueError, TypeError)):
            tt.replay(log(), policy, 3, changes=tt.Changes())
    if row != -1:
        with pytest.raises((IndexError, tt.PolicyError, ValueError)):
            tt.replay(log(), keep, 3, changes=tt.Changes())


class Vandal:
    """A policy that asks and proposes whatever comes to mind, and goes on after errors; it keeps what it has seen."""

    def __init__(self, seed, strangers):
        self.luck, self.strangers, self.kept = random.Random(seed), strangers, []
        self.asked, self.refused = 0, 0

    def copy(self):
        return self

    def something(self, view):
        luck = self.luck
        job = luck.choice(view.queue + view.running + self.kept[-9:])
        return luck.choice(
            [
                *(job, job.row, float(job.row), np.int64(job.row), str(job.row), [job], view),
                *(None, -1, 0, 3, 63, 64, 10**6, 2**62, -(2**63), 2**63, 2**70, 1.5, nan, inf, True, b"1", object()),
                *(np.array([1, 2]), np.array([-5, 9999]), np.array([0.5]), luck.choice(self.strangers)),
            ]
        )

    def select(self, view, now):
        if not view.queue:
            return []
        self.kept += view.queue[-1:]
        views = [view, view.trusted(), copy.copy(view), view.only(view.waiting[::2])]
        for _ in range(12):
            self.asked += 1
            try:
                self.ask(view, self.luck.choice(views), self.something(view), self.something(view))
            except Exception:
                self.refused += 1
        view.proposed.forget()
        return self.propose(view)

    def ask(self, view, seen, one, other):
        """Ask one thing of a view, or of this one; it may be a copy or a part."""
        questions = [
            lambda: seen.fits(one),
            lambda: seen.fits(one, other),
            lambda: seen.earliest(one),
            lambda: view.request(one).estimate,
            lambda: repr(seen.request(one)),
            lambda: seen.columns(one).each()[0].processors,
            lambda: seen.only([one]).queue[0].submit,
            lambda: seen.preempt(one, by=other),
            lambda: view.admitted(one),
            lambda: view.proposed.add(one, other),
            lambda: view.proposed.leaving.append(one),
            lambda: view.proposed.forget(),
            lambda: [getattr(one, name) for name in dir(one)],
        ]
        self.luck.choice(questions)()

    def propose(self, view):
        for job in view.queue:
            if self.luck.random() < 0.03:
                yield self.something(view)
            if view.fits(job):
                yield job


@pytest.mark.parametrize("overrun", ["kill", "until_needed"])
@pytest.mark.parametrize("machine", ["processors", "nodes", "changes", "nodes that change"])
def test_nonsense_never_ends_the_process(machine, overrun):
    """Whatever a policy asks and proposes, it gets errors in Python, and then the machine works for others."""
    where = {"processors": 8} if "nodes" not in machine else {"nodes": tt.Nodes.uniform(4, processors=2)}
    if "change" in machine:
        if overrun == "until_needed":
            pytest.skip("such machines have no overruns that go on")
        where["changes"] = tt.Changes(windows=[tt.Window(50, 70, 8 if "nodes" not in machine else ["node1"])])
    rng = np.random.default_rng(5)
    columns = {"submit": np.sort(rng.integers(0, 200, 60)), "runtime": rng.integers(0, 40, 60)}
    trace = tt.Trace({**columns, "requested_time": rng.integers(1, 40, 60), "allocated": rng.integers(1, 6, 60)})
    strangers = []
    tt.replay(trace, lambda view, now: strangers.extend(view.queue) or view.waiting[:1], 64)
    asked = refused = 0
    for seed in range(12):
        vandal = Vandal(seed, [*strangers[:90], view_of_another_machine(trace)])
        with contextlib.suppress(tt.PolicyError, TypeError, ValueError, IndexError, OverflowError):
            tt.replay(trace, vandal, overrun=overrun, **where)
        asked, refused = asked + vandal.asked, refused + vandal.refused
    assert asked > 250 and refused > 50
    assert len(tt.replay(trace, "easy", overrun=overrun, **where)) == 60


def view_of_another_machine(trace):
    """A view that was kept after its machine has gone."""
    kept = []
    tt.replay(trace, lambda view, now: kept.append(view) or view.waiting[:1], 64)
    return kept[0]
