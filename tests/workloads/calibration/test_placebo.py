"""Logs in which nobody reacts: a fit says so."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import thinktime as tt
from tests.how_many import few_or_many
from tests.workloads.calibration.users_of_logs import unseeing, waiting


@pytest.mark.parametrize("logs", few_or_many(2, 60))
def test_nobody_reacts(logs):
    """Reactions are found in no more logs than 5 % may have by chance."""
    found = [tt.calibrate(unseeing(seed, 6, 20), score=False).reacts.any() for seed in range(logs)]
    assert sum(found) <= stats.binom.ppf(0.99, logs, 0.05)


@pytest.mark.parametrize("seeds", few_or_many(1, 10))
def test_other_ends(seeds):
    """Users who wait are known; with the waits and run times of other jobs, the same submissions show no reaction."""
    for seed in range(seeds):
        log, place = waiting(seed), np.random.default_rng(seed).permutation(200)
        other = log.with_columns(wait=log.wait[place], runtime=log.runtime[place])
        assert tt.calibrate(log, score=False).reacts.all()
        assert not tt.calibrate(other, score=False).reacts.any()
