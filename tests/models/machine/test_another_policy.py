"""Machines that go over to another policy in the middle."""

from typing import Any

import numpy as np
import pytest

import thinktime as tt
from tests.frozen.cases import PROCESSORS, log, machines
from tests.models.machine.cuts import taking
from thinktime.models.machine.another_policy import under_policy

NOW = 50.0
FORGETFUL = "none", "no-guarantee:order=sjf", "easy", "easy:reservations=3", "easy:order=lxf", "conservative-dynamic"
ABLE = (
    *FORGETFUL, "conservative", "conservative:compress=event,order=sjf", "conservative:compress=scheduled", "creasy",
    "slurm", "slurm:backfill=no", "easy:order=fairshare,half_life=30s",
)  # fmt: skip
WHOLE = "creasy", "slurm"
"""They go by whole estimates, also those of jobs that run."""
UNABLE = "slack:awt=30", "ostrich", "recorded", "easy:runtime_limit=15s", "tradeoff:limit=20,goals=wait+slowdown"


def _state(spec: tt.MachineSpec) -> tt.MachineState:
    states: list[tt.MachineState] = []
    tt.run(spec, log(1), taking([NOW], states))
    return states[0]


def _starts(result: tt.Result) -> dict[int, float]:
    ran = np.isfinite(result["start"])
    return dict(zip(result["id"][ran].tolist(), result["start"][ran].tolist(), strict=True))


@pytest.mark.parametrize("policy", FORGETFUL)
def test_a_rule_that_plans_anew_goes_on_as_if_nothing_had_happened(policy: str) -> None:
    """It takes over from itself, and every job starts when it would have."""
    state = _state(tt.MachineSpec(PROCESSORS, policy))
    rest = tt.run(tt.MachineSpec(begin=under_policy(state, policy)))
    assert _starts(rest) == _starts(tt.run(tt.MachineSpec(begin=state)))


@pytest.mark.parametrize("policy", [each for each in ABLE if "order" not in each and each not in WHOLE])
def test_waiting_jobs_come_to_the_new_rule_at_once(policy: str) -> None:
    """Jobs start as on a new machine, to which come what is left of those that run, and then those that wait."""
    alone = _state(tt.MachineSpec(PROCESSORS, "easy")).without_arrivals()
    rest = tt.run(tt.MachineSpec(begin=under_policy(alone, policy)))
    start, there = rest["start"], (rest["submit"] <= NOW) & (rest["end"] > NOW)
    runs = there & (start < NOW)
    order = np.concatenate([np.flatnonzero(runs), np.flatnonzero(there & ~runs)])
    passed = np.where(runs, NOW - start, 0.0)
    columns: dict[str, Any] = {
        "id": np.arange(len(order)), "submit": np.zeros(len(order)), "runtime": (rest["runtime"] - passed)[order],
        "requested_time": (rest["estimate"] - passed)[order], "allocated": rest["processors"][order],
    }  # fmt: skip
    assert runs.sum() > 2 and len(order) > runs.sum() + 4
    new = tt.run(tt.MachineSpec(PROCESSORS, policy), tt.Trace(columns))
    assert new["start"].tolist() == np.where(runs, 0.0, start - NOW)[order].tolist()


SEEN = "pool", "pool of a site with limits", "nodes", "changing nodes"


@pytest.mark.parametrize(
    "machine", [each if each in SEEN else pytest.param(each, marks=pytest.mark.thorough) for each in machines()]
)
def test_every_rule_that_can_takes_over_every_machine(machine: str) -> None:
    """No job is left that could run, whatever policy governed before; others are refused before anything runs."""
    state = _state(tt.MachineSpec(**vars(machines()[machine]) | {"policy": "easy"}))
    for policy in ABLE:
        if "with limits" not in machine:
            rest = tt.run(tt.MachineSpec(begin=under_policy(state, policy)))
            assert np.isfinite(rest["end"]).all(), policy
    for policy in UNABLE if "with limits" not in machine else ABLE:
        with pytest.raises(ValueError, match="cannot be combined with"):
            under_policy(state, policy)


def test_accounts_of_the_same_order_are_kept() -> None:
    """Who has used much is still behind after the change of the rule, and is not if the order is another one."""
    state = _state(tt.MachineSpec(PROCESSORS, "easy:order=fairshare,half_life=30s"))
    same = tt.run(tt.MachineSpec(begin=under_policy(state, "easy:order=fairshare,half_life=30s")))
    assert _starts(same) == _starts(tt.run(tt.MachineSpec(begin=state)))
    slower = tt.run(tt.MachineSpec(begin=under_policy(state, "none:order=fairshare,half_life=30s")))
    anew = tt.run(tt.MachineSpec(begin=under_policy(state, "none:order=fairshare,half_life=31s")))
    assert _starts(slower) != _starts(anew), "they are kept by another rule, too"
    other = tt.run(tt.MachineSpec(begin=under_policy(state, "easy:order=fairshare,half_life=31s")))
    assert _starts(other) != _starts(same)
