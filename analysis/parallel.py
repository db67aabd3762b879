"""Run many independent simulations on the available cores.

Studies and experiments run here. Workers are fresh processes (spawn), so they share nothing with the caller, and what
they run must be importable by name. A script needs no ``if __name__ == "__main__"`` for them. Results are in the order
of the tasks, whatever the number of workers.

Ctrl-C reaches every process of a terminal. Workers are started with it blocked, so only the caller is interrupted, and
ends them. If the caller is killed, its workers end too.
"""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import active_children, get_context, parent_process
from typing import Any, Protocol, TypeVar

Given = TypeVar("Given")
Answer = TypeVar("Answer")
Answered = TypeVar("Answered", covariant=True)
Progress = Callable[[int, int], None]
"""Called with the number of tasks done and the number of tasks."""


class Task(Protocol[Answered]):
    """One independent piece of work, with all that a worker process needs.

    A task can be pickled. It contains what it needs of a log or a machine, and its answer is small.
    """

    def perform(self) -> Answered:
        """Do the work; the answer depends on the task alone."""


def perform(task: Task[Answer]) -> Answer:
    """Run a task; a function that can be passed to a worker process."""
    return task.perform()


def cores() -> int:
    """The number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def processes(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Fresh processes, which are ended after an error inside the context; `submit` gives it tasks."""
    executor = ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_end_with_the_parent)
    others = set(active_children())
    try:
        yield executor
    except BaseException:
        for worker in set(active_children()) - others:
            worker.terminate()
        raise
    finally:
        executor.shutdown(cancel_futures=True)


def submit(executor: Executor, function: Callable[..., Answer], *values: Any) -> Future[Answer]:
    """Give a task to an executor, starting its processes if needed.

    Workers do not need the caller's script, so it is hidden from them. Otherwise each would run it again, up to
    ``if __name__ == "__main__"`` if there is one.
    """
    main = vars(sys.modules["__main__"])
    hidden: dict[str, Any] = {name: main[name] for name in ("__file__", "__spec__") if name in main}
    main.pop("__file__", None)
    main["__spec__"] = None
    try:
        with _interrupts_blocked():
            return executor.submit(function, *values)
    finally:
        main.update(hidden)


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Block Ctrl-C: processes started inside never receive it, and the caller receives it afterwards."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end_with_the_parent() -> None:
    """End a worker whose parent was killed: holding both ends of its queue, it would wait for ever."""
    parent: Any = parent_process()
    threading.Thread(target=lambda: (parent.join(), os._exit(1)), daemon=True).start()
