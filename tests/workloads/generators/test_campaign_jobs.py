"""Campaign workloads: who submits what, nominal times on a private machine, and fields 17 and 18."""

import math
from collections import defaultdict
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from thinktime.workloads import Trace
from thinktime.workloads.generators import Campaigns, PowersOfTwo, Recipe, Uniform, generate, offered_load
from thinktime.workloads.generators.nominal import campaign_ends, list_schedule

SIZE = {"jobs": 4_000, "users": 26, "processors": 64, "seed": 3}
MODELS = {
    "the paper's": Campaigns(),
    "random thinking": Campaigns(think_time=stats.expon(scale=3_000), first=Uniform(0, 90_000)),
    "parallel jobs": Campaigns(processors=PowersOfTwo(), think_time=stats.norm(100, 400)),
    "single jobs": Campaigns(probability=1, think_time=0),
}


def campaigns(trace: Trace) -> dict[int, list[list[int]]]:
    """The rows of each user's campaigns, in order: jobs of one user, time, and fields 17 and 18."""
    found: dict[tuple[Any, ...], list[int]] = defaultdict(list)
    for row in range(len(trace)):
        thought = trace.think_time[row]
        key = (trace.user[row], trace.submit[row], trace.preceding[row], None if thought != thought else thought)
        found[tuple(map(str, key))].append(row)
    by_user: dict[int, list[list[int]]] = defaultdict(list)
    for rows in found.values():
        by_user[int(trace.user[rows[0]])].append(rows)
    return by_user


def nominal_end(trace: Trace, rows: list[int]) -> float:
    """When a campaign ends on a machine of its own."""
    ends = list_schedule(trace.runtime[rows], trace.processors[rows], SIZE["processors"])
    return float(trace.submit[rows[0]]) + max(ends)


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_nominal_times(model: Campaigns) -> None:
    """A campaign is submitted its think time (field 18) after the nominal end of the user's one before, to the second.

    So no two campaigns of a user overlap; field 17 is a job of the campaign before.
    """
    trace = generate(Recipe(model=model), **SIZE)
    row_of = {int(number): row for row, number in enumerate(trace.id)}
    for series in campaigns(trace).values():
        assert trace.preceding[series[0][0]] == -1 and math.isnan(trace.think_time[series[0][0]])
        for before, rows in pairwise(series):
            assert row_of[int(trace.preceding[rows[0]])] in before
            due = nominal_end(trace, before) + trace.think_time[rows[0]]
            assert trace.submit[rows].tolist() == [due] * len(rows)


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_preceding_job_ends_last(model: Campaigns) -> None:
    """Field 17 names the job that ends last nominally, so that a reader who looks at it alone is right as well."""
    trace = generate(Recipe(model=model), **SIZE)
    row_of = {int(number): row for row, number in enumerate(trace.id)}
    for series in campaigns(trace).values():
        for before, rows in pairwise(series):
            ends = list_schedule(trace.runtime[before], trace.processors[before], SIZE["processors"])
            assert before[ends.index(max(ends))] == row_of[int(trace.preceding[rows[0]])]


def test_new_campaigns() -> None:
    """The first job and one in fifty others start a campaign; the number of campaigns is binomial."""
    plan = Campaigns().campaigns_of(jobs=100_000, users=26, processors=64, seed=1)
    count = sum(len(user.runtimes) for user in plan)
    assert count - 1 == pytest.approx(99_999 * 0.02, abs=4 * math.sqrt(99_999 * 0.02 * 0.98))
    assert sum(len(jobs) for user in plan for jobs in user.runtimes) == 100_000


def test_owners() -> None:
    """The owner of a campaign is uniform over the users."""
    plan = Campaigns().campaigns_of(jobs=500_000, users=5, processors=64, seed=1)
    counts = [len(user.runtimes) for user in plan]
    total = sum(counts)
    assert [user.user for user in plan] == [1, 2, 3, 4, 5]
    assert counts == pytest.approx([total / 5] * 5, abs=4 * math.sqrt(total * 0.2 * 0.8))


