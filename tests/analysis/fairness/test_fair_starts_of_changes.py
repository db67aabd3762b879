"""Hybrid fair start times on machines that change: by hand, and against a literal reading of the definition."""

import math

import numpy as np
import pytest

import thinktime as tt
from tests.how_many import few_or_many, in_turn
from thinktime.analysis.fairness import hybrid_fst

Case = tuple[tt.Trace, int, tt.Changes]


def replayed(rows: list[tuple[float, int, float]], processors: int, changes: tt.Changes) -> tt.Result:
    """The result of jobs of (submit, processors, run time) under EASY."""
    submit, width, runtime = zip(*rows, strict=True)
    trace = tt.Trace({"submit": submit, "allocated": width, "runtime": runtime, "requested_time": runtime})
    return tt.replay(trace, tt.MachineSpec(processors, "easy", changes=changes))


def test_an_interrupted_job_is_in_the_queue_until_its_next_run() -> None:
    """A job that was thrown off and came earlier is scheduled first, once the processor is repaired."""
    changes = tt.Changes(outages=tt.Outages.of([(10, 30, "0")]))
    result = replayed([(0, 2, 100), (20, 1, 5)], 2, changes)
    assert result.runs["start"].tolist() == [0, 30, 20]
    assert hybrid_fst(result, "fcfs").tolist() == [0, 130]


def test_the_next_run_needs_what_it_would_take_undisturbed() -> None:
    """With 60 s of 100 s saved, the next run has a restart of 10 s, 40 s of work and a checkpoint of 5 s."""
    changes = tt.Changes(outages=tt.Outages.of([(90, 120, "0")]), checkpoint=30, cost=5, restart=10)
    result = replayed([(0, 1, 100), (50, 1, 5), (100, 1, 5)], 1, changes)
    # At 50 the first job would end at 115, after three checkpoints; at 100 it would run again from 120 to 175.
    assert hybrid_fst(result, "fcfs").tolist() == [0, 115, 180]


def test_an_open_window_has_the_processors_that_are_free_earliest() -> None:
    """Of four processors that come free at 30 s, a window that waits for them holds two until 50 s."""
    changes = tt.Changes([tt.Window(20, 50, 2, announced=10, rule="wait")])
    result = replayed([(0, 4, 30), (25, 2, 10), (25, 3, 10)], 4, changes)
    assert hybrid_fst(result, "fcfs").tolist() == [0, 30, 50]


def test_usage_is_charged_for_each_run() -> None:
    """Usage does not grow while a user's job waits for its next run; that of all runs counts."""
    changes = tt.Changes(outages=tt.Outages.of([(10, 100, "0-1")]))
    columns = {
        "submit": [0, 5, 105, 105], "allocated": [2, 1, 3, 3], "runtime": [1000, 30, 50, 60], "user": [1, 2, 1, 2],
    }  # fmt: skip
    trace = tt.Trace(columns | {"requested_time": columns["runtime"]})
    result = tt.replay(trace, tt.MachineSpec(3, "easy", changes=changes))
    assert result.runs["start"].tolist()[:3] == [0, 100, 5]
    # At 105 both users have used 30 processor-seconds, so that the job with the smaller number is first.
    assert hybrid_fst(result, "fairshare").tolist()[2:] == [1100, 1150]


def test_a_processor_that_is_never_repaired_is_never_free() -> None:
    """The fair start of a job that would need it is infinite, and holds no other back."""
    changes = tt.Changes(outages=tt.Outages.of([(10, math.inf, "0")]))
    result = replayed([(0, 1, 5), (20, 2, 5), (20, 1, 5)], 2, changes)
    assert hybrid_fst(result, "fcfs").tolist() == [0, math.inf, 20]


