"""Recipes: from Python, from TOML, by name; and what is said about a wrong one."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from thinktime.workloads.generators import (
    LONG,
    PRESETS,
    SHORT,
    BModel,
    Campaigns,
    Cycle,
    Exact,
    Extent,
    Factor,
    Flurry,
    Geometric,
    Histogram,
    Lublin,
    Mix,
    OneOf,
    Poisson,
    PowersOfTwo,
    Quantiles,
    Recipe,
    Renewal,
    Stream,
    TwoStage,
    Uniform,
    UserClass,
    Weibull,
    Zipf,
    daily,
    generate,
    preset,
    read_recipe,
)
from thinktime.workloads.generators.recipe_text import changed, from_table, lines, read
from thinktime.workloads.hours import WorkingHours

FILE = """
load = 0.7
requested = "tsafrir"
cycle = "daily"

[model.arrivals]
kind = "b-model"
bias = 0.8

[model.sizes]
kind = "powers-of-two"
largest = 16

[model.runtimes]
distribution = "lognorm"
s = 1.5
scale = 600

[users]
kind = "zipf"

[[flurries]]
start = 3600
size = 20
runtime = "short"
"""


def test_file(tmp_path: Path) -> None:
    """A TOML file mirrors the tree of a recipe; what it leaves out has its default."""
    (tmp_path / "recipe.toml").write_text(FILE)
    recipe = read_recipe(tmp_path / "recipe.toml")
    assert isinstance(recipe.model, Stream)
    assert recipe.model.arrivals == BModel(bias=0.8)
    assert recipe.model.sizes == PowersOfTwo(largest=16)
    assert recipe.model.runtimes.mean() == stats.lognorm(1.5, scale=600).mean()  # type: ignore[union-attr]
    assert (recipe.load, recipe.cycle, recipe.users) == (0.7, daily(), Zipf())
    assert recipe.flurries == (Flurry(start=3600, size=20, runtime=SHORT),)


def test_empty_file() -> None:
    """An empty recipe is the default one: Poisson arrivals, jobs of the Lublin–Feitelson model, exact estimates."""
    assert read("") == Recipe() == Recipe(model=Stream(arrivals=Poisson()), requested=Exact())


@pytest.mark.parametrize(
    "recipe",
    [
        *(preset(name) for name in PRESETS),
        Recipe(model=Lublin(variant="both"), users=Zipf(exponent=0.5), load=0.4),
        Recipe(model=Stream(arrivals=Weibull(shape=0.4, mean=77), sizes=8, runtimes=Uniform(5, 6))),
        Recipe(model=Stream(arrivals=Renewal(gap=SHORT)), cycle=Cycle(day=(1, 2), week=(1, 1, 1, 1, 1, 0, 0))),
        Recipe(model=Campaigns(processors=TwoStage(serial=0.5), short=LONG, think_time=60, first=Uniform(0, 9))),
        Recipe(model=Campaigns(hours=WorkingHours(8, 18)), cycle=Cycle(hours=(1.0,) * 167 + (2.0,)), load=0.3),
        Recipe(
            model=Mix(
                arrivals=Weibull(),
                rate=0.5,
                hours=WorkingHours(),
                classes=(
                    UserClass(name="a", jobs=Geometric(3), runtimes=Quantiles((1, 5), (0, 1)), spread=1.5),
                    UserClass(name="b", users=2, processors=OneOf((1, 2), (3, 1)), gaps=SHORT),
                ),
            ),
            requested=Histogram(values=(60, 600), weights=(1, 2)),
            extent=Extent(jobs=9, users=3, processors=4),
        ),
        Recipe(requested=Factor(factor=Uniform(1, 3)), flurries=[Flurry(start=5, size=9, gap=SHORT)]),  # type: ignore[arg-type]
    ],
)
def test_written_and_read(recipe: Recipe) -> None:
    """A recipe that is written as TOML and read again is the same."""
    assert read("\n".join(lines(recipe))) == recipe


def test_distributions_are_written_and_read() -> None:
    """Distributions of scipy.stats are written with their parameters, by name or by place, continuous or not."""
    gaps, sizes, runtimes = stats.gamma(2, scale=3), stats.randint(1, 9), stats.expon(0, 60)
    model = Stream(arrivals=Renewal(gap=gaps), sizes=sizes, runtimes=runtimes)
    text = lines(Recipe(model=model))
    again = read("\n".join(text))
    assert 'distribution = "gamma"' in text and "a = 2.0" in text and "scale = 60.0" in text
    size: dict[str, Any] = {"jobs": 50, "users": 3, "processors": 8, "seed": 1}
    assert generate(again, **size).equals(generate(Recipe(model=model), **size))


def minutes(rng: np.random.Generator) -> float:
    """A user's own quantity."""
    return 60.0 * rng.integers(1, 10)


