"""A log at another load, with its week and its bursts: weeks and days of users left out or copied."""

import numpy as np
import pytest

from tests.how_many import in_turn
from thinktime.workloads import DAY, WEEK, Header, Trace
from thinktime.workloads.generators import (
    Geometric,
    Mix,
    Poisson,
    Recipe,
    UserClass,
    generate,
    offered_load,
    scale_to_load,
    weekly,
)
from thinktime.workloads.generators.arrivals import hourly_dispersion
from thinktime.workloads.user_models import scale_users

CLASSES = (
    UserClass(name="many", users=30, campaigns=3, spread=1.0, jobs=Geometric(6), gaps=20, runtimes=2_000),
    UserClass(name="few", users=4, campaigns=1, jobs=2, runtimes=9_000, processors=8),
)
BUSY = Recipe(model=Mix(arrivals=Poisson(mean=1_500), classes=CLASSES), cycle=weekly())


def log(seed: int) -> Trace:
    """Twelve weeks with quiet nights and weekends, and users who submit several jobs at once."""
    return generate(BUSY, jobs=25_000, users=60, processors=64, seed=seed)


def week_of(trace: Trace) -> np.ndarray:
    """The share of the jobs in each hour of the week."""
    return np.bincount((trace.submit // 3_600 % 168).astype(int), minlength=168) / len(trace)


def variation(p: np.ndarray, q: np.ndarray) -> float:
    """The total variation distance of two weeks."""
    return float(np.abs(p - q).sum() / 2)


@pytest.mark.parametrize("factor", in_turn(2, [0.3, 0.6, 0.9, 1.1, 2.5, 1.7]))
def test_the_week_stays_and_the_load_is_met(factor: float) -> None:
    """The week is as near to the log's as that of another log of as many jobs, and the load within 0.5 %.

    With squeezed times it is more than twice as far away.
    """
    source = log(1)
    wanted = factor * offered_load(source)
    scaled, report = scale_users(source, wanted, seed=3)
    assert offered_load(scaled) == pytest.approx(wanted, rel=0.005)
    assert report.reached == pytest.approx(wanted, rel=0.005)
    noise = np.mean([variation(week_of(log(1)), week_of(log(seed))) for seed in (2, 3, 4)])
    assert variation(week_of(scaled), week_of(source)) < noise * max(1.0, (0.5 + 0.5 / factor) ** 0.5)
    if abs(factor - 1) > 0.2:
        squeezed, _ = scale_to_load(source, wanted)
        assert variation(week_of(squeezed), week_of(source)) > 2 * noise


@pytest.mark.parametrize("factor", in_turn(2, [0.4, 0.7, 2.2, 1.4]))
def test_bursts_stay(factor: float) -> None:
    """On the clock of the cycle, hourly counts are as uneven as before, within the noise of five logs."""
    clock = weekly()
    before, after = [], []
    for seed in range(5):
        source = log(seed)
        scaled, _ = scale_users(source, factor * offered_load(source), seed=seed)
        for found, trace in ((before, source), (after, scaled)):
            found.append(hourly_dispersion(clock.unwarp(trace.submit)))
    error = ((np.var(before, ddof=1) + np.var(after, ddof=1)) / 5) ** 0.5
    assert abs(np.mean(after) - np.mean(before)) < 3 * error + 0.03 * np.mean(before)


def test_what_stays_is_as_it_was() -> None:
    """A lower load is part of the log, with its first and last job; a higher one is the log and copies."""
    source = log(1)
    load = offered_load(source)
    less, report = scale_users(source, 0.5 * load)
    assert report.left_out == len(source) - len(less) and report.copied == 0
    assert (less.submit[0], less.submit[-1]) == (source.submit[0], source.submit[-1])
    kept = source.select(np.isin(source.id, less.id))
    assert kept.equals(less)
    more, report = scale_users(source, 1.5 * load)
    assert report.copied == len(more) - len(source) and report.left_out == 0
    assert more.select(more.id <= source.id.max()).equals(source)
    copies = more.select(more.id > source.id.max())
    assert copies.user.min() > source.user.max()
    assert set(copies.submit % WEEK) <= set(source.submit % WEEK)
    assert source.submit[0] <= copies.submit[0] and copies.submit[-1] <= source.submit[-1]
    assert str(report).endswith("jobs copied)")


def test_other_seeds_take_others() -> None:
    """The same seed gives the same log; another one leaves out others."""
    source = log(1)
    one, two, other = (scale_users(source, 0.2, seed=seed)[0] for seed in (1, 1, 2))
    assert one.equals(two) and not one.equals(other)


def test_a_follower_follows_its_copy() -> None:
    """A copied job follows the copy of the job that it followed; who lost the job before follows none."""
    columns = {"submit": [0.0, 100.0, 3 * WEEK], "runtime": [50, 50, 50], "allocated": [1, 1, 1]}
    chain = {"user": [1, 1, 2], "preceding": [-1, 1, -1], "think_time": [np.nan, 50.0, np.nan]}
    source = Trace({**columns, **chain}, Header.build(MaxProcs=1))
    twice, _ = scale_users(source, 2 * offered_load(source))
    assert len(twice) == 6
    row = {number: place for place, number in enumerate(twice.id.tolist())}
    followers = [place for place in range(6) if twice.preceding[place] > 0]
    assert len(followers) == 2
    for place in followers:
        before = row[int(twice.preceding[place])]
        assert twice.user[before] == twice.user[place]
        assert twice.submit[place] - twice.submit[before] == 100 and twice.think_time[place] == 50


def test_short_logs_and_jobs_of_no_user() -> None:
    """Within two weeks copies move by days; jobs of no user are taken one by one, and stay no user's."""
    rng = np.random.default_rng(1)
    submit = np.sort(rng.uniform(0, 5 * DAY, 3_000).round())
    columns = {"submit": submit, "runtime": np.full(3_000, 60), "allocated": np.ones(3_000, int)}
    source = Trace(columns, Header.build(MaxProcs=4))
    for factor in (0.5, 1.5):
        scaled, _ = scale_users(source, factor * offered_load(source))
        assert offered_load(scaled) == pytest.approx(factor * offered_load(source), rel=0.005)
        assert set(scaled.user) == {-1} and set(scaled.submit % DAY) <= set(submit % DAY)


@pytest.mark.parametrize(
    ("load", "sentence"), [(0, "load must be a fraction of the machine above 0, not 0"), (1, "load can be scaled")]
)
def test_errors(load: float, sentence: str) -> None:
    """A load that is none, and a log of one job, are refused in one sentence."""
    one = Trace({"submit": [0], "runtime": [5], "allocated": [1]}, Header.build(MaxProcs=4))
    with pytest.raises(ValueError, match=sentence):
        scale_users(one, load)
    with pytest.raises(ValueError, match="processors must be given"):
        scale_users(one.with_header(Header()), 0.5)
