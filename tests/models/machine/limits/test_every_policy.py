"""Whatever the policy, no limit is ever exceeded, leaps change nothing, and every start is the twin's."""

import copy
import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thinktime as tt
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
from tests.models.machine.limits.recount import exceeded, runs_of, wrongly_there, wrongly_waiting
from tests.models.machine.limits.twin import Twin
from thinktime.models.site.limits import Limits
from thinktime.models.site.qos import QOS
from thinktime.models.site.tres import Tres


def greedy(view: Any, now: float) -> Any:
    """A policy of one's own: the latest first."""
    free = view.free
    for job in reversed(list(view.queue)):
        if job.processors <= free:
            free -= job.processors
            yield job


POLICIES = [
    "none", "no-guarantee", "easy", "easy:reservations=3,order=sjf", "conservative:compress=completion",
    "conservative:compress=event", "conservative:compress=scheduled", "conservative:compress=none",
    "conservative-dynamic", "cplant", "cplant:starve=9s", "slack:awt=5", "ostrich", "faircamp", "relshare",
    "tradeoff:limit=20", "slurm", "slurm:bf_interval=7s", "easy:order=fairshare", greedy,
]  # fmt: skip
MACHINES = [{}, {"nodes": tt.Nodes.uniform(4, 2)}]
AMPLE = {
    name: Tres({"cpu": 10**9}) if "tres" in name else 10**9
    for name in ("max_jobs", "max_submit", "max_wall", "max_tres", "max_tres_per_user", "group_jobs", "group_submit",
                 "group_tres", "group_tres_seconds", "group_tres_run_seconds", "group_wall")
}  # fmt: skip


def by_steps(monkeypatch: pytest.MonkeyPatch, play: Callable[..., Any], *given: Any) -> Any:
    """What is played instant by instant."""
    with monkeypatch.context() as patch:
        patch.setenv("THINKTIME_LEAP", "0")
        return play(*given)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(POLICIES), st.sampled_from(MACHINES))
def test_no_limit_is_ever_exceeded(seed: int, policy: Any, machine: dict[str, Any]) -> None:
    """Nobody starts, or is taken, beyond a limit; who waits at the end or was refused is beyond one."""
    luck = random.Random(seed)
    site = random_site(luck)
    tasks = random_tasks(luck, site, 14)
    result = replayed(tasks, spec_of(site, policy, **machine))
    runs = runs_of(tasks, result)
    assert list(exceeded(site, runs)) == []
    assert wrongly_there(site, runs) == []
    assert wrongly_waiting(site, runs, result.now + 10**7) == []


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(POLICIES), st.sampled_from(MACHINES))
def test_leaps_and_users_give_the_same(seed: int, policy: Any, machine: dict[str, Any]) -> None:
    """A log by leaps, and users who submit the same jobs, instant by instant."""
    luck = random.Random(seed)
    site = random_site(luck)
    tasks, spec = random_tasks(luck, site, 14), spec_of(site, policy, **machine)
    assert outcomes(replayed(tasks, spec)) == outcomes(by_steps(pytest.MonkeyPatch(), submitted, tasks, spec))


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(POLICIES), st.sampled_from(MACHINES))
def test_limits_that_nobody_meets_change_nothing(seed: int, policy: Any, machine: dict[str, Any]) -> None:
    """As without limits, and as without a site."""
    luck = random.Random(seed)
    site = random_site(luck)
    tasks, ample = random_tasks(luck, site, 14), Limits(**AMPLE)  # type: ignore[arg-type]
    wide = replace(
        site,
        qos=tuple(QOS(each.name, limits=ample) for each in site.qos),
        accounts=type(site.accounts)([replace(each, limits=ample) for each in site.accounts]),
        partitions=tuple(replace(each, max_time=None) for each in site.partitions),
    )
    free = outcomes(replayed(tasks, spec_of(None, policy, **machine)))
    assert outcomes(replayed(tasks, spec_of(wide, policy, **machine))) == free


BY_USAGE = "easy:order=fairshare", "relshare"
"""Their order depends on what was used until the pass, and each submission makes one, even if the job never starts."""
BY_THE_QUEUE = [policy for policy in POLICIES if policy not in ("ostrich", "faircamp", *BY_USAGE)]
"""Those that know nothing of campaigns, to which jobs belong from their submission on, nor of usage."""


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(BY_THE_QUEUE), st.sampled_from(MACHINES))
def test_jobs_that_never_start_are_in_nobodys_way(seed: int, policy: Any, machine: dict[str, Any]) -> None:
    """With jobs that ask for too much by themselves or without them, all others start at the same times."""
    luck = random.Random(seed)
    site = random_site(luck)
    open_site = replace(
        site,
        qos=(QOS("q"), QOS("r"), QOS("s", limits=Limits(max_wall=0.5))),
        accounts=type(site.accounts)([replace(each, limits=Limits()) for each in site.accounts]),
        partitions=tuple(replace(each, max_time=None, qos=None) for each in site.partitions),
    )
    tasks, spec = random_tasks(luck, site, 14), spec_of(open_site, policy, **machine)
    others = [task for task in tasks if task.qos != "s"]
    both = outcomes(replayed(tasks, spec))
    alone = outcomes(replayed(others, spec)) if others else []
    assert [each for each in both if tasks[each[0] - 1].qos != "s"] == alone
    assert {each[3] for each in both if tasks[each[0] - 1].qos == "s"} <= {"waiting"}


RULES = ("none", "no-guarantee", "easy", "conservative-dynamic", "conservative")
LIVE = 3
"""One case in so many is played by users, too."""


@pytest.mark.parametrize("how_many", few_or_many(8, 28))
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