def test_own_functions_are_named() -> None:
    """A function is named in the header, the same way every time; only Python can make it again."""
    assert any(line.endswith('.minutes"') for line in lines(Recipe(model=Stream(runtimes=minutes))))


def test_presets() -> None:
    """The names of the command line are recipes."""
    assert isinstance(preset("short-long").model, Campaigns)
    assert isinstance(preset("lublin").model, Lublin)
    assert preset("b-model").model == Stream(arrivals=BModel())
    with pytest.raises(ValueError, match=r"there is no recipe 'paper'; the recipes are short-long, lublin, .*"):
        preset("paper")


@pytest.mark.parametrize(
    ("name", "key", "value", "place"),
    [
        ("b-model", "bias", 0.9, ("model", "arrivals", "bias")),
        ("b-model", "sizes.serial", 0.9, ("model", "sizes", "serial")),
        ("b-model", "sizes", 4, ("model", "sizes")),
        ("short-long", "share", 0.5, ("model", "share")),
        ("short-long", "think_time", 5, ("model", "think_time")),
        ("lublin", "batch.sizes.serial", 0.5, ("model", "batch", "sizes", "serial")),
        ("mmpp", "users", "zipf", ("users",)),
        ("mmpp", "requested.kind", "tsafrir", ("requested", "kind")),
    ],
)
def test_changes_by_key(name: str, key: str, value: Any, place: tuple[str, ...]) -> None:
    """A key changes a recipe, the model below it or the arrivals of a stream."""
    table: Any = changed(PRESETS[name], key, value)
    for word in place:
        table = table[word]
    assert table == value


def test_changes_keep_the_rest() -> None:
    """A change leaves the kinds and keys beside it, and the table it came from, as they are."""
    before = {"model": {"kind": "stream", "arrivals": "weibull"}}
    table = changed(changed(before, "shape", 0.6), "mean", 5)
    assert table["model"]["arrivals"] == {"kind": "weibull", "shape": 0.6, "mean": 5}
    assert before == {"model": {"kind": "stream", "arrivals": "weibull"}}
    assert from_table(table).model == Stream(arrivals=Weibull(shape=0.6, mean=5))


