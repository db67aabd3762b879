"""Jobs with conditions start when a brute-force machine starts them, by leaps and instant by instant."""

import copy

import numpy as np
import pytest

from tests.models.eligibility.cases import PROCESSORS, played, random_tasks, spec_of
from tests.models.eligibility.twin import Task, Twin

RULES = ["none", "no-guarantee", "easy"]
SEEDS = 5


def expected(tasks: list[Task]) -> list[tuple[object, ...]]:
    """What is known of each job; one that was taken back as it became eligible never was."""
    in_order = sorted(tasks, key=lambda each: each.id)
    since = [None if each.start is None and each.eligible == each.end else each.eligible for each in in_order]
    return [(each.id, when, each.start, each.end, each.state) for each, when in zip(in_order, since, strict=True)]


def found(result: object) -> list[tuple[object, ...]]:
    jobs = result.jobs.sort_values("id").replace({np.nan: None})  # type: ignore[attr-defined]
    if "eligible" not in jobs:
        jobs["eligible"] = jobs["submit"]
    return [tuple(row) for row in jobs[["id", "eligible", "start", "end", "state"]].itertuples(index=False)]


@pytest.mark.parametrize("leap", ["1", "0"])
@pytest.mark.parametrize("order", ["fcfs", "sjf"])
@pytest.mark.parametrize("rule", RULES)
def test_random_jobs_start_when_the_twin_starts_them(
    rule: str, order: str, leap: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Dependencies, arrays, holds, times and cancellations in all mixtures; withdrawn or waiting for ever."""
    monkeypatch.setenv("THINKTIME_LEAP", leap)
    begin = 1000 * RULES.index(rule)
    for seed in range(begin, begin + SEEDS):
        tasks, kills = random_tasks(seed), seed % 2 == 0
        result, _ = played(tasks, spec_of(f"{rule}:order={order}", kills))
        truth = Twin(PROCESSORS, copy.deepcopy(tasks), rule, order, kills).run()
        assert found(result) == expected(truth), seed
