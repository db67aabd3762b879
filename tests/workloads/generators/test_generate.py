"""From a recipe to a log: the same bytes every time, and exactly the generator's jobs when read again."""

from pathlib import Path

import numpy as np
import pytest

from thinktime.users import replay
from thinktime.workloads import DAY, HOUR, read_swf, write_swf
from thinktime.workloads.generators import (
    PRESETS,
    Factor,
    Flurry,
    Lublin,
    Recipe,
    Tsafrir,
    Zipf,
    generate,
    preset,
    recipe_of,
    weekly,
)

SIZE = {"jobs": 2_000, "users": 20, "processors": 64, "seed": 7}
RICH = Recipe(
    requested=Tsafrir(),
    users=Zipf(exponent=1.2),
    cycle=weekly(),
    flurries=(Flurry(start=DAY, size=100), Flurry(start=2 * DAY, size=50, user=3)),
    load=0.8,
)
RECIPES = {name: preset(name) for name in PRESETS} | {"rich": RICH, "both": Recipe(model=Lublin(variant="both"))}
every_recipe = pytest.mark.parametrize("recipe", RECIPES.values(), ids=RECIPES)


@every_recipe
@pytest.mark.parametrize("name", ["log.swf", "log.swf.gz"])
def test_same_bytes(recipe: Recipe, name: str, tmp_path: Path) -> None:
    """The same recipe and seed give the same bytes, plain and compressed; another seed gives others."""
    contents = []
    for folder, seed in (("a", 7), ("b", 7), ("c", 8)):
        (tmp_path / folder).mkdir()
        write_swf(generate(recipe, **{**SIZE, "seed": seed}), tmp_path / folder / name)
        contents.append((tmp_path / folder / name).read_bytes())
    assert contents[0] == contents[1] != contents[2]


@every_recipe
def test_round_trip(recipe: Recipe, tmp_path: Path) -> None:
    """Written and read again, the log is the same, and the reader finds nothing to drop, repair or note."""
    trace = generate(recipe, **SIZE)
    write_swf(trace, tmp_path / "log.swf.gz")
    again = read_swf(tmp_path / "log.swf.gz")
    assert again.equals(trace)
    assert (again.report.dropped, again.report.repaired, again.report.noted) == ({}, {}, {})


@every_recipe
def test_valid_log(recipe: Recipe) -> None:
    """Jobs are numbered in order of submission; times are whole seconds; everything fits its bounds."""
    trace = generate(recipe, **SIZE)
    assert trace.id.tolist() == list(range(1, 2_001))
    assert (np.diff(trace.submit) >= 0).all() and trace.submit[0] >= 0
    for name in ("submit", "runtime", "requested_time"):
        assert (trace.columns[name] == np.floor(trace.columns[name])).all()
    assert trace.runtime.min() >= 1 and (trace.estimate >= trace.runtime).all()
    assert trace.processors.min() >= 1 and trace.processors.max() <= 64
    assert trace.user.min() >= 1 and trace.user.max() <= 20
    assert (trace.machine_size, trace.header.number("MaxJobs")) == (64, 2_000)


@every_recipe
def test_header_holds_the_recipe(recipe: Recipe, tmp_path: Path) -> None:
    """Extent, seed and the whole recipe can be read from the header of the file, and give the same log."""
    write_swf(generate(recipe, **SIZE), tmp_path / "log.swf")
    trace = read_swf(tmp_path / "log.swf")
    assert "jobs = 2000, users = 20, processors = 64, seed = 7" in trace.header.all("Note")
    assert recipe_of(trace.header) == recipe
    assert generate(recipe_of(trace.header), **SIZE).equals(trace)


@pytest.mark.parametrize("name", ["short-long", "poisson"])
def test_replay_has_the_generator_s_jobs(name: str, tmp_path: Path) -> None:
    """A log that is written, read and replayed open-loop has exactly the generator's jobs."""
    trace = generate(preset(name), **{**SIZE, "jobs": 300})
    write_swf(trace, tmp_path / "log.swf.gz")
    jobs = replay(read_swf(tmp_path / "log.swf.gz")).jobs.sort_values("id")
    for mine, theirs in (("id", "id"), ("submit", "submit"), ("runtime", "runtime"), ("processors", "processors")):
        assert jobs[theirs].tolist() == getattr(trace, mine).tolist()
    assert (jobs["end"] - jobs["start"]).tolist() == trace.runtime.tolist()


