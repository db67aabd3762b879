"""`import thinktime` and `thinktime --help` stay fast: what is heavy is imported where it is used."""

from __future__ import annotations

import importlib
import importlib.metadata
import pkgutil
import subprocess
import sys

import pytest

from tests.how_many import few_or_many, in_turn

HEAVY = ("matplotlib", "pandas", "scipy")
LOADED = f"import sys; print(*sorted(set({HEAVY!r}) & set(sys.modules)), file=sys.stderr)"


def heavy_after(code: str) -> list[str]:
    """Which of the heavy libraries a fresh interpreter has imported once `code` has run."""
    return run("-c", f"{code}\n{LOADED}").stderr.split()


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, check=True)


def command(*words: str) -> str:
    return (
        f"import sys; sys.argv = ['thinktime', *{words!r}]\n"
        "from thinktime.cli import main\n"
        "try: main()\nexcept SystemExit as exit: assert not exit.code, exit.code"
    )


def test_import_is_light() -> None:
    """Importing the package imports none of the heavy libraries."""
    assert heavy_after("import thinktime") == []


def test_the_lowest_room_needs_numpy_only() -> None:
    """Importing `thinktime.workloads` leaves pandas, pooch, requests, rich and SciPy until they are used."""
    heavy = {"pandas", "pooch", "requests", "rich", "scipy"}
    assert run("-c", f"import sys, thinktime.workloads; assert not {heavy!r} & {{*sys.modules}}").stderr == ""


def test_version_is_that_of_the_metadata() -> None:
    """`thinktime.__version__` is read from the installed metadata, which is written once, in setup.cfg."""
    import thinktime

    assert thinktime.__version__ == importlib.metadata.version("thinktime")


def test_version_is_read_when_asked_for() -> None:
    """Reading the metadata takes longer than the import itself, so the import does not do it."""
    code = "import sys, thinktime; assert 'importlib.metadata' not in sys.modules; print(thinktime.__version__)"
    assert run("-c", code).stdout[0].isdigit()


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


@pytest.mark.parametrize("expression", in_turn(2, reversed(PARTS)))
def test_a_part_needs_no_import_of_its_own(expression: str) -> None:
    """After `import thinktime as tt` every part of a room can be named in a fresh process."""
    assert "None" not in run("-c", f"import thinktime as tt; print({expression})").stdout


@pytest.mark.parametrize("order", few_or_many("sorted(names, reverse=True)", "sorted(names)"))
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


@pytest.mark.parametrize("words", [("--help",), ("--version",), ("replay", "--help"), ("run", "--help")])
def test_help_is_light(words: tuple[str, ...]) -> None:
    """Help and version are printed without the heavy libraries."""
    assert heavy_after(command(*words)) == []


def test_python_m_thinktime_is_the_command() -> None:
    """`python -m thinktime` does what `thinktime` does, under its name."""
    assert "Usage: thinktime [OPTIONS] COMMAND" in run("-m", "thinktime", "--help").stdout
