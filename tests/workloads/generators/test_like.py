"""Recipes fitted to logs: what comes back, and logs that lack something."""

import math
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.commands import refusal_of, stdout_of
from thinktime.analysis.trace.likeness import described, distances, halves
from thinktime.cli import main
from thinktime.workloads import Header, Trace, read_swf, write_swf
from thinktime.workloads.generators import (
    MMPP2,
    Geometric,
    Histogram,
    Mix,
    OneOf,
    Recipe,
    Uniform,
    UserClass,
    generate,
    like,
    recipe_of,
    weekly,
)
from thinktime.workloads.generators.like import bursts
from thinktime.workloads.generators.like import described as written
from thinktime.workloads.generators.recipe_text import read
from thinktime.workloads.generators.user_classes import activity

KNOWN = Recipe(
    model=Mix(
        arrivals=MMPP2(rates=(0.004, 0.0005), switches=(1 / 20_000, 1 / 80_000)),
        classes=(
            UserClass(name="heavy", jobs=Geometric(3), gaps=15, runtimes=Uniform(60, 600)),
            UserClass(name="many", users=40, campaigns=6, spread=1.0, processors=OneOf((1, 8), (2, 1)), runtimes=4_000),
        ),
    ),
    requested=Histogram(values=(600, 3_600, 36_000), weights=(1, 1, 2)),
    cycle=weekly(),
)
TRACES = os.environ.get("THINKTIME_TRACES")


def known(jobs: int = 12_000, **more: Any) -> Trace:
    """A log of which everything is known."""
    return generate(KNOWN, jobs=jobs, users=41, processors=64, **{"seed": 1, **more})


def far(a: Trace, b: Trace) -> dict[tuple[str, str], float]:
    """All distances that there are."""
    return {(each.of, each.measure): each.value for each in distances(a, b) if each.value is not None}


def test_a_known_recipe_comes_back() -> None:
    """A likeness of a log is about as near to it as another log of the log's own recipe."""
    source, other = known(), known(seed=2)
    found = generate(like(source).recipe, seed=5)
    chance, likeness = far(source, other), far(source, found)
    for key, value in likeness.items():
        if key[1] != "Wasserstein":
            assert value < 1.5 * chance[key] + 0.03, key
    was, now, again = described(source), described(found), described(other)
    assert now["jobs"] == was["jobs"] and now["users"] == was["users"]
    for name in ("offered load", "dispersion of hourly counts", "Gini coefficient of jobs per user"):
        assert now[name] == pytest.approx(was[name], rel=0.25), (name, was[name], now[name], again[name])


@pytest.mark.parametrize("days", [6.0, 20.0, 70.0])
def test_bursts_have_the_dispersions(days: float) -> None:
    """The MMPP-2 fitted to two dispersions has both and the rate."""
    found = bursts(0.001, 4.0, days)
    assert isinstance(found, MMPP2)
    assert found.mean_rate == pytest.approx(0.001)
    assert found.dispersion(3_600) == pytest.approx(4.0) and found.dispersion(86_400) == pytest.approx(days, rel=0.01)
    assert bursts(0.001, 1.01, 1.0) == 1_000 and bursts(0.001, math.nan, math.nan) == 1_000


def test_quantities() -> None:
    """A fitted quantity is a constant, a few weighted values, a close fit or quantiles."""
    rng = np.random.default_rng(1)
    assert list(written("runtimes", np.full(9, 5.0))) == ["runtimes = 5"]
    assert 'kind = "values"' in list(written("runtimes", np.array([1.0, 1, 2])))
    assert 'distribution = "lognorm"' in list(written("runtimes", rng.lognormal(5, 1, 5_000), fitted=True))
    lumps = np.concatenate([rng.lognormal(2, 0.1, 2_000), rng.lognormal(9, 0.1, 2_000)])
    assert 'kind = "quantiles"' in list(written("runtimes", lumps, fitted=True))
    assert list(written("runtimes", np.empty(0))) == []


def test_activity() -> None:
    """The busiest user is first, and without exponent and spread all are alike."""
    assert activity(5, 0, 0).tolist() == [1.0] * 5
    assert (np.diff(activity(9, 0, 1.3)) < 0).all() and (np.diff(activity(9, 1, 0)) < 0).all()


def without(trace: Trace, **columns: Any) -> Trace:
    """A log with columns replaced by one value each."""
    return trace.with_columns(**{name: np.full(len(trace), value) for name, value in columns.items()})


