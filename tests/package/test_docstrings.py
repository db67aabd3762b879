"""What is public says what it is: its meaning, its units, its errors, and an example that runs."""

import ast
import enum
import inspect
import re
import textwrap
from types import FunctionType

from tools.docs.public import FRONT_DOOR, Public, pages

from .conftest import ROOT

ON_PAGES = {
    "Scenario": "how-to/scenarios.md", "Sweep": "how-to/scenarios.md", "checklist": "how-to/reports.md",
    "diagnose": "how-to/feedback.md", "report": "how-to/reports.md", "sweep": "how-to/scenarios.md",
}  # fmt: skip
"""Where the examples are that need a log or a folder of results: pages, whose blocks run as well."""

TIMES = {"begins", "end", "estimate", "first", "runtime", "start", "think_time", "threshold", "until"}


def public_things() -> list[Public]:
    """Every public class and function."""
    return [public for page in pages().values() for public in page if public.is_class or public.is_function]


def front_door() -> list[Public]:
    """Those that `thinktime` itself has."""
    return [public for public in public_things() if public.name.rpartition(".")[0] == FRONT_DOOR]


def text(public: Public) -> str:
    """The docstring of its own."""
    return (vars(public.thing).get("__doc__") if public.is_class else public.thing.__doc__) or ""


def raised(public: Public) -> set[str]:
    """The errors that it raises itself, by name."""
    thing = public.thing
    makers = ("__init__", "__post_init__")
    code = [inspect.unwrap(vars(thing)[name]) for name in makers if isinstance(vars(thing).get(name), FunctionType)]
    code = code if public.is_class else [inspect.unwrap(thing)]
    trees = (
        ast.parse(textwrap.dedent(inspect.getsource(each)))
        for each in code
        if "<string>" not in each.__code__.co_filename
    )
    found = (node.exc for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Raise))
    return {ast.unparse(each.func) for each in found if isinstance(each, ast.Call) and isinstance(each.func, ast.Name)}


def begins_with_a_sentence(public: Public) -> bool:
    first = text(public).partition("\n\n")[0].split()
    return len(first) > 2 and first[-1].endswith((".", ":", "?"))


def has_an_example(public: Public) -> bool:
    name = public.name.rpartition(".")[2]
    if name not in ON_PAGES:
        return ">>> " in text(public)
    page = (ROOT / "docs" / ON_PAGES[name]).read_text(encoding="utf-8")
    return any(f"tt.{name}" in block for block in re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL))


def names_its_units(public: Public) -> bool:
    given = set() if is_named(public) else set(inspect.signature(public.thing).parameters)
    return not given & TIMES or bool(re.search(r"\bs\b|seconds|hours of the day", text(public)))


def test_every_public_name_says_what_it_is() -> None:
    """A public class or function has a docstring of its own that begins with a sentence."""
    assert [public.name for public in public_things() if not begins_with_a_sentence(public)] == []


def test_the_front_door_has_examples_that_run() -> None:
    """What `thinktime` itself has shows an example: in its docstring, or on a page that is named here."""
    assert [public.name for public in front_door() if not has_an_example(public)] == []


def test_the_front_door_names_its_units() -> None:
    """What takes times says that they are in s."""
    assert [public.name for public in front_door() if not names_its_units(public)] == []


def test_the_front_door_names_its_errors() -> None:
    """What raises an error itself names it in its docstring."""
    missing = {public.name: {error for error in raised(public) if error not in text(public)} for public in front_door()}
    assert {name: errors for name, errors in missing.items() if errors} == {}


def is_named(public: Public) -> bool:
    """Whether it is an error or a list of states, whose objects nobody makes."""
    return public.is_class and issubclass(public.thing, BaseException | enum.Enum)
