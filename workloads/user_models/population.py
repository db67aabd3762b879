"""The behaviour of each user of a log, as samples from which generative users draw.

A `UserModel` holds what one user did, as samples: batches (with their jobs and offsets), batches per session,
think times within a session (s of the clock), breaks between sessions (s of active time in the user's own
`WeeklyRhythm`), and the time between the first and the last session. A break runs from the end of the session
before; where the user came back before that, it runs from the last submission, and `overlaps` says so.

A user's rhythm comes from the beginnings of the user's sessions, with those of all users as a prior worth `STRENGTH`
sessions (our choice: a few sessions say little about 168 hours).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from thinktime.workloads.arrays import Flags, Floats, Whole
from thinktime.workloads.names import former_arguments, quoted
from thinktime.workloads.shapes.of_logs import SHAPE
from thinktime.workloads.streams import Seed, stream
from thinktime.workloads.trace import Trace
from thinktime.workloads.units import DAY, WEEK
from thinktime.workloads.user_models.marginals import UserMarginals
from thinktime.workloads.user_models.rhythm import WeeklyRhythm, rhythm_of
from thinktime.workloads.user_models.sessions import Sessions, owners, spans
from thinktime.workloads.withdrawn import demanded

STRENGTH = 20.0
"""How many sessions the rhythm of all users counts for in that of one user."""


@dataclass(frozen=True, slots=True, eq=False)
class UserModel:
    """One user of a log, as samples to draw from."""

    user: int
    first: float
    """The first session's first submission, s."""
    last: float
    """The last session's first submission, s."""
    bounds: Whole
    """Batch b of the user has the jobs ``rows[bounds[b] : bounds[b + 1]]``."""
    rows: Whole
    offset: Floats
    """From the batch's first submission to each of these jobs, s."""
    batches_per_session: Whole
    think_times: Floats
    """From the end of a batch to the next one of its session, s."""
    breaks: Floats
    """Between sessions, s of active time; a user with one session has those of all users."""
    overlaps: Flags
    """Whether each break starts at the last submission of the previous session instead of its end."""
    rhythm: WeeklyRhythm


@dataclass(frozen=True, slots=True, eq=False)
class Population:
    """The users of a log, in order of their numbers (without jobs that name no user), and the log itself."""

    trace: Trace
    users: tuple[UserModel, ...]
    marginals: tuple[UserMarginals, ...] = ()
    """The distributions of each user (`fit_marginals`), to draw from instead of the samples; may be empty."""
    patience: Floats = field(default_factory=lambda: np.empty(0))
    """How long each job of the trace waits before its user takes it back (s; NaN: for ever); empty if none is."""


def fit_users(trace: Trace, sessions: Sessions) -> Population:
    """Collect the samples of each user of a log."""
    of, batches = sessions.sessions, sessions.batches
    everybody = rhythm_of(trace, of.submit)
    before = of.before()
    follows = before >= 0
    overlaps = follows & (of.submit < of.end[before])
    since = np.where(overlaps, of.last_submit[before], of.end[before])
    offset = trace.submit[batches.order] - np.repeat(batches.submit, batches.jobs)
    all_breaks = (everybody.activity(of.submit) - everybody.activity(since))[follows]
    users = []
    for s, b in zip(spans(of.owner), spans(batches.owner), strict=True):
        if of.user.item(s.start) < 0:
            continue
        rhythm = rhythm_of(trace, of.submit[s], everybody.weights, STRENGTH)
        later = slice(s.start + 1, s.stop)
        breaks = rhythm.activity(of.submit[later]) - rhythm.activity(since[later])
        alone = not len(breaks)
        jobs = slice(batches.bounds.item(b.start), batches.bounds.item(b.stop))
        users.append(
            UserModel(
                user=of.user.item(s.start),
                first=of.submit.item(s.start),
                last=of.submit.item(s.stop - 1),
                bounds=batches.bounds[b.start : b.stop + 1] - jobs.start,
                rows=batches.order[jobs],
                offset=offset[jobs],
                batches_per_session=sessions.batches_per_session[s],
                think_times=sessions.think_time[b][sessions.continues[b]],
                breaks=all_breaks if alone else breaks,
                overlaps=overlaps[follows] if alone else overlaps[later],
                rhythm=rhythm,
            )
        )
    patience = trace.patience if trace.withdrawn.any() else np.empty(0)
    return Population(demanded(trace), tuple(users), patience=patience)


@dataclass(frozen=True, slots=True)
class Draw:
    """One user of a drawn population: which user of the log, the number of the copy, and the shift (s)."""

    place: int
    copy: int
    shift: float


