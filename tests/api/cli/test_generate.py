"""`thinktime generate`: a recipe on the command line, a log as a file."""

import re
from functools import partial
from pathlib import Path

import pytest

from thinktime.workloads import read_swf
from thinktime.workloads.generators import (
    PRESETS,
    BModel,
    Factor,
    Lublin,
    Recipe,
    Stream,
    Tsafrir,
    Zipf,
    generate,
    preset,
    recipe_of,
    weekly,
)

from .conftest import Fails, Run


@pytest.fixture
def run(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Call `thinktime generate` in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return partial(run, "generate")


@pytest.fixture
def fails(fails: Fails) -> Fails:
    """Call `thinktime generate` where it must refuse, and write no log; give its one sentence."""

    def call(*words: object) -> str:
        said = fails(*words)
        assert list(Path().glob("*.swf*")) == []
        return said

    return call


@pytest.mark.parametrize("name", PRESETS)
def test_every_recipe(name: str, run: Run) -> None:
    """Every recipe by name writes the log that it gives in Python, and says what the log is like."""
    size = ("--jobs", 400, "--users", 8, "--processors", 32, "--seed", 5)
    outcome = run(name, *size, "-o", "log.swf.gz")
    assert (outcome.status, outcome.err) == (0, "")
    assert re.match(r"log.swf.gz: 400 jobs of [78] users, submitted over .*; offered load .*% of the", outcome.out)
    trace = read_swf("log.swf.gz")
    assert trace.equals(generate(preset(name), jobs=400, users=8, processors=32, seed=5))


@pytest.mark.parametrize("suffix", ["swf", "swf.gz"])
def test_same_command_same_bytes(suffix: str, run: Run) -> None:
    """The same command and seed give the same bytes; another seed gives others."""
    contents = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        run("short-long", "--jobs", 500, "--seed", seed, "-o", f"{name}.{suffix}")
        contents.append(Path(f"{name}.{suffix}").read_bytes())
    assert contents[0] == contents[1] != contents[2]


def test_defaults(run: Run) -> None:
    """By default: 10,000 jobs, 26 users, 64 processors, seed 1."""
    run("short-long", "-o", "log.swf")
    notes = read_swf("log.swf").header.all("Note")
    assert notes[0] == "jobs = 10000, users = 26, processors = 64, seed = 1"


def recipe(run: Run, *words: object) -> Recipe:
    outcome = run(*words, "--jobs", 300, "-o", "log.swf")
    assert (outcome.status, outcome.err) == (0, "")
    return recipe_of(read_swf("log.swf").header)


def test_options(run: Run) -> None:
    """Load, estimates and cycle are options; everything else is set by key."""
    words = ("--load", 0.6, "--requested", "factor=2.5", "--cycle", "weekly", "--set", "bias=0.9")
    found = recipe(run, "b-model", *words, "--set", "users=zipf", "--set", "users.exponent=2")
    assert found == Recipe(
        model=Stream(arrivals=BModel(bias=0.9)), load=0.6, requested=Factor(factor=2.5), cycle=weekly(),
        users=Zipf(exponent=2),
    )  # fmt: skip


def test_texts_and_lists(run: Run) -> None:
    """A value is what TOML makes of it; a bare word is a text."""
    assert recipe(run, "lublin", "--set", "variant=both").model == Lublin(variant="both")
    found = recipe(run, "mmpp", "--set", "rates=[0.1, 0.01]", "--requested", "tsafrir")
    assert found.model.arrivals.rates == (0.1, 0.01)  # type: ignore[union-attr]
    assert found.requested == Tsafrir()


def test_file(run: Run, tmp_path: Path) -> None:
    """A recipe in a file is taken as it is; options go before it."""
    Path("mine.toml").write_text('cycle = "daily"\nload = 0.5\nrequested = "tsafrir"\n')
    assert recipe(run, "mine.toml").load == 0.5
    found = recipe(run, "mine.toml", "--cycle", "none", "--load", 0.25, "--requested", "exact")
    assert found == Recipe(load=0.25)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("lublim",), "the recipe cannot be 'lublim'; did you mean 'lublin'?"),
        (("mmpp", "--jobs", 0), "--jobs must be a whole number of at least 1, not '0'"),
        (("mmpp", "--users", "x"), "--users must be a whole number of at least 1, not 'x'"),
        (("mmpp", "--processors", 1.5), "--processors must be a whole number of at least 1, not '1.5'"),
        (("mmpp", "--seed", "-1"), "--seed must be a whole number of at least 0, not '-1'"),
        (("mmpp", "--load", "full"), "--load must be a number, not 'full'"),
        (("mmpp", "--load", "0"), "the recipe mmpp: load must be a fraction of the machine above 0, not 0.0"),
        (("mmpp", "--requested", "factor"), "--requested cannot be 'factor'; did you mean 'factor=F'?"),
        (("mmpp", "--requested", "factor=x"), "--requested factor=F must be a number, not 'x'"),
        (
            ("mmpp", "--requested", "factor=0.5"),
            "the recipe mmpp, [requested]: factor must be a number of at least 1, not 0.5",
        ),
        (("mmpp", "--cycle", "monthly"), "--cycle cannot be 'monthly'; the choices are daily, none, weekly"),
        (("mmpp", "--set", "bias"), "--set must be KEY=VALUE, such as bias=0.8, not 'bias'"),
        (
            ("b-model", "--set", "bais=1"),
            "the recipe b-model, [model.arrivals] has no key 'bais'; did you mean 'bias'?",
        ),
        (("mine.toml",), "there is no file mine.toml; without .toml, the recipes are " + ", ".join(PRESETS)),
        (
            ("lublin", "--cycle", "daily"),
            "the recipe lublin: cycle must be left out: the Lublin model has its own daily cycle",
        ),
    ],
)
def test_errors(words: tuple[object, ...], sentence: str, fails: Fails) -> None:
    """What is wrong is said in one sentence, with exit status 2, and no file is written."""
    assert fails(*words, "-o", "log.swf") == sentence


def test_wrong_files(fails: Fails) -> None:
    """A file that is not a recipe is refused with the place of the error."""
    Path("a.toml").write_text("[model\n")
    assert fails("a.toml", "-o", "log.swf").startswith("a.toml is not valid TOML: ")
    Path("b.toml").write_bytes(b"\xff\xfe")
    assert fails("b.toml", "-o", "log.swf").startswith("b.toml is in UTF-16, but must be in UTF-8; ")
    Path("c.toml").write_text("[model.arrivals]\nkind = 'weibull'\nshape = 0\n")
    sentence = "c.toml, [model.arrivals]: shape must be a number of at least 0.05, not 0"
    assert fails("c.toml", "-o", "log.swf") == sentence


def test_wrong_targets(fails: Fails) -> None:
    """Where the log cannot be written is known before the work is done."""
    assert fails("mmpp", "-o", "log.txt") == "--out must be a file FILE.swf or FILE.swf.gz, not 'log.txt'"
    assert fails("mmpp", "-o", "away/log.swf") == "--out: there is no folder away"
