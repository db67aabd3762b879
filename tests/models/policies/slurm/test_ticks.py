"""Ticks of priorities under ``slurm``: each is an instant with a pass, as long as it can make a difference."""

from math import inf

import pytest
import simpy

import thinktime as tt
from tests.models.engine.people import both
from tests.models.onlooker import Onlooker
from thinktime.models.machine.forecast import predicted_starts
from thinktime.workloads.changes.windows import Window

FIVE_MINUTES = 300.0
BY_SHARE = "slurm:order=fairshare*1000+age"


def machine(policy: str, **others: object) -> tt.Machine:
    """Four nodes, on which ann uses three for long; her job for all of them stands before one of bob's."""
    env = simpy.Environment()
    made = tt.Machine(env, policy=policy, nodes=tt.Nodes.uniform(4, processors=8), allocator="consecutive", **others)
    jobs = [(0, 36_000, 40_000, 3, "ann"), (30, 100, 100, 4, "ann"), (31, 50_000, 50_000, 1, "bob")]

    def submit():
        for time, runtime, estimate, nodes, user in jobs:
            yield env.timeout(time - env.now)
            made.submit(tt.Job(runtime=runtime, estimate=estimate, nodes=f"{nodes}:ppn=8", user=user))

    env.process(submit())
    return made


def starts(policy: str, **others: object) -> list[float]:
    """When they start."""
    made = machine(policy, **others)
    made.env.run()
    return made.result()["start"].tolist()


@pytest.mark.parametrize(
    ("options", "tick"), [("", 300), (",ticks=2m", 120), (",ticks=2m,tick_origin=50s", 50), (",backfill=no", 300)]
)
def test_a_tick_is_an_instant(options: str, tick: int) -> None:
    """Nothing else happens for hours, but the tick puts bob's job first, and it starts then."""
    assert starts(BY_SHARE + options)[2] == tick


@pytest.mark.parametrize("rule", ["easy", "conservative-dynamic"])
def test_only_where_slurm_makes_a_pass(rule: str) -> None:
    """Under other rules, the order is looked at when something happens."""
    assert starts(f"{rule}:order=fairshare*1000+age")[2] == 36_000


def test_a_priority_that_does_not_change_makes_no_instants() -> None:
    """Where neither age nor use counts, a tick changes nothing."""
    made = machine("slurm:order=job_size*10")
    made.env.run(until=1000)
    assert made.policy.next_clock(1000.0) == inf


@pytest.mark.parametrize("policy", [BY_SHARE, f"{BY_SHARE},ticks=77s,bf_interval=50s", f"{BY_SHARE},accrual=slurm"])
@pytest.mark.parametrize(
    "others", [{}, {"changes": tt.Changes((Window(500, 900, ["node4"]),))}], ids=["steady", "window"]
)
def test_leaps_go_through_ticks(monkeypatch: pytest.MonkeyPatch, policy: str, others: dict[str, object]) -> None:
    """With and without leaps, and instant by instant in Python, starts are the same."""
    step_by_step, leaping = both(monkeypatch, lambda: starts(policy, **others))
    made = machine(policy, **others)
    made.observe(Onlooker())
    made.env.run()
    assert step_by_step == leaping == repr(made.result()["start"].tolist())


def test_a_forecast_goes_through_ticks() -> None:
    """Predicted starts are those of the next tick, too."""
    made = machine(BY_SHARE)
    made.env.run(until=100)
    assert predicted_starts(made.scheduler, 100.0).tolist() == [50_300.0, 300.0]


def test_ticks_end() -> None:
    """They go on while a job runs within its estimate; not for jobs that wait for ever behind one without end."""
    made = machine(BY_SHARE, overrun="extend")
    made.submit(tt.Job(runtime=1e9, estimate=1000, nodes="1:ppn=8", user="eve"))
    made.env.run(until=50_000)
    env = simpy.Environment()
    other = tt.Machine(env, 4, policy=BY_SHARE)
    other.request(processors=2)
    other.submit(tt.Job(runtime=10, processors=4, user="bob"))
    env.run()
    assert env.now < FIVE_MINUTES
