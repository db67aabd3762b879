"""Every source of jobs on a machine with a daily window, failures and checkpoints: nothing depends on leaps."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import simpy
from scipy import stats

import thinktime as tt
from tests.how_many import few_or_many, in_turn
from tests.models.engine.people import both, seen_by_people
from tests.models.engine.schedules import PROCESSORS
from tests.models.engine.sources import NODES, SOURCES, from_sources, trace
from thinktime.users import behaviours as b
from thinktime.workloads.changes import repeat

DAY = 60.0  # s: the jobs of these tests take seconds
FAILURES = tt.Failures(mtbf=250, mttr=12, seed=3)


def changing(**more: Any) -> tt.Changes:
    """A machine with a daily window, failures and checkpoints, and a reservation for ada on the third day."""
    windows = [*repeat(tt.Window(20, 30, 5), DAY, 40 * DAY), tt.Window(2.6 * DAY, 3 * DAY, 2, users=["ada"])]
    given: dict[str, Any] = {"windows": windows, "failures": FAILURES, "checkpoint": 4, "cost": 0.5, "restart": 1}
    given["strangers"] = "note"  # some logs are without ada
    return tt.Changes(**(given | more))


MACHINES = {
    "usual": changing(),
    "told": changing(repairs="told", requeue_at="now", max_restarts=2),
    "kill": changing(windows=repeat(tt.Window(20, 30, 5, rule="kill"), DAY, 40 * DAY), on_failure="cancel"),
    "wait": changing(windows=repeat(tt.Window(20, 30, 5, announced=3, rule="wait"), DAY, 40 * DAY), requeue_delay=5),
}
RULES = [
    "none", "no-guarantee:order=sjf", "easy", "easy:reservations=3,order=lxf", "easy:order=fairshare,half_life=30s",
    "conservative", "conservative:compress=event,order=sjf", "conservative:compress=none",
    "conservative-dynamic:order=fairshare,half_life=30s",
]  # fmt: skip
PAPERS = [
    "cplant:starve=20s,order=fairshare,half_life=30s", "ostrich:corrected=yes", "ostrich-slurm:threshold=9",
    "slack:awt=20", "tradeoff:limit=30",
]  # fmt: skip


def polite(view: Any, now: float) -> Any:
    """A policy of somebody's own: the first waiting job that fits."""
    return next(([job] for job in view.queue if view.fits(job)), None)


class Restless(tt.Behaviour):
    """Checkpoints more often after an interruption, and thinks longer after one."""

    heard = 0

    def interrupted(self, user: Any, job: tt.Job, event: Any, what: tt.Interruption) -> None:
        self.heard += 1

    def adapt(self, user: Any, job: tt.Job) -> tt.Job:
        return replace(job, checkpoint=2) if self.heard else job

    def think(self, user: Any, last: Any, thought: float) -> float:
        return thought + self.heard


def campaigns() -> Any:
    """Users with every way to react."""
    usual: dict[str, Any] = {
        "runtime": stats.expon(scale=9), "jobs": stats.geom(0.4), "think_time": stats.expon(scale=9),
        "processors": lambda rng: rng.integers(1, 9), "overestimate": 2,
    }  # fmt: skip
    kinds = {
        "plain": (),
        "ada": (Restless(), b.InFlight(2)),
        "bob": (b.Discouraged(after=1),),
        "eve": (b.Patience(20), b.Discouraged(after=2), b.InFlight(3)),
        "mia": (b.Balk(wait=60), b.Estimate()),
    }
    users = {name: tt.Profile(**usual, behaviours=list(each)) for name, each in kinds.items()}
    return tt.sources.campaigns(users, seed=2, campaigns=3)


def own_process() -> Callable[..., Iterator[Any]]:
    """A process that holds processors, looks around, announces a window and lets processors fail."""

    def go(env: simpy.Environment, machine: tt.Machine) -> Iterator[Any]:
        seen = []
        machine.add_window(tt.Window(50, 55, 3 if machine.nodes is None else ["a1"]))
        for k in range(6):
            with machine.request(3, estimate=20) as hold:
                try:
                    yield hold
                    yield env.timeout(11)
                except simpy.Interrupt as interrupt:
                    seen.append((interrupt.cause.at, interrupt.cause.why))
            sight = machine.sight("ada")
            seen.append((sight.free, sight.queue_length, sight.predicted_start(tt.Job(runtime=9, processors=6))))
            machine.fail([k if machine.nodes is None else k % 3], until=env.now + 7)
            yield machine.submit(tt.Job(runtime=4 + k, processors=4, user="ada"))
        machine.lose(tt.Job(runtime=1), str(seen))

    return lambda env, machine: go(env, machine)


EVERY: dict[str, Any] = SOURCES | {"campaigns": campaigns, "process": own_process}


def some(short: list[Any], *lists: Any) -> list[Any]:
    """All combinations, of which those that are not in the short list are for a thorough test."""
    return [
        pytest.param(*each, marks=[] if each in short else [pytest.mark.thorough], id="-".join(map(named, each)))
        for each in itertools.product(*lists)
    ]


def named(value: Any) -> str:
    """What a value is called in the name of a test."""
    return getattr(value, "__name__", str(value))


EASILY = [("easy", "usual"), ("conservative", "wait"), (polite, "told")]


SOON_OF = [(source, *EASILY[k % len(EASILY)]) for k, source in enumerate(EVERY)]


