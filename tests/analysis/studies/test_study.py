"""What every study is: the same files, options that scripts and the command line share, tasks that need no other."""

from __future__ import annotations

import importlib
import pickle
from collections.abc import Mapping
from dataclasses import MISSING, dataclass
from typing import Any

import pytest

from thinktime.analysis.papers.ostrich.study import OstrichStudy
from thinktime.analysis.studies.study import StudiedLog, Study, grouped, option, size_of
from thinktime.cli.study import studies
from thinktime.workloads.trace import Trace


@dataclass(frozen=True)
class Square:
    """A task."""

    number: int

    def perform(self) -> int:
        """Square the number."""
        return self.number**2


@dataclass(frozen=True, kw_only=True)
class Squares(Study[int, dict[int, int]]):
    """Squares of numbers."""

    name = "squares"
    line = "Squares."
    unit = "numbers"
    files = "Write nothing."

    count: int = option(3, "How many.", "N", "count")

    def policies(self) -> tuple[str, ...]:
        """None."""
        return ()

    def tasks(self) -> dict[int, Square]:
        """By number."""
        return {number: Square(number) for number in range(self.count)}

    def gather(self, answers: Mapping[int, int]) -> dict[int, int]:
        """As they are."""
        return dict(answers)


@pytest.mark.parametrize("workers", [1, 2])
def test_answers_come_under_the_keys_of_their_tasks(workers: int) -> None:
    """Answers have the keys of their tasks for any number of workers, with progress after each."""
    seen: list[tuple[int, int]] = []
    found = Squares(count=4).run(workers, lambda done, total: seen.append((done, total)))
    assert found == {0: 0, 1: 1, 2: 4, 3: 9}
    assert seen == [(0, 4), (1, 4), (2, 4), (3, 4), (4, 4)]


@pytest.mark.parametrize("kind", studies().values(), ids=studies())
def test_every_study_has_the_same_files(kind: type[Study[Any, Any]]) -> None:
    """Runs, findings, figures and tables lie beside the study, with the functions that the study asks for."""
    package = kind.__module__.rpartition(".")[0]
    asked = {
        "runs": ["Run"],
        "findings": ["findings"],
        "figures": ["figures"],
        "tables": ["page", "as_object", "frames"],
    }
    if ".papers." in package:
        asked["printed"] = []
    for file, names in asked.items():
        module = importlib.import_module(f"{package}.{file}")
        assert all(hasattr(module, name) for name in names), file


@pytest.mark.parametrize("kind", studies().values(), ids=studies())
def test_every_study_says_what_it_is(kind: type[Study[Any, Any]]) -> None:
    """Every study has a name, a line for the list and help for its options, all but the log with a default."""
    assert kind.name and kind.line.endswith(".") and kind.files.endswith(".") and kind.unit
    assert "quick" in kind.options()
    for name, (about, default) in kind.options().items():
        assert about.help.endswith("."), name
        assert (default is MISSING) <= (about.kind in ("log", "site")), name


def test_tasks_and_answers_can_be_sent_to_workers() -> None:
    """A task that was pickled gives the answer of the one that was not."""
    task = next(iter(OstrichStudy(jobs=60, users=3, instances=1, object_only=True).tasks().values()))
    (one, _), (other, _) = task.perform(), pickle.loads(pickle.dumps(task)).perform()
    assert one.stretch.tolist() == other.stretch.tolist()


def test_grouped_answers_keep_their_order() -> None:
    """Grouped answers keep the order in which their keys first appear."""
    assert grouped({(2, "b"): 1, (1, "a"): 2, (2, "a"): 3}) == {2: {"b": 1, "a": 3}, 1: {"a": 2}}


def test_the_size_of_the_machine_is_asked_for_or_in_the_header() -> None:
    """Without a size in the header, one sentence says what to give and how wide jobs are."""
    columns = {"submit": [0, 1], "runtime": [5, 5], "allocated": [3, 7]}
    log = StudiedLog("a.swf", Trace(columns))
    assert size_of(log, 12) == 12
    with pytest.raises(ValueError, match=r"the header of a\.swf has neither .* \(the widest job uses 7\)"):
        size_of(log, None)
