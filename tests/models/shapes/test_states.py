"""Machines whose jobs change sizes: the law of the cut, forecasts that come true, and what is known of them."""

import json
import math
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import simpy

import thinktime as tt
from tests.how_many import few_or_many, in_turn
from tests.models.machine.cuts import digest, going_on, taking, through_a_file
from thinktime.models.machine.forecast import Forecast
from thinktime.models.machine.saved import file
from thinktime.workloads.shapes.shape import Shape

POLICIES = (
    "shapes:size=earliest,expand=oldest,shrink=latest",
    "shapes:size=largest,expand=best,shrink=least,base=conservative-dynamic:order=fairshare,half_life=30s",
    "shapes:size=average,expand=smallest,shrink=largest,base=conservative",
    "shapes:share=equal,base=none",
    "shapes:share=pool,base=none:order=sjf",
)
MACHINES: dict[str, dict[str, Any]] = {
    "pool": {"processors": 16},
    "nodes": {"nodes": tt.Nodes.uniform(8, processors=2)},
    "windows": {"processors": 16, "changes": tt.Changes(windows=[tt.Window(200, 260, 8)], on_failure="shrink")},
}
Jobs = list[tuple[float, tt.Job]]


def random_jobs(seed: int, count: int = 40, believing: bool = True) -> Jobs:
    """Jobs of three users with their times: rigid, moldable and malleable ones, some of which make checkpoints."""
    rng, found = np.random.default_rng(seed), []
    for time in np.sort(rng.integers(0, 400, count)).tolist():
        estimate = float(rng.integers(20, 100))
        job = tt.Job(
            runtime=float(rng.integers(1, int(1.2 * estimate))), estimate=estimate, processors=int(rng.integers(1, 9)),
            user=f"u{rng.integers(3)}", checkpoint=float(rng.choice([10, np.inf])),
        )  # fmt: skip
        kind = rng.integers(3)
        if kind:
            shape = Shape(
                "1-16*2", preferred=int(rng.choice([2, 4, 8])),
                speedup=str(rng.choice(["linear", "amdahl(0.1)", "power(0.7)"])),
                believes=str(rng.choice(["", "linear"])) if believing else "", kind=("moldable", "malleable")[kind - 1],
                cost=float(rng.choice([0, 3])), notice=float(rng.choice([0, 5])), gap=float(rng.choice([0, 20])),
            )  # fmt: skip
            job = replace(job, processors=shape.preferred, shape=shape)
        found.append((float(time), job))
    return found


@pytest.mark.compiled
@pytest.mark.parametrize("seed", few_or_many(1, 12))
@pytest.mark.parametrize(("policy", "machine"), in_turn(3, POLICIES, MACHINES))
def test_runs_that_are_cut_go_on(policy, machine, seed):
    """With shrinks under way, and sizes that were chosen: in memory, and through files."""
    jobs, spec = random_jobs(seed), tt.MachineSpec(policy=policy, **MACHINES[machine])
    states: list[tt.MachineState] = []
    whole = tt.run(spec, going_on(jobs), taking([90.5, 233.25], states))
    assert (whole.runs["how"] == "resized").any()
    for each in (states[0], *map(through_a_file, states)):
        assert digest(tt.run(spec, going_on(jobs), begin=each)) == digest(whole)


@pytest.mark.parametrize(("policy", "machine", "exact"), in_turn(2, POLICIES, ["pool", "nodes"], [False, True]))
def test_forecasts_come_true_if_nobody_else_comes(policy, machine, exact):
    """Starts and ends, resizes and shrinks under way included, where limits are what happens; and nothing changes."""
    for seed in (0, 1):
        env, cut = simpy.Environment(), 120.5 + 90 * seed
        made = tt.Machine(env, policy=policy, **MACHINES[machine])

        def submit(env=env, made=made, cut=cut, seed=seed):
            for time, job in random_jobs(seed, 30, believing=not exact):
                if time < cut:
                    yield env.timeout(time - env.now)
                    lasts = {"estimate": job.runtime} if exact else {"runtime": 1e6}
                    made.submit(replace(job, **lasts))

        env.process(submit())
        env.run(until=cut)
        made.scheduler.settle()
        jobs, before = made.pool.requests, _columns(made.pool)
        foreseen = Forecast(made.scheduler, env.now, exact=exact, by_estimates=not exact)
        while foreseen.skip():
            foreseen.go_on(until=foreseen.now)
        after, rows = _columns(made.pool), slice(int(made.pool.state.part) + 1, jobs.size)
        assert all(np.array_equal(before[name][rows], after[name][rows], equal_nan=True) for name in before)
        assert jobs.state[rows].max() < tt.State.FINISHED or (made.pool.state.in_queue + made.pool.state.at_work > 2)
        env.run()
        for own, column in ((foreseen.pool.requests, jobs), (foreseen.pool.outcomes, made.pool.outcomes)):
            name = "start" if column is jobs else "end"
            np.testing.assert_array_equal(getattr(own, name)[rows], getattr(column, name)[rows])


