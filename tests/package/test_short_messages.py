"""What is wrong is said in one line of at most 400 characters, however much was given."""

import inspect
import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import simpy
from hypothesis import given, settings
from hypothesis import strategies as st

import thinktime as tt
from thinktime import behaviours
from thinktime.cli import main
from thinktime.models.site.accounts import Association
from thinktime.policies import from_spec

MOST = 400
LOG = "; MaxProcs: 4\n; UnixStartTime: 0\n1 100 0 51 2 -1 -1 2 91 -1 1 1 1 -1 1 -1 -1 -1\n"

words = st.sampled_from(["x", "9", "y\n", "a=b,", "-", "1:", "k*2+", "0.", "é"])
"""What long texts repeat."""
long = st.builds(str.__mul__, words, st.integers(300, 3_000))
beginnings = st.sampled_from(
    ["", "easy:", "easy:order=", "slack:gap=", "tradeoff:weights=", "relshare:weights=ada*", "-"]
)
texts = st.builds(str.__add__, beginnings, long)
numbers = st.builds(lambda n, sign: sign * n, st.integers(10**299, 10**300), st.sampled_from([1, -1]))
plain = texts | numbers | numbers.map(float)
given_values = plain | st.lists(plain, min_size=1, max_size=30) | st.dictionaries(texts, plain, min_size=1, max_size=3)

ARGUMENTS: Mapping[Any, Mapping[str, Any]] = {
    tt.Job: {"runtime": 5},
    tt.MachineSpec: {"processors": 4},
    tt.Window: {"start": 10, "end": 20, "processors": 1},
    tt.Failures: {"mtbf": 1e6, "mttr": 60},
    tt.Changes: {},
    tt.WorkingHours: {},
    tt.Profile: {"runtime": 1, "jobs": 1, "think_time": 1},
    **{
        kind: {}
        for kind in vars(behaviours).values()
        if inspect.isclass(kind) and issubclass(kind, tt.Behaviour) and kind is not tt.Behaviour
    },
}
"""What each class needs; each of its arguments is replaced in turn."""


def replaced(kind: Any, name: str) -> Callable[[Any], Any]:
    return lambda value: kind(**{**ARGUMENTS[kind], name: value})


def constructors() -> Iterator[tuple[str, Callable[[Any], Any]]]:
    for kind in ARGUMENTS:
        for each in inspect.signature(kind).parameters.values():
            if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD):
                yield f"{kind.__name__}.{each.name}", replaced(kind, each.name)


def machine(value: Any = 4, policy: Any = "easy") -> tt.Machine:
    return tt.Machine(simpy.Environment(), value, policy)


def columns(name: str, value: Any) -> tt.Trace:
    return tt.Trace({"submit": [0, 1], "runtime": [1, 1], "allocated": [1, 1], name: value})


def run(until: Any) -> None:
    if isinstance(until, str | list | dict) or until < 0:
        tt.run(tt.MachineSpec(processors=4), until=until)


CALLS: dict[str, Callable[[Any], Any]] = {
    **dict(constructors()),
    "Machine.processors": machine,
    "Machine.policy": lambda value: machine(4, value),
    "Machine.env": lambda value: tt.Machine(value, 4),
    "Machine.submit": lambda value: machine().submit(value),
    "Machine.submit_campaign": lambda value: machine().submit_campaign(value),
    "policy": lambda value: from_spec(str(value)),
    "order": lambda value: from_spec(f"easy:order={value}"),
    "option": lambda value: from_spec(f"easy:{value}"),
    "run.until": run,
    "Cluster.name": lambda value: tt.Cluster(value, 1, {"processors": 1}),
    "Cluster.count": lambda value: tt.Cluster("a", value if isinstance(value, int) else 0, {"processors": 1}),
    "Cluster.resources": lambda value: tt.Cluster("a", 1, {str(value): value}),
    "mix": lambda value: tt.mix(3, {str(value): 1}),
    "share": lambda value: tt.mix(3, {"short": value}) if isinstance(value, int | float) else None,
    "generate.recipe": lambda value: tt.generate(value, jobs=5, processors=4, users=2, seed=1),
    "Trace.name": lambda value: columns(str(value), [1, 1]),
    **{f"Trace.{name}": lambda value, name=name: columns(name, [value, value]) for name in ("submit", "id", "runtime")},
    "Scenario.key": lambda value: tt.Scenario.from_text(f"[machine]\n{json.dumps(str(value))} = 1"),
    "Association": lambda value: Association(str(value), shares=-1),
    "Scenario": lambda value: tt.Scenario.from_text(f"policies = [{str(value)!r}]\n[machine]\nprocessors = 4\n"),
}


def check(message: str, what: str) -> None:
    """One line, and at most 400 characters but for a list of the package's own names."""
    assert "\n" not in message, what
    said = re.sub(r"; ([\w ]+ are:?|there are) .*", "", message)
    assert len(said) <= MOST, (what, message)


@given(st.sampled_from(sorted(CALLS)), given_values)
@settings(max_examples=4_000, deadline=None)
def test_messages_of_functions_are_short(name: str, value: Any) -> None:
    """Whatever a public constructor or function refuses, it says so in a short line."""
    try:
        CALLS[name](value)
    except (ValueError, TypeError, KeyError) as error:
        check(str(error), name)


COMMANDS: tuple[tuple[str, ...], ...] = (
    ("",),
    ("replay", ""),
    ("replay", "log.swf", "", ""),
    *(("replay", "log.swf", name, "") for name in ("--policy", "--processors", "--names", "--estimates", "--failures")),
    *(("replay", "log.swf", name, "") for name in ("--checkpoint", "--overrun", "--machines", "--memory-unit")),
    *(("expectations", "log.swf", name, "") for name in ("--capacity", "--share", "--processors")),
    *(("generate", "lublin", name, "") for name in ("--jobs", "--processors", "--seed", "--load")),
    ("generate", ""),
    ("generate", "--like", ""),
    ("run", ""),
    ("run", "log.swf", "--set", ""),
    ("new", ""),
    ("view", ""),
    ("view", "log.swf", "--out", ""),
    ("site", "show", ""),
    ("study", "cplant", "log.swf", "--window", ""),
    ("trace", "info", ""),
    ("trace", "info", "log.swf", "--from", ""),
    ("trace", "convert", "log.swf", "--out", ""),
)
"""Words of command lines; a long text stands in place of each empty one."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("short")
    (folder / "log.swf").write_text(LOG)
    return folder


@given(command=st.sampled_from(COMMANDS), text=long, unknown=st.booleans())
@settings(max_examples=800, deadline=None)
def test_messages_of_commands_are_short(folder: Path, command: tuple[str, ...], text: str, unknown: bool) -> None:
    """So does the command line, and it ends with status 2."""
    words = [word.replace("log.swf", str(folder / "log.swf")) or text for word in command]
    said = StringIO()
    with redirect_stderr(said), redirect_stdout(StringIO()):
        status = main([*words, f"--{text}"] if unknown else words)
    assert status == 2 or command[:2] == ("trace", "info"), words
    check(said.getvalue().rstrip("\n"), " ".join(command))
