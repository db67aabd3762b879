"""The glossary has every name that people meet, and each name stands in it once."""

from collections import Counter
from pathlib import Path

import pytest

from thinktime.analysis.experiments.metrics import CATALOGUES
from thinktime.analysis.modes.user_measures import MODES
from thinktime.workloads.names import FORMER
from tools.docs import catalogues, commands
from tools.docs.catalogues import column_tables, terms_of_metrics
from tools.docs.glossary import PAGE, known, parts, terms
from tools.docs.json_keys import keys, objects

_, FORMER_NAMES = parts()
NO_ROW = "docs/glossary.md needs a row for each of these names"


def names() -> list[str]:
    """All names of the terms."""
    return [name for term in terms() for name in term.names]


def test_every_option_is_there_with_its_commands() -> None:
    """The glossary asks for the options, and each has one row with exactly the commands that take it."""
    assert "```{catalogue} options\n" in PAGE.read_text(encoding="utf-8")
    every = {(option, f"`{path}`" if path else "all") for option, path in commands.options()}
    studies = {path for _, path in every if path.startswith("`study ")}
    listed = []
    for line in catalogues.options().splitlines()[2:]:
        option, taken = line.strip("| ").split(" | ")
        for word in taken.split(", "):
            listed += [(option.strip("`"), path) for path in (studies if word == "all studies" else {word})]
    assert sorted(listed) == sorted(every)


def test_a_name_stands_for_one_thing() -> None:
    """No name stands in two rows of terms."""
    assert [name for name, count in Counter(names()).items() if count > 1] == []


def test_every_column_is_there() -> None:
    """Every column of logs, results and tables is in the glossary."""
    columns = [name for table in column_tables().values() for name in table]
    assert [name for name in columns if not known(name)] == [], NO_ROW


def test_every_metric_is_there() -> None:
    """The glossary asks for the rows of metrics, and each has one."""
    assert "```{catalogue} terms of metrics\n" in PAGE.read_text(encoding="utf-8")
    table = terms_of_metrics()
    every = [each.name for catalogue in (*CATALOGUES, MODES) for each in catalogue]
    assert [name for name in every if not known(name) or f"`{name}`" not in table] == []


@pytest.mark.compiled
def test_every_key_of_the_json_objects_is_there(tmp_path: Path) -> None:
    """Every key that the package chose for JSON objects is in the glossary."""
    found = [key for _, value in objects(tmp_path) for key in keys(value)]
    assert " ".join(name for name in dict.fromkeys(found) if not known(name)) == "", NO_ROW


def test_former_names_are_listed() -> None:
    """Every former name that is answered with a new one is listed."""
    assert [name for name in FORMER if name.replace("_", " ") not in FORMER_NAMES and name not in FORMER_NAMES] == []
