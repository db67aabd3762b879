"""Every source of jobs on a machine with a daily window, failures and checkpoints."""

from typing import Any

import numpy as np
import pytest

import thinktime as tt
from tests.how_many import in_turn
from tests.models.changes.machines import CHANGING, EVERY, FAILURES, changing, changing_nodes
from tests.models.engine.schedules import PROCESSORS
from tests.models.engine.sources import NODES, from_sources, trace

RULES = [
    "none", "no-guarantee:order=sjf", "easy", "easy:reservations=3,order=lxf", "easy:order=fairshare,half_life=30s",
    "conservative", "conservative:compress=event,order=sjf", "conservative:compress=none",
    "conservative-dynamic:order=fairshare,half_life=30s",
]  # fmt: skip
PAPERS = [
    "cplant:starve=20s,order=fairshare,half_life=30s", "ostrich:corrected=yes", "ostrich-slurm:threshold=9",
    "slack:awt=20", "tradeoff:limit=30",
]  # fmt: skip
MACHINES: dict[str, dict[str, Any]] = {
    "pool": {"changes": CHANGING["usual"]},
    "nodes": {"nodes": NODES, "changes": changing_nodes(repairs="told", requeue_delay=5.0)},
}


@pytest.mark.parametrize(("source", "machine"), in_turn(2, EVERY, MACHINES))
def test_an_observer_changes_nothing(source: str, machine: str) -> None:
    """With an observer no instant is compiled, and the schedule is the same, jobs that are interrupted included."""
    found = [repr(from_sources("easy", EVERY[source], seen, **MACHINES[machine])[:6]) for seen in (False, True)]
    assert found[0] == found[1]
    assert "failed" in found[0] or source == "process"


@pytest.mark.parametrize("rules", [RULES, pytest.param(PAPERS, marks=pytest.mark.thorough)], ids=["rules", "papers"])
def test_the_failures_are_the_same_under_every_policy(rules: list[str]) -> None:
    """A processor is down at the same times whatever the policy, the checkpoints and the source."""
    outages = FAILURES.outages(PROCESSORS, 5000)
    for policy in rules:
        for changes in (CHANGING["usual"], changing(checkpoint=2, cost=0.25), changing(windows=())):
            jobs = trace(1, 20 if rules is RULES else 15)
            runs = tt.run(tt.MachineSpec(PROCESSORS, policy, changes=changes), tt.sources.log(jobs)).runs
            failed = runs[runs.how == "failed"]
            assert len(failed)
            for end, indices in zip(failed.end, failed.indices, strict=True):
                hit = outages.index[outages.start == end]
                ranges = [part.split("-") for part in indices.split()]
                assert any(int(part[0]) <= i <= int(part[-1]) for part in ranges for i in hit.tolist())


@pytest.mark.parametrize("source, name", in_turn(3, EVERY, CHANGING))
def test_something_happens_here(source: str, name: str) -> None:
    """Each of these machines interrupts jobs of each source, or kills them."""
    runs = tt.run(tt.MachineSpec(PROCESSORS, "easy", changes=CHANGING[name]), EVERY[source]()).runs
    assert "failed" in set(runs.how)
    assert np.isfinite(runs.end).all()