def _columns(pool: Any) -> dict[str, Any]:
    """Copies of all that is known of jobs."""
    columns = {name: np.array(getattr(pool.requests, name)) for name in pool.requests.schema}
    sizes = {name: np.array(pool.arrays[name]) for name in ("form", "rate", "shrinks_at", "shrinks_to", "worked")}
    return columns | sizes


@pytest.mark.parametrize("policy", POLICIES[::3])
def test_run_times_are_drawn_anew(policy):
    """With its own run times, a machine is as it was, with shrinks under way, too."""
    env, shrinking = simpy.Environment(), 0
    machine = tt.Machine(env, 16, policy)
    env.process(going_on(random_jobs(1))(env, machine))
    for time in np.arange(40.5, 440, 20).tolist():
        env.run(until=time)
        machine.scheduler.settle()
        rows, ends = machine.pool.running_rows.copy(), machine.pool.outcomes.end.copy()
        machine.draw_run_times(rows, machine.pool.outcomes.runtime[rows])
        np.testing.assert_array_equal(machine.pool.outcomes.end[rows], ends[rows])
        shrinking += machine.pool.state.shrinking_count
    assert shrinking


def test_drawn_run_times_are_for_the_reference_size():
    """On 4 of 8 processors, 10 of 80 s are done at 20; if there are 100 in all, the job ends at 20 + 2·90."""
    env = simpy.Environment()
    machine = tt.Machine(env, 8, "shapes:base=easy")
    job = machine.submit(tt.Job(runtime=80, estimate=200, shape="4 8 preferred=4 reference=8"))
    env.run(until=20)
    assert machine.pool.progress(np.array([job.row]), 20.0).tolist() == [10]
    machine.draw_run_times(np.array([job.row]), np.array([100.0]))
    assert env.run(job).end == 200


def test_sizes_in_a_file_are_looked_at(tmp_path: Path) -> None:
    """No form, place or row out of range reaches compiled code, nor a rate by which nothing can be divided."""
    states: list[tt.MachineState] = []
    tt.run(tt.MachineSpec(16, POLICIES[3]), going_on(random_jobs(3)), taking([133.5], states))
    saved = tmp_path / "a.state"
    states[0].save(saved)
    with zipfile.ZipFile(saved) as archive:
        told, data = json.loads(archive.read(file.TEXT)), archive.read(file.ARRAYS)
    (own,) = next(of for what, *of in told["nodes"] if what == "models.machine.changing.pool.ChangingPool")
    node = told["nodes"][own["arrays"][0]]
    arrays = dict(zip(node[1::2], node[2::2], strict=True))
    places = [0]
    for dtype, shape, *marks in told["arrays"]:
        size = np.dtype(dtype).itemsize * (1 if "constant" in marks else math.prod(shape))
        places.append(places[-1] + size + -size % 64)

    def refused(name: str, wrong: bytes) -> str:
        begin, path = places[arrays[name]["array"]], tmp_path / "b.state"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(file.TEXT, json.dumps(told))
            archive.writestr(file.ARRAYS, data[:begin] + wrong + data[begin + len(wrong) :])
        with pytest.raises(ValueError, match="is out of range") as raised:
            tt.MachineState.read(path)
        return str(raised.value)

    for name in ("form", "form_first", "form_preferred", "shrinks_to", "shrinking", "resizes", "resizes_to"):
        for number in (10**9, -(10**9)):
            assert name in refused(name, number.to_bytes(8, "little", signed=True))
    for name in ("form_sizes", "form_rates", "form_true_rates", "rate"):
        assert "form_rates" in refused(name, bytes(8))
