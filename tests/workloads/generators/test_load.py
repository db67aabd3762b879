"""The offered load of a log, and logs with a wanted one."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from tests.how_many import in_turn
from thinktime.workloads import Header, Trace
from thinktime.workloads.generators import (
    MMPP2,
    BModel,
    Campaigns,
    Cycle,
    Flurry,
    Lublin,
    Recipe,
    Renewal,
    Stream,
    Weibull,
    generate,
    offered_load,
    preset,
    recipe_of,
    scale_to_load,
    weekly,
)
from thinktime.workloads.generators.arrivals import hourly_dispersion

TINY = Trace({"submit": [10, 20, 50], "runtime": [30, 10, 20], "allocated": [2, 4, 1]}, Header.build(MaxProcs=4))
SIZE = {"jobs": 3_000, "users": 20, "processors": 64, "seed": 1}


def test_offered_load() -> None:
    """The offered load is the work over machine and span, and twice that for half the machine."""
    assert offered_load(TINY) == 0.75
    assert offered_load(TINY, processors=2) == 1.5


def test_scaling() -> None:
    """For a third of the load, times between submissions are three times as long."""
    scaled, report = scale_to_load(TINY, 0.25)
    assert scaled.submit.tolist() == [10, 40, 130]
    assert (report.before, report.factor, report.reached) == (0.75, 3, 0.25)
    assert str(report) == ("offered load 0.2500 (wanted 0.25, before 0.7500; interarrival times multiplied by 3)")


def test_whole_seconds() -> None:
    """Submissions are cut to whole seconds, and the report says what was reached: within one second of the span."""
    scaled, report = scale_to_load(TINY, 0.7)
    assert scaled.submit.tolist() == [10, 20, 52]
    assert report.reached == 120 / (4 * 42)


@pytest.mark.parametrize("name", ["lublin", "poisson", "mmpp", "weibull", "b-model"])
@pytest.mark.parametrize("load", [0.3, 0.9])
def test_recipes_reach_their_load(name: str, load: float) -> None:
    """Every open recipe reaches the load that it asks for, within one second of the span."""
    recipe = Recipe(model=preset(name).model, load=load)
    trace = generate(recipe, **SIZE)
    span = trace.submit[-1] - trace.submit[0]
    assert offered_load(trace) == pytest.approx(load, rel=1.5 / span)
    assert f"(wanted {load:g})" in "".join(trace.header.all("Note"))


def week_of(trace: Trace) -> np.ndarray:
    """The share of the jobs in each hour of the week."""
    return np.bincount((trace.submit // 3_600 % 168).astype(int), minlength=168) / len(trace)


def variation(p: np.ndarray, q: np.ndarray) -> float:
    """The total variation distance of two weeks."""
    return float(np.abs(p - q).sum() / 2)


IN_A_WEEK = {
    "poisson": Recipe(cycle=weekly()),
    "lublin": Recipe(model=Lublin()),
    "both": Recipe(model=Lublin(variant="both")),
    "weibull": Recipe(model=Stream(arrivals=Weibull(shape=0.8)), cycle=weekly()),
    "mmpp": Recipe(model=preset("mmpp").model, cycle=weekly()),
    "nights off": Recipe(cycle=Cycle(day=[0] * 8 + [1] * 10 + [0] * 6, week=[1, 1, 1, 1, 1, 0, 0])),
}


@pytest.mark.parametrize(("recipe", "load"), in_turn(2, IN_A_WEEK, [0.3, 0.9]))
def test_the_week_stays_at_any_load(recipe: str, load: float) -> None:
    """With a load the week is as far from that without one as two seeds are from each other, and the load is met."""
    unloaded = IN_A_WEEK[recipe]
    size = {"jobs": 10_000, "users": 20, "processors": 64}
    loaded = replace(unloaded, load=load)
    plain = [generate(unloaded, seed=seed, **size) for seed in range(1, 7)]
    scaled = [generate(loaded, seed=seed, **size) for seed in range(11, 17)]
    noise = [variation(week_of(a), week_of(b)) for a, b in combinations(plain + scaled[:1], 2)]
    moved = [variation(week_of(a), week_of(b)) for a in plain for b in scaled]
    # The weeks of a log at three times the load are a third as many, and so its own noise is larger.
    weeks = [float(np.mean([t.submit[-1] for t in logs])) for logs in (plain, scaled)]
    wider = max(1.0, ((1 + weeks[0] / weeks[1]) / 2) ** 0.5)
    assert np.mean(moved) < 1.15 * wider * np.mean(noise)
    assert [offered_load(trace) for trace in scaled] == pytest.approx([load] * 6, rel=0.02)


BURSTY = {
    "mmpp": MMPP2(),
    "mmpp, calm in between": MMPP2(rates=(0.01, 0.0), switches=(1 / 3_600, 1 / 36_000)),
    "weibull": Weibull(),
    "b-model": BModel(),
    "renewal": Renewal(gap=stats.lognorm(1.5, scale=300)),
}


@pytest.mark.parametrize(("arrivals", "load"), in_turn(2, BURSTY, [0.3, 0.95]))
def test_bursts_stay_at_any_load(arrivals: str, load: float) -> None:
    """The index of dispersion of hourly counts is the same with and without a load, within its noise over seeds."""
    recipe = Recipe(model=Stream(arrivals=BURSTY[arrivals]))  # type: ignore[arg-type]
    size = {"jobs": 8_000, "users": 20, "processors": 64}
    found = [
        [hourly_dispersion(generate(each, seed=seed, **size).submit) for seed in range(8)]
        for each in (recipe, replace(recipe, load=load))
    ]
    (plain, loaded), (a, b) = (np.mean(found, axis=1), np.std(found, axis=1, ddof=1))
    assert abs(loaded - plain) < 3 * ((a**2 + b**2) / 8) ** 0.5 + 0.02 * plain


@pytest.mark.parametrize("rate", [0.05, 0.5, 1.7, 6.0])
def test_an_mmpp_at_another_rate(rate: float) -> None:
    """An MMPP at another rate keeps its index of dispersion in every window."""
    for mmpp in (MMPP2(), MMPP2(rates=(0.001, 0.02), switches=(1e-4, 3e-3))):
        other = mmpp.at_rate(rate)
        assert other.mean_rate == pytest.approx(rate * mmpp.mean_rate)
        for window in (60, 3_600, 86_400, 1e7):
            assert other.dispersion(window) == pytest.approx(mmpp.dispersion(window))


def test_the_header_holds_the_factor() -> None:
    """The recipe in the header says by what the rate was multiplied, and is still the recipe."""
    recipe = Recipe(cycle=weekly(), load=0.9)
    plain, scaled = generate(replace(recipe, load=None), **SIZE), generate(recipe, **SIZE)
    [line] = [note for note in scaled.header.all("Note") if note.startswith("load = ")]
    factor = float(line.rpartition(" ")[2])
    spans = [float(np.ptp(recipe.cycle.unwarp(trace.submit))) for trace in (plain, scaled)]  # type: ignore[union-attr]
    assert spans[0] / spans[1] == pytest.approx(factor, rel=1e-3)
    assert recipe_of(scaled.header) == recipe


def test_flurries_keep_their_times() -> None:
    """A flurry comes when it is said to, however the rest is scaled; a log cannot be shorter than its flurries."""
    flurry = Flurry(start=86_400, size=50, gap=2, user=3, processors=1, runtime=77)
    for load in (0.2, 0.8):
        trace = generate(Recipe(flurries=(flurry,), load=load), **SIZE)
        jobs = trace.submit[trace.runtime == 77]
        assert jobs[0] == 86_400 and set(range(86_400, 86_500, 2)) <= set(jobs.tolist())
        assert offered_load(trace) == pytest.approx(load, rel=1e-4)
    late = Flurry(start=300 * 86_400, size=50)
    with pytest.raises(ValueError, match=r"load must be at most .*, not 0\.9: flurries and campaigns"):
        generate(Recipe(flurries=(late,), load=0.9), **SIZE)


def test_flurries_are_part_of_the_load() -> None:
    """A flurry's jobs count as all others."""
    flurry = Flurry(start=0, size=500, processors=8, runtime=600)
    trace = generate(Recipe(model=Stream(arrivals=BModel()), flurries=(flurry,), load=0.5), **SIZE)
    assert offered_load(trace) == pytest.approx(0.5, rel=1e-4)


def test_scaling_keeps_the_jobs() -> None:
    """A load moves submissions and changes nothing else."""
    plain, scaled = (generate(Recipe(load=load), **SIZE) for load in (None, 0.4))
    for name in set(plain.columns) - {"submit"}:
        np.testing.assert_array_equal(plain.columns[name], scaled.columns[name])


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: scale_to_load(TINY, 0), "load must be a fraction of the machine above 0, not 0"),
        (lambda: scale_to_load(TINY.between(end=15), 0.5), "load can be scaled only if jobs have run times and are"),
        (lambda: offered_load(TINY.with_header(Header())), "processors must be given: the trace's header has"),
        (
            lambda: scale_to_load(generate(Recipe(model=Campaigns()), **SIZE), 0.5),
            "jobs with a preceding job cannot be moved on their own; change their think times",
        ),
    ],
)
def test_errors(make: object, sentence: str) -> None:
    """A load that cannot be reached is refused in one sentence."""
    with pytest.raises(ValueError, match=sentence):
        make()  # type: ignore[operator]
