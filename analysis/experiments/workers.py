"""Where runs are executed: in this process, in worker processes, or on any executor of `concurrent.futures`.

Each function yields the outcomes as the runs end, with the number of runs in progress. Tasks are submitted within a
window, so that memory does not grow with the number of runs.

When its Dask scheduler is lost, an executor either cancels the runs one by one or hangs. Neither is a fault of the
runs. So whenever a run is lost, or no run has finished for a while, the scheduler is asked whether it is alive.
"""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from functools import partial
from typing import Any, Protocol, TypeVar

from thinktime.analysis.experiments.integrity import RESUMES, described
from thinktime.analysis.parallel import perform, processes, submit

Answer = TypeVar("Answer")
Outcome = TypeVar("Outcome")
Made = TypeVar("Made", covariant=True)
Ended = Iterator[tuple[Outcome, int]]
"""Outcomes as runs end, each with the number of runs in progress."""


class Losable(Protocol[Made]):
    """A task (`thinktime.analysis.parallel.Task`) that says what comes of it if its worker is lost."""

    def perform(self) -> Made:
        """Do the work, in a worker, and return what it gives."""

    def lost(self, error: str, traceback: str) -> Made:
        """The outcome if the work cannot be done, or an exception."""


AHEAD = 4
"""Tasks submitted per worker, enough that no worker waits while results are written."""
QUIET = 15.0
"""Time without a finished run after which a Dask scheduler is checked (s)."""
ANSWER = 60.0
"""How long the scheduler may take to answer (s)."""


def here(tasks: Iterator[Losable[Outcome]]) -> Ended[Outcome]:
    """Run tasks one after the other, in this process."""
    for task in tasks:
        yield task.perform(), 1


def through(executor: Executor, tasks: Iterator[Losable[Outcome]], window: int) -> Ended[Outcome]:
    """Run tasks on any executor. A run fails if its worker is lost for good.

    A broken executor or a lost scheduler ends the sweep with a ``ConnectionError``, since it is not the fault of the
    runs in progress.
    """
    under_way: dict[Future[Outcome], Losable[Outcome]] = {}
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
        # Results first, so that an error loses none of them.
        for future in sorted(done, key=lambda each: each.cancelled() or each.exception() is not None):
            link.check_after(future)
            task = under_way.pop(future)
            yield _outcome(future, task), len(under_way)
        if lost:
            raise lost


def by_processes(tasks: Iterator[Losable[Outcome]], workers: int) -> Ended[Outcome]:
    """Run tasks in worker processes. A run that kills its process fails, and no other run does.

    When a process dies, its executor breaks, and it is unknown which run was the cause. The submitted runs are then
    repeated one by one, and a run that kills its process again has failed.
    """
    more = True
    while more:
        suspects: list[Losable[Outcome]] = []
        with processes(workers) as executor:
            under_way: dict[Future[Outcome], Losable[Outcome]] = {}
            while more or under_way:
                if not suspects:
                    give = partial(submit, executor)
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
    tasks: Iterator[Losable[Outcome]],
    under_way: dict[Future[Outcome], Losable[Outcome]],
    window: int,
    refused: list[Losable[Outcome]] | None = None,
) -> bool:
    """Fill the window and return whether there may be more tasks; one refused by a broken executor is `refused`."""
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


def _one_by_one(tasks: list[Losable[Outcome]]) -> Ended[Outcome]:
    """Run each task alone in its process, so that it is known which run ends it."""
    while tasks:
        with processes(1) as executor:
            while tasks:
                task = tasks.pop(0)
                future = submit(executor, perform, task)
                lost = isinstance(future.exception(), BrokenExecutor)
                died = "the process of this run died twice, perhaps for lack of memory"
                yield _outcome(future, task, died), 1
                if lost:
                    break


def _try_a_worker() -> None:
    """Check that worker processes start at all, so that runs are not blamed if they do not."""
    with processes(1) as executor:
        try:
            submit(executor, os.getpid).result()
        except BrokenExecutor as error:
            raise OSError("worker processes die as soon as they start; --workers 1 uses none") from error


def _outcome(future: Future[Outcome], task: Losable[Outcome], lost: str = "the worker of this run was lost") -> Outcome:
    """The outcome of a run, a failure if its worker was lost."""
    try:
        return future.result()
    except Exception as error:  # executors report a lost worker in different ways
        what = "the executor cancelled this run" if isinstance(error, CancelledError) else lost
        return task.lost(what, described(error))


class Link:
    """The link to an executor; any other than Dask's is assumed to be alive."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        client = getattr(executor, "_client", None)
        self._client: Any = client if hasattr(client, "scheduler_info") and hasattr(client, "sync") else None

    @property
    def patience(self) -> float | None:
        """How long to wait for a run before the link is checked (s); None for no limit."""
        return None if self._client is None else QUIET

    def submit(self, function: Callable[..., Answer], *values: Any) -> Future[Answer]:
        """Submit a run; ``ConnectionError`` if the executor refuses it."""
        try:
            return self._executor.submit(function, *values)
        except Exception as error:
            self.check()
            what = f"the executor accepts no more runs ({described(error)[:200]})"
            raise ConnectionError(f"{what}; {RESUMES}") from error

    def check(self) -> None:
        """Raise ``ConnectionError`` if the scheduler is gone."""
        if self._client is None:
            return
        if self._client.status != "running":
            raise self._lost("its connection is closed")
        try:
            self._client.sync(self._client.scheduler.identity, callback_timeout=ANSWER)
        except Exception as error:
            late = isinstance(error, TimeoutError | CancelledError) or "timed out" in str(error).lower()
            raise self._lost(f"no answer for {ANSWER:.0f} s" if late else described(error)[:200]) from None

    def check_after(self, future: Future[Any]) -> None:
        """Raise ``ConnectionError`` if a run was lost because its executor is gone."""
        if future.cancelled():
            self.check()
            return
        error = future.exception()
        if isinstance(error, BrokenExecutor):
            raise ConnectionError(f"the executor is broken ({described(error)[:200]}); {RESUMES}")
        if error is not None:
            self.check()

    def _lost(self, why: str) -> ConnectionError:
        address = getattr(getattr(self._client, "scheduler", None), "address", None)
        where = f" at {address}" if address else ""
        return ConnectionError(f"the Dask scheduler{where} was lost ({why}); {RESUMES}")
