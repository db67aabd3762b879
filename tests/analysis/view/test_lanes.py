"""What users did over time."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from thinktime.analysis.view.lanes import RUN, THINK, WAIT, Intervals, episodes, lanes, union
from thinktime.models.results.result import Result


def of(result: Result, user: int) -> list[tuple[float, float, int]]:
    """The lane of a user."""
    found = lanes(result)
    own = found.user == user
    return list(zip(*(column[own].tolist() for column in (found.begin, found.end, found.kind)), strict=True))


def test_users_run_wait_and_think(odd: Result) -> None:
    """A user runs while some job runs, and waits while some job waits and none runs."""
    assert of(odd, 0) == [(0.0, 30.0, RUN), (30.0, 45.0, THINK), (45.0, 50.0, WAIT), (50.0, 100.0, RUN)]
    assert of(odd, 1) == [(5.0, 8.5, RUN), (8.5, 31.0, THINK), (31.0, 35.0, WAIT)]
    assert of(odd, 2) == [(6.0, 20.0, WAIT), (20.0, 22.0, RUN)]
    assert of(odd, -1) == []


def test_episodes_are_campaigns_or_times_with_jobs(odd: Result) -> None:
    """Campaigns have their numbers; what a user without campaigns did is told by when jobs were there."""
    found = episodes(odd)
    rows = [tuple(None if v != v else v for v in row) for row in zip(*(c.tolist() for c in found), strict=True)]
    assert rows == [
        (0, 0.0, 0.0, 30.0, 2, 0, None), (0, 45.0, 50.0, None, 2, 2, 15.0), (1, 5.0, 5.0, 8.5, 1, -1, None),
        (1, 31.0, None, 35.0, 1, -1, 22.5), (2, 6.0, 20.0, 22.0, 1, 1, None),
    ]  # fmt: skip


SPANS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 20), st.integers(0, 6)), max_size=12)


@given(SPANS)
def test_the_union_is_that_of_sets(spans: list[tuple[int, int, int]]) -> None:
    """Against sets of seconds: the same seconds, in as few intervals as possible."""
    user, begin, length = (np.array([span[k] for span in spans], np.int64) for k in range(3))
    found = union(user, begin.astype(float), (begin + length).astype(float))
    for each in range(3):
        covered = {t for who, first, size in spans if who == each for t in range(first, first + size)}
        own = [(a, b) for who, a, b in zip(*(c.tolist() for c in found), strict=True) if who == each]
        assert {t for a, b in own for t in range(int(a), int(b))} == covered
        assert len(own) == sum(t - 1 not in covered for t in covered)


@given(st.lists(st.tuples(*[st.integers(0, n) for n in (2, 20, 6, 6)]), min_size=1, max_size=10))
def test_the_three_kinds_never_overlap(jobs: list[tuple[int, int, int, int]]) -> None:
    """Against brute force at each half second."""
    user, submit, wait, length = (np.array([job[k] for job in jobs], np.float64) for k in range(4))
    start, end = submit + wait, submit + wait + length
    columns = {"user": user.astype(int), "submit": submit, "start": start, "end": end, "processors": np.ones(len(jobs))}
    found = lanes(Result.from_columns(columns, 20, names={"user": ["a", "b", "c"]}))
    for each in range(3):
        own, lane = user == each, found.user == each
        for t in np.arange(0.5, 40.0):
            run, there = ((begin[own] <= t) & (t < end[own]) for begin in (start, submit))
            gap = (end[own] <= t).any() and (submit[own] > t).any()
            kinds = found.kind[lane & (found.begin <= t) & (t < found.end)].tolist()
            brief = own & (end == submit)  # a job that takes no time is never there
            expected = [RUN] if run.any() else [WAIT] if there.any() else [THINK] if gap else []
            assert kinds == expected or (brief.any() and kinds in ([], [THINK]))


def test_nothing_has_no_lanes(empty: Result) -> None:
    """Without jobs there are no users."""
    assert len(lanes(empty).user) == len(episodes(empty).user) == 0
    assert isinstance(union(*np.empty((3, 0))), Intervals)
