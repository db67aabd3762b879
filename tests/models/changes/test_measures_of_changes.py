"""Measures of machines that change, against a count of every second, and the tables of their results."""

import math
import pickle

import numpy as np
import pytest

import thinktime as tt
from tests.how_many import few_or_many
from tests.models.changes.case import Case, Job, Options, Outage, Window, describe
from tests.models.changes.cases import random_cases
from tests.models.changes.engine import engine_result, ran
from thinktime.analysis.experiments.window import Measured
from thinktime.models.results import measures, service
from thinktime.models.results.windowed import chosen
from thinktime.models.state import State
from thinktime.workloads.generators import preset


def by_the_second(case: Case, result, first: int, last: int) -> dict[str, float]:
    """What the measures say of [first, last), counted second by second from the runs and the case."""
    jobs = {job.id: job for job in case.jobs}
    runs = result.runs.to_dict("records")
    states = dict(zip(result["id"].tolist(), result["state"].tolist(), strict=True))
    count = dict.fromkeys(("used", "lost", "available", "capacity", "maintained", "work"), 0.0)
    for t in range(first, last):
        down = {i for o in case.outages if o.start <= t < o.end for i in o.indices}
        nobody = [w for w in case.windows if w.start <= t < w.end and not w.users and not w.jobs]
        of_kind = {kind: sum(w.processors for w in nobody if w.kind == kind) for kind in ("capacity", "maintenance")}
        there = max(0, case.size - len(down) - sum(w.processors for w in nobody))
        used = sum(jobs[run["job"]].width for run in runs if run["start"] <= t < run["end"])
        queue = sum(job.width for job in case.jobs if waits(job, t, runs, result, states))
        count["used"] += used
        count["available"] += there
        count["capacity"] += case.size - of_kind["capacity"]
        count["maintained"] += case.size - of_kind["capacity"] - of_kind["maintenance"]
        count["lost"] += min(queue, max(there - used, 0))
    return count


def waits(job: Job, t: int, runs, result, states) -> bool:
    """Whether a job is in the queue at time t."""
    own = [run for run in runs if run["job"] == job.id]
    end = result["end"][result["id"] == job.id].item()
    over = math.inf if math.isnan(end) else end
    if states[job.id] == State.REFUSED:
        return False
    return job.submit <= t < over and not any(run["start"] <= t < run["end"] for run in own)


def share(part: float, whole: float) -> float:
    return part / whole if whole > 0 else math.nan


@pytest.mark.parametrize("how_many", few_or_many(16, 120))
def test_measures_count_every_second(how_many):
    """Use, capacity, its loss and the fates of processor time are those of a count of every second."""
    for case in random_cases("measures", how_many):
        result = engine_result(case)
        first, last = measures.window(result)
        if not last > first:
            continue
        for between in (None, (first + 1, last - 1), (first - 3, last)):
            begin, end = between or (first, last)
            found = by_the_second(case, result, int(begin), int(end))
            size = (end - begin) * case.size
            expected = {
                measures.utilization: share(found["used"], size),
                measures.loss_of_capacity: share(found["lost"], found["available"]),
                service.utilization_of_available: share(found["used"], found["available"]),
                service.availability: share(found["available"], found["capacity"]),
                service.serviceability: share(found["available"], found["maintained"]),
            }
            for measure, value in expected.items():
                assert measure(result, between) == pytest.approx(value, nan_ok=True), (measure, describe(case))
            parts = (service.useful_work, service.unfinished_work, service.overhead_work, service.lost_work)
            assert sum(part(result, between) for part in parts) == pytest.approx(found["used"]), describe(case)


