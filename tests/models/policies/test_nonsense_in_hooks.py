"""Nonsense out of hooks, keys and whole proposals: an error in Python, or no harm at all."""

import random

import numpy as np
import pytest

import thinktime as tt
from thinktime.models.site.limits import Limits
from thinktime.models.site.qos import QOS

ARRAYS = {
    "no row": np.array([-1]), "far away": np.array([10**6]), "the largest": np.array([2**63 - 1]),
    "twice": np.array([0, 0]), "more than there is room for": np.zeros(5_000, np.int64),
    "in two dimensions": np.zeros((2, 2), np.int64), "of halves": np.array([0.5]),
    "of small numbers": np.array([200], np.uint8), "of texts": np.array(["0"]), "of truths": np.array([True]),
}  # fmt: skip
MACHINES = {
    "processors": {"processors": 3},
    "nodes": {"nodes": tt.Nodes.uniform(3, processors=1)},
    "changes": {"processors": 3, "changes": tt.Changes(windows=[tt.Window(5, 9, 1)])},
    "limits": {
        "processors": 3,
        "site": tt.Site(qos=[QOS("normal", limits=Limits(max_jobs=2))], enforce=frozenset({"limits"})),
    },
}


def log(jobs=6):
    """Some jobs of one user."""
    columns = {"submit": range(jobs), "runtime": [10, 5] * (jobs // 2), "allocated": [2, 1] * (jobs // 2)}
    return tt.Trace(columns | {"user": [1] * jobs})


@pytest.mark.parametrize("proposed", ARRAYS.values(), ids=ARRAYS)
@pytest.mark.parametrize("machine", MACHINES)
def test_no_array_of_nonsense_is_started(proposed, machine):
    """Whatever array a policy gives, `PolicyError` says what is wrong."""
    with pytest.raises(tt.PolicyError):
        tt.replay(log(), lambda view, now: proposed, **MACHINES[machine])


@pytest.mark.parametrize("machine", MACHINES)
def test_parts_of_the_queue_are_what_they_were(machine):
    """Views of the queue, backwards and with steps, are copied before starts change it."""

    def backwards(view, now):
        return view.waiting[::-1][:1] if view.waiting.size and view.fits(view.waiting[-1]) else view.waiting[:0]

    result = tt.replay(log(), backwards, **MACHINES[machine])
    assert (result["state"] == tt.State.FINISHED).all()


class Overwriting:
    """A policy that writes into everything that its hooks are given."""

    def __init__(self, hooks):
        for name in hooks:
            setattr(self, name, self.overwrite)

    def select(self, view, now):
        for job in view.queue:
            if view.fits(job):
                yield job

    def overwrite(self, view, rows, now):
        view.fits(rows[0], now + 1)
        rows[:] = 2**62


HOOKS = ("on_submit", "on_start", "on_end", "on_interrupt", "on_requeue", "on_bar", "on_put_off", "on_revise")


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("overrun", ["kill", "extend"])
def test_arrays_in_hooks_are_the_policys_own(machine, overrun):
    """Overwriting the rows in a hook harms nothing."""
    where = MACHINES[machine] | {"overrun": overrun}
    quiet, loud = (tt.replay(log(), Overwriting(hooks), **where) for hooks in ((), HOOKS))
    assert quiet["start"].tolist() == loud["start"].tolist()
    assert quiet["end"].tolist() == loud["end"].tolist()


class Clocked(Overwriting):
    def __init__(self, luck):
        super().__init__(())
        self.luck = luck

    def copy(self):
        return self

    def next_clock(self, now):
        return self.luck.choice([None, np.inf, now, now - 1, np.nan, "soon", now + 1, now + 0.0001, 2**62, -np.inf, []])


def key(luck):
    def nonsense(jobs, now):
        n = len(jobs)
        return luck.choice(
            [
                np.zeros(n), np.zeros(n + 1), np.full(n, np.nan), None, "x", [1j] * n, np.full(n, np.inf),
                np.zeros((n, 1)),
            ]
        )  # fmt: skip

    return nonsense


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("kind", ["clock", "dynamic key", "static key"])
def test_clocks_and_keys_may_be_anything(machine, kind):
    """They are checked before the loop goes by them."""
    wrong = 0
    for seed in range(20):
        luck = random.Random(seed)
        policy = Clocked(luck)
        if kind != "clock":
            policy = tt.policies.Easy(order=tt.policies.vector(key(luck), dynamic=kind == "dynamic key"))
        try:
            result = tt.replay(log(), policy, **MACHINES[machine])
        except (tt.PolicyError, TypeError, ValueError, OverflowError):
            wrong += 1
        else:
            assert (result["state"] == tt.State.FINISHED).all()
    assert wrong > 5
