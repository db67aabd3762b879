"""What every study is: the same files, options that scripts and the command line share, tasks that need no other."""

import importlib
import math
import pickle
from collections.abc import Mapping
from dataclasses import MISSING, dataclass
from typing import Any

import pytest

from tests.analysis.doing import Doing
from tests.analysis.little_log import made
from tests.analysis.study.test_answer_data import same
from thinktime.analysis.papers.goal.study import GoalStudy
from thinktime.analysis.papers.ostrich.study import OstrichStudy
from thinktime.analysis.studies.prediction.cases import SAME
from thinktime.analysis.studies.prediction.runs import Run
from thinktime.analysis.studies.prediction.world import World
from thinktime.analysis.study.answers import answers
from thinktime.analysis.study.base import StudiedLog, Study, grouped, option, size_of
from thinktime.cli.study import studies
from thinktime.workloads.trace import Trace


@dataclass(frozen=True, kw_only=True)
class Factorials(Study[int, dict[int, int]]):
    """Factorials of numbers."""

    name = "factorials"
    line = "Factorials."
    unit = "numbers"
    files = "Write nothing."

    count: int = option(3, "How many.", "N", "count")

    def policies(self) -> tuple[str, ...]:
        """None."""
        return ()

    def tasks(self) -> dict[int, Doing]:
        """By number."""
        return {number: Doing(math.factorial, number) for number in range(self.count)}

    def gather(self, answers: Mapping[int, int]) -> dict[int, int]:
        """As they are."""
        return dict(answers)


@pytest.mark.parametrize("workers", [1, 2])
def test_answers_come_under_the_keys_of_their_tasks(workers: int) -> None:
    """Answers have the keys and the order of their tasks for any number of workers, with progress after each."""
    seen: list[tuple[int, int]] = []
    found = Factorials(count=4).run(workers, lambda done, total: seen.append((done, total)))
    assert list(found.items()) == [(0, 1), (1, 1), (2, 2), (3, 6)]
    assert seen == [(0, 4), (1, 4), (2, 4), (3, 4), (4, 4)]


@pytest.mark.parametrize("kind", studies().values(), ids=studies())
def test_every_study_has_the_same_files(kind: type[Study[Any, Any]]) -> None:
    """Runs, findings, figures and tables lie beside the study, with the functions that the study asks for."""
    package = kind.__module__.rpartition(".")[0]
    asked = {"runs": ["Run"], "findings": ["findings"], "figures": ["figures"], "tables": ["report"]}
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


def task_of(study: str) -> Any:
    """A small task of a study."""
    if study == "ostrich":
        return next(iter(OstrichStudy(jobs=60, users=3, instances=1, object_only=True).tasks().values()))
    if study == "goal":
        return next(iter(GoalStudy(log=StudiedLog("a.swf", made()), limit=5).tasks().values()))
    return Run(World("deadline", 0, 1, 5), (SAME,), draws=1)


@pytest.mark.parametrize("study", ["ostrich", "goal", pytest.param("prediction", marks=pytest.mark.thorough)])
def test_tasks_and_answers_can_be_sent_to_workers(study: str) -> None:
    """A task that was pickled gives the answer of the one that was not."""
    task = task_of(study)
    one, other = task.perform(), pickle.loads(pickle.dumps(task)).perform()
    assert same(one, pickle.loads(pickle.dumps(other)))


@pytest.mark.thorough
@pytest.mark.parametrize("study", ["ostrich", "goal", "prediction"])
def test_the_workers_do_not_matter(study: str) -> None:
    """One process and two give the same answers to the last bit."""
    tasks = {number: task_of(study) for number in range(3)}
    alone, together = (list(answers(tasks, workers).values()) for workers in (1, 2))
    assert same(alone, together)


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