def random_case(rng: np.random.Generator) -> Case:
    """Jobs, processors and changes, with many ties."""
    processors, count = int(rng.integers(2, 7)), 14
    runtime = rng.integers(0, 30, count).astype(float)
    trace = tt.Trace(
        {
            "submit": np.sort(rng.integers(0, 60, count)).astype(float),
            "runtime": runtime,
            "requested_time": np.maximum(runtime + rng.integers(-6, 20, count), 1),
            "allocated": rng.integers(1, processors + 1, count),
            "queue": rng.integers(0, 3, count),
        }
    )
    starts = rng.integers(0, 80, 5)
    outages = [
        (float(at), float(at + rng.integers(1, 20)), [int(rng.integers(processors))]) for at in starts[:3].tolist()
    ]
    begin = int(starts[3])
    size, rule = int(rng.integers(1, processors + 1)), str(rng.choice(["requeue", "kill", "wait"]))
    window = tt.Window(
        begin, begin + int(rng.integers(1, 25)), size, announced=int(rng.integers(0, begin + 1)), rule=rule
    )
    checkpoint = float(rng.choice([4, 9, math.inf]))
    changes = tt.Changes(
        [window],
        tt.Outages.of(outages),
        on_failure=str(rng.choice(["requeue", "requeue", "cancel"])),
        checkpoint=checkpoint,
        cost=float(rng.integers(0, 3)) if checkpoint < math.inf else 0.0,
        restart=float(rng.integers(0, 3)),
    )
    return trace, processors, changes


def literal(result: tt.Result, changes: tt.Changes, row: int) -> float:
    """The fair start of one job in order of (submission, id), from lists of processors."""
    jobs, runs, now = result.jobs, result.runs, result["submit"].item(row)
    done = dict.fromkeys(jobs.id, 0.0)
    again = dict.fromkeys(jobs.id, False)
    free, running = [], set()

    def length(job: int) -> float:
        at = jobs.index[jobs.id == job][0]
        work = jobs.runtime[at] if result.overrun == "extend" else min(jobs.runtime[at], jobs.estimate[at])
        left = work - done[job]
        pieces = 0 if changes.checkpoint == math.inf else max(0, math.ceil(left / changes.checkpoint) - 1)
        return changes.restart * again[job] + left + changes.cost * pieces

    for run in runs.itertuples():
        if run.start >= now:
            continue
        if run.end > now or (run.end == now and run.how == "preempted"):
            free += [run.start + length(run.job)] * run.processors
            running.add(run.job)
        else:
            done[run.job] += run.progress
            again[run.job] = True
    outages = changes.outages
    assert outages is not None
    free += [until for since, until in zip(*down(outages, now), strict=True)]
    free = sorted([max(at, now) for at in free] + [now] * (result.processors - len(free)))
    for window in changes.windows:
        if window.start <= now < window.end:
            assert isinstance(window.processors, int)
            taken = [max(at, window.end) for at in free[: window.processors]]
            free = sorted(taken + free[window.processors :])
    start = math.nan
    for job in jobs.sort_values(["submit", "id"]).itertuples():
        mine = runs[runs.job == job.id]
        last = mine.end.max() if len(mine) else -math.inf
        gone = (
            not math.isnan(job.end)
            and job.end <= now
            and not (job.end == last == now and mine.how.iloc[-1] == "preempted")
        )
        if (job.submit, job.id) > (now, result["id"].item(row)) or job.id in running:
            continue
        if job.id != result["id"].item(row) and (gone or job.state == "refused"):
            continue
        start = free[job.processors - 1]
        free = sorted([start + length(job.id)] * job.processors + free[job.processors :])
    return start


def down(outages: tt.Outages, now: float) -> tuple[list[float], list[float]]:
    """The beginning and the end of what is down, once for each processor."""
    union = outages.union()
    here = (union.start <= now) & (union.end > now)
    return union.start[here].tolist(), union.end[here].tolist()


@pytest.mark.parametrize(
    ("policy", "overrun"),
    in_turn(2, ["easy", "conservative", "easy:preempt=requeue,ranks=1:1+2:2"], ["kill", "extend"]),
)
@pytest.mark.parametrize("how_many", few_or_many(2, 10))
def test_every_fair_start_is_that_of_the_definition(policy: str, overrun: str, how_many: int) -> None:
    """On random machines that change, fair starts are those of a list schedule made of single processors."""
    rng, interrupted = np.random.default_rng(17), 0
    for _ in range(how_many):
        trace, processors, changes = random_case(rng)
        result = tt.replay(trace, tt.MachineSpec(processors, policy, overrun, changes=changes))
        found = hybrid_fst(result, "fcfs")
        stays = np.flatnonzero(np.isfinite(found) | np.isinf(found)).tolist()
        assert [found[row] for row in stays] == [literal(result, changes, row) for row in stays]
        interrupted += int(result.runs["how"].isin(["failed", "window", "preempted"]).sum())
    assert interrupted > 1.5 * how_many