def test_purposes_are_independent() -> None:
    """Other estimates and owners leave jobs and times as they are."""
    one = generate(Recipe(), **SIZE)
    other = generate(Recipe(requested=Factor(factor=3), users=Zipf()), **SIZE)
    for name in ("submit", "runtime", "allocated"):
        assert one.columns[name].tolist() == other.columns[name].tolist()
    assert (other.requested_time == 3 * one.runtime).all()


def test_flurries() -> None:
    """A flurry is `size` jobs of one user, at even distances from its start, and part of the jobs asked for."""
    flurry = Flurry(start=HOUR, size=200, gap=2, user=5, processors=16, runtime=30)
    trace = generate(Recipe(flurries=(flurry,)), **SIZE)
    rows = (trace.user == 5) & (trace.processors == 16) & (trace.runtime == 30)
    assert len(trace) == 2_000 and rows.sum() == 200
    assert trace.submit[rows].tolist() == [HOUR + 2 * i for i in range(200)]


def test_a_flurry_s_user_is_drawn() -> None:
    """A flurry without a user is by one of the log's users."""
    trace = generate(Recipe(flurries=(Flurry(start=0, size=500, gap=0),)), **SIZE)
    assert np.bincount(trace.user[trace.submit == 0]).max() == 500


def test_log_begins_on_a_monday() -> None:
    """Time 0 is midnight before a Monday, so that hours and days of the week are those of the cycle."""
    trace = generate(Recipe(), **SIZE)
    assert trace.seconds("1970-01-05") == 0
    assert trace.seconds("1970-01-12") == 7 * DAY


def test_queues_tell_batch_from_interactive() -> None:
    """In the Lublin–Feitelson model of both types, queue 0 is interactive and queue 1 is batch."""
    trace = generate(Recipe(model=Lublin(variant="both")), **SIZE)
    assert set(trace.queue.tolist()) == {0, 1}


@pytest.mark.parametrize(
    ("recipe", "change", "sentence"),
    [
        (Recipe(), {"jobs": 0}, "jobs must be a whole number of at least 1, not 0"),
        (Recipe(), {"users": 2.5}, "users must be a whole number of at least 1, not 2.5"),
        (Recipe(), {"processors": True}, "processors must be a whole number of at least 1, not True"),
        (Recipe(), {"seed": -1}, "seed must be a whole number of at least 0, not -1"),
        (RICH, {"jobs": 150}, r"jobs \(150\) must be more than the flurries have \(150\)"),
        (RICH, {"users": 2}, "the flurry's user must be one of the 2 users, not 3"),
        (
            Recipe(flurries=(Flurry(start=0, size=1, processors=65),)),
            {},
            "the flurry's processors must be at most 64, not 65",
        ),
    ],
)
def test_errors(recipe: Recipe, change: dict[str, int], sentence: str) -> None:
    """An extent that cannot be is refused in one sentence."""
    with pytest.raises(ValueError, match=sentence):
        generate(recipe, **{**SIZE, **change})


def test_a_header_without_a_recipe() -> None:
    """A log that was not generated has no recipe to read."""
    header = generate(Recipe(), **SIZE).header.set("Note", ["made by hand"])
    with pytest.raises(ValueError, match="the header has no recipe; only generated logs have one"):
        recipe_of(header)


def test_a_recipe_by_its_name():
    """The name of a recipe stands for it, with the extent of the command line; another name is refused."""
    import thinktime as tt
    from thinktime.workloads.generators import preset

    named = tt.generate("lublin", jobs=30)
    assert named.equals(tt.generate(preset("lublin"), jobs=30, users=26, processors=64, seed=1))
    with pytest.raises(ValueError, match="there is no recipe 'lubln'; did you mean 'lublin'"):
        tt.generate("lubln")
    with pytest.raises(TypeError, match=r"a recipe is a Recipe, FILE.toml or one of"):
        tt.generate(3)
