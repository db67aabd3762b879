"""Any policy can act as an agent: an agent that follows the advice of a policy makes that policy's schedule."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import thinktime as tt
from thinktime.models.machine import combinations
from thinktime.models.policies.spec import catalogue
from thinktime.models.site.limits import Limits
from thinktime.models.site.priority import PriorityRules
from thinktime.models.site.qos import QOS

from .conftest import at_random, log, played

SPEC = tt.MachineSpec(16)
LIMITED = tt.Site(qos=[QOS("normal", limits=Limits(max_jobs=2))], enforce=frozenset({"limits"}))
RANKED = tt.Site(priority=PriorityRules("multifactor", fairshare=1000, age=10))
CHANGES = tt.Changes((tt.Window(2000, 5000, processors=8),))
MORE = [
    "easy:reservations=3", "easy:runtime_limit=20min", "conservative:compress=event", "conservative:order=sjf",
    "slack:awt=600", "slack:awt=600,tick=yes", "slurm:order=fairshare", "ostrich:threshold=1",
]  # fmt: skip
POLICIES = [entry.name for entry in catalogue() if entry.name not in ("recorded", "multifactor", "shapes")] + MORE
CASES = [(name, SPEC) for name in POLICIES] + [
    ("easy:order=multifactor", replace(SPEC, site=RANKED)),
    *((name, replace(SPEC, site=LIMITED)) for name in ("easy", "conservative", "cplant", "fcfs")),
    *((name, replace(SPEC, changes=CHANGES)) for name in ("easy", "conservative", "slurm", "ostrich")),
    *((name, replace(SPEC, overrun="until_needed")) for name in ("easy", "conservative", "ostrich")),
    *((name, replace(SPEC, overrun="extend")) for name in ("easy", "conservative", "slurm")),
]


def follow(observation: Any, info: dict[str, Any]) -> int:
    """Do what the adviser would do."""
    return int(info["advice"])


def starts(adviser: str, spec: tt.MachineSpec, source: Any, **more: Any) -> list[float]:
    """When jobs start if an agent follows a policy's advice."""
    env = tt.gym.Environment(spec, source, jobs=40, adviser=adviser, **more)
    played(env, follow)
    found: list[float] = env.result["start"].tolist()
    return found


@pytest.mark.parametrize(("adviser", "spec"), CASES, ids=[name for name, _ in CASES])
def test_whoever_follows_a_policy_makes_its_schedule(adviser: str, spec: tt.MachineSpec) -> None:
    """Start by start, for the whole catalogue, and on machines with sites, limits, windows and overruns."""
    jobs = log(12 if "tradeoff" in adviser else 16)
    expected = tt.run(spec.under(adviser), tt.sources.log(jobs))
    assert np.ptp(expected["start"] - expected["submit"]) > 0
    assert starts(adviser, spec, tt.sources.log(jobs)) == expected["start"].tolist()


@pytest.mark.parametrize("adviser", ["easy", "conservative", "ostrich"])
def test_it_does_so_whatever_the_agent_sees_and_whoever_submits(adviser: str, small: tt.Trace) -> None:
    """With backfilling behind its answers, in another order, under users who react."""
    source = tt.sources.feedback(small)
    expected = tt.run(SPEC.under(adviser), source)["start"].tolist()
    assert starts(adviser, SPEC, source, backfilling="easy", order="sjf", running=2) == expected


def test_a_policy_of_ones_own_advises_as_well(small: tt.Trace) -> None:
    """A function that gives requests."""

    def shortest(view: Any, now: float) -> Any:
        free = view.free
        for job in sorted(view.queue, key=lambda job: job.estimate):
            if job.processors <= free:
                free -= job.processors
                yield job

    expected = tt.replay(small, shortest, 16)["start"].tolist()
    assert starts(shortest, SPEC, tt.sources.log(small)) == expected  # type: ignore[arg-type]


def test_an_adviser_s_view_knows_what_it_has_yielded(small: tt.Trace) -> None:
    """A policy that lets nobody overtake the first job without room is followed, which asks what fits."""

    def widest(view: Any, now: float) -> Any:
        for job in sorted(view.queue, key=lambda job: -job.processors):
            if not view.fits(job):
                return
            yield job

    expected = tt.replay(small, widest, 16)["start"].tolist()
    assert starts(widest, SPEC, tt.sources.log(small)) == expected  # type: ignore[arg-type]


def test_whoever_remembers_nothing_advises_in_any_situation(small: tt.Trace) -> None:
    """An agent that goes its own way is told what EASY would do there; one that plans ahead must be followed."""
    env = tt.gym.Environment(SPEC, tt.sources.log(small), adviser="easy", jobs=40)
    told = played(env, at_random(3))
    assert sum(info["action_mask"][info["advice"]] for *_, info in told) == len(told)
    env = tt.gym.Environment(SPEC, tt.sources.log(small), adviser="conservative", jobs=40)
    with pytest.raises(ValueError, match=r"the adviser conservative:.* plans ahead, so its advice must be followed at"):
        played(env, at_random(3))


def test_an_agent_that_sees_too_little_cannot_follow(small: tt.Trace) -> None:
    """The sentence says what would be right."""
    with pytest.raises(ValueError, match=r"adviser ljf|none:order=ljf.* and the agent sees 1: give jobs=, at least"):
        starts_with_one = tt.gym.Environment(SPEC, tt.sources.log(small), adviser="ljf", jobs=1)
        played(starts_with_one, follow)


@pytest.mark.parametrize(
    ("adviser", "spec", "this"),
    [
        ("recorded", SPEC, "policy recorded"),
        ("easy:preempt=requeue,ranks=1:2+2:1", SPEC, "a policy that sends running jobs away"),
        ("easy", tt.MachineSpec(nodes=tt.Nodes.uniform(4, 4)), "nodes"),
        ("ostrich", replace(SPEC, site=LIMITED), "a site that enforces limits"),
        ("slack:delayed=shifted,heuristic=aat,awt=9", replace(SPEC, changes=CHANGES), "a machine that changes"),
    ],
)
def test_where_it_cannot_the_table_says_so(adviser: str, spec: tt.MachineSpec, this: str, small: tt.Trace) -> None:
    """The error is a row of the table of impossible combinations."""
    rows = [f"{one} cannot be combined with {other}: {why}" for one, other, why in combinations.rows() if one == this]
    with pytest.raises(ValueError, match="|".join(map(re.escape, rows))):
        starts(adviser, spec, tt.sources.log(small))
