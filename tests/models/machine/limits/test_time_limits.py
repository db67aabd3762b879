"""Time limits as Slurm keeps them: whole minutes, and jobs that are ended at sweeps."""

import csv
import math
from pathlib import Path

import pytest
import simpy

import thinktime as tt
from thinktime.models.machine.changing.rules import Changes
from thinktime.models.site.partitions import Partition
from thinktime.models.site.site import Site
from thinktime.models.site.time_limits import UNLIMITED, TimeLimits
from thinktime.models.state import State

FOLDER = Path(__file__).parent / "time_limits"
OVER = {"t12_kill": 0, "t12_over1": 60, "t12_killwait": 0}
PHASE = 28.0
"""When Slurm first looked for jobs beyond their limits, s after the start of each run."""
POLICIES = "none", "easy", "conservative", "conservative-dynamic", "slurm", "slack:awt=60", "ostrich", "tradeoff"


MAIN = Partition("main", default=True)


def site(partition=MAIN, **given):
    """A site of four processors whose time limits are kept as Slurm does."""
    return Site(nodes=tt.Nodes.uniform(1, 4), partitions=(partition,), time_limits=TimeLimits("slurm", **given))


def ran(machine, **job):
    """The record of a job on an idle machine."""
    event = machine.submit(tt.Job(**job))
    machine.env.run(event)
    return event.value


def machine(**given):
    """A machine of that site."""
    return tt.Machine(simpy.Environment(), 4, site=site(**given))


def table(path):
    """The rows of a table, in order of time if they have one."""
    with path.open(newline="", encoding="utf-8") as lines:
        return sorted(csv.DictReader(lines), key=lambda row: int(row.get("t", 0)))


@pytest.mark.parametrize("observed", [False, True], ids=["leaps", "step by step"])
@pytest.mark.parametrize("run", sorted(OVER))
def test_jobs_end_when_those_of_a_real_slurm_do(run, observed):
    """All thirty jobs, to the second."""
    env = simpy.Environment()
    limits = TimeLimits("slurm", over_time_limit=OVER[run], phase=PHASE)
    found = tt.MachineSpec.of_site(Site(nodes=tt.Nodes.uniform(4, 8), time_limits=limits)).open(env)
    if observed:
        found.scheduler.observed()
    events = {}

    def submit():
        for row in table(FOLDER / run / "in.csv"):
            yield env.timeout(int(row["t"]) - env.now)
            minutes, _, seconds = row["limit"].partition(":")
            limit = 60 * int(minutes) + int(seconds or 0)
            events[row["name"]] = found.submit(tt.Job(runtime=int(row["sleep"]), estimate=limit))

    env.process(submit())
    env.run()
    ends = {row["name"]: float(row["end"]) for row in table(FOLDER / run / "out.csv")}
    assert {name: event.value.end for name, event in events.items()} == ends
    assert {event.value.state for event in events.values()} == {State.KILLED}


@pytest.mark.parametrize("policy", POLICIES)
def test_every_policy_lives_with_sweeps(policy):
    """Whoever is not done at the first sweep after the limit is ended then; the others end by themselves."""
    recipe = tt.workloads.generators.preset("lublin")
    log = tt.generate(recipe, jobs=40, users=4, processors=8, seed=2)
    short = log.with_columns(requested_time=log.runtime * 0.7 + 1)
    result = tt.replay(short, policy, 8, site=site(over_time_limit=45, sweep=40, phase=7))
    jobs = result.jobs
    limits = jobs["start"] + 60 * (jobs["estimate"] / 60).map(math.ceil) + 45
    swept = 7 + 40 * ((limits - 7) / 40).map(math.ceil)
    free = jobs["start"] + short.runtime
    assert jobs["end"].tolist() == pytest.approx([min(one, other) for one, other in zip(free, swept, strict=True)])
    assert (jobs["state"] == "killed").tolist() == (free > swept).tolist()
    assert (jobs["state"] == "killed").sum() > 5
    assert (jobs["estimate"] % 60 == 0).all()


def test_a_job_may_end_between_limit_and_sweep():
    """By itself, then: it is finished, not killed."""
    found = ran(machine(phase=20), runtime=75, estimate=55)
    assert (found.estimate, found.end, found.state) == (60.0, 75.0, State.FINISHED)
    assert ran(machine(phase=20), runtime=95, estimate=55).end == 80.0


def test_those_who_catch_the_signal_live_longer():
    """By KillWait, 30 s."""
    assert ran(machine(catch=True), runtime=500, estimate=55).end == 60.0 + 30.0
    assert ran(machine(catch=True, kill_wait=5), runtime=500, estimate=65).end == 120.0 + 5.0


@pytest.mark.parametrize("times, limit", [((600, 7200), 600.0), ((None, 7200), 7200.0), ((None, None), UNLIMITED)])
def test_who_asks_for_nothing(times, limit):
    """DefaultTime of the partition, else its MaxTime, else none."""
    default, most = times
    partition = Partition("main", default_time=default, max_time=most)
    assert ran(machine(partition=partition), runtime=50).estimate == limit


def test_exact_is_the_default():
    """At the second, and what is not asked for is known."""
    exact = tt.Machine(simpy.Environment(), 4, site=Site(nodes=tt.Nodes.uniform(1, 4)))
    assert ran(exact, runtime=80, estimate=55).end == 55.0


def test_a_job_beyond_its_limit_is_about_to_end():
    """So nobody is backfilled beside it who would delay the head by more than a second."""
    found = machine(over_time_limit=600)
    jobs = ((400, 60, 3), (10, 120, 4), (10, 60, 1))
    ends = [found.submit(tt.Job(runtime=runtime, estimate=estimate, processors=n)) for runtime, estimate, n in jobs[:2]]
    found.env.run(until=100)
    ends.append(found.submit(tt.Job(runtime=10, estimate=60, processors=1)))
    found.env.run()
    assert [event.value.start for event in ends] == [0.0, 400.0, 410.0]


def test_a_machine_that_changes():
    """A job that is put back into the queue is ended at a sweep, too."""
    env = simpy.Environment()
    found = tt.Machine(env, 4, site=site(), changes=Changes())
    event = found.submit(tt.Job(runtime=500, estimate=100))
    env.run(until=50)
    found.fail(range(4), until=61)
    env.run()
    assert (event.value.start, event.value.end) == (0.0, 210.0)  # 61 + 120, at the sweep after


def test_what_cannot_be():
    """One sentence."""
    with pytest.raises(ValueError, match="kept cannot be 'slrum'; did you mean 'slurm'"):
        TimeLimits("slrum")
    with pytest.raises(ValueError, match="sweep must be above 0"):
        TimeLimits("slurm", sweep=0)
