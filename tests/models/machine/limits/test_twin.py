"""Under limits, jobs start, wait for ever and are refused as on a brute-force machine."""

from __future__ import annotations

import copy
import random

import pytest

from tests.how_many import few_or_many
from tests.models.machine.limits.cases import (
    PROCESSORS,
    expected,
    outcomes,
    random_site,
    random_tasks,
    replayed,
    spec_of,
    submitted,
)
from tests.models.machine.limits.twin import Twin

RULES = ("none", "no-guarantee", "easy", "conservative-dynamic", "conservative")
LIVE = 3
"""One case in so many is played by users, too."""


@pytest.mark.parametrize("how_many", few_or_many(9, 28))
@pytest.mark.parametrize("rule", RULES)
def test_every_start_end_and_state_is_the_twins(rule: str, how_many: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Random trees, QOS, partitions and jobs: a log by leaps, and users who submit, instant by instant."""
    cuts = by_time = 0
    for seed in range(1000 * RULES.index(rule), 1000 * RULES.index(rule) + how_many):
        luck = random.Random(seed)
        order, site = luck.choice(["fcfs", "sjf"]), random_site(luck)
        tasks = random_tasks(luck, site)
        spec, twin = spec_of(site, f"{rule}:order={order}"), Twin(PROCESSORS, copy.deepcopy(tasks), site, rule, order)
        truth = expected(twin.run())
        monkeypatch.setenv("THINKTIME_LEAP", "1")
        assert outcomes(replayed(tasks, spec)) == truth, seed
        if seed % LIVE == 0:
            monkeypatch.setenv("THINKTIME_LEAP", "0")
            assert outcomes(submitted(tasks, spec)) == truth, seed
        cuts, by_time = cuts + twin.cuts, by_time + twin.by_time
    assert cuts > 0 and by_time > 0
