"""The link to whoever makes the runs elsewhere: whether a Dask scheduler is still there.

An executor gives up runs one by one when its scheduler has gone, or never says anything again. Neither is a
fault of the runs. So whenever nothing has come for a while, and whenever a run did not come back, the scheduler
is asked whether it is there.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from typing import Any, TypeVar

from thinktime.analysis.experiments.integrity import GOES_ON

Answer = TypeVar("Answer")

QUIET = 15.0
"""s without any news after which a scheduler is asked."""
ANSWER = 60.0
"""s that it may take to answer."""


class Link:
    """The link to an executor; one that is no Dask client is trusted."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        client = getattr(executor, "_client", None)
        self._client: Any = client if hasattr(client, "scheduler_info") and hasattr(client, "sync") else None

    @property
    def patience(self) -> float | None:
        """How long to wait for news before the link is looked at (s); None for ever."""
        return None if self._client is None else QUIET

    def submit(self, function: Callable[..., Answer], *values: Any) -> Future[Answer]:
        """Hand a run out; ``ConnectionError`` if nobody takes it."""
        try:
            return self._executor.submit(function, *values)
        except Exception as error:
            self.check()
            raise ConnectionError(f"the executor takes no more runs ({_said(error)}); {GOES_ON}") from error

    def check(self) -> None:
        """``ConnectionError`` if the scheduler is gone."""
        if self._client is None:
            return
        if self._client.status != "running":
            raise self._lost("its connection is closed")
        try:
            self._client.sync(self._client.scheduler.identity, callback_timeout=ANSWER)
        except Exception as error:
            raise self._lost(f"no answer for {ANSWER:.0f} s" if _late(error) else _said(error)) from None

    def check_after(self, future: Future[Any]) -> None:
        """``ConnectionError`` if a run did not come back because whoever should make it is gone."""
        if future.cancelled():
            self.check()
            return
        error = future.exception()
        if isinstance(error, BrokenExecutor):
            raise ConnectionError(f"the executor is broken ({_said(error)}); {GOES_ON}")
        if error is not None:
            self.check()

    def _lost(self, why: str) -> ConnectionError:
        address = getattr(getattr(self._client, "scheduler", None), "address", None)
        where = f" at {address}" if address else ""
        return ConnectionError(f"the Dask scheduler{where} was lost ({why}); {GOES_ON}")


def _late(error: Exception) -> bool:
    return isinstance(error, TimeoutError | CancelledError) or "timed out" in str(error).lower()


def _said(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:200]
