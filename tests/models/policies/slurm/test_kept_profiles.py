"""A pass that keeps its profile when a job starts, and what groups give back from the last pass, does what others do.

On a machine that changes, both are made anew after each start, also if the only change is long after all jobs.
"""

import numpy as np
import pytest

import thinktime as tt
from tests.how_many import in_turn

JOBS = 200
LATER = 1e8


OPTIONS = [
    "",
    ":bf_interval=10",
    ":groups=10,bf_window_linear=600",
    ":groups=0",
    ":groups=0.5,bf_window_linear=0.25",
    ":whole_nodes=no",
]


@pytest.mark.parametrize(("options", "seed"), in_turn(3, OPTIONS, (1, 2, 3)))
def test_a_change_long_after_all_jobs_changes_nothing(options: str, seed: int) -> None:
    """Of jobs with few and with many estimates, those that start in one pass leave with groups of running ones."""
    rng = np.random.default_rng(seed)
    estimate = rng.choice([60, 300, 3600], JOBS) if seed == 1 else rng.integers(30, 4000, JOBS)
    log = tt.Trace(
        {
            "submit": np.sort(rng.integers(0, 3000, JOBS)), "runtime": np.ceil(estimate * rng.uniform(0.05, 1, JOBS)),
            "requested_processors": rng.choice([1, 2, 3, 8, 30], JOBS), "requested_time": estimate,
        }
    )  # fmt: skip
    nodes = tt.Nodes.uniform(16, 4)
    far = tt.Changes(windows=(tt.Window(LATER, LATER + 1, processors=(nodes.names[0],)),))
    steady, changing = (
        tt.replay(log, f"slurm{options}", nodes=nodes, allocator="consecutive", changes=changes)
        for changes in (None, far)
    )
    assert steady["start"].tolist() == changing["start"].tolist()
