"""The state of a machine at a moment of its log."""

import numpy as np
import pytest

import thinktime as tt
from thinktime.models.snapshot.logged import GRACE, state_in_log
from thinktime.workloads.nodes import Nodes


def _log(policy: str) -> tt.Trace:
    """What a machine of 8 recorded under a policy."""
    rng = np.random.default_rng(3)
    n = 150
    runtime = rng.integers(1, 2000, n)
    log = tt.Trace(
        {"submit": np.sort(rng.integers(0, 60_000, n)), "runtime": runtime, "allocated": rng.integers(1, 7, n),
         "requested_time": runtime + rng.integers(0, 2000, n), "user": rng.integers(1, 9, n)}
    )  # fmt: skip
    return log.with_columns(wait=tt.run(tt.MachineSpec(8, policy), log)["start"] - log.submit)


@pytest.mark.parametrize("policy", ["none", "easy", "easy:order=sjf", "conservative-dynamic"])
def test_the_rest_is_that_of_the_log(policy: str) -> None:
    """A job that waits or comes later starts as on the machine that recorded the log."""
    log = _log(policy)
    truth = dict(zip(log.id.tolist(), (log.submit + log.wait).tolist(), strict=True))
    for time in (20_000.0, 30_011.0, 45_500.0):
        state = state_in_log(tt.MachineSpec(8, policy), log, time, foreseen=True).state
        rest = tt.run(tt.MachineSpec(begin=state), tt.sources.log(log.select(log.submit > time)))
        assert rest["start"].tolist() == [truth[job] for job in rest["id"].tolist()]
        assert ((rest["submit"] <= time) & (rest["start"] > time)).sum() > 2
        assert (rest["submit"] > time).sum() == (log.submit > time).sum()


def test_nothing_later_is_in_it() -> None:
    """Two logs that differ after a time give the same rest: all jobs run to their limits."""
    log, time = _log("easy"), 30_011.0
    begun = log.submit + log.wait
    later = log.with_columns(
        wait=np.where(begun > time, log.wait + 77.0, log.wait),
        runtime=np.where(begun + log.runtime > time, log.requested_time, log.runtime),
    )
    rests = [tt.run(tt.MachineSpec(begin=state_in_log(tt.MachineSpec(8), each, time).state)) for each in (log, later)]
    assert rests[0]["end"].tolist() == rests[1]["end"].tolist() != []


def test_the_rule_looks_at_once() -> None:
    """Who could start by this rule, but did not by that of the log, starts in the next second."""
    log = tt.Trace({"submit": [0, 1], "wait": [0, 50], "runtime": [90, 9], "allocated": [1, 1]})
    rest = tt.run(tt.MachineSpec(begin=state_in_log(tt.MachineSpec(2), log, 10.0).state))
    assert rest["start"].tolist() == [0.0, 11.0]


def test_what_does_not_fit_is_said() -> None:
    """Jobs that ran beside each other on more than the machine has wait; wider ones are left out; nodes are refused."""
    log = tt.Trace(
        {"submit": [0, 1, 2], "wait": [0, 0, 0], "runtime": [90, 90, 90], "allocated": [3, 3, 9],
         "requested_time": [90, 90, 90]}
    )  # fmt: skip
    found = state_in_log(tt.MachineSpec(4), log, 10.0)
    assert (found.unplaced, found.refused) == ((2,), (3,))
    with pytest.raises(ValueError, match="on which nodes"):
        state_in_log(tt.MachineSpec(nodes=Nodes.uniform(2, 2)), log, 10.0)


@pytest.mark.parametrize("policy", ["conservative", "slack", "ostrich"])
def test_what_a_rule_remembers_is_not_in_a_log(policy: str) -> None:
    """Reservations are not; one sentence says which rules can be had."""
    with pytest.raises(ValueError, match=r"does not say what policy .* remembers; give one"):
        state_in_log(tt.MachineSpec(8, policy), _log("easy"), 20_000.0)


def test_jobs_past_their_limits_end_soon() -> None:
    """A job that should have ended by now ends within the grace."""
    log = tt.Trace({"submit": [0], "wait": [0], "runtime": [900], "allocated": [1], "requested_time": [60]})
    rest = tt.run(tt.MachineSpec(begin=state_in_log(tt.MachineSpec(2), log, 500.0).state))
    assert rest["end"].tolist() == [500.0 + GRACE]
