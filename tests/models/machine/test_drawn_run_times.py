"""Jobs of a machine that goes on from a state run for other times than they did."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import thinktime as tt
from tests.frozen.cases import POLICIES, log, machines
from tests.models.machine.cuts import digest, taking
from thinktime.models.site.time_limits import TimeLimits
from thinktime.models.state import State

TIME = 120.5
PLAIN = "pool", "pool of a site with limits", "nodes of a site with limits", "nodes", "changing nodes", "failing pool"
"""Machines without checkpoints, and without estimates that are made of run times."""


def _redrawn(spec: tt.MachineSpec, given: tt.Trace, seed: int) -> tuple[tt.Result, tt.Result]:
    """A run of a log with other run times of what is not over at `TIME`, and one that draws these from there on."""
    states: list[tt.MachineState] = []
    whole = tt.run(spec, given, taking([TIME], states))
    rng, times = np.random.default_rng(seed), {}
    for job, start, end in zip(*(whole[name].tolist() for name in ("id", "start", "end")), strict=True):
        if not end <= TIME:
            age = TIME - start if start <= TIME else 0.0
            times[job] = float(np.ceil(age + 1 + rng.integers(0, 60)))
    runtime = [times.get(job, time) for job, time in zip(given.id.tolist(), given.runtime.tolist(), strict=True)]

    def redraw(env: Any, machine: tt.Machine) -> None:
        jobs = machine.pool.requests
        ids = jobs.id[: jobs.size]
        rows = np.flatnonzero((jobs.state[: jobs.size] <= State.RUNNING) & np.isin(ids, list(times)))
        machine.draw_run_times(rows, np.array([times[job] for job in ids[rows].tolist()]))

    other = tt.run(spec, given.with_columns(runtime=runtime))
    return other, tt.run(tt.MachineSpec(begin=states[0]), redraw)


@pytest.mark.parametrize(("machine", "place"), [(name, k) for k, name in enumerate(PLAIN)])
def test_the_rest_is_as_if_they_had_run_so_long_from_the_start(machine: str, place: int) -> None:
    """Until the state, nobody could tell the difference; from there on, all is as in the other log."""
    for policy in POLICIES[place :: 2 * len(PLAIN)]:
        try:
            other, found = _redrawn(replace(machines()[machine], policy=policy), log(place), place)
        except ValueError as error:
            assert "cannot be combined" in str(error)
            continue
        assert digest(found) == digest(other), policy


def test_ends_at_sweeps() -> None:
    """Where limits are looked at now and then, a job that outlives its limit ends at the next sweep."""
    site = tt.Site(nodes=tt.Nodes.uniform(4, 8), time_limits=TimeLimits("slurm", sweep=30))
    other, found = _redrawn(tt.MachineSpec.of_site(site), log(3), 3)
    assert digest(found) == digest(other)


def test_a_job_that_should_be_over_ends_at_the_next_second() -> None:
    """A run time that has passed is no reason to go back in time."""
    machine_log = tt.Trace({"submit": [0, 1], "runtime": [50, 5], "requested_time": [60, 9], "allocated": [1, 1]})

    def late(env: Any, machine: tt.Machine) -> Any:
        yield env.timeout(20)
        machine.draw_run_times(np.array([0]), np.array([12.0]))

    result = tt.run(tt.MachineSpec(1), machine_log, late)
    assert result["end"].tolist() == [21.0, 26.0]
