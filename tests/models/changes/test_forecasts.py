"""Predicted starts on a machine that changes: they know windows, and what is down now."""

from random import Random

import numpy as np
import pytest
import simpy

from thinktime.models.machine.changing.rules import Changes
from thinktime.models.machine.forecast import Forecast, predicted_starts
from thinktime.models.machine.machine import Machine
from thinktime.workloads.changes.outages import Outages
from thinktime.workloads.changes.windows import Window
from thinktime.workloads.job import Job

RULES = ("none", "no-guarantee", "easy", "easy:reservations=2", "conservative", "conservative-dynamic",
         "easy:preempt=suspend,ranks=urgent:1")  # fmt: skip
PAPERS = ("cplant:starve=20s", "easy:order=relshare", "ostrich", "ostrich-slurm", "faircamp", "slack:awt=20",
          "tradeoff:limit=30")  # fmt: skip


@pytest.mark.parametrize("policy", [*RULES, *PAPERS])
def test_predictions_come_true_if_all_is_known(policy):
    """With exact estimates, told repairs, all windows announced and no job to come, every prediction is right."""
    predicted = 0
    for seed in range(4):
        random = Random(seed)
        env = simpy.Environment()
        windows = [
            Window(start, start + 9, random.randint(1, 8), users=random.choice(((), ("ann",)))) for start in (15, 40)
        ]
        outages = Outages.of([(3, random.randint(12, 30), "6-7")])
        changes = Changes(windows=tuple(windows), outages=outages, repairs="told", checkpoint=4, cost=1)
        machine = Machine(env, 8, policy, changes=changes)
        for _ in range(9):
            user, queue = random.choice(("ann", "bob")), random.choice(("urgent", "normal"))
            machine.submit(Job(runtime=random.randint(1, 12), processors=random.randint(1, 8), user=user, queue=queue))
        env.run(until=5)
        rows = machine.pool.waiting_rows.copy()
        starts = predicted_starts(machine.scheduler, 5.0)
        env.run()
        result = machine.result()
        again = machine.pool.requests.runs[rows] > 0
        first = np.where(again, np.nan, result["start"][rows])
        known = np.isfinite(first) & np.isfinite(starts)
        assert starts[known].tolist() == first[known].tolist(), (policy, seed)
        predicted += known.sum()
    assert predicted > 8


def test_unknown_repairs_are_not_foreseen():
    """What is down is planned to stay so, and the prediction is infinite for a job that needs it."""
    env = simpy.Environment()
    machine = Machine(env, 4, "easy", changes=Changes(outages=Outages.of([(0, 50, "0")])))
    machine.submit(Job(runtime=5, processors=4))
    env.run(until=10)
    assert predicted_starts(machine.scheduler, 10.0).tolist() == [np.inf]
    env.run()
    assert machine.result()["start"].tolist() == [50.0]


class Gate:
    """A policy whose gate opens every 5 s: who waits at that time may start from then on, one at an instant."""

    def __init__(self):
        self.inside, self.seen, self.due = set(), [], 5.0

    def next_clock(self, now):
        return self.due

    def on_clock(self, view, now):
        self.inside = {int(row) for row in view.waiting}
        self.seen.append((now, len(self.inside)))
        self.due = now + 5

    def on_interrupt(self, view, rows, now):
        self.inside -= {int(row) for row in rows}

    def on_end(self, view, rows, now):
        self.inside -= {int(row) for row in rows}

    def select(self, view, now):
        fitting = [job for job in view.queue if job.row in self.inside and view.fits(job)]
        return fitting[:1]


@pytest.mark.parametrize("delay", [0, 2, 5, 10])
def test_a_forecast_is_the_run_where_a_clock_falls_together_with_a_return(delay):
    """At one instant the clock comes before jobs that come back, in the forecast as in the run."""
    together = 0
    for seed in range(9):
        random = Random(seed)
        env = simpy.Environment()
        window = Window(random.choice((10, 13, 15, 18)), 22, random.randint(2, 4))
        machine = Machine(env, 4, Gate(), overrun="extend", changes=Changes(windows=(window,), requeue_delay=delay))
        for _ in range(8):
            machine.submit(Job(runtime=random.choice((3, 5, 10, 15)), estimate=1, processors=random.randint(1, 3)))
        env.run(until=9)
        forecast = Forecast(machine.scheduler, 9.0)
        while forecast.skip(until=100):
            forecast.go_on(until=100)
        env.run(until=100)
        seen = [
            (repr(instants.pool.requests.start[:8].tolist()), instants.policy.seen[:10])
            for instants in (forecast, machine.scheduler)
        ]
        assert seen[0] == seen[1], seed
        result = machine.result()
        together += int((result.runs["end"][result.runs["how"] == "window"] + delay).isin([10, 15, 20, 25, 30]).sum())
    assert together > 1


@pytest.mark.parametrize("asked", [4, 5, 6, 10])
def test_a_job_that_would_be_submitted_comes_after_the_clock(asked):
    """Who asks when a job submitted now would start is told when it does: a clock of that time comes before it."""
    starts = []
    for submits in (False, True):
        env = simpy.Environment()
        machine = Machine(env, 4, Gate())
        machine.submit(Job(runtime=30, processors=1))  # from then on there are clocks

        def user(env=env, machine=machine, submits=submits):
            yield env.timeout(asked)
            job = Job(runtime=3, processors=1)
            if submits:
                starts.append((yield machine.submit(job)).start)
            else:
                starts.append(machine.sight().predicted_start(job))

        env.process(user())
        env.run(until=40)
    assert starts[0] == starts[1] == {4: 10, 5: 10, 6: 10, 10: 15}[asked]


def test_a_forecast_knows_jobs_that_stay_away():
    """After the failure at 40, the only job of the machine comes back at 70; who is asked about before that fits."""
    for processors, start in ((3, 45), (4, 50)):
        env = simpy.Environment()
        changes = Changes(outages=Outages([40], [50], [0]), requeue_delay=30, repairs="told")
        machine = Machine(env, 4, "easy", changes=changes)
        sight, asked = machine.sight("ann"), Job(runtime=10, processors=processors)
        assert sight.predicted_start(asked) == 0  # its row is before that of the job
        first = machine.submit(Job(runtime=100, processors=4))
        env.run(until=45)
        assert sight.predicted_start(asked) == start and sight.predicted_end(asked) == start + 10
        env.run(until=machine.submit(asked))
        assert env.now == start + 10 and env.run(until=first).end == 170
