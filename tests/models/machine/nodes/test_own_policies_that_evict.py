"""Policies in Python on nodes on which jobs are evicted: what `view.fits` allows can start."""

import numpy as np
import pytest
import simpy

import thinktime as tt
from thinktime import Cluster, Nodes

NODES = Nodes(
    [Cluster("wide", 2, {"processors": 4, "memory": 8_192}), Cluster("narrow", 2, {"processors": 2, "memory": 16_384})]
)


def by_arrival(view, now):
    """A job that fits beside those before."""
    for job in view.queue:
        if view.fits(job):
            yield job


def submissions(env, machine, seed):
    """Jobs that outlive their estimates more often than not."""
    rng = np.random.default_rng(seed)
    for time in np.sort(rng.integers(0, 200, 30)):
        yield env.timeout(max(0, time - env.now))
        runtime = int(rng.integers(1, 100))
        asked = f"{rng.integers(1, 3)}:ppn={rng.integers(1, 3)}"
        if rng.random() < 0.5:
            asked += f":mem={rng.integers(1, 9)}kb"
        estimate = max(1, int(runtime * rng.choice([0.3, 0.7, 1, 2])))
        machine.submit(tt.Job(runtime=runtime, estimate=estimate, nodes=asked))


@pytest.mark.parametrize("seed", range(25))
def test_what_fits_can_start(seed):
    """A job that `view.fits` allows, beside those that were yielded before it, starts; and all end."""
    env = simpy.Environment()
    machine = tt.MachineSpec(policy=by_arrival, nodes=NODES, overrun="until_needed").open(env)
    env.process(submissions(env, machine, seed))
    env.run()
    assert machine.over == 30
    assert np.isfinite(machine.result()["end"]).all()