WRONG = {
    "modl = 1": "f has no key 'modl'; did you mean 'model'?",
    "x = 1": "f has no key 'x'; the keys are model, requested, users, cycle, flurries, load, extent",
    "load = -1": "f: load must be a fraction of the machine above 0, not -1",
    "load = 'much'": "f: load must be a fraction of the machine above 0, not 'much'",
    "load = ": "f is not valid TOML: Invalid value (at end of document)",
    "model = 5": "f, [model] must be a table or the name of a kind, not 5",
    "model = 'lublim'": "f, [model] has no kind 'lublim'; did you mean 'lublin'?",
    "[model.arrivals]\nkind = 'mmpp'\nrate = [1, 2]": "f, [model.arrivals] has no key 'rate'; did you mean 'rates'?",
    "[model.arrivals]\nkind = 'b-model'\nbias = 2": (
        "f, [model.arrivals]: bias must be a number from 0.5 to below 1, not 2"
    ),
    "[model]\narrivals = 3": "f, [model.arrivals] must be a table or the name of a kind, not 3",
    "[model.runtimes]\nkind = 'uniform'\nlow = 1": "f, [model.runtimes] needs high",
    "[model.runtimes]\nlow = 1": "f, [model.runtimes] has no key 'low'; the keys are a1, b1, a2, b2, pa, pb, largest",
    "[model]\nkind = 'campaigns'\nthink_time = {low = 3}": (
        "f, [model.think_time] needs a kind, one of uniform, geometric, values, quantiles, truncated, short, long"
    ),
    "[model.runtimes]\ndistribution = 'lognormal'": (
        "f, [model.runtimes] needs a distribution of scipy.stats, not 'lognormal'; did you mean 'lognorm'?"
    ),
    "[model.runtimes]\ndistribution = 'gamma'\na = -1": (
        "f, [model.runtimes] cannot be gamma with {'a': -1} (invalid parameters); gamma takes a, loc and scale"
    ),
    "flurries = 3": "f, [flurries] must be tables, [[flurries]], not 3",
    "[[flurries]]\nstart = 0": "f, [flurries 1] needs size",
    "[[flurries]]\nstart = 0\nsize = 2\n[[flurries]]\nstart = -1\nsize = 2": (
        "f, [flurries 2]: start must be a time of at least 0 s, not -1"
    ),
    "cycle = 'monthly'": "f, [cycle] has no kind 'monthly'; the kinds are weights, daily, weekly",
    "[cycle]\nkind = 'daily'\nday = [1]": "f, [cycle] has no key 'day'; the keys are none",
    "cycle = 'daily'\n[model]\nkind = 'lublin'": "f: cycle must be left out: the Lublin model has its own daily cycle",
    "[cycle]\nhours = [1, 2]": (
        "f, [cycle]: hours must be a list of weights of at least 0, one of them above 0, for the 168 hours of the "
        "week, not (1, 2)"
    ),
    "users = 'zipf'\n[model]\nkind = 'mix'": (
        "f: users must be left out: campaigns have owners, and their times follow from those of their campaigns"
    ),
    "[model]\nkind = 'mix'\n[[model.classes]]\nusers = 2": "f, [model.classes 1] needs name",
    "[model]\nkind = 'mix'\nclasses = []": "f, [model]: classes must not be empty: give at least one [[model.classes]]",
    "[model]\nkind = 'campaigns'\n[model.hours]\nstart = 9\nend = 9": (
        "f, [model.hours]: working hours are from 9 to 9, but must be two different hours of the day: "
        "0 <= start < 24 and 0 <= end <= 24, such as 9 to 17, 22 to 6, or 0 to 24 for all day"
    ),
    "[model.runtimes]\nkind = 'quantiles'\nvalues = [2, 1]": (
        "f, [model.runtimes]: values must be a list of at least two numbers of at least 0, in ascending order, "
        "not (2.0, 1.0)"
    ),
    "[model.runtimes]\nkind = 'values'\nvalues = [2, 1]\nweights = [1]": (
        "f, [model.runtimes]: weights must be a weight for each of the 2 values, at least 0 and not all 0, not (1,)"
    ),
    "[extent]\njobs = 5": "f, [extent] needs users and processors",
    "users = 'zipf'\n[model]\nkind = 'campaigns'": (
        "f: users must be left out: campaigns have owners, and their times follow from think times"
    ),
    "[model]\nkind = 'lublin'\nvariant = 'all'\n[model.batch.sizes]\nserial = 1": (
        "f, [model]: the variant 'all' has no 'batch' jobs"
    ),
    "[model]\nkind = 'lublin'\n[model.all.sizes]\nserial = 7": (
        "f, [model.all.sizes]: serial must be a number from 0 to 1, not 7"
    ),
}


@pytest.mark.parametrize(("text", "sentence"), WRONG.items())
def test_wrong_files(text: str, sentence: str) -> None:
    """A wrong key or value gives one sentence with the file, the place in it, and what would be right."""
    with pytest.raises(ValueError) as error:
        read(text, "f")
    assert str(error.value) == sentence


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"model": Poisson()}, "model must be a Stream, Lublin, Campaigns or Mix, not Poisson"),
        ({"requested": 2}, r"requested must be a model such as Exact\(\), not 2"),
        ({"users": 20}, r"users must be a way to draw users such as Zipf\(\), not 20"),
        ({"cycle": "daily"}, "cycle must be a Cycle or None, not 'daily'"),
        ({"flurries": (3,)}, "flurries must be Flurry pieces, not 3"),
        ({"load": 0}, "load must be a fraction of the machine above 0, not 0"),
    ],
)
def test_wrong_parts(given: dict[str, Any], sentence: str) -> None:
    """A part in the wrong place is refused in one sentence."""
    with pytest.raises(ValueError, match=sentence):
        Recipe(**given)


def test_wrong_stream() -> None:
    """A stream without a process of arrivals is refused."""
    with pytest.raises(ValueError, match=r"arrivals must be a process such as Poisson\(\), not 60"):
        Stream(arrivals=60)  # type: ignore[arg-type]
