"""Change the load of a log by its users, keeping its week and its bursts.

A lower load leaves out some of the users' work, and a higher one adds copies of it, under new users and shifted by
whole weeks (whole days in a log of less than two weeks). Left out or copied are a user's whole weeks up to four fifths
of the missing work, then whole days up to 96 %, then single jobs, none of which may overshoot it. Weeks and days are in
the log's time zone. Which ones are taken is drawn from ``seed``.

Except for sampling noise the week is unchanged, and so is the index of dispersion of hourly counts if users are
independent: both the variance and the mean of counts are sums over users.

Source of the idea: N. Zakay and D. Feitelson, Workload resampling for performance evaluation of parallel job
schedulers (CCPE 2014), where whole users are drawn; the finer parts are ours. Jobs without a user (-1) are
taken singly.

The recorded waits of such a log are not consistent with one machine. Fields 17 and 18 are kept if both jobs are; a
copy of a job follows the copy of the other.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from thinktime.workloads.arrays import Flags, Floats, Whole
from thinktime.workloads.shapes.of_logs import SHAPE
from thinktime.workloads.streams import Seed, stream
from thinktime.workloads.trace import Trace
from thinktime.workloads.units import DAY, WEEK
from thinktime.workloads.user_models.rhythm import local_seconds
from thinktime.workloads.user_models.sessions import owners

ENOUGH = (0.2, 0.04, 0.002)
"""The shares of the wanted work still missing at which to go on to days, to jobs, and to stop."""


@dataclass(frozen=True, slots=True)
class Scaling:
    """The result of scaling a log to a load."""

    wanted: float
    before: float
    reached: float
    left_out: int
    """The number of jobs left out."""
    copied: int
    """The number of jobs added."""

    def __str__(self) -> str:
        how = f"{self.left_out:,} jobs left out" if self.left_out else f"{self.copied:,} jobs copied"
        return f"offered load {self.reached:.4f} (wanted {self.wanted:g}, before {self.before:.4f}; {how})"


def scale_users(trace: Trace, load: float, processors: int | None = None, seed: Seed = 0) -> tuple[Trace, Scaling]:
    """Scale a log to an offered load on ``processors`` (default: the header's machine size), keeping its week.

    Jobs of the log keep their numbers; copies and their users get new ones. Raises ``ValueError`` unless the load is
    above 0, the jobs have run times and are not all submitted at once.
    """
    from thinktime.workloads.offered_load import load_factor, offered_load

    size = processors if processors is not None else trace.machine_size
    if size is None:
        raise ValueError("processors must be given: the trace's header has no machine size")
    factor = load_factor(trace.submit, trace.runtime, trace.processors, size, load)
    work = np.asarray(trace.processors * np.maximum(trace.runtime, 0.0), dtype=np.float64)
    luck = stream(seed, "users", "load")
    if factor > 1:
        out = _less(trace, work, float(work.sum()) * (1 - 1 / factor), luck)
        scaled, copied, left = _kept(trace, ~out), 0, int(out.sum())
    else:
        scaled = _more(trace, work, float(work.sum()) * (1 / factor - 1), luck)
        copied, left = len(scaled) - len(trace), 0
    before, reached = offered_load(trace, size), offered_load(scaled, size)
    return scaled, Scaling(load, before, reached, left, copied)


def _less(trace: Trace, work: Floats, surplus: float, luck: np.random.Generator) -> Flags:
    """The jobs to leave out, with ``surplus`` work; the first and the last job are kept, and so the span."""
    out = np.zeros(len(trace), dtype=bool)
    fixed = np.zeros(len(trace), dtype=bool)
    fixed[[0, -1]] = True
    missing = surplus
    for part, enough in zip(_parts(trace), ENOUGH, strict=True):
        free = np.flatnonzero(~out & ~fixed)
        for rows in _fitting(free, part[free], work, missing, enough * surplus, luck):
            out[rows] = True
            missing -= float(work[rows].sum())
    return out


def _kept(trace: Trace, keep: Flags) -> Trace:
    """The jobs kept; those that followed a job left out follow none."""
    part = trace.select(keep)
    follows = np.isin(part.preceding, part.id)
    return part.with_columns(
        preceding=np.where(follows, part.preceding, -1), think_time=np.where(follows, part.think_time, np.nan)
    )


def _more(trace: Trace, work: Floats, missing: float, luck: np.random.Generator) -> Trace:
    copies: list[tuple[Whole, float, int]] = []
    total, turn = float(work.sum()), 0
    while missing > total:  # copy everything, week by week
        missing -= total
        turn += 1
        rows = np.arange(len(trace))
        copies += [(rows[each], shift, turn) for each, shift in _moved(trace, _by(rows, _parts(trace)[0]), luck)]
    turn, wanted = turn + 1, missing
    for part, enough in zip(_parts(trace), ENOUGH, strict=True):
        taken = list(_fitting(np.arange(len(trace)), part, work, missing, enough * wanted, luck))
        missing -= sum(float(work[rows].sum()) for rows in taken)
        copies += [(rows, shift, turn) for rows, shift in _moved(trace, taken, luck)]
    return _with_copies(trace, copies)


def _parts(trace: Trace) -> tuple[Whole, Whole, Whole]:
    """Numbers per job for the user's week, the user's day, and the job itself."""
    owner, local = owners(trace), local_seconds(trace, trace.submit)
    found = [
        np.unique(np.stack([owner, np.floor(local / unit).astype(np.int64)]), axis=1, return_inverse=True)[1]
        for unit in (WEEK, DAY)
    ]
    return found[0].reshape(-1), found[1].reshape(-1), np.arange(len(trace))


def _by(rows: Whole, part: Whole) -> list[Whole]:
    order = np.argsort(part, kind="stable")
    return np.split(rows[order], np.flatnonzero(np.diff(part[order])) + 1) if len(rows) else []


def _fitting(
    rows: Whole, part: Whole, work: Floats, wanted: float, enough: float, luck: np.random.Generator
) -> Iterator[Whole]:
    """Parts in random order until at most ``enough`` work is missing, without those that would overshoot."""
    parts = _by(rows, part)
    for place in luck.permutation(len(parts)).tolist():
        if wanted <= enough:
            return
        own = float(work[parts[place]].sum())
        if 0 < own <= wanted:
            wanted -= own
            yield parts[place]


def _moved(trace: Trace, parts: list[Whole], luck: np.random.Generator) -> Iterator[tuple[Whole, float]]:
    """Each part and its shift (s, whole weeks) within the log, to another week if there is one."""
    first, last = float(trace.submit[0]), float(trace.submit[-1])
    unit = WEEK if last - first >= 2 * WEEK else DAY
    spread = luck.random(len(parts))
    for rows, where in zip(parts, spread.tolist(), strict=True):
        low = -int((float(trace.submit[rows[0]]) - first) // unit)
        high = int((last - float(trace.submit[rows[-1]])) // unit)
        others = [step for step in range(low, high + 1) if step] or [0]
        yield rows, float(others[int(where * len(others))] * unit)


def _with_copies(trace: Trace, copies: list[tuple[Whole, float, int]]) -> Trace:
    """The log and copies of some of its rows, as (rows, shift, turn), under a new user for each turn."""
    if not copies:
        return trace
    rows = np.concatenate([each for each, _, _ in copies])
    lengths = [len(each) for each, _, _ in copies]
    shift, turn = (np.repeat([copy[place] for copy in copies], lengths) for place in (1, 2))
    columns = {name: column[rows] for name, column in trace.columns.items()}
    columns["submit"] = columns["submit"] + shift
    rank = np.argsort(np.argsort(columns["submit"], kind="stable"), kind="stable")
    columns["id"] = int(trace.id.max()) + 1 + rank
    columns["user"] = _namesakes(trace, columns["user"], turn.astype(np.int64))
    if (trace.preceding > 0).any():
        _follow(trace, columns, rows, np.repeat(np.arange(len(copies)), lengths))
    both = {name: np.concatenate([column, columns[name]]) for name, column in trace.columns.items()}
    extra = None if trace.extra is None else [*trace.extra, *(trace.extra[row] for row in rows.tolist())]
    names = trace.names_of_copies(both["user"], np.concatenate([trace.user, trace.user[rows]]))
    every = np.concatenate([np.arange(len(trace)), rows])
    further = {name: column[every] for name, column in trace.further.items() if name == SHAPE}
    return Trace(both, trace.header, extra, names, trace.report.of_copies(len(both["id"])), further)


def _namesakes(trace: Trace, user: Whole, turn: Whole) -> Whole:
    """A new number for each user and turn; jobs without a user stay so."""
    known = user >= 0
    found = user.copy()
    pairs = np.stack([turn[known], user[known]])
    found[known] = int(trace.user.max()) + 1 + np.unique(pairs, axis=1, return_inverse=True)[1].reshape(-1)
    return found


def _follow(trace: Trace, columns: dict[str, NDArray[np.generic]], rows: Whole, copy: Whole) -> None:
    """Let copied jobs follow the copies of their preceding jobs, if those were copied along."""
    place = {
        (number, job): at for at, (number, job) in enumerate(zip(copy.tolist(), trace.id[rows].tolist(), strict=True))
    }
    found = [place.get(pair, -1) for pair in zip(copy.tolist(), trace.preceding[rows].tolist(), strict=True)]
    at = np.array(found, dtype=np.int64)
    columns["preceding"] = np.where(at < 0, -1, columns["id"][at])
    columns["think_time"] = np.where(at < 0, np.nan, columns["think_time"])
