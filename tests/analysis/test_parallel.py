"""Simulations on several cores: the same answers in the same order, and a clean end."""

from __future__ import annotations

import math
import multiprocessing
import time

import pytest

from thinktime.analysis.parallel import cores, in_parallel


@pytest.mark.parametrize("workers", [1, 2])
def test_answers_come_in_the_order_of_the_tasks(workers: int) -> None:
    """Answers come in the order of the tasks for any number of workers."""
    seen: list[tuple[int, int]] = []
    answers = in_parallel(math.factorial, [5, 3, 8, 0], workers, lambda done, total: seen.append((done, total)))
    assert answers == [120, 6, 40320, 1]
    assert seen == [(0, 4), (1, 4), (2, 4), (3, 4), (4, 4)]


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_in_a_task_comes_out(workers: int) -> None:
    """An error in a task reaches the caller."""
    with pytest.raises(ValueError, match=r"math domain error|nonnegative"):
        in_parallel(math.sqrt, [1, -1, 4], workers)


def test_an_interrupt_ends_the_workers() -> None:
    """Ctrl-C does not wait for simulations under way, and leaves no process behind."""

    def interrupt(done: int, total: int) -> None:
        if done:
            raise KeyboardInterrupt

    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        in_parallel(time.sleep, [0.0, 60.0, 60.0], 2, interrupt)
    assert time.monotonic() - began < 30
    assert not [each for each in multiprocessing.active_children() if "Spawn" in type(each).__name__]


def test_nothing_to_do() -> None:
    """No tasks give no answers."""
    assert in_parallel(math.sqrt, [], 4) == []
    assert cores() >= 1
