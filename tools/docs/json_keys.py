"""The JSON objects of the commands: small runs of them, and the keys that they print."""

import contextlib
import io
import json
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from thinktime.cli import main
from thinktime.users import made_up_log
from thinktime.workloads import write_swf
from tools.docs.glossary import known, term_of

SITE = """
name = "pluto"
nodes = [{ name = "n", resources = { processors = 16 }, names = "n[1-4]" }]
partitions = [{ name = "batch", nodes = "n[1-4]", default = true }]
"""

NESTED = {"modes", "factors", "apart", "gains", "flows", "families", "loads"}
"""JSON objects by mode and policy, or by family and mode or load."""
DATA = NESTED | {
    *(
        "policies",
        "metrics",
        "ross_weeks",
        "parameters",
        "versions",
        "ranking",
        "users",
        "a",
        "b",
        "distances",
        "range_of_modes",
        *("advice", "always", "named"),
    ),
    *("ways", "kept", "levels", "logs", "ross", "heuristics", "violated_percent", "veet_upper_quartile"),
    *("findings", "swapped_by_chance", "by_year", "evidence", "scores", "effects"),
}
"""JSON objects whose keys are what the user or a study gave: policies, modes, users, metrics, labels of a table."""


def objects(folder: Path) -> Iterator[tuple[str, Any]]:
    """Small runs of the commands in a folder, each with the object that it prints."""
    made, users, out = str(folder / "made.swf"), str(folder / "users.swf"), str(folder / "out")
    write_swf(made_up_log(weeks=1, users=6), users)
    _said("generate", "short-long", "--users", "3", "--jobs", "200", "--processors", "16", "-o", made)
    policies = ("--policy", "easy", "--policy", "fcfs", "--quiet", "--json")
    scenario = folder / "office.toml"
    _said("new", str(scenario))
    small = ("--set", "replications=2", "--set", 'horizon="1 d"', "--workers", "1", "--quiet", "--json")
    for command, words in {
        "replay": (made, *policies, "--out", out),
        "feedback": (f"{out}/easy/schedule.swf", *policies),
        "trace sessions": (f"{out}/easy/schedule.swf", "--json"),
        "calibrate": (users, "--quiet", "--json"),
        "trace compare": (made, made, "--json"),
        "expectations": (made, *policies),
        "run": (str(scenario), *small, "--out", str(folder / "results")),
        "study ostrich": ("--quick", "--instances", "2", "--jobs", "300", "--workers", "1", "--quiet", "--json"),
    }.items():
        yield command, json.loads(_said(*command.split(), *words))


def studies(folder: Path) -> Iterator[tuple[str, Any]]:
    """Small runs of the commands that take longer, each with the object that it prints, but for one that is kept."""
    log, year, site = str(folder / "office.swf"), str(folder / "year.swf"), folder / "pluto.toml"
    write_swf(made_up_log(weeks=1, users=6), log)
    _said("generate", "lublin", "--jobs", "150", "--processors", "128", "--load", "0.02", "-o", year)
    site.write_text(SITE, encoding="utf-8")
    small = ("--workers", "1", "--quiet", "--json")
    for command, words in {
        "site whatif": (str(site), log, "--change", "backfill.interval=60", "--mode", "open"),
        "study expectations": (log, "--quick", "--processors", "16"),
        "study goal": (year, "--quick", "--limit", "5", "--months", "1970-01"),
        "study cplant": (log, "--quick", "--window", "all", "--processors", "64"),
        "study slack": (year, "--quick"),
        "study feedback": ("--trace", log, "--quick", "--processors", "16", "--log-only"),
        "study urgent": ("--trace", log, "--quick", "--processors", "16"),
        "study prediction": ("--kept",),
        "study logs": (log, "--quick"),
        "study self-test": ("--trace", log, "--quick", "--processors", "16", "--replications", "1"),
    }.items():
        yield command, json.loads(_said(*command.split(), *words, *small))


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
            yield from keys(each, "policies" if of in NESTED else "" if of in DATA else key)
    elif isinstance(value, list):
        for each in value:
            yield from keys(each, "")


def markdown() -> str:
    """A section for each command, with the keys of its object, where they stand, and what they mean.

    ``ValueError`` if the glossary does not say what a key means.
    """
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        printed = [*objects(Path()), *studies(Path())]
        unknown = [f"{key} ({command})" for command, found in printed for key in keys(found) if not known(key)]
        if unknown:
            raise ValueError(f"docs/glossary.md has no row for the keys {', '.join(dict.fromkeys(unknown))}")
        return "\n".join(line for command, found in printed for line in _section(command, found))


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
            below = "policies" if of in NESTED else "" if given else key
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
