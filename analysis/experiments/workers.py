"""Who makes the runs: this process, processes of our own, or any executor of `concurrent.futures`.

Each gives back the outcomes as the runs end, with the number of runs that are under way. No more than a window
of tasks is handed out at a time.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from functools import partial
from typing import Any, TypeVar

from thinktime.analysis.experiments.link import Link
from thinktime.analysis.experiments.run import Task, perform
from thinktime.analysis.experiments.store import Identity, Outcome
from thinktime.analysis.parallel import interrupts_blocked, processes

Answer = TypeVar("Answer")
Ended = Iterator[tuple[Outcome, int]]
"""Outcomes as runs end, each with the number of runs under way."""

AHEAD = 4
"""Tasks handed out per worker: so many that no worker waits for the one who writes."""


def here(tasks: Iterator[Task]) -> Ended:
    """One after the other, in this process."""
    for task in tasks:
        yield perform(task), 1


def through(executor: Executor, tasks: Iterator[Task], window: int) -> Ended:
    """By any executor. A run whose worker was lost for good has failed.

    An executor that is broken, and a scheduler that is lost, end the sweep with a ``ConnectionError``: that says
    nothing about the runs that were under way.
    """
    under_way: dict[Future[Outcome], Task] = {}
    link = Link(executor)
    more = True
    while more or under_way:
        lost = None
        try:
            more = _hand_out(link.submit, tasks, under_way, window)
        except ConnectionError as error:
            lost = error
        patience = 0.0 if lost else link.patience
        done = wait(under_way, timeout=patience, return_when=FIRST_COMPLETED).done
        if not done and under_way and not lost:
            link.check()
        for future in sorted(done, key=_came_to_nothing):  # what is there is kept, whatever comes then
            link.check_after(future)
            task = under_way.pop(future)
            yield _outcome(future, task), len(under_way)
        if lost:
            raise lost


def by_processes(tasks: Iterator[Task], workers: int) -> Ended:
    """By processes of our own, which may die: whoever kills one has failed, and takes no other run along.

    When a process dies, its pool is gone, and nobody knows whose run killed it. Those that were handed out
    are made one by one then: whichever kills the process again has failed.
    """
    more = True
    while more:
        suspects: list[Task] = []
        with processes(workers) as pool:
            under_way: dict[Future[Outcome], Task] = {}
            while more or under_way:
                if not suspects:
                    give = partial(_given, pool)
                    more = _hand_out(give, tasks, under_way, AHEAD * workers, suspects)
                for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                    task = under_way.pop(future)
                    if isinstance(future.exception(), BrokenExecutor):
                        suspects.append(task)
                    else:
                        yield future.result(), len(under_way)
                if suspects and not under_way:
                    break
        if suspects:
            _try_a_worker()
        yield from _one_by_one(suspects)


def _hand_out(
    submit: Callable[..., Future[Outcome]],
    tasks: Iterator[Task],
    under_way: dict[Future[Outcome], Task],
    window: int,
    refused: list[Task] | None = None,
) -> bool:
    """Fill the window; whether there may be more. What a broken pool does not take goes to `refused`."""
    while len(under_way) < window:
        task = next(tasks, None)
        if task is None:
            return False
        try:
            under_way[submit(perform, task)] = task
        except BrokenExecutor:
            if refused is None:
                raise
            refused.append(task)
            return True
    return True


def _one_by_one(tasks: list[Task]) -> Ended:
    """Runs that are alone in their process, so that it is known who ended it."""
    while tasks:
        with processes(1) as pool:
            while tasks:
                task = tasks.pop(0)
                future = _given(pool, perform, task)
                lost = isinstance(future.exception(), BrokenExecutor)
                yield (
                    _outcome(
                        future, task, "the process that made this run died, twice: is there enough memory?"
                    ),
                    1,
                )
                if lost:
                    break


def _try_a_worker() -> None:
    """See whether workers can start at all, before runs are blamed for it."""
    with processes(1) as pool:
        try:
            _given(pool, os.getpid).result()
        except BrokenExecutor as error:
            raise OSError("worker processes die as soon as they start; --workers 1 does without") from error


def _given(pool: Executor, function: Callable[..., Answer], *values: Any) -> Future[Answer]:
    """Give a task to processes of our own, which are started here if they are needed.

    Workers need nothing of the caller's script, so it is hidden from them: else every one would run it once
    more, up to ``if __name__ == "__main__"``, if there is one.
    """
    main = vars(sys.modules["__main__"])
    hidden: dict[str, Any] = {name: main[name] for name in ("__file__", "__spec__") if name in main}
    main.pop("__file__", None)
    main["__spec__"] = None
    try:
        with interrupts_blocked():
            return pool.submit(function, *values)
    finally:
        main.update(hidden)


def _came_to_nothing(future: Future[Outcome]) -> bool:
    return future.cancelled() or future.exception() is not None


def _outcome(
    future: Future[Outcome], task: Task, lost: str = "the worker that made this run was lost"
) -> Outcome:
    """What a run gave, or that nothing came back."""
    try:
        return future.result()
    except BrokenExecutor as error:
        return _lost(task.run, lost, error)
    except CancelledError as error:
        return _lost(task.run, "the executor gave this run up", error)
    except Exception as error:  # whatever an executor says of a worker that it has lost
        return _lost(task.run, lost, error)


def _lost(run: Identity, what: str, error: BaseException) -> Outcome:
    said = " ".join(f"{type(error).__name__}: {error}".split())
    return Outcome(run, error=what, traceback=said)
