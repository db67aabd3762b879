"""The glossary has every name that people meet, and each name stands in it once."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

import thinktime as tt
from thinktime.analysis.experiments import metrics, window
from thinktime.cli import main
from thinktime.cli.app import app
from thinktime.workloads.generators import preset
from thinktime.workloads.names import FORMER

TEXT = (Path(__file__).parents[2] / "docs" / "glossary.md").read_text(encoding="utf-8")
TERMS, FORMER_NAMES, OPTIONS = re.split(r"^## (?:Former names|Options)$", TEXT, flags=re.MULTILINE)
STATISTIC = r"(?:mean|median|min|max|std|total|p\d+)_"
DATA = {
    *("policies", "modes", "metrics", "parameters", "versions", "ranking", "users", "a", "b", "distances"),
    "uncertainty",
}
"""JSON objects whose keys are what the user gave: policies, users, metrics, labels of a table."""


def rows(text: str) -> list[list[str]]:
    """The cells of the tables in a text, without heads."""
    lines = [line.split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return [cells for cells in lines if cells[0] not in ("| term", "| option", "| before")]


def names() -> list[str]:
    """All names of the terms."""
    return [name for cells in rows(TERMS) for name in re.findall(r"`([^`]+)`", cells[1])]


def known(name: str) -> bool:
    """Whether the glossary has a name: as it stands, behind a statistic, or with its varying part."""
    there = {*names(), *re.findall(r"`([^`]+)`", TERMS)}
    stem = re.sub(rf"^(?:{STATISTIC})+(?:user_)?(?:{STATISTIC})?", "", name)
    return any(each in there for each in (name, stem, re.sub(r"_\d+$", "_T", stem)))


def options() -> Iterator[tuple[str, str]]:
    """Every option with its command."""

    def of(command: Any, path: str) -> Iterator[tuple[str, str]]:
        for parameter in command.params:
            yield from ((word, path) for word in parameter.opts if word.startswith("--"))
        context = typer.Context(command)
        for name in command.list_commands(context) if hasattr(command, "list_commands") else ():
            yield from of(command.get_command(context, name), f"{path} {name}".strip())

    yield from ((word, path) for word, path in of(typer.main.get_command(app), "") if word != "--help")


def test_every_option_is_there_with_its_commands() -> None:
    """Every option has a row with exactly the commands that take it."""
    listed = {(cells[0].strip("| `"), word) for cells in rows(OPTIONS) for word in cells[1].split(", ")}
    assert listed == {(option, f"`{path}`" if path else "all") for option, path in options()}


def test_a_name_stands_for_one_thing() -> None:
    """No name stands in two rows of terms, and no option has two rows."""
    assert [name for name, count in Counter(names()).items() if count > 1] == []
    assert max(Counter(cells[0] for cells in rows(OPTIONS)).values()) == 1


@pytest.fixture(scope="module")
def result() -> tt.Result:
    return tt.replay(tt.generate(preset("short-long"), jobs=60, users=3, processors=16, seed=1), "easy", 16)


def test_every_column_is_there(result: tt.Result) -> None:
    """Every column of logs, results and tables is in the glossary."""
    log = tt.generate(preset("lublin"), jobs=9, users=2, processors=16, seed=1)
    columns = [*log.columns, *result.columns, *result.summary()]
    columns += [name for table in (result.jobs, result.users, result.campaigns) for name in table.columns]
    assert [name for name in columns if not known(name)] == []


def test_every_metric_is_there() -> None:
    """Every metric is in the glossary."""
    found = [*metrics.WHOLE, *metrics.PAPERS, *window.JOB_MEASURES, *window.WITH_THRESHOLD, *window.CAMPAIGN_MEASURES]
    assert [name for name in found if not known(name)] == []


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


@pytest.mark.compiled
def test_every_key_of_the_json_objects_is_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every key that the package chose for JSON objects is in the glossary."""
    made, out = str(tmp_path / "made.swf"), str(tmp_path / "out")
    words = ("generate", "short-long", "--users", "3", "--jobs", "200", "--processors", "16", "-o", made)
    assert main(list(words)) == 0
    policies = ("--policy", "easy", "--policy", "fcfs", "--quiet", "--json")
    scenario = str(tmp_path / "office.toml")
    assert main(["new", scenario]) == 0
    text = (tmp_path / "office.toml").read_text(encoding="utf-8")
    (tmp_path / "office.toml").write_text(re.sub(r'horizon = "[^"]*"', 'horizon = "1 d"', text), encoding="utf-8")
    found = []
    for command in (
        ("replay", made, *policies, "--out", out),
        ("feedback", f"{out}/easy/schedule.swf", *policies),
        ("trace", "sessions", f"{out}/easy/schedule.swf", "--json"),
        ("trace", "compare", made, made, "--json"),
        ("expectations", made, *policies),
        ("run", scenario, "--workers", "1", "--quiet", "--json", "--out", str(tmp_path / "results")),
        ("study", "ostrich", "--quick", "--instances", "2", "--jobs", "300", "--workers", "1", "--quiet", "--json"),
    ):
        capsys.readouterr()
        assert main(list(command)) == 0
        found += keys(json.loads(capsys.readouterr().out))
    assert " ".join(name for name in dict.fromkeys(found) if not known(name)) == ""


def test_former_names_are_listed() -> None:
    """Every former name that is answered with a new one is listed."""
    assert [name for name in FORMER if name.replace("_", " ") not in FORMER_NAMES and name not in FORMER_NAMES] == []
