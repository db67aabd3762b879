"""Limits on machines that change: interrupted jobs count no more, and jobs beyond a limit send nobody away."""

import random
from collections.abc import Generator
from typing import Any

import pytest
import simpy
from hypothesis import given, settings
from hypothesis import strategies as st

import thinktime as tt
from tests.models.machine.limits.cases import outcomes, random_site, random_tasks, replayed, spec_of, submitted
from tests.models.machine.limits.recount import exceeded, runs_of
from tests.models.machine.limits.test_every_policy import MACHINES, POLICIES, by_steps
from thinktime.models.site.accounts import AccountTree, Association
from thinktime.models.site.limits import Limits
from thinktime.models.site.qos import QOS
from thinktime.models.site.site import Site

PREEMPTING = [
    f"easy:preempt={how},ranks=q:1+r:2,grace={grace},victims={victims}"
    for how in ("requeue", "cancel", "suspend")
    for grace, victims in ((0, "youngest"), (3, "lowest"))
]
PLAIN = [policy for policy in POLICIES if policy not in ("slack:awt=5", "tradeoff:limit=20")]
"""All but those that cannot be on nodes that change."""


@pytest.mark.parametrize("leap", ["1", "0"])
@pytest.mark.parametrize("nodes", [None, tt.Nodes.uniform(2, 1)], ids=["processors", "nodes"])
def test_a_job_beyond_a_limit_sends_nobody_away(leap: str, nodes: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two urgent jobs of one user, one may run: one job leaves for it, and the other one stays."""
    monkeypatch.setenv("THINKTIME_LEAP", leap)
    site = _site(QOS("normal"), QOS("urgent", limits=Limits(max_jobs=1)))
    size = {"processors": 2} if nodes is None else {"nodes": nodes}
    policy, env = "easy:preempt=requeue,ranks=urgent:1", simpy.Environment()
    running = spec_of(site, policy, changes=tt.Changes(), **size).open(env)

    def user() -> Generator[simpy.Event, Any, None]:
        for queue, runtime in (("normal", 100), ("urgent", 20)):
            for _ in range(2):
                running.submit(tt.Job(runtime=runtime, user="a", group="x", queue=queue))
            yield env.timeout(10)

    env.process(user())
    env.run()
    jobs = running.result().jobs
    assert jobs["start"].tolist() == [0, 0, 10, 30]
    assert jobs["runs"].tolist() == [1, 2, 1, 1]
    assert jobs["end"].tolist() == [100, 150, 30, 50]


def test_an_interrupted_job_counts_no_more() -> None:
    """While one job is off the machine, whose processors are down, the next one of its user runs; then it waits."""
    site = _site(QOS("q", limits=Limits(max_jobs=1)))
    changes = tt.Changes(outages=tt.Outages.of([(10, 20, "0")]), requeue_delay=30)
    env = simpy.Environment()
    machine = spec_of(site, "easy", processors=2, changes=changes).open(env)
    for runtime in (50, 60):
        machine.submit(tt.Job(runtime=runtime, user="a", group="x", queue="q"))
    env.run()
    jobs = machine.result().jobs
    assert jobs["start"].tolist() == [0, 10]
    assert jobs["end"].tolist() == [120, 70]


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([*PREEMPTING, *PREEMPTING, *PLAIN]), st.sampled_from(MACHINES))
def test_no_limit_is_exceeded_where_jobs_are_interrupted(seed: int, policy: Any, machine: dict[str, Any]) -> None:
    """With outages and preemptions, by leaps and instant by instant."""
    luck = random.Random(seed)
    site = random_site(luck)
    tasks = random_tasks(luck, site, 14)
    begins = [luck.randrange(0, 60) for _ in range(3)]
    outages = tt.Outages.of([(begin, begin + luck.choice([2, 9, 20]), f"0-{luck.randrange(3)}") for begin in begins])
    changes = tt.Changes(
        outages=outages, requeue_at=luck.choice(["original", "now"]), requeue_delay=luck.choice([0, 4])
    )
    spec = spec_of(site, policy, changes=changes, **machine)
    result = replayed(tasks, spec)
    assert list(exceeded(site, runs_of(tasks, result), ["jobs", "cpu"])) == []
    assert outcomes(by_steps(pytest.MonkeyPatch(), submitted, tasks, spec)) == outcomes(result)


def _site(*qualities: QOS) -> Site:
    tree = AccountTree([Association("x"), Association("x", "a")])
    return Site(qos=qualities, accounts=tree, enforce=frozenset(["limits"]))
