"""The JSON objects of the commands: small runs of them, and the keys that they print."""

from __future__ import annotations

import contextlib
import io
import json
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from thinktime.cli import main
from tools.docs.glossary import term_of

DATA = {
    *("policies", "modes", "metrics", "parameters", "versions", "ranking", "users", "a", "b", "distances"),
    "uncertainty",
}
"""JSON objects whose keys are what the user gave: policies, users, metrics, labels of a table."""


def objects(folder: Path) -> Iterator[tuple[str, Any]]:
    """Small runs of the commands in a folder, each with the object that it prints."""
    made, out = str(folder / "made.swf"), str(folder / "out")
    _said("generate", "short-long", "--users", "3", "--jobs", "200", "--processors", "16", "-o", made)
    policies = ("--policy", "easy", "--policy", "fcfs", "--quiet", "--json")
    scenario = folder / "office.toml"
    _said("new", str(scenario))
    small = ("--set", "replications=2", "--set", 'horizon="1 d"', "--workers", "1", "--quiet", "--json")
    for command, words in {
        "replay": (made, *policies, "--out", out),
        "feedback": (f"{out}/easy/schedule.swf", *policies),
        "trace sessions": (f"{out}/easy/schedule.swf", "--json"),
        "trace compare": (made, made, "--json"),
        "expectations": (made, *policies),
        "run": (str(scenario), *small, "--out", str(folder / "results")),
        "study ostrich": ("--quick", "--instances", "2", "--jobs", "300", "--workers", "1", "--quiet", "--json"),
    }.items():
        yield command, json.loads(_said(*command.split(), *words))


def _said(*words: str) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert main(list(words)) == 0, words
    return out.getvalue()


def keys(value: Any, of: str = "") -> Iterator[str]:
    """The keys of a JSON value that the package chose."""
    if isinstance(value, dict):
        for key, each in value.items():
            if of not in DATA:
                yield key
            yield from keys(each, "policies" if of == "modes" else "" if of in DATA else key)
    elif isinstance(value, list):
        for each in value:
            yield from keys(each, "")


def markdown() -> str:
    """A section for each command, with the keys of its object, where they stand, and what they mean."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        return "\n".join(line for command, found in objects(Path()) for line in _section(command, found))


def _section(command: str, found: Any) -> Iterator[str]:
    places: dict[str, set[str]] = {}
    for place, kind in _places(found):
        places.setdefault(place, set()).add(kind)
    yield f"## `{command} --json`\n"
    yield "| key | value | meaning | unit |\n|---|---|---|---|"
    for place, kinds in places.items():
        term = term_of(re.split(r"\.|\[\]", place.removesuffix("[]"))[-1])
        said = (term.said, term.unit) if term else ("", "")
        yield f"| `{place}` | {', '.join(sorted(kinds))} | {said[0]} | {said[1]} |"
    yield ""


def _places(value: Any, place: str = "", of: str = "") -> Iterator[tuple[str, str]]:
    """Where each key stands, such as `modes.*.*.jobs`, and of what kind its value is; `*` is what the user gave."""
    if place and not place.endswith("*"):
        yield place, _kind(value)
    if isinstance(value, dict):
        given = of in DATA
        for key, each in value.items():
            below = "policies" if of == "modes" else "" if given else key
            yield from _places(each, f"{place}.{'*' if given else key}".lstrip("."), below)
    elif isinstance(value, list) and any(isinstance(each, dict) for each in value):
        for each in value:
            yield from _within(each, f"{place}[]")


def _within(value: Any, place: str) -> Iterator[tuple[str, str]]:
    return (found for found in _places(value, place) if found[0] != place)


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    kinds = {bool: "yes or no", int: "number", float: "number", str: "text", list: "list", dict: "object"}
    return kinds[type(value)]
