"""The link to an executor: whether its Dask scheduler is still there.

When its scheduler is lost, an executor either cancels the runs one by one or hangs. Neither is a fault of the
runs. So whenever a run is lost, or no run has finished for a while, the scheduler is asked whether it is alive.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from typing import Any, TypeVar

from thinktime.analysis.experiments.integrity import RESUMES, described

Answer = TypeVar("Answer")

QUIET = 15.0
"""Time without a finished run after which the scheduler is checked (s)."""
ANSWER = 60.0
"""How long the scheduler may take to answer (s)."""


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
            raise ConnectionError(
                f"the executor accepts no more runs ({described(error)[:200]}); {RESUMES}"
            ) from error

    def check(self) -> None:
        """Raise ``ConnectionError`` if the scheduler is gone."""
        if self._client is None:
            return
        if self._client.status != "running":
            raise self._lost("its connection is closed")
        try:
            self._client.sync(self._client.scheduler.identity, callback_timeout=ANSWER)
        except Exception as error:
            raise self._lost(
                f"no answer for {ANSWER:.0f} s" if _late(error) else described(error)[:200]
            ) from None

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


def _late(error: Exception) -> bool:
    return isinstance(error, TimeoutError | CancelledError) or "timed out" in str(error).lower()