def test_profiles() -> None:
    """Two thirds of 26 users, 17, are short: their jobs take up to an hour, those of the others an hour to ten."""
    plan = Campaigns().campaigns_of(**SIZE)
    assert {user.user for user in plan if user.profile == "short"} <= set(range(1, 18))
    for user in plan:
        low, high = (1, 3_600) if user.profile == "short" else (3_600, 36_000)
        assert all(low <= runtime <= high for jobs in user.runtimes for runtime in jobs)
        assert user.profile == ("short" if user.user <= 17 else "long")


@pytest.mark.parametrize(("share", "short"), [(0, 0), (0.5, 13), (2 / 3, 17), (1, 26)])
def test_share(share: float, short: int) -> None:
    """The share of short users is rounded to whole users."""
    assert Campaigns(share=share).short_users(26) == short


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
@pytest.mark.parametrize("load", [None, 0.4])
def test_the_study_has_the_log_s_campaigns(model: Campaigns, load: float | None) -> None:
    """`campaigns_of` gives the very campaigns of the log with the same seed, in order, and their think times."""
    if load is not None and model is MODELS["single jobs"]:
        pytest.skip("without think times there is no load to choose")
    trace = generate(Recipe(model=model, load=load), **SIZE)
    in_log = campaigns(trace)
    for user in model.campaigns_of(**SIZE, load=load):
        series = in_log[user.user]
        assert user.first == trace.submit[series[0][0]]
        assert [trace.runtime[rows].tolist() for rows in series] == user.runtimes
        assert [trace.processors[rows].tolist() for rows in series] == user.processors
        assert [trace.think_time[rows[0]] for rows in series[1:]] == user.think_times
        assert set(trace.group[np.concatenate(series)]) == {1 if user.profile == "short" else 2}


def test_defaults_of_the_paper() -> None:
    """By default jobs are sequential, users think 18,000 s, and all first campaigns are submitted at 0."""
    plan = Campaigns().campaigns_of(**SIZE)
    assert {count for user in plan for jobs in user.processors for count in jobs} == {1}
    assert {time for user in plan for time in user.think_times} == {18_000}
    assert {user.first for user in plan} == {0}


def test_load_by_thinking() -> None:
    """A wanted load is reached by think times alone."""
    as_it_comes = generate(Recipe(model=Campaigns()), **SIZE)
    scaled = generate(Recipe(model=Campaigns(), load=0.5), **SIZE)
    assert offered_load(scaled) == pytest.approx(0.5, rel=1e-3)
    assert sorted(scaled.runtime.tolist()) == sorted(as_it_comes.runtime.tolist())


@pytest.mark.parametrize(
    ("model", "load", "sentence"),
    [
        (Campaigns(), 50, r"load must be at most .* \(these users without think times\), not 50; take more"),
        (MODELS["single jobs"], 0.1, "load cannot be 0.1: there are no think times to scale; take fewer users"),
    ],
)
def test_unreachable_load(model: Campaigns, load: float, sentence: str) -> None:
    """A load that no think times give is refused in one sentence that says what would help."""
    with pytest.raises(ValueError, match=sentence):
        generate(Recipe(model=model, load=load), **SIZE)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"probability": 2}, "probability must be a number from 0 to 1, not 2"),
        ({"share": "half"}, "share must be a number from 0 to 1, not 'half'"),
        ({"think_time": -1}, "think_time must be a number of at least 0, not -1"),
        ({"processors": 0}, "processors must be a number of at least 1, not 0"),
        ({"short": None}, "short must be a number, a frozen .* or a function of a generator, not None"),
    ],
)
def test_errors(given: dict[str, Any], sentence: str) -> None:
    """What describes no campaigns is refused in one sentence."""
    with pytest.raises(ValueError, match=sentence):
        Campaigns(**given)


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