@pytest.mark.parametrize("how_many", few_or_many(20, 60))
def test_measures_of_jobs_are_of_their_runs(how_many):
    """Table and measures of jobs add up over their runs: what was lost does not make a slowdown look better."""
    for case in random_cases("jobs", how_many):
        result = engine_result(case)
        runs, table = result.runs, result.jobs.set_index("id")
        for job in case.jobs:
            own, row = runs[runs["job"] == job.id], table.loc[job.id]
            assert (row["runs"], row["lost"]) == (len(own), own["lost"].sum())
            if not len(own):
                continue
            assert (row["start"], row["wait"]) == (own["start"].min(), own["start"].min() - job.submit)
            if row["state"] in ("finished", "killed"):
                response, done = row["end"] - job.submit, own["progress"].sum()
                lengths = (own["end"] - own["start"]).sum()
                assert (row["response_time"], row["waited"]) == (response, response - lengths)
                assert row["bounded_slowdown_10"] == max(1.0, response / max(done, 10.0))
                assert row["slowdown"] == pytest.approx(response / done if done else math.nan, nan_ok=True)


def lost_and_again() -> Case:
    """Two jobs on four processors; one fails on the first of its two after 20 s."""
    jobs = (Job(1, 0, 2, 100, 100), Job(2, 0, 2, 50, 50))
    return Case(4, jobs, outages=(Outage(20, 200, frozenset({1})),), windows=(Window(160, 170, 4),), options=Options())


def test_the_measures_of_a_worked_case():
    """Job 1 loses 40 processor-seconds at 20 s and runs again from 50 to 150 s, while one processor is down."""
    summary = engine_result(lost_and_again()).summary()
    assert summary["lost_work"] == 40
    assert summary["useful_work"] == 300
    assert summary["goodput"] == 300 / (150 * 4)
    assert summary["utilization_of_available"] == 340 / (150 * 4 - 130)
    assert summary["availability"] == summary["serviceability"] == (150 * 4 - 130) / (150 * 4)
    assert [summary[f"interruptions{by}"] for by in ("", "_by_failure", "_by_window", "_by_preemption")] == [1, 1, 0, 0]
    assert summary["mtti"] == 150
    assert (summary["max_wait"], summary["max_waited"], summary["max_slowdown"]) == (0, 30, 1.5)
    assert summary["loss_of_capacity"] == 30 / (150 * 4 - 130)


def test_a_part_of_the_jobs_keeps_its_runs():
    """Jobs chosen from a result have their own runs, and the machine's windows and outages; so has a pickled one."""
    result = engine_result(lost_and_again())
    second = chosen(result, result["id"] == 1)
    assert second.runs["run"].tolist() == [1, 2]
    assert second.runs.drop(columns="job").equals(
        result.runs[result.runs["job"] == 1].drop(columns="job").reset_index(drop=True)
    )
    assert service.lost_work(result, Measured(result).between) == 40
    back = pickle.loads(pickle.dumps(result))
    assert back.runs.equals(result.runs) and back.summary().to_dict() == result.summary().to_dict()


def test_a_machine_that_does_not_change_has_the_same_measures():
    """There every job that started has one run, everything is available, and only kills leave work unfinished."""
    result = tt.replay(tt.generate(preset("lublin"), jobs=60, users=3, processors=16, seed=1), "easy", 16)
    assert result.runs["run"].eq(1).all() and "indices" not in result.runs
    assert service.availability(result) == 1
    assert service.utilization_of_available(result) == measures.utilization(result)
    assert service.useful_work(result) + service.unfinished_work(result) == measures.area(result).sum()
    assert "goodput" not in result.summary() and "mean_waited" not in result.summary()
    np.testing.assert_array_equal(measures.waited(result), measures.wait(result))


def test_records_have_the_runs_of_their_jobs():
    """The record of a job has start, end and ending of each run, its first start, and the length of all runs."""
    for case in random_cases("records", 12):
        machine = ran(case)
        result = machine.result()
        runs = result.runs
        for k in np.flatnonzero(result["state"] >= State.FINISHED).tolist():
            own = runs[runs["job"] == result["id"][k]]
            record = machine.record(k)
            assert record.runs == tuple(zip(own["start"], own["end"], own["how"], strict=True)), describe(case)
            assert record.runtime == (own["end"] - own["start"]).sum()
            assert (record.submit, record.end) == (result["submit"][k], result["end"][k])
            assert record.start == (own["start"].min() if len(own) else None)
