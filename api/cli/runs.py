"""One policy after another on the same jobs."""

from __future__ import annotations

import os
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from thinktime.cli.durations import duration, number
from thinktime.cli.inputs import Workload
from thinktime.cli.progress import Teller

if TYPE_CHECKING:
    from thinktime.models.result import Result

DEFAULT_POLICIES = ("fcfs", "easy", "conservative")


@dataclass(frozen=True, slots=True)
class Run:
    """What one policy made of the jobs."""

    spec: str
    """The policy as it was given."""
    result: Result

    @property
    def jobs_per_second(self) -> float | None:
        """Simulated jobs per second of the event loop."""
        seconds = self.result.simulation_seconds
        return len(self.result) / seconds if seconds else None


def parse(specs: Sequence[str]) -> list[Any]:
    """A policy for each text, so that a wrong one is refused before anything is read."""
    from thinktime.models.policies import from_spec

    return [from_spec(spec) for spec in specs]


def run_all(workload: Workload, specs: Sequence[str], overrun: str, teller: Teller) -> list[Run]:
    """Replay the jobs under each policy."""
    from thinktime.models.kernels import prepare

    policies = parse(specs)
    with teller.compiling():
        for policy in policies:
            prepare(policy)
    pairs = zip(specs, policies, strict=True)
    return [_run(workload, spec, policy, overrun, teller) for spec, policy in pairs]


def _run(workload: Workload, spec: str, policy: Any, overrun: str, teller: Teller) -> Run:
    from thinktime.users import replay

    with teller.bar(spec) as progress:
        try:
            result = replay(
                workload.trace, policy, processors=workload.processors, overrun=overrun, progress=progress
            )
        except Exception as error:
            raise _users_own(spec, error) or error from None
    run = Run(spec, result)
    rate = number(run.jobs_per_second)
    teller.say(f"{spec}: {number(len(result))} jobs in {duration(result.simulation_seconds)} ({rate} jobs/s)")
    return run


def _users_own(spec: str, error: Exception) -> ValueError | None:
    """An error inside a user's own policy as one sentence that names the line; None for other errors."""
    path, ends, _ = spec.partition(".py:")
    if not ends or os.environ.get("THINKTIME_TRACEBACK"):
        return None
    script = os.path.realpath(f"{path}.py")
    lines = [frame.lineno for frame in _frames(error) if os.path.realpath(frame.filename) == script]
    if not lines:
        return None
    what = f"{type(error).__name__}: {error}"
    where = f"in line {lines[-1]} of {path}.py"
    return ValueError(f"policy {spec!r} failed {where}: {what} (THINKTIME_TRACEBACK=1 shows all)")


def _frames(error: BaseException | None) -> Iterator[traceback.FrameSummary]:
    """Where an error came through; SimPy raises it anew and keeps the first one as its cause."""
    while error is not None:
        yield from traceback.extract_tb(error.__traceback__)
        error = error.__cause__