@pytest.mark.parametrize("source, policy, machine", some(SOON_OF, EVERY, ["easy", "conservative", polite], MACHINES))
def test_every_source_is_the_same(monkeypatch: Any, source: str, machine: str, policy: Any) -> None:
    """Logs, dependencies, feedback, drawn users, campaigns with behaviours and processes do not depend on leaps."""
    more = {"changes": MACHINES[machine]}
    step_by_step, leaping = both(monkeypatch, lambda: from_sources(policy, EVERY[source], **more))
    assert step_by_step == leaping


@pytest.mark.parametrize("source", in_turn(2, EVERY))
def test_an_observer_changes_nothing(monkeypatch: Any, source: str) -> None:
    """With an observer no instant is compiled, and the schedule is the same."""
    more = {"changes": MACHINES["usual"]}
    found = [repr(from_sources("easy", EVERY[source], observed, **more)[:6]) for observed in (False, True)]
    assert found[0] == found[1]


SLOW = ("slack", "tradeoff")  # minutes as plain Python; a twin has them by leaps and observed
SEEN = [rule for rule in [*RULES, *PAPERS] if not rule.startswith(SLOW)]
SOON = [("easy", "kill"), ("none", "extend"), ("conservative:compress=none", "kill"), (PAPERS[0], "extend")]


@pytest.mark.parametrize("how_many", few_or_many(2, 4))
@pytest.mark.parametrize("policy, overrun", some(SOON, SEEN, ["kill", "extend"]))
def test_people_see_the_same(monkeypatch: Any, policy: str, overrun: str, how_many: int) -> None:
    """Users who wait, cancel, hold, watch, look around and worry see the same things in the same order."""
    for seed, changes in list(enumerate(MACHINES.values()))[:how_many]:
        given = seed, policy, overrun, 1, None, changes
        step_by_step, leaping = both(monkeypatch, seen_by_people, *given)
        assert step_by_step == leaping


def changing_nodes(**more: Any) -> tt.Changes:
    """A machine of nodes with a daily window, failures and checkpoints, and a reservation for ada on the third day."""
    reserved = tt.Window(2.6 * DAY, 3 * DAY, ["a1"], users=["ada"])
    windows = [*repeat(tt.Window(20, 30, ["a2", "b1"]), DAY, 40 * DAY), reserved]
    failures = tt.Failures(mtbf=150, mttr=12, seed=3)
    more["strangers"] = "note"  # some logs are without ada
    return tt.Changes(windows, failures=failures, checkpoint=4, cost=0.5, restart=1, **more)


ON_NODES = ["easy", "conservative", "cplant", "ostrich", "easy:preempt=suspend,ranks=urgent:1"]


@pytest.mark.parametrize("source", EVERY)
@pytest.mark.parametrize("policy", some([("easy",)], [*ON_NODES, polite]))
def test_every_source_is_the_same_on_nodes(monkeypatch: Any, source: str, policy: Any) -> None:
    """On nodes that change, results do not depend on leaps or observers, and jobs are interrupted."""
    changes = changing_nodes(repairs="told", requeue_delay=5.0) if policy == "easy" else changing_nodes()
    machine = {"processors": None, "nodes": NODES, "changes": changes}
    step_by_step, leaping = both(monkeypatch, lambda: from_sources(policy, EVERY[source], **machine))
    assert step_by_step == leaping
    found = [repr(from_sources(policy, EVERY[source], observed, **machine)[:6]) for observed in (False, True)]
    assert found[0] == found[1]
    runs = tt.run(tt.MachineSpec(policy=policy, **machine), EVERY[source]()).runs
    assert "failed" in set(runs.how) or source == "process"


SOON_ON_NODES = [("easy", "extend"), ("conservative:compress=none", "kill"), ("ostrich", "extend")]


@pytest.mark.parametrize(
    "policy, overrun", some(SOON_ON_NODES, [*RULES, "cplant:starve=20s", "ostrich", "faircamp"], ["kill", "extend"])
)
def test_people_see_the_same_on_nodes(monkeypatch: Any, policy: str, overrun: str) -> None:
    """Users who wait, cancel, hold, watch and worry see the same on nodes that change."""
    seed = ("kill", "extend").index(overrun)
    given = seed, policy, overrun, 1, NODES, changing_nodes(repairs=("unknown", "told")[seed])
    step_by_step, leaping = both(monkeypatch, seen_by_people, *given)
    assert step_by_step == leaping


@pytest.mark.parametrize("rules", [RULES, pytest.param(PAPERS, marks=pytest.mark.thorough)], ids=["rules", "papers"])
def test_the_failures_are_the_same_under_every_policy(rules: list[str]) -> None:
    """A processor is down at the same times whatever the policy, the checkpoints and the source."""
    outages = FAILURES.outages(PROCESSORS, 5000)
    for policy in rules:
        for changes in (MACHINES["usual"], changing(checkpoint=2, cost=0.25), changing(windows=())):
            jobs = trace(1, 20 if rules is RULES else 15)
            runs = tt.run(tt.MachineSpec(PROCESSORS, policy, changes=changes), tt.sources.log(jobs)).runs
            failed = runs[runs.how == "failed"]
            assert len(failed)
            for end, indices in zip(failed.end, failed.indices, strict=True):
                hit = outages.index[outages.start == end]
                ranges = [part.split("-") for part in indices.split()]
                assert any(int(part[0]) <= i <= int(part[-1]) for part in ranges for i in hit.tolist())


@pytest.mark.parametrize("source, name", in_turn(3, EVERY, MACHINES))
def test_something_happens_here(source: str, name: str) -> None:
    """Each of these machines interrupts jobs of each source, or kills them."""
    runs = tt.run(tt.MachineSpec(PROCESSORS, "easy", changes=MACHINES[name]), EVERY[source]()).runs
    assert "failed" in set(runs.how)
    assert np.isfinite(runs.end).all()
