"""Machines with a daily window, failures and checkpoints, and sources whose users react to what happens on them."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import simpy
from scipy import stats

import thinktime as tt
from tests.models.engine.sources import SOURCES
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


CHANGING = {
    "usual": changing(),
    "told": changing(repairs="told", requeue_at="now", max_restarts=2),
    "kill": changing(windows=repeat(tt.Window(20, 30, 5, rule="kill"), DAY, 40 * DAY), on_failure="cancel"),
    "wait": changing(windows=repeat(tt.Window(20, 30, 5, announced=3, rule="wait"), DAY, 40 * DAY), requeue_delay=5),
}


def changing_nodes(**more: Any) -> tt.Changes:
    """A machine of nodes with a daily window, failures and checkpoints, and a reservation for ada on the third day."""
    reserved = tt.Window(2.6 * DAY, 3 * DAY, ["a1"], users=["ada"])
    windows = [*repeat(tt.Window(20, 30, ["a2", "b1"]), DAY, 40 * DAY), reserved]
    failures = tt.Failures(mtbf=150, mttr=12, seed=3)
    more["strangers"] = "note"  # some logs are without ada
    return tt.Changes(windows, failures=failures, checkpoint=4, cost=0.5, restart=1, **more)


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
