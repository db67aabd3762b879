"""The offered load of a log, and logs with a wanted one."""

from __future__ import annotations

import numpy as np
import pytest

from thinktime.workloads import Header, Trace
from thinktime.workloads.generators import (
    BModel,
    Campaigns,
    Flurry,
    Recipe,
    Stream,
    generate,
    offered_load,
    preset,
    scale_to_load,
)

TINY = Trace(
    {"submit": [10, 20, 50], "runtime": [30, 10, 20], "allocated": [2, 4, 1]}, Header.build(MaxProcs=4)
)
SIZE = {"jobs": 3_000, "users": 20, "processors": 64, "seed": 1}


def test_offered_load() -> None:
    """(2·30 + 4·10 + 1·20) / (4 · 40 s) = 0.75; of half the machine, the double."""
    assert offered_load(TINY) == 0.75
    assert offered_load(TINY, processors=2) == 1.5


def test_scaling() -> None:
    """To a third of the load, all times between submissions are three times as long; the first job stays."""
    scaled, report = scale_to_load(TINY, 0.25)
    assert scaled.submit.tolist() == [10, 40, 130]
    assert (report.before, report.factor, report.reached) == (0.75, 3, 0.25)
    assert str(report) == (
        "offered load 0.2500 (wanted 0.25, before 0.7500; times between submissions multiplied by 3)"
    )


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


def test_flurries_are_part_of_the_load() -> None:
    """A flurry's jobs count as all others."""
    flurry = Flurry(start=0, size=500, processors=8, runtime=600)
    trace = generate(Recipe(model=Stream(arrivals=BModel()), flurries=(flurry,), load=0.5), **SIZE)
    assert offered_load(trace) == pytest.approx(0.5, rel=1e-4)


def test_scaling_keeps_the_jobs() -> None:
    """Scaling moves submissions and changes nothing else."""
    plain, scaled = (generate(Recipe(load=load), **SIZE) for load in (None, 0.4))
    for name in set(plain.columns) - {"submit"}:
        np.testing.assert_array_equal(plain.columns[name], scaled.columns[name])


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: scale_to_load(TINY, 0), "load must be a fraction of the machine above 0, not 0"),
        (
            lambda: scale_to_load(TINY.between(end=15), 0.5),
            "load can be reached only by jobs that run and are",
        ),
        (
            lambda: offered_load(TINY.with_header(Header())),
            "processors must be given: the trace's header names",
        ),
        (
            lambda: scale_to_load(generate(Recipe(model=Campaigns()), **SIZE), 0.5),
            "jobs that follow a preceding job cannot be moved alone; change their think times",
        ),
    ],
)
def test_errors(make: object, sentence: str) -> None:
    """A load that cannot be reached is refused in one sentence."""
    with pytest.raises(ValueError, match=sentence):
        make()  # type: ignore[operator]
