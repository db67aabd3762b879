"""List scheduling on a private machine, against a plain one that looks at every job at every event."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from thinktime.workloads.generators.nominal import campaign_ends, list_schedule

jobs = st.lists(st.tuples(st.integers(1, 9), st.integers(1, 4)), min_size=1, max_size=25)


def plain(runtimes: list[int], sizes: list[int], processors: int) -> list[float]:
    """The ends by the definition: at each event, the list from its beginning, what fits starts."""
    ends: dict[int, float] = {}
    running: dict[int, float] = {}
    now = 0.0
    while len(ends) < len(runtimes):
        free = processors - sum(sizes[job] for job, end in running.items() if end > now)
        for job in range(len(runtimes)):
            if job not in ends and sizes[job] <= free:
                running[job] = ends[job] = now + runtimes[job]
                free -= sizes[job]
        now = min((end for end in running.values() if end > now), default=now)
    return [ends[job] for job in range(len(runtimes))]


@given(jobs, st.integers(4, 8))
def test_list_schedule(drawn: list[tuple[int, int]], processors: int) -> None:
    """Whenever processors are free, the first job of the list that fits starts."""
    runtimes, sizes = map(list, zip(*drawn, strict=True))
    ends = list_schedule(np.array(runtimes, dtype=float), np.array(sizes), processors)
    assert ends == plain(runtimes, sizes, processors)


def test_by_hand() -> None:
    """On two processors a narrow job overtakes a wide one that waits."""
    assert list_schedule(np.array([3.0, 5.0, 2.0, 1.0]), np.array([1, 2, 1, 1]), 2) == [3, 8, 2, 3]


def test_campaigns_are_apart() -> None:
    """Each campaign has a machine of its own; one that fits whole starts at once."""
    ends = campaign_ends(np.array([4.0, 2.0, 5.0, 1.0, 1.0]), np.ones(5, dtype=int), np.array([0, 2]), 2)
    assert ends.tolist() == [4, 2, 5, 1, 2]
