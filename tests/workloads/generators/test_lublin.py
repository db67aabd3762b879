"""The Lublin–Feitelson model against the published program's numbers."""

import math

import numpy as np
import pytest

from thinktime.workloads import DAY
from thinktime.workloads.generators import Lublin, LublinArrivals, Stream, TwoStage
from thinktime.workloads.generators.cycles import half_hours, raw_half_hours
from thinktime.workloads.generators.job_streams import luck
from thinktime.workloads.generators.lublin import ALL, BATCH, INTERACTIVE, TYPES

WEIGHTS = {
    "all": {0: 0.507821, 10: 0.164918, 20: 1.361518, 24: 1.733194, 30: 1.784752, 47: 0.563692},
    "batch": {0: 0.546159, 10: 0.347154, 20: 1.432562, 24: 1.640470, 30: 1.584641, 47: 0.593943},
    "interactive": {0: 0.513505, 10: 0.118694, 20: 1.293059, 24: 1.728026, 30: 1.849116, 47: 0.572823},
}
BUSIEST = {"all": 27, "batch": 26, "interactive": 28}
RAW_SUMS = {"all": 0.971601, "batch": 0.946752, "interactive": 0.975591}


def arrivals(name: str) -> LublinArrivals:
    process = TYPES[name].arrivals
    assert isinstance(process, LublinArrivals)
    return process


@pytest.mark.parametrize("name", TYPES)
def test_weights_of_the_half_hours(name: str) -> None:
    """The weights of the 48 half hours are those of the program, to six digits, and sum to 48."""
    weights = half_hours(arrivals(name).anum, arrivals(name).bnum)
    assert {place: round(float(weights[place]), 6) for place in WEIGHTS[name]} == WEIGHTS[name]
    assert int(weights.argmax()) == BUSIEST[name]
    assert weights.sum() == pytest.approx(48)


@pytest.mark.parametrize("name", TYPES)
def test_raw_sums(name: str) -> None:
    """Before they are normalised they sum to what the gamma density has on a day."""
    assert round(float(raw_half_hours(arrivals(name).anum, arrivals(name).bnum).sum()), 6) == RAW_SUMS[name]


@pytest.mark.parametrize(
    ("stream", "bounds"), [(ALL, (0.8, 4.5, 7.0)), (BATCH, (1.2, 5.0, 7.0)), (INTERACTIVE, (1.0, 3.0, 5.5))]
)
def test_bounds_of_the_sizes(stream: Stream, bounds: tuple[float, float, float]) -> None:
    """On 128 processors the bounds of log₂ n are the published ones; they move with the machine."""
    assert isinstance(stream.sizes, TwoStage)
    assert stream.sizes.bounds(128) == bounds
    assert stream.sizes.bounds(512) == (bounds[0], bounds[1] + 2, bounds[2] + 2)


@pytest.mark.parametrize("name", TYPES)
def test_times_between(name: str) -> None:
    """Logs of operational times between arrivals are gamma with mean aarr · arar · barr."""
    process = arrivals(name)
    free = LublinArrivals(aarr=process.aarr, barr=process.barr, arar=process.arar, largest=1e6)
    logs = np.log(np.diff(free.own_cycle.unwarp(free.times(50_000, np.random.default_rng(1)))))
    shape = process.aarr * process.arar
    assert logs.mean() == pytest.approx(shape * process.barr, abs=4 * process.barr * math.sqrt(shape / 50_000))


def test_long_times_between_are_drawn_again() -> None:
    """No time between is longer than e¹³ s of operational time."""
    process = LublinArrivals(largest=7)
    gaps = np.diff(process.own_cycle.unwarp(process.times(5_000, np.random.default_rng(1))))
    assert gaps.max() <= math.exp(7) * (1 + 1e-6)


def test_busy_hours() -> None:
    """Most is submitted between noon and 16 o'clock, least between 3 and 7."""
    hours = Lublin().draft(30_000, 64, luck(1)).times() % DAY / 3_600
    counts = np.histogram(hours, bins=24, range=(0, 24))[0]
    assert counts.argmax() in range(12, 16) and counts.argmin() in range(3, 7)


def test_both_is_batch_and_interactive_side_by_side() -> None:
    """The variant `both` merges the streams of the two other variants, the earliest job first."""
    both, batch, interactive = (
        Lublin(variant=variant).draft(2_000, 64, luck(1)) for variant in ("both", "batch", "interactive")
    )
    assert set(both.more["queue"].tolist()) == {0, 1}
    for queue, stream in ((0, interactive), (1, batch)):
        rows = both.more["queue"] == queue
        assert both.times()[rows].tolist() == stream.times()[: rows.sum()].tolist()
        assert both.runtime[rows].tolist() == stream.runtime[: rows.sum()].tolist()
    assert (np.diff(both.times()) >= 0).all() and len(both.times()) == 2_000


def test_a_tie_is_the_interactive_job_s() -> None:
    """At equal times the interactive job comes first."""
    stream = Stream(arrivals=LublinArrivals(), sizes=1, runtimes=1)
    twins = Lublin(variant="both", batch=stream, interactive=stream)
    same = lambda purpose: luck(1)(purpose.partition(": ")[2])  # noqa: E731
    assert twins.draft(4, 64, same).more["queue"].tolist() == [0, 1, 0, 1]


def test_parameters_can_be_changed() -> None:
    """Every parameter of a type can be changed; sizes above a cut are the machine's."""
    sizes = TwoStage(serial=1.0)
    lublin = Lublin(all=Stream(arrivals=ALL.arrivals, sizes=sizes, runtimes=ALL.runtimes))
    assert set(lublin.draft(100, 64, luck(1)).processors.tolist()) == {1}


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"variant": "none"}, "variant must be one of all, batch, interactive, both, not 'none'"),
        ({"batch": BATCH}, "the variant 'all' has no 'batch' jobs"),
    ],
)
def test_errors(given: dict[str, object], sentence: str) -> None:
    """A variant that is not there, and a type that it does not use, are refused in one sentence."""
    with pytest.raises(ValueError, match=sentence):
        Lublin(**given)  # type: ignore[arg-type]
