"""Sessions, batches and campaigns: groups of a user's jobs.

Number the jobs of one user 1, 2, … in order of (submit, id). Job j is submitted at s_j and ends at e_j = s_j +
wait + run time as recorded (a missing or negative wait is 0, as under the policy ``recorded``). A job begins a new
*session* iff, with a threshold T,

* ``arrival``: s_j - s_{j-1} > T (60 min; recommended by Zakay and Feitelson),
* ``last``: s_j - e_{j-1} > T (20 min),
* ``max``: s_j - max e_i over the jobs i < j of the session > T (20 min).

Within a session, a job begins a new *batch* iff it is submitted at or after the end of all jobs of the previous
batch: the jobs of a batch were submitted without waiting for each other. The *think time* before a batch is its
first submission minus the last end of the user's previous batch. If the two overlap (only across sessions), it is
negative and kept as such.

A *campaign* is the jobs that a user submits within a threshold of the campaign's first one. This is how campaign
policies, and the SLURM plugin, group the jobs of a log.

Each job without a user (-1) is a session, a batch and a campaign of its own.

Source: N. Zakay and D. Feitelson, On identifying user session boundaries in parallel workload logs (JSSPP
2012); the thresholds are theirs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np

from thinktime.workloads.arrays import Flags, Floats, Whole
from thinktime.workloads.grid import to_grid
from thinktime.workloads.names import former_arguments, quoted
from thinktime.workloads.trace import Trace
from thinktime.workloads.units import MINUTE, Duration, as_seconds

DELIMITATIONS = ("arrival", "last", "max")
"""What ends a session: a gap after a submission, after the end of the last job, or after the latest end of all."""

THRESHOLDS = {"arrival": 60.0 * MINUTE, "last": 20.0 * MINUTE, "max": 20.0 * MINUTE}
"""The default threshold of each delimitation, s."""


@dataclass(frozen=True, eq=False)
class Groups:
    """Sessions, batches or campaigns, numbered by (user, first submission), as columns.

    `of_job` is the group of each job of the trace. The jobs of group g are ``order[bounds[g] : bounds[g + 1]]``,
    rows of the trace by (submit, id).
    """

    of_job: Whole
    order: Whole
    bounds: Whole
    user: Whole
    """The user's number in the log; -1 for none."""
    owner: Whole
    """A code per user, counted from 0; each job without a user has its own."""
    submit: Floats
    """When the first job of each group is submitted, s."""
    last_submit: Floats
    """When the last job of each group is submitted, s."""
    end: Floats
    """When the last job of each group is over, s."""

    def __len__(self) -> int:
        return len(self.submit)

    @property
    def jobs(self) -> Whole:
        """The number of jobs of each group."""
        return np.diff(self.bounds)

    @property
    def response(self) -> Floats:
        """From the first submission to the last end, s."""
        return self.end - self.submit

    def before(self) -> Whole:
        """For each group, the user's previous one; -1 for a user's first."""
        numbers = np.arange(-1, len(self) - 1)
        return np.where(np.diff(self.owner, prepend=-1) != 0, -1, numbers)


@dataclass(frozen=True, eq=False)
class Sessions:
    """The sessions and batches of a log under one delimitation."""

    delimitation: str
    threshold: float
    submit: Floats
    """When each job of the trace was submitted, s."""
    end: Floats
    """When each job ended, s."""
    sessions: Groups
    batches: Groups

    @cached_property
    def session_of_batch(self) -> Whole:
        """The session of each batch."""
        return self.sessions.of_job[self.batches.order[self.batches.bounds[:-1]]]

    @cached_property
    def think_time(self) -> Floats:
        """The think time before each batch, s; NaN for a user's first."""
        before = self.batches.before()
        return np.where(before < 0, np.nan, self.batches.submit - self.batches.end[before])

    @cached_property
    def response_before(self) -> Floats:
        """The response time (s) of the user's previous batch; NaN for a user's first."""
        before = self.batches.before()
        return np.where(before < 0, np.nan, self.batches.response[before])

    @cached_property
    def continues(self) -> Flags:
        """Whether each batch continues the session of the user's previous batch."""
        same: Flags = np.diff(self.session_of_batch, prepend=-1) == 0
        return same

    @property
    def batches_per_session(self) -> Whole:
        """The number of batches of each session."""
        return np.bincount(self.session_of_batch, minlength=len(self.sessions))

    def moved(self, submit: Floats) -> Sessions:
        """The same sessions and batches after the jobs' submissions have been moved to ``submit`` (s), in this order.

        Ends are moved along with the clock: one between two submissions stays as far between them.
        """
        if len(submit) != len(self.submit) or (np.diff(submit) < 0).any():
            raise ValueError("moved submissions must be those of the same jobs, in the same order")
        if not len(submit):
            return self

        def clock(time: Floats) -> Floats:
            late = np.maximum(time - self.submit[-1], 0.0)
            found: Floats = to_grid(np.interp(time, self.submit, submit) + late)
            return found

        groups = (
            replace(each, submit=clock(each.submit), last_submit=clock(each.last_submit), end=clock(each.end))
            for each in (self.sessions, self.batches)
        )
        return Sessions(self.delimitation, self.threshold, submit, clock(self.end), *groups)

    def job_think_times(self) -> Floats:
        """For each job of the trace, s_j - e_{j-1} (s) after the user's previous job; NaN for the first.

        Shmueli and Feitelson's measure; it is negative if the job was submitted without waiting.
        """
        order = self.sessions.order
        owner = self.sessions.owner[self.sessions.of_job[order]]
        submit = self.submit[order]
        gap = np.full(len(order), np.nan)
        same = owner[1:] == owner[:-1]
        gap[1:] = np.where(same, submit[1:] - self.end[order][:-1], np.nan)
        think = np.empty(len(order))
        think[order] = gap
        return think