LACKING = {
    "users": lambda trace: without(trace, user=-1),
    "estimates": lambda trace: without(trace, requested_time=np.nan),
    "a start date": lambda trace: trace.with_header(Header.build(MaxProcs=64)),
    "a size": lambda trace: trace.with_header(Header.build(UnixStartTime=0)),
    "any header": lambda trace: trace.with_header(Header()),
    "different jobs": lambda trace: without(trace, runtime=50, allocated=2, requested_processors=2),
    "users but one": lambda trace: without(trace, user=7),
    "some users": lambda trace: trace.with_columns(user=np.where(trace.user % 2, trace.user, -1)),
    "more than a few jobs": lambda trace: trace.select(np.arange(len(trace)) < 60),
}


@pytest.mark.parametrize("change", LACKING.values(), ids=LACKING)
def test_logs_that_lack_something(change: Any) -> None:
    """A log without users, estimates, date, size or variety has a likeness, which is a log of as many jobs."""
    source = change(known(2_000))
    found = like(source, "the log")
    trace = generate(found.recipe, seed=1)
    assert len(trace) == len(source) and recipe_of(trace.header).extent == found.recipe.extent
    assert generate(read(found.text), seed=1).equals(trace)
    named = np.unique(source.user[source.user >= 0])
    assert len(np.unique(trace.user)) <= max(len(named), len(found.recipe.model.classes))  # type: ignore[union-attr]
    assert (trace.estimate >= trace.runtime).all()


@pytest.mark.parametrize("rows", [0, 1, 49])
def test_too_little(rows: int) -> None:
    """A log of fewer than 50 jobs, or with all jobs at one time, is refused."""
    source = known(200)
    with pytest.raises(ValueError, match=f"at least 50 jobs .*, but this log has {rows}"):
        like(source.select(np.arange(200) < rows))
    with pytest.raises(ValueError, match="but this log has 200 at one time"):
        like(without(source, submit=5))


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`--like` writes log and recipe, and the recipe gives the same bytes."""
    monkeypatch.chdir(tmp_path)
    write_swf(known(3_000), Path("site.swf.gz"))
    out = stdout_of("generate", "--like", "site.swf.gz", "-o", "one.swf.gz", "--seed", "4")
    assert out.startswith("one.toml: the fitted recipe") and "3,000 jobs" in out
    assert main(["generate", "one.toml", "-o", "two.swf.gz", "--seed", "4"]) == 0
    assert Path("one.swf.gz").read_bytes() == Path("two.swf.gz").read_bytes()
    assert main(["generate", "one.toml", "-o", "few.swf", "--jobs", "100", "--load", "0.5"]) == 0
    assert len(read_swf(Path("few.swf"))) == 100
    text = Path("one.toml").read_text()
    assert text.startswith("# Fitted to site.swf.gz: 3,000 jobs of 41 users") and "# load = " in text
    assert max(map(len, (line for line in text.splitlines() if line.startswith("#")))) <= 120


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["lublin", "--like", "site.swf"], "--like fits a recipe to site.swf, so no recipe can be named"),
        ([], "a recipe is needed: short-long, lublin, poisson, mmpp, weibull, b-model, FILE.toml, or --like LOG"),
        (["--like", "away.swf"], "there is no file away.swf"),
        (["--like", "site.swf"], "--like site.swf: a likeness needs at least 50 jobs"),
    ],
)
def test_errors(words: list[str], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot be done is said in one sentence, and nothing is written."""
    monkeypatch.chdir(tmp_path)
    write_swf(known(20), Path("site.swf"))
    assert sentence in refusal_of("generate", *words, "-o", "one.swf")
    assert [path.name for path in tmp_path.iterdir()] == ["site.swf"]


@pytest.mark.compiled
@pytest.mark.skipif(TRACES is None, reason="THINKTIME_TRACES names no folder of logs")
@pytest.mark.parametrize("name", ["KTH-SP2-1996-2.1-cln", "Sandia-Ross-2001-1.1-cln", "MetaCentrum-wagap-2013"])
def test_real_logs(name: str) -> None:
    """A likeness of a real log is nearer to it than the log's halves are to each other, but for gaps and users."""
    source = read_swf(Path(str(TRACES)) / f"{name}.swf.gz")
    found = generate(like(source).recipe, seed=1)
    likeness, own = far(source, found), far(*halves(source))
    for of in ("run time", "processors", "estimate"):
        key = (of, "Kolmogorov-Smirnov")
        if key in likeness:
            assert likeness[key] < max(own[key], 0.05), key
    assert likeness["hours of the week", "total variation"] < own["hours of the week", "total variation"]
