"""Fit users to a log, and say how well they foretell the part of it that they were not fitted to."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from thinktime.workloads.arrays import Flags, Floats, Whole
from thinktime.workloads.calibration.beyond import beyond
from thinktime.workloads.calibration.calendar import Calendar
from thinktime.workloads.calibration.effects import BLIND, REACTING, Structure
from thinktime.workloads.calibration.fit import Classes, Fitting
from thinktime.workloads.calibration.pieces import Pieces, pieces_of
from thinktime.workloads.calibration.users import Score, Users
from thinktime.workloads.calibration.withdrawals import fit_withdrawals
from thinktime.workloads.trace import Trace
from thinktime.workloads.user_models.sessions import owners

LEAST = 10
"""With fewer gaps between batches, nothing can be fitted."""
FITTED = 2 / 3
"""The part of a log that models are fitted to which are scored on the rest."""
WORST = -100.0
"""A gap that a model has as impossible counts as this, nats."""
CHOSEN = "calibrated"
COMPARED: dict[str, tuple[Structure, Sequence[str]]] = {
    "renewal": (BLIND, ("age",)),
    "clock": (BLIND, BLIND.effects),
    "feedback": (REACTING, ("age", "end")),
    "reacting": (REACTING, ("age", "end", "clock", "clock by regime", "response")),
}
"""Models that are told beside the chosen one: the time since the last submission alone; with the clock; the time since
the last end; with the clock and the response time."""

Progress = Callable[[int, int], None]
"""Called with the number of steps done, and of all."""


def calibrate(
    trace: Trace, *, score: bool = True, until: float | None = None, progress: Progress | None = None
) -> Users:
    """Fit the users of a log with waits.

    With ``score``, the same is done with the first two thirds of the log, and its models are scored on the last third.
    ``progress`` is told how much is done. The users are those who go on, whenever the log ends; with ``until`` (s),
    whoever has not submitted again by then may have gone away (`thinktime.workloads.calibration.pieces`).

    Linear algebra has one thread meanwhile: several wait for each other on a busy machine, at 20 times the CPU time.

    ``ValueError`` for a log without users or waits, or with fewer than `LEAST` gaps between the batches of its users.

    >>> import thinktime as tt
    >>> hours = [0, 2, 3, 7, 9, 10, 12, 24, 25, 30, 31, 36]
    >>> submit = [3600.0 * hour for hour in hours]
    >>> columns = {"submit": submit, "runtime": [600] * 12, "wait": [0] * 12, "allocated": [1] * 12, "user": [7] * 12}
    >>> log = tt.Trace(columns)
    >>> users = tt.calibrate(log)
    >>> users.gaps, users.names.tolist()
    (11, [7])
    >>> result = tt.run(tt.MachineSpec(1, "fcfs"), tt.sources.calibrated(log, users))
    >>> result["submit"].tolist() == submit  # what happens is as recorded, and so is what the user does
    True
    """
    import scipy.linalg  # noqa: F401 - with a library of its own, which has to be there to be told
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1, "blas"):
        return _calibrated(trace, score, until, progress)


def _calibrated(trace: Trace, score: bool, until: float | None, progress: Progress | None) -> Users:
    if not (trace.user >= 0).any():
        raise ValueError("the log does not say who submitted its jobs (field 12), so no users can be fitted to it")
    calendar = Calendar.of_log(trace)
    if until is not None and until < trace.submit.max(initial=until):
        raise ValueError(
            f"until is {until:g} s, but the log has jobs that were submitted later: it must not be earlier"
        )
    pieces = pieces_of(trace, calendar, until)
    gaps = int(pieces.ended.sum())
    if gaps < LEAST:
        raise ValueError(f"users submit again only {gaps} times in this log, and a fit needs {LEAST} times")
    count = int(owners(trace).max()) + 1
    steps = 2 + len(COMPARED) if score else 1

    def tell(done: int) -> None:
        if progress is not None:
            progress(done, steps)

    tell(0)
    fitting = Fitting(pieces, count)
    found, evidence = fitting.chosen()
    tell(1)
    held_out = _held_out(trace, pieces, count, tell) if score else {}
    known = np.unique(trace.user[trace.user >= 0])
    return Users(
        names=known,
        class_of=found.class_of[: len(known)],
        classes=tuple(each.found for each in found.hazards),
        waits=fitting.waits[: len(known)],
        calendar=calendar,
        clockwork=found.clockwork[: len(known)],
        withdrawals=fit_withdrawals(trace, count),
        jobs=len(trace),
        gaps=gaps,
        evidence=evidence,
        beyond=beyond(trace, calendar, fitting, found),
        **held_out,
    )


@lru_cache(4)
def fitted_once(trace: Trace) -> Users:
    """The users of a log, without any score; those of the last few logs are kept."""
    return calibrate(trace, score=False)


def _held_out(trace: Trace, pieces: Pieces, users: int, tell: Callable[[int], None]) -> dict[str, Any]:
    """The scores of all models on the last third, and how its residuals are distributed."""
    from scipy import stats

    border = trace.submit[0] + FITTED * (trace.submit[-1] - trace.submit[0])
    first: Flags = pieces.submit < border
    later = ~first & pieces.ended
    if min(first.sum(), later.sum()) < LEAST:
        return {}
    fitting = Fitting(pieces, users, first)
    everybody = np.ones(users, bool)
    models = {CHOSEN: fitting.chosen()[0]}
    tell(2)
    for number, (name, (structure, effects)) in enumerate(COMPARED.items()):
        models[name] = Classes((fitting.fit(structure, effects, everybody),), ~everybody)
        tell(3 + number)
    rows = pieces.rows()[0]
    owner = pieces.factors["owner"][pieces.last]
    by_gap = {name: np.maximum(fitting.scores(each.eta(rows)), WORST)[later] for name, each in models.items()}
    scores = {name: Score(float(of.mean()), _error(of - by_gap[CHOSEN], owner[later])) for name, of in by_gap.items()}
    residuals = fitting.residuals(models[CHOSEN].eta(rows))[later]
    test = stats.kstest(residuals, "expon")
    return {"scores": scores, "residuals": residuals, "rescaled": (float(test.statistic), float(test.pvalue))}


def _error(difference: Floats, owner: Whole) -> float:
    """The standard error of a mean over gaps, whose users are independent."""
    sums = np.bincount(owner, difference - difference.mean())
    return float(np.sqrt((sums**2).sum())) / len(difference)
