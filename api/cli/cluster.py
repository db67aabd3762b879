"""`--dask`: the executor of a cluster."""

import os
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager, suppress
from typing import Any

from thinktime.cli import errors
from thinktime.workloads.names import shortened

PATIENCE = "30s"
"""How long a Dask scheduler may take to answer."""


@contextmanager
def executor_at(address: str | None) -> Iterator[tuple[Executor | None, int | None]]:
    """A cluster's executor and its number of threads; None for processes on this computer."""
    if address is None:
        yield None, None
        return
    try:
        from distributed import Client
    except ImportError:
        raise ValueError("--dask needs Dask: pip install 'thinktime[cluster]'") from None
    where = {"scheduler_file": address} if os.path.isfile(address) else {"address": address}
    try:
        client: Any = Client(**where, timeout=PATIENCE)  # type: ignore[no-untyped-call]
    except (OSError, ValueError, TypeError, TimeoutError) as error:  # TypeError: tls:// without certificates
        said = errors.sentence(error) or type(error).__name__
        raise ValueError(
            f"--dask {shortened(address, 100)}: no Dask scheduler answers there ({shortened(said)})"
        ) from None
    with _without_logs("distributed", "tornado", "asyncio"):
        try:
            yield client.get_executor(), max(sum(client.nthreads().values()), 1)
        finally:
            with suppress(Exception):  # the scheduler may be lost
                client.close(timeout=5)


@contextmanager
def _without_logs(*packages: str) -> Iterator[None]:
    """Suppress what these packages log; errors are reported in one sentence instead."""
    import logging

    named = [*packages, *(each for each in logging.root.manager.loggerDict if each.split(".")[0] in packages)]
    before = {each: logging.getLogger(each).level for each in named}
    try:
        for each in named:
            logging.getLogger(each).setLevel(logging.CRITICAL)
        yield
    finally:
        for each, level in before.items():
            logging.getLogger(each).setLevel(level)