class Round(NamedTuple):
    """A log whose end is followed by its beginning."""

    unit: float
    """Users move by multiples of this: a week, or a day in a log of less than two weeks (s)."""
    units: int
    """How many of them the log has, the last one included that is not full."""

    @classmethod
    def of(cls, span: tuple[float, float]) -> Round:
        """A log that is submitted in this time (s)."""
        length = span[1] - span[0]
        unit = WEEK if length >= 2 * WEEK else DAY
        return cls(unit, int(length // unit) + 1)

    @property
    def length(self) -> float:
        """How long it takes to go round, s."""
        return self.unit * self.units


def draw_users(
    first: Floats,
    last: Floats,
    span: tuple[float, float],
    seed: Seed,
    population: float = 1.0,
    replace: bool = True,
    log: Round | None = None,
) -> list[Draw]:
    """Draw users of a log who are active from ``first`` to ``last`` (s), each shifted by whole weeks.

    ``population`` is the number of users drawn per user of the log. With ``replace`` they are drawn independently,
    without it equally often, and the remainder at random. Each user is shifted by a random whole number of weeks
    within ``span`` (s), so that days and weeks stay aligned, and copies of a user differently as long as there are
    weeks left. In a ``log`` that goes round, users are shifted by its unit, and round it if they have fewer places
    within it than copies, or only one.
    """
    if not 0 < population < np.inf:
        raise ValueError(f"population must be a finite number above 0, not {quoted(population)}")
    n, rng = len(first), stream(seed, "users", "resampling")
    wanted = max(1, round(population * n)) if n else 0
    if replace or not n:
        chosen = rng.integers(0, n, wanted) if n else np.empty(0, np.int64)
    else:
        chosen = np.concatenate([np.tile(np.arange(n), wanted // n), rng.permutation(n)[: wanted % n]])
    unit = WEEK if log is None else log.unit
    low = -np.floor((first - span[0]) / unit).astype(np.int64)
    high = np.floor((span[1] - last) / unit).astype(np.int64)
    if log is not None:
        fixed = high - low + 1 < np.maximum(2, np.bincount(chosen, minlength=n))
        low, high = np.where(fixed, 0, low), np.where(fixed, log.units - 1, high)
    left: dict[int, list[int]] = {}
    copies: dict[int, int] = {}
    draws = []
    for place, part in zip(chosen.tolist(), rng.random(wanted).tolist(), strict=True):
        shifts = left.get(place) or list(range(low.item(place), high.item(place) + 1))
        copies[place] = copies.get(place, 0) + 1
        draws.append(Draw(place, copies[place], shifts.pop(int(part * len(shifts))) * unit))
        left[place] = shifts
    return draws


@former_arguments(load="population")
def resample(trace: Trace, seed: Seed, population: float = 1.0, replace: bool = True) -> Trace:
    """Draw a log with ``population`` times as many users as ``trace`` (with replacement, or evenly).

    Each user is moved by whole weeks (in a log of less than two weeks, by whole days), so that hours and days stay
    aligned. A user whose jobs fit the log in several places is moved as a whole. One who spans the log, or of whom
    there are more copies than places, is moved *round* it: what would come after its end comes at its beginning, and
    a session on that border is cut in two. The log goes round after the whole number of weeks above its span, so that
    the drawn log may be up to a week longer. No job of a copy comes at the same second as the job that it is a copy
    of, unless there are more copies than weeks. Users and jobs are numbered from 1.

    Source: N. Zakay and D. Feitelson, Workload resampling for performance evaluation of parallel job schedulers
    (CCPE 2014), where temporary users are drawn for each week, and long-term users begin in a random one. Who is a
    long-term user, and that copies are moved differently, is our choice.

    Raises ``ValueError`` if the log names no users.
    """
    known = trace.user >= 0
    if not known.any():
        raise ValueError("users cannot be drawn from this log: none of its jobs names a user (field 12)")
    rows = np.flatnonzero(known)
    owner = owners(trace)[rows]
    order = rows[np.argsort(owner, kind="stable")]
    bounds = np.concatenate([[0], np.cumsum(np.bincount(owner))])
    first, last = trace.submit[order[bounds[:-1]]], trace.submit[order[bounds[1:] - 1]]
    span = float(trace.submit[0]), float(trace.submit[-1])
    log = Round.of(span)
    draws = draw_users(first, last, span, seed, population, replace, log)
    parts = [order[bounds[draw.place] : bounds[draw.place + 1]] for draw in draws]
    chosen = np.concatenate(parts)
    lengths = [len(part) for part in parts]
    columns = {name: column[chosen] for name, column in trace.columns.items()}
    since = columns["submit"] - span[0] + np.repeat([draw.shift for draw in draws], lengths)
    columns["submit"] = span[0] + since % log.length
    columns["user"] = np.repeat(np.arange(1, len(draws) + 1), lengths)
    columns["id"] = 1 + np.argsort(np.argsort(columns["submit"], kind="stable"), kind="stable")
    columns["preceding"], columns["think_time"] = np.full(len(chosen), -1), np.full(len(chosen), np.nan)
    extra = None if trace.extra is None else [trace.extra[row] for row in chosen.tolist()]
    names = trace.names_of_copies(columns["user"], trace.user[chosen])
    further = {name: column[chosen] for name, column in trace.further.items() if name == SHAPE}
    return Trace(columns, trace.header, extra, names, trace.report.of_copies(len(chosen)), further)
