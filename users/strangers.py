"""Users and jobs that windows admit, or that have budgets, and that the log that is replayed does not have."""

from collections.abc import Sequence

from thinktime.models.machine.changing.rules import Changes
from thinktime.models.site.budget import OWNERS, Budget
from thinktime.users.source import Source
from thinktime.workloads.names import did_you_mean, quoted
from thinktime.workloads.trace import Trace


def strangers(changes: Changes | None, sources: Sequence[Source]) -> str:
    """A sentence on the first window that names a user or a job that no log has; empty if there is none.

    Only where all jobs are those of logs can it be told. User 7 and user "7" are the same, but a number is no user of
    a log whose users have names.
    """
    traces = [source.trace for source in sources if source.trace is not None]
    if changes is None or not traces or len(traces) < len(sources):
        return ""
    users = {str(user) for trace in traces for user in _users(trace)}
    jobs = {job for trace in traces for job in trace.id.tolist()} if all(each.recorded for each in sources) else None
    for window in changes.windows:
        for user in window.users:
            if str(user) not in users:
                return f"a window admits user {quoted(user)}, whom the log does not have{_instead(user, traces, users)}"
        for job in window.jobs:
            if jobs is not None and job not in jobs:
                return f"a window admits job {quoted(job)}, which the log does not have"
    return ""


def refuse_strangers(changes: Changes | None, sources: Sequence[Source]) -> None:
    """Raise ``ValueError`` for users and jobs of windows that no log has, unless they are to be noted."""
    if changes is not None and changes.strangers == "refuse" and (found := strangers(changes, sources)):
        raise ValueError(f'{found} (strangers="note", or --strangers note, allows it)')


def refuse_budgets_of_strangers(budget: Budget | None, sources: Sequence[Source]) -> None:
    """Raise ``ValueError`` for the budget of a user or an account that no log has, where all jobs are those of logs."""
    traces = [source.trace for source in sources if source.trace is not None]
    if budget is None or not traces or len(traces) < len(sources):
        return
    column = OWNERS[budget.of]
    known = {str(owner) for trace in traces for owner in _named(trace, column)}
    for owner in budget.amounts:
        if owner not in known:
            hint = did_you_mean(owner, known)
            raise ValueError(
                f"there is a budget of the {budget.of} {quoted(owner)}, which the log does not have; "
                f"{hint or 'leave it out, or check whose budgets these are (of)'}"
            )


def _named(trace: Trace, column: str) -> list[str | int]:
    names = trace.names.get(column, {})
    return [names.get(number, number) for number in sorted(set(getattr(trace, column).tolist()))]


def _users(trace: Trace) -> list[str | int]:
    return _named(trace, "user")


def _instead(user: str | int, traces: Sequence[Trace], users: set[str]) -> str:
    for trace in traces:
        if str(user).isdecimal() and (name := trace.names.get("user", {}).get(int(user))) is not None:
            return f": its users have names, and number {user} is {quoted(name)}"
    hint = did_you_mean(str(user), users)
    return f"; {hint}" if hint else ""