@former_arguments(by="delimitation")
def delimit(trace: Trace, delimitation: str = "arrival", threshold: Duration | None = None) -> Sessions:
    """The sessions and batches of a log; ``delimitation`` is one of `DELIMITATIONS`, ``threshold`` (s) its T.

    Raises ``ValueError`` for a log without waits, since the ends of its jobs are unknown.
    """
    if delimitation not in DELIMITATIONS:
        raise ValueError(f"delimitation is {quoted(delimitation)}, but must be one of {', '.join(DELIMITATIONS)}")
    limit = THRESHOLDS[delimitation] if threshold is None else float(as_seconds("threshold", threshold))
    if not limit >= 0:
        raise ValueError(f"threshold is {quoted(threshold)}, but must be at least 0 s")
    end = recorded_ends(trace)
    owner = owners(trace)
    order = np.argsort(owner, kind="stable")  # the rows of a trace are in order of (submit, id)
    user, submit, over = owner[order], trace.submit[order], end[order]
    first = np.diff(user, prepend=-1) != 0
    if delimitation == "arrival":
        since = np.concatenate([[0.0], submit[:-1]])
    elif delimitation == "last":
        since = np.concatenate([[0.0], over[:-1]])
    else:
        # The user's earlier sessions ended before this one began, so the maximum over all earlier jobs of the
        # user is the maximum over those of the session.
        since = _latest_before(over, np.cumsum(first))
    opens = first | (submit - since > limit)
    batch_opens = opens | (submit >= _latest_before(over, np.cumsum(opens)))
    groups = [_groups(trace, owner, order, end, starts) for starts in (opens, batch_opens)]
    return Sessions(delimitation, limit, trace.submit, end, *groups)


def campaigns(trace: Trace, threshold: Duration = 0.0) -> Groups:
    """The campaigns of a log: jobs of one user submitted at most ``threshold`` (s) after the campaign's first.

    Ends are as recorded; they are NaN in a log without waits.
    """
    threshold = as_seconds("threshold", threshold)
    if not threshold >= 0:
        raise ValueError(f"threshold is {quoted(threshold)}, but must be at least 0 s")
    owner = owners(trace)
    order = np.argsort(owner, kind="stable")
    user, submit = owner[order], trace.submit[order]
    opens = np.diff(user, prepend=-1) != 0
    if threshold:
        for own in spans(user):
            place, times = own.start, submit[own]
            while place < own.stop:  # one step per campaign
                opens[place] = True
                place = own.start + int(np.searchsorted(times, submit[place] + threshold, side="right"))
    else:
        opens |= np.diff(submit, prepend=np.nan) != 0
    known = len(trace) and not np.isnan(trace.wait).all()
    end = recorded_ends(trace) if known else np.full(len(trace), np.nan)
    return _groups(trace, owner, order, end, opens)


def recorded_ends(trace: Trace) -> Floats:
    """The recorded end of each job, s; a missing or negative wait is 0."""
    if len(trace) and np.isnan(trace.wait).all():
        raise ValueError(
            "the log has no waits (field 3), so it is unknown when its jobs ended; "
            "`thinktime replay LOG --out DIR` simulates it and writes a log with waits, DIR/POLICY/schedule.swf"
        )
    wait: Floats = np.nan_to_num(trace.wait, nan=0.0).clip(min=0.0)
    return trace.submit + wait + trace.runtime


_OWNERS: WeakKeyDictionary[Trace, Whole] = WeakKeyDictionary()


def owners(trace: Trace) -> Whole:
    """A code per job, counted from 0 and equal for the jobs of one user; jobs without a user have their own.

    It is kept as long as the log, since it is asked for again and again.
    """
    if trace in _OWNERS:
        return _OWNERS[trace]
    known = trace.user >= 0
    users, code = np.unique(trace.user[known], return_inverse=True)
    owner = np.empty(len(trace), np.int64)
    owner[known] = code
    owner[~known] = len(users) + np.arange(int((~known).sum()))
    owner.flags.writeable = False
    _OWNERS[trace] = owner
    return owner


def _latest_before(over: Floats, group: Whole) -> Floats:
    """For each place, the latest of ``over`` among the earlier places of its group; -inf for the first.

    Groups and ranks of times are encoded in one whole number, so that one running maximum is enough.
    """
    if not len(over):
        return over
    times, rank = np.unique(over, return_inverse=True)
    highest = np.maximum.accumulate(group * len(times) + rank)
    latest = np.concatenate([[-np.inf], times[highest[:-1] % len(times)]])
    latest[np.diff(group, prepend=-1) != 0] = -np.inf
    return latest


def _groups(trace: Trace, owner: Whole, order: Whole, end: Floats, opens: Flags) -> Groups:
    begin = np.flatnonzero(opens)
    bounds = np.append(begin, len(order))
    of_job = np.empty(len(order), np.int64)
    of_job[order] = np.cumsum(opens) - 1
    first = order[begin]
    last_end = np.maximum.reduceat(end[order], begin) if len(begin) else np.empty(0)
    return Groups(
        of_job=of_job,
        order=order,
        bounds=bounds,
        user=trace.user[first],
        owner=owner[first],
        submit=trace.submit[first],
        last_submit=trace.submit[order[bounds[1:] - 1]],
        end=last_end,
    )


def spans(owner: Whole) -> list[slice]:
    """The slices of equal owners, which are contiguous."""
    begin = np.flatnonzero(np.diff(owner, prepend=-1)).tolist()
    return [slice(a, b) for a, b in zip(begin, [*begin[1:], len(owner)], strict=True)] if begin else []
