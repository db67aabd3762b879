"""Arrays that last for a call are parts of one, which grows, and are given back."""

from __future__ import annotations

import numpy as np
import pytest
import simpy

import thinktime as tt
from tests.models.policies.slurm.engine import Nobody
from thinktime.models.engine.codes.starvation import ABOVE_MEAN, ABOVE_QUANTILE
from thinktime.models.engine.spare import SIZE, Spare
from thinktime.models.policies.cplant.starvation import heavy_line


@pytest.mark.parametrize("users", [7, 129, SIZE - 1, SIZE, SIZE + 1, 5 * SIZE])
def test_what_was_taken_stays_as_it_was_when_there_is_no_more_room(users):
    """The mean and the quantile take arrays one after the other, of which only the first has room at the beginning."""
    usage, spare = np.random.default_rng(1).uniform(1, 9, users), Spare()
    for _ in range(3):
        assert heavy_line(spare, usage, ABOVE_MEAN, 0.0) == usage.mean()
        assert heavy_line(spare, usage, ABOVE_QUANTILE, 0.3) == np.quantile(usage, 0.3)


@pytest.mark.parametrize(
    "policy", ["slurm", "ostrich", "cplant:starve=9s,barred=heavy", "easy:order=relshare,resort=start"]
)
@pytest.mark.parametrize("observed", [False, True])
def test_passes_give_back_what_they_take(policy, observed):
    """After many passes, compiled as a whole or one by one, hardly more is in use than after a few."""
    env = simpy.Environment()
    machine = tt.Machine(env, 8, policy)
    if observed:
        machine.observe(Nobody())
    in_use = []

    def user():
        for k in range(60):
            for size in range(1, 5):
                machine.submit(tt.Job(processors=size, runtime=5 + k % 3, estimate=9, user=f"u{size}"))
            yield env.timeout(20)
            in_use.append(machine.pool.state.spare.used)

    env.process(user())
    env.run()
    assert max(in_use) <= max(in_use[:10]) + 50
