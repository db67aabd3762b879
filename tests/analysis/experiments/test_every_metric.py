"""Every metric says what it is, and is what its formula says, on runs small enough to work out by hand."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest
import simpy

import thinktime as tt
from thinktime.analysis.experiments.metrics import CATALOGUES, metric
from thinktime.analysis.experiments.window import Measured
from thinktime.analysis.modes.user_measures import MODES, OfUsers
from thinktime.models.machine.power import Power
from thinktime.models.results.metric import METRICS, STATISTICS, Measure
from thinktime.models.results.result import Result
from thinktime.models.state import State
from thinktime.workloads.shapes.of_logs import with_shapes

NAN = math.nan


def interrupted() -> Result:
    """Processor 0 of 4 is down from 40 to 60, so that job 1 begins again, at 60."""
    log = tt.Trace({"submit": [0, 10, 20], "runtime": [100, 50, 60], "allocated": [4, 2, 2], "user": [1, 2, 1]})
    outages = tt.Outages([40], [60], [0])
    return tt.replay(log, tt.MachineSpec(4, "fcfs", changes=tt.Changes(outages=outages)))


def given_up() -> Result:
    """Of six jobs of three users, two are given up, one is refused and one runs at 100; a seventh never came."""
    columns = {
        "user": [0, 0, 1, 2, 2, 2],
        "campaign": [0, 1, 2, 3, 4, 5],
        "submit": [0, 20, 20, 30, 60, 65],
        "start": [0, NAN, NAN, 40, 70, NAN],
        "end": [10, 50, 40, 70, NAN, NAN],
        "state": [State.FINISHED, State.WITHDRAWN, State.WITHDRAWN, State.KILLED, State.RUNNING, State.REFUSED],
        "processors": [1, 1, 1, 1, 1, 9],
        "runtime": [10, 3600, 7200, 30, 50, 10],
    }
    found = Result.from_columns(columns, 4, names={"user": ["ann", "bob", "cem"]}, now=100.0)
    demand = {"time": [50.0], "user": ["bob"], "jobs": [1], "node_hours": [2.0], "submitted": [False], "campaigns": [1]}
    found.lost_demand.update({name: np.array(values) for name, values in demand.items()})
    return found


def unfair() -> Result:
    """One processor: job 3 overtakes job 2, which came before it."""
    columns = {
        "user": [0, 1, 2], "submit": [0, 10_000, 20_000], "start": [0, 110_000, 100_000],
        "end": [100_000, 210_000, 110_000], "processors": [1, 1, 1],
    }  # fmt: skip
    return Result.from_columns(columns, 1, names={"user": ["ann", "bob", "cem"]})


def answered() -> tt.Result:
    """Users answer for jobs of 1 to 4 processors and an hour: by waiting, and by other jobs than they wanted."""
    machine = tt.Machine(simpy.Environment(), 4)
    one, two, three, four = (tt.Job(runtime=3600, processors=count, user="ada") for count in (1, 2, 3, 4))
    machine.respond(one, "delayed", "delay", one, 60.0)
    machine.respond(four, "delayed", "delay", four, 60.0)
    machine.respond(two, "reshaped", "reshape", replace(two, processors=1, runtime=7000))
    machine.respond(three, "renounced", "renounce", None)
    machine.respond(four, "degraded", "degrade", replace(four, runtime=60))
    return machine.result()


def powered() -> Result:
    """Two jobs of 2 · 30 W and 10 W above 40 W idle, with a price and carbon that change at 50, below 105 W."""
    columns = {"submit": [0, 0], "start": [0, 50], "end": [100, 60], "processors": [2, 1]}
    found = Result.from_columns(columns, 4)
    signals = {
        "price": tt.Signal([0, 50], [0.1, 0.2], "price", "EUR/kWh", "hold"),
        "carbon": tt.Signal([0, 50], [100, 400], "carbon", "g/kWh", "hold"),
    }
    own = found.columns | {"power": np.array([30.0, 10.0])}
    return replace(
        found,
        columns=own,
        machine_power=Power(idle=10, cap=110),
        signals=signals,
        charge=tt.Charge(),
        budget=tt.Budget(0.05),
    )


def sized() -> Result:
    """At 50, job 1 grows from 4 to 8 processors, stands still for 10 s, and does its last 50 s in 37.5 s."""
    log = tt.Trace({"submit": [0, 0], "runtime": [100, 50], "allocated": [4, 4], "user": [1, 2]})
    shape = tt.Shape("2 4 8", preferred=4, speedup="amdahl(0.2)", cost=10)
    return tt.replay(with_shapes(log, np.array([0, -1]), [shape]), "shapes:expand=oldest", 8)


INTERRUPTED = {
    # runs: job 1 [0, 40) and [60, 160) on 4 processors, job 2 [160, 210) and job 3 [160, 220) on 2
    "max_wait": 150,
    "mean_waited": (20 + 150 + 140) / 3,
    "mean_response_time": (160 + 200 + 200) / 3,
    "mean_runtime": (140 + 50 + 60) / 3,
    "mean_slowdown": (160 / 100 + 200 / 50 + 200 / 60) / 3,
    "mean_bounded_slowdown_60": (160 / 100 + 200 / 60 + 200 / 60) / 3,
    "mean_floored_slowdown_90": ((60 + 100) / 100 + (150 + 90) / 90 + (140 + 90) / 90) / 3,
    "jobs": 3,
    "users": 2,
    "finished": 3,
    "zero_runtime": 0,
    "makespan": 220,
    "utilization": (4 * 140 + 2 * 50 + 2 * 60) / (4 * 220),
    "utilization_of_available": 780 / (4 * 220 - 20),
    "loss_of_capacity": 3 * 20 / (4 * 220 - 20),
    "goodput": 620 / (4 * 220),
    "availability": 860 / 880,
    "serviceability": 860 / 880,
    "useful_work": 4 * 100 + 2 * 50 + 2 * 60,
    "unfinished_work": 0,
    "overhead_work": 0,
    "lost_work": 4 * 40,
    "interruptions": 1,
    "interruptions_by_failure": 1,
    "interruptions_by_window": 0,
    "interruptions_by_preemption": 0,
    "mtti": 220,
    "area_weighted_response_time": (4 * 140 * 160 + 2 * 50 * 200 + 2 * 60 * 200) / 780,
    "throughput_per_day": 3 / 220 * 86_400,
    "mean_backlog": (4 * 140 * 20 + 2 * 50 * 150 + 2 * 60 * 140) / (4 * 220) / 3600,
    "warm_up": 0,
    "dropped": 0,
    "campaigns": 3,
    "mean_campaign_response_time": (160 + 200 + 200) / 3,
    "max_stretch": 200 / max(2 * 50 / 4, 50),
}
GIVEN_UP = {
    "jobs": 6, "killed": 1, "withdrawn": 2, "refused": 1, "waiting": 0, "running": 1, "unfinished": 1, "served": 2,
    "abandoned_jobs": 2 + 1, "abandoned_share": 3 / (5 + 1), "lost_processor_hours": 1 + 2 + 2, "lost_jobs": 1,
    "lost_node_hours": 2, "campaigns": 5, "served_campaigns": 2, "abandoned_campaigns": 3, "unfinished_campaigns": 1,
}  # fmt: skip
UNFAIR = {
    # in order of submission (no user has used more), job 2 would start at 100,000 and job 3 at 200,000
    "percent_unfair": 100 / 3,
    "percent_unfair_load": 100 * 100 / 210,
    "fair_start_miss": 10_000 / 3,
    # of 1/N of the processor, with N jobs in the system: job 2 lacks 36,667 s, job 3 21,667 s
    "resource_inequality": (5_000 + 80_000 / 3 + 5_000 + 100_000 - 100_000 + 80_000 / 3 + 5_000 - 10_000) / 3,
    # on day 1 max-min gives 38,200 s, 38,200 s and 10,000 s, and user 1 has all 86,400 s; day 2 is even
    "deviation": (86_400 - 38_200 + 38_200 + 10_000) / 3600,
    # at 110,000 and 30,000 users 2 and 3 expect what ends at 210,000 and 110,000
    "violated_expectations": 200 / 3,
    "weighted_tardiness": (100_000 + 80_000) / 3600,
}
ANSWERED = {
    "delayed_jobs": 2, "delayed_processor_hours": 1 + 4, "reshaped_jobs": 1, "reshaped_processor_hours": 2,
    "degraded_jobs": 1, "degraded_processor_hours": 4, "renounced_jobs": 1, "renounced_processor_hours": 3,
    "shifted_jobs": 0, "shifted_processor_hours": 0,
}  # fmt: skip
KWH = 3_600_000
POWERED = {
    "total_energy": (100 * 100 + 10 * 10) / KWH,
    "jobs_energy": (60 * 100 + 10 * 10) / KWH,
    "idle_energy": 40 * 100 / KWH,
    "energy_per_work": 10_100 / KWH / (210 / 3600),
    "peak_power": 110,
    "p95_power": 110,
    "time_at_cap": 0.1,
    "total_carbon": (100 * 50 * 0.1 + 100 * 50 * 0.4 + 10 * 10 * 0.4) / KWH,
    "carbon_per_work": (100 * 50 * 0.1 + 100 * 50 * 0.4 + 10 * 10 * 0.4) / KWH / (210 / 3600),
    "total_cost": (100 * 50 * 0.1 + 100 * 50 * 0.2 + 10 * 10 * 0.2) / KWH,
    "mean_energy": (6000 + 100) / 2 / KWH,
    "max_carbon": 60 * 50 * (0.1 + 0.4) / KWH,
    "max_energy_cost": 60 * 50 * (0.1 + 0.2) / KWH,
    "max_charge": 200 / 3600,
    "total_charge": 210 / 3600,
    "charge_fairness": 1,
    "budget_left": 0,
    "overdrawn": 210 / 3600 - 0.05,
}
SIZED = {
    "max_resizes": 1, "max_mean_processors": (4 * 50 + 8 * 47.5) / 97.5, "mean_efficiency": 250 / 580,
    "total_resizes": 1, "mean_size": 580 / 97.5, "total_efficiency": 250 / 580, "used_processor_seconds": 580,
    "work_done": 50 * 2.5 + 37.5 * 10 / 3,
}  # fmt: skip
WORKED = [
    (sized, SIZED),
    (interrupted, INTERRUPTED),
    (given_up, GIVEN_UP),
    (unfair, UNFAIR),
    (answered, ANSWERED),
    (powered, POWERED),
]


def test_every_metric_is_what_its_formula_says() -> None:
    """The numbers are those worked out by hand, and there are some for every metric and measure."""
    for example, expected in WORKED:
        measured = Measured(example())
        found = {name: metric(name)(measured) for name in expected}
        assert found == pytest.approx(expected), example.__doc__
    names = {name for _, expected in WORKED for name in expected}
    measures = {re.sub(r"_\d+$", "", name.partition("_")[2]) for name in names}
    for catalogue in CATALOGUES:
        assert catalogue.metrics.keys() <= names and catalogue.measures.keys() <= measures


def test_every_metric_of_users_is_what_its_formula_says() -> None:
    """The numbers that only comparisons of modes have, of the run that is interrupted: two users in three sessions."""
    log = tt.Trace({"submit": [0, 5], "runtime": [1, 1], "allocated": [1, 1]})
    part = OfUsers(interrupted(), session=np.array([0, 1, 2]), log=log)
    assert {name: each.of(part) for name, each in MODES.metrics.items()} == pytest.approx(
        {
            "mean_user_response_time": ((160 + 200) / 2 + 200) / 2,
            "mean_session_response_time": (160 + 200 + 200) / 3,
            "work_lost": 0,
            "work_delayed": (2 * 50 + 2 * 60) / 3600,
        }
    )
    at_the_end = OfUsers(given_up(), session=np.arange(6), log=log)  # of the job that runs, all counts
    found = {name: each.of(at_the_end) for name, each in MODES.metrics.items()}
    assert found["work_lost"] == pytest.approx((3600 + 7200 + 9 * 10 + 50) / 3600)


def test_every_metric_says_what_it_is() -> None:
    """Each has a unit, a formula that is a sentence, and a source; no name stands twice."""
    every = [each for catalogue in (*CATALOGUES, MODES) for each in catalogue]
    assert [each.name for each in every if not (each.unit and each.source and each.term)] == []
    assert [each.name for each in every if not each.formula.endswith(".") or len(each.formula.split()) < 3] == []
    assert len({each.name for each in every}) == len(every)


@pytest.mark.parametrize("left_out", ["unit", "source", "formula"])
def test_a_metric_that_does_not_say_it_is_refused(left_out: str) -> None:
    """A metric without a unit, a source or a docstring cannot be declared, nor one whose name is taken."""

    def half(result: Result) -> float:
        return 0.5

    half.__doc__ = "" if left_out == "formula" else "A half."
    with pytest.raises(ValueError, match=f"the metric 'half' has no {left_out}"):
        METRICS.of_run("" if left_out == "unit" else "1", source="" if left_out == "source" else "ours")(half)
    half.__doc__ = "A half."
    with pytest.raises(ValueError, match="there is a metric 'wait' already"):
        METRICS.of_run("1", source="ours", name="wait")(half)
    assert "half" not in METRICS.metrics


def test_a_statistic_is_a_metric() -> None:
    """A statistic of a measure has its unit and source, and is the number that a summary has."""
    for result in (interrupted(), powered(), sized()):
        summary, part = result.summary(), result.during()
        for measure in METRICS.of_each_job(result.has):
            assert isinstance(measure, Measure)
            for name in STATISTICS:
                made = measure.statistic(name)
                assert (made.unit, made.source) == (measure.unit, measure.source)
                assert made.of(part) == pytest.approx(summary[made.name], nan_ok=True)
