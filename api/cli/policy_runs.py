"""One policy after another on the same jobs."""

from __future__ import annotations

import os
import re
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

from thinktime.cli.layout import counted, duration, number
from thinktime.cli.progress import StatusOutput
from thinktime.cli.workload import Choice, Workload

if TYPE_CHECKING:
    from thinktime.analysis.expectations.evaluated_site import Site
    from thinktime.models.results.result import Result
    from thinktime.models.results.summary import Summary
    from thinktime.models.results.windowed import Windowed
    from thinktime.users.saving import Saving
    from thinktime.workloads.conditions import LogConditions

SCRIPT = re.compile(r"(?:^|=)([^=,:]+\.py):(\w*)")
"""The script in the text of a policy: `FILE.py:NAME`, as the whole policy or as the value of an option."""


@dataclass(frozen=True, slots=True)
class PolicyRun:
    """The result of one policy."""

    spec: str
    """The policy as given."""
    result: Result
    window: tuple[float, float] = (-inf, inf)
    """From and to (s) of what is measured."""

    @property
    def part(self) -> Windowed[Result]:
        """The part of the result that is measured."""
        return self.result.during(*self.window)

    def summary(self) -> Summary:
        """The numbers of that part."""
        return self.result.summary(*self.window)

    @property
    def jobs_per_second(self) -> float | None:
        """Simulated jobs per second of the event loop."""
        seconds = self.result.simulation_seconds
        return len(self.result) / seconds if seconds else None


def run_all(
    workload: Workload, choices: Sequence[Choice], overrun: str, status: StatusOutput, saving: Saving | None = None
) -> list[PolicyRun]:
    """Replay the jobs under each policy, after checking that every policy accepts the log."""
    check(workload, choices, overrun)
    return [replayed(workload, choice, overrun, status, workload.conditions, saving) for choice in choices]


def check(workload: Workload, choices: Sequence[Choice], overrun: str) -> None:
    """Raise ``ValueError`` for the first policy that refuses the log or cannot be combined with the machine."""
    from thinktime.users.run import checked
    from thinktime.users.sources import log

    for spec, policy in choices:
        with naming_the_line(spec):
            checked(workload.machine(policy, overrun), [log(workload.jobs).with_responses(workload.responses)])


def replayed(
    log: Workload | Site,
    choice: Choice,
    overrun: str,
    status: StatusOutput,
    dependencies: bool | LogConditions = False,
    saving: Saving | None = None,
) -> PolicyRun:
    """The result of one policy, with its progress and how long it took."""
    from thinktime.users import replay

    spec, policy = choice
    own = naming_the_line(getattr(log, "estimates", ""), "estimator")
    with status.bar(spec, float(log.trace.submit[0])) as progress, naming_the_line(spec), own:
        machine = log.machine(policy, overrun)
        who = getattr(log, "responses", ())
        result = replay(log.jobs, machine, dependencies=dependencies, responses=who, progress=progress, saving=saving)
    run = PolicyRun(spec, result)
    rate = number(run.jobs_per_second)
    status.say(f"{spec}: {counted(len(result), 'job')} in {duration(result.simulation_seconds)} ({rate} jobs/s)")
    return run


@contextmanager
def naming_the_line(spec: str, what: str = "policy") -> Iterator[None]:
    """Turn an error in a user's own policy, or what else a script has, into a sentence that names the script's line."""
    named = SCRIPT.search(spec)
    try:
        yield
    except Exception as error:
        lines = _lines(error, named[1]) if named else []
        # A call with the wrong arguments fails before the function's first line.
        misfit = named and isinstance(error, TypeError) and str(error).startswith(f"{named[2]}()")
        if not named or not (lines or misfit) or os.environ.get("THINKTIME_TRACEBACK"):
            raise
        why = f"{type(error).__name__}: {error} (THINKTIME_TRACEBACK=1 shows the traceback)"
        line = f"line {lines[-1]} of " if lines else ""
        raise ValueError(f"{what} {spec!r} failed in {line}{named[1]}: {why}") from None


def _lines(error: BaseException, path: str) -> list[int | None]:
    script = os.path.realpath(path)
    return [frame.lineno for frame in _frames(error) if os.path.realpath(frame.filename) == script]


def _frames(error: BaseException | None) -> Iterator[traceback.FrameSummary]:
    """The frames of an error's tracebacks; SimPy re-raises an error with the original one as its cause."""
    while error is not None:
        yield from traceback.extract_tb(error.__traceback__)
        error = error.__cause__
