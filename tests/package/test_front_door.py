"""`import thinktime` and `thinktime --help` stay fast: what is heavy is imported where it is used."""

import importlib
import importlib.metadata
import json
import pkgutil
import subprocess
import sys

import pytest

from tests.how_many import in_turn

HEAVY = ("matplotlib", "pandas", "scipy")
STEPS = {
    "import": "import thinktime",
    "version": "print(thinktime.__version__, file=sys.stderr)",
    "workloads": "import thinktime.workloads",
    **{
        " ".join(
            words
        ): f"sys.argv = ['thinktime', *{words!r}]\ntry: main()\nexcept SystemExit as done: assert not done.code"
        for words in (("--help",), ("--version",), ("replay", "--help"), ("run", "--help"))
    },
}
"""What is done one after the other in a fresh interpreter: what a later step has not imported, none before has."""


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, check=True)


@pytest.fixture(scope="module")
def loaded() -> dict[str, set[str]]:
    """All that is imported after each step."""
    code = "import json, sys\nseen = {}\n"
    for name, step in STEPS.items():
        code += "from thinktime.cli import main\n" if "main()" in step else ""
        code += f"{step}\nseen[{name!r}] = [*sys.modules]\n"
    done = run("-c", f"{code}print(json.dumps(seen))")
    assert done.stderr.strip() == importlib.metadata.version("thinktime")
    return {name: set(names) for name, names in json.loads(done.stdout.splitlines()[-1]).items()}


def test_import_is_light(loaded: dict[str, set[str]]) -> None:
    """Importing the package imports none of the heavy libraries."""
    assert not loaded["import"] & set(HEAVY)


def test_the_lowest_room_needs_numpy_only(loaded: dict[str, set[str]]) -> None:
    """Importing `thinktime.workloads` leaves pandas, pooch, requests, rich and SciPy until they are used."""
    assert not loaded["workloads"] & {"pandas", "pooch", "requests", "rich", "scipy"}


def test_version_is_that_of_the_metadata() -> None:
    """`thinktime.__version__` is read from the installed metadata, which is written once, in setup.cfg."""
    import thinktime

    assert thinktime.__version__ == importlib.metadata.version("thinktime")


def test_version_is_read_when_asked_for(loaded: dict[str, set[str]]) -> None:
    """Reading the metadata takes longer than the import itself, so the import does not do it."""
    assert "importlib.metadata" not in loaded["import"] and "importlib.metadata" in loaded["version"]


def modules() -> list[str]:
    """All modules of the four rooms, by their names below `thinktime`."""
    names = []
    for room in ("workloads", "models", "users", "analysis"):
        package = importlib.import_module(f"thinktime.{room}")
        names += [each.name for each in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")]
    return [name.removeprefix("thinktime.") for name in names]


PARTS = [
    "tt.analysis.fairness.jain",
    "tt.analysis.expectations.eet",
    "tt.models.results.measures.wait",
    "tt.users.behaviours.Patience",
    "tt.workloads.user_models.delimit",
    "tt.policies.Easy, tt.behaviours.Balk, tt.measures.wait, tt.Behaviour, tt.generate, tt.compare",
]


@pytest.mark.parametrize("expression", in_turn(3, reversed(PARTS)))
def test_a_part_needs_no_import_of_its_own(expression: str) -> None:
    """After `import thinktime as tt` every part of a room can be named in a fresh process."""
    assert "None" not in run("-c", f"import thinktime as tt; print({expression})").stdout


@pytest.mark.thorough
@pytest.mark.parametrize("order", ["sorted(names, reverse=True)", "sorted(names)"])
def test_parts_can_be_named_whatever_was_imported_before(order: str) -> None:
    """Every module of the rooms, or the public object of its name, is found whichever was asked for first."""
    code = f"import functools, thinktime as tt\nnames = {modules()!r}\n"
    code += f"for name in {order}: print(functools.reduce(getattr, name.split('.'), tt))"
    assert run("-c", code).stdout.count("\n") == len(modules())


def test_what_only_the_inside_needs_is_not_at_the_front_door() -> None:
    """`tt.policies` has what a policy of one's own is made of, and no machinery of the package."""
    from thinktime import policies

    assert {"Easy", "Order", "composed", "fairshare", "from_spec", "scalar", "vector"} <= set(policies.__all__)
    for name in ("as_order", "as_policy", "accounts_of", "catalogue"):
        assert name not in policies.__all__ and not hasattr(policies, name)


def test_a_former_argument_gets_the_new_name() -> None:
    """`sessions=` is `delimitation=` now, and a number of users `population=`; the sentence says so."""
    import thinktime

    log = thinktime.Trace({"submit": [0], "runtime": [1], "allocated": [1], "wait": [0]})
    with pytest.raises(TypeError, match="has no argument 'sessions'; it is now called 'delimitation'"):
        thinktime.replay_with_feedback(log, "easy", 1, sessions="last")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="has no argument 'load'; it is now called 'population'"):
        thinktime.workloads.user_models.resample(log, 1, load=2.0)  # type: ignore[call-arg]


def test_a_wrong_name_gets_the_near_one() -> None:
    """A misspelt part or public name is an error that names the one that was meant."""
    import thinktime

    with pytest.raises(AttributeError, match=r"thinktime\.analysis has no 'fairnes'; did you mean 'fairness'\?"):
        _ = thinktime.analysis.fairnes  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match=r"thinktime has no 'Machin'; did you mean 'Machine'\?"):
        _ = thinktime.Machin


def test_help_is_light(loaded: dict[str, set[str]]) -> None:
    """Help and version are printed without the heavy libraries."""
    for step in STEPS:
        assert not loaded[step] & set(HEAVY), step


def test_python_m_thinktime_is_the_command() -> None:
    """`python -m thinktime` does what `thinktime` does, under its name."""
    assert "Usage: thinktime [OPTIONS] COMMAND" in run("-m", "thinktime", "--help").stdout
