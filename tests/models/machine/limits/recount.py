"""Whether a schedule keeps the limits of a site, counted from the result alone."""

import copy
from collections.abc import Iterator, Sequence
from typing import Any

from tests.models.machine.limits.rules_of_limits import Cap, SiteRules, Task
from thinktime.models.site.site import Site

NEARLY = 1e-9
"""What decays is a sum of exponentials; nothing else is rounded."""


def runs_of(tasks: Sequence[Task], result: Any) -> list[Task]:
    """The runs that jobs had, each like a job of its own; jobs that never ran are there once."""
    jobs = result.jobs.set_index("id")
    runs = None if result.history is None else result.history.runs
    found = []
    for task in tasks:
        row = jobs.loc[task.id]
        spans = [(row["start"], row["end"])]
        if runs is not None and row["start"] == row["start"]:
            mine = runs.row == list(jobs.index).index(task.id)
            spans = list(zip(runs.start[mine].tolist(), runs.end[mine].tolist(), strict=True))
        for start, end in spans:
            run = copy.copy(task)
            run.state = row["state"]
            run.start, run.until = (None if time != time else time for time in (start, end))
            found.append(run)
    return found


def exceeded(site: Site, runs: Sequence[Task], kinds: Sequence[str] = ()) -> Iterator[str]:
    """What is exceeded as some run starts, of all kinds of limits or these; first come those that hold alone."""
    rules = SiteRules(site)
    for run in runs:
        if run.start is None:
            continue
        if rules.hopeless(run) or rules.too_long(run):
            yield f"job {run.id} is beyond a limit by itself"
        for cap in rules.caps(run):
            if (not kinds or cap.kind in kinds) and not _kept(rules, cap, run, runs):
                yield f"job {run.id} starts at {run.start} beyond {cap.whose}"


def _kept(rules: SiteRules, cap: Cap, run: Task, runs: Sequence[Task]) -> bool:
    """Whether a limit was kept as a run started, the last of all that started then for which it holds as well."""
    assert run.start is not None
    others = [_as_of(other, run.start) for other in runs if other is not run and _was_there(rules, cap, other, run)]
    amount = cap.amount * (1 + NEARLY)
    return rules.within(Cap(cap.kind, amount, cap.whose, cap.among, cap.decays), run, others, run.start)


def _was_there(rules: SiteRules, cap: Cap, other: Task, run: Task) -> bool:
    """Whether a run had started; of two that start at one time, neither may be there if one is over at once."""
    if other.start is None or run.start is None or other.start != run.start:
        return other.start is not None and run.start is not None and other.start < run.start
    at_once = run.start in (other.until, run.until)
    return not at_once and cap.whose in [each.whose for each in rules.caps(other)]


def _as_of(run: Task, time: float) -> Task:
    """A run as it was at a time."""
    then = copy.copy(run)
    then.state = "running" if then.until is None or then.until > time else "over"
    return then


def _is_there(run: Task, time: float) -> bool:
    """Whether a run is not over at a time, before anything starts then: it may start and be over in one instant."""
    waited = run.start is not None and run.start >= time
    return waited or run.until is None or run.until > time


def wrongly_waiting(site: Site, runs: Sequence[Task], now: float) -> list[int]:
    """Jobs that wait at the end though nothing runs and no limit is in the way."""
    rules = SiteRules(site)
    over = [copy.copy(run) for run in runs]
    return [run.id for run in runs if run.state == "waiting" and not rules.beyond(run, over, now)]


def wrongly_there(site: Site, runs: Sequence[Task]) -> list[int]:
    """Jobs that were taken though there were too many, or refused though there was no reason to."""
    rules, taken, found = SiteRules(site), [], []
    for run in sorted(runs, key=lambda each: (each.submit, each.id)):
        there = [other for other in taken if other.submit == run.submit or _is_there(other, run.submit)]
        refused = run.state == "refused"
        if rules.refuses(run, there) != refused:
            found.append(run.id)
        if not refused:
            taken.append(run)
    return found
