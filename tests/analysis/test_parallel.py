"""Tasks on several cores or an executor: the same answers in the same order, kept, resumed, and a clean end."""

import math
import multiprocessing
import pickle
import sqlite3
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.analysis.doing import Doing
from tests.how_many import few_or_many
from thinktime.analysis.parallel import cores
from thinktime.analysis.study.answer_data import dumped
from thinktime.analysis.study.answers import FILE, answers
from thinktime.models.policies import Easy


def done(what: Callable[[Any], Any], numbers: Sequence[float], *given: Any, **more: Any) -> list[Any]:
    """The answers for several numbers."""
    return list(answers({place: Doing(what, each) for place, each in enumerate(numbers)}, *given, **more).values())


@pytest.mark.parametrize("workers", few_or_many(1, 2))
def test_an_error_in_a_task_comes_out(workers: int) -> None:
    """An error in a task reaches the caller."""
    with pytest.raises(ValueError, match=r"math domain error|nonnegative"):
        done(math.sqrt, [1, -1, 4], workers)


def test_answers_are_kept_before_an_error_and_used_again(tmp_path: Path) -> None:
    """What was known before an error is in the folder, and is not made again; other tasks are."""
    with pytest.raises(ValueError, match=r"math domain error|nonnegative"):
        done(math.sqrt, [4, 9, -1], folder=tmp_path)
    seen: list[tuple[int, int]] = []
    found = done(math.sqrt, [4, 9, 16], 1, lambda made, total: seen.append((made, total)), tmp_path)
    assert found == [2, 3, 4]
    assert seen[0] == (2, 3)
    assert done(math.sqrt, [25, 9, 16], 1, None, tmp_path) == [5, 3, 4]
    assert done(math.factorial, [4, 9], 1, None, tmp_path) == [24, 362880]


def test_any_executor_will_do(tmp_path: Path) -> None:
    """An executor gives the same answers, and errors come out."""
    with ThreadPoolExecutor(2) as pool:
        assert done(math.factorial, range(90), executor=pool, folder=tmp_path) == list(map(math.factorial, range(90)))
        with pytest.raises(ValueError, match=r"math domain error|nonnegative"):
            done(math.sqrt, [1, -1], executor=pool)


class Evil:
    """What a pickle calls when it is read: here a policy of the package, which imports a file."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> Any:
        return Easy, (f"{self.file}:area",)


def test_a_file_with_something_else_is_refused(tmp_path: Path) -> None:
    """An answer is data: a pickle that calls a policy of the package is not read, and imports nothing."""
    evil = tmp_path / "evil.py"
    evil.write_text("from pathlib import Path\nPath(__file__).with_name('marker').touch()\ndef area(jobs, now): ...\n")
    pickled = pickle.dumps(Evil(evil))
    assert isinstance(pickle.loads(pickled), Easy)
    assert (tmp_path / "marker").exists()
    (tmp_path / "marker").unlink()
    done(math.sqrt, [4], folder=tmp_path)
    for wrong in (pickled, b"", dumped([1], list[int])):
        with closing(sqlite3.connect(tmp_path / FILE)) as file:
            file.execute("UPDATE answers SET answer = ?", (wrong,))
            file.commit()
        with pytest.raises(ValueError, match=f"{FILE} cannot be used .*no answer of this study.*; remove it"):
            done(math.sqrt, [4], folder=tmp_path)
    assert not (tmp_path / "marker").exists()
    (tmp_path / FILE).write_bytes(b"This is no database, but it is long enough to look like something else." * 20)
    with pytest.raises(ValueError, match="give another folder"):
        done(math.sqrt, [4], folder=tmp_path)


def test_an_interrupt_ends_the_workers() -> None:
    """Ctrl-C does not wait for simulations under way, and leaves no process behind."""

    def interrupt(made: int, total: int) -> None:
        if made:
            raise KeyboardInterrupt

    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        done(time.sleep, [0.0, 60.0, 60.0], 2, interrupt)
    assert time.monotonic() - began < 30
    assert not [each for each in multiprocessing.active_children() if "Spawn" in type(each).__name__]


def test_nothing_to_do() -> None:
    """No tasks give no answers."""
    assert done(math.sqrt, [], 4) == []
    assert cores() >= 1
