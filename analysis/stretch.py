"""Measures of campaigns: response time, stretch, and the guarantees of OStrich (the ostrich paper, sections 3, 5).

Symbols, for campaign i of user u on m processors: t submission, C end of its last job (s); W = sum of n p,
its work (processor-seconds), and p_max^u its longest job (s), both as they actually ran.

    response time    C - t
    lower bound  l = max(W / m, p_max^u)
    stretch      D = (C - t) / l

Only a campaign that was served has a response time and a stretch (`thinktime.models.results.outcome`). For the others,
`elapsed` is a lower bound on the response time.

The bounds are those of OStrich. They need its virtual schedule V, which depends on the submissions and their declared
run times, not on the policy: `virtual_schedule` computes it from any result. With k the largest number of users active
in V between t and C, W_{i-1} the work of the user's campaign before, and p_max the longest job of all:

    Lemma 2      C <= t + k W_{i-1}/m + (k - 1) W_i/m + W_i/m + 2 p_max + p_max^u      (5.1)
    Theorem 1    D <= k (1 + W_{i-1}/W_i) + 3 m p_max / W_i

The paper prints 3 m p_max in the last line of Theorem 1's proof; dividing by W_i/m gives the term used here. Both are
proved for sequential jobs, exact estimates and think times of at least 0, and computed from *declared* lengths. In
other cases they are a measure, not a guarantee. With unequal shares (ours) k is the sum of the shares active in V,
divided by the user's own.

Jobs without a campaign are grouped as in OStrich: those that a user submits at one instant form one. Refused
jobs are left out. A campaign with jobs that are not over has no end (NaN).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Any, NamedTuple

import numpy as np

from thinktime.models.policies.ostrich.virtual import VirtualSchedule
from thinktime.models.results import measures
from thinktime.models.results.outcome import LABELS, Outcome, known_until, outcomes
from thinktime.models.results.result import Result
from thinktime.models.results.steps import Steps, sum_of_boxes
from thinktime.models.state import State
from thinktime.workloads.arrays import AnyArray, Codes, DataFrame, Flags, Floats, Whole, pd

TOLERANCE = 1e-6
"""Tolerance (s) for ends beyond a bound, which is computed in floating point."""


@dataclass(frozen=True, slots=True, eq=False)
class CampaignColumns:
    """The campaigns of a result as columns, one value per campaign, in order of their numbers."""

    processors: int
    number: Whole
    user: Whole
    """Code of the user, into `Result.names["user"]`; -1 for none."""
    jobs: Whole
    submit: Floats
    end: Floats
    work: Floats
    """W, the work of the campaign's jobs, processor-seconds."""
    longest: Floats
    """p_max of the campaign, s."""
    declared_work: Floats
    declared_longest: Floats
    first_id: Whole
    """The smallest job number, which orders campaigns submitted at one instant."""
    outcome: Codes
    """What became of the campaign, as codes of `Outcome`."""
    elapsed: Floats
    """The response time of a served campaign, otherwise a lower bound on it, s."""

    @property
    def served(self) -> Flags:
        """Whether all of its jobs finished or were killed."""
        return np.asarray(self.outcome == Outcome.SERVED)

    @property
    def response_time(self) -> Floats:
        """C - t, s; NaN for a campaign that was not served."""
        return np.where(self.served, self.elapsed, np.nan)

    @property
    def lower_bound(self) -> Floats:
        """L = max(W / m, p_max), s: no schedule makes the response time shorter."""
        return np.maximum(self.work / self.processors, self.longest)

    @property
    def stretch(self) -> Floats:
        """D = response time / l."""
        bound = self.lower_bound
        missing = np.full(len(bound), np.nan)
        return np.asarray(np.divide(self.response_time, bound, out=missing, where=bound > 0))


def campaign_columns(result: Result) -> CampaignColumns:
    """The campaigns of a result, with the columns that the measures need."""
    rows = np.flatnonzero(result["state"] != State.REFUSED)
    number, first, of_row = np.unique(campaign_numbers(result)[rows], return_index=True, return_inverse=True)
    count = len(number)
    # No policy has seen a job that was withdrawn at the instant of its submission.
    unseen = (result["state"] == State.WITHDRAWN) & (result["end"] == result["submit"])
    declared = np.where(unseen, 0.0, result["estimate"])[rows]
    submit = _folded(np.minimum, of_row, result["submit"][rows], np.full(count, inf))
    return CampaignColumns(
        processors=result.processors,
        number=number,
        user=result["user"][rows][first],
        jobs=np.bincount(of_row, minlength=count).astype(np.int64),
        submit=submit,
        end=_folded(np.maximum, of_row, result["end"][rows], np.full(count, -inf)),
        work=_summed(of_row, measures.area(result)[rows], count),
        longest=_folded(np.fmax, of_row, measures.actual_runtime(result)[rows], np.zeros(count)),
        declared_work=_summed(of_row, declared * result["processors"][rows], count),
        declared_longest=_folded(np.maximum, of_row, declared, np.zeros(count)),
        first_id=_folded(np.minimum, of_row, result["id"][rows], np.full(count, np.iinfo(np.int64).max)),
        outcome=_folded(np.maximum, of_row, outcomes(result)[rows], np.zeros(count, dtype=np.int8)),
        elapsed=_folded(np.maximum, of_row, known_until(result)[rows], np.full(count, -inf)) - submit,
    )


def campaign_numbers(result: Result) -> Whole:
    """The campaign of each job; jobs without one get numbers after the last, by submission and user."""
    number = result["campaign"].copy()
    alone = number < 0
    if alone.any():
        rows = np.flatnonzero(alone)
        pairs = np.stack([result["submit"][rows], result["user"][rows]])
        order = np.lexsort(pairs[::-1])
        new = (np.diff(pairs[:, order]) != 0).any(axis=0)
        number[rows[order]] = number.max() + 1 + np.concatenate([[0], new.cumsum()])
    return number


def campaign_table(result: Result) -> DataFrame:
    """One row per campaign: outcome, response time, work, longest job, lower bound (s), stretch."""
    columns = campaign_columns(result)
    names = ("jobs", "submit", "end", "response_time", "work", "longest", "lower_bound", "stretch")
    table = pd.DataFrame({name: getattr(columns, name) for name in names})
    table.insert(0, "user", _labels(result, columns.user))
    table["outcome"], table["elapsed"] = LABELS[columns.outcome], columns.elapsed
    return table.set_axis(pd.Index(columns.number, name="campaign"))


def user_table(result: Result) -> DataFrame:
    """One row per user: the number of campaigns with a stretch, their statistics, and outcomes of the others."""
    stretches, columns = stretches_by_user(result), campaign_columns(result)
    rows = [_spread(values) for values in stretches.values()]
    names = ["campaigns", "mean_stretch", "median_stretch", "p95_stretch", "max_stretch"]
    table = pd.DataFrame(rows, columns=pd.Index(names)).astype({"campaigns": np.int64})
    for outcome in (Outcome.ABANDONED, Outcome.UNFINISHED):
        counts = pd.Series(columns.user[columns.outcome == outcome]).value_counts()
        table[outcome.label] = counts.reindex(np.unique(columns.user), fill_value=0).to_numpy(dtype=np.int64)
    return table.set_axis(pd.Index(list(stretches), name="user", tupleize_cols=False))


def stretches_by_user(result: Result) -> dict[Any, Floats]:
    """The stretches of each user's served campaigns, ascending."""
    columns = campaign_columns(result)
    stretch, labels = columns.stretch, [*result.names["user"], None]
    known = ~np.isnan(stretch)
    return {labels[code]: np.sort(stretch[known & (columns.user == code)]) for code in np.unique(columns.user).tolist()}


class VirtualRecord(NamedTuple):
    """The schedule V: start and end (s) of each campaign in `campaign_columns`, and the active users."""

    start: Floats
    end: Floats
    share: Floats
    """The share of each campaign's user."""
    active: Steps
    """The number of active users over time."""
    weight: Steps
    """The sum of their shares over time: the same, where all shares are 1."""


def virtual_schedule(result: Result, shares: Mapping[Any, float] | None = None) -> VirtualRecord:
    """The virtual fair-sharing schedule of the submissions in a result, whatever policy they ran under.

    Computed to its end, as if nothing more were submitted. Under OStrich these are the policy's own times, except
    with its options `threshold` and `corrected`, which change campaigns and their work during the run.
    """
    columns = campaign_columns(result)
    virtual = VirtualSchedule(shares)
    virtual.prepare(result.names["user"], result.processors)
    share = np.array([(shares or {}).get(label, 1.0) for label in _labels(result, columns.user)], np.float64)
    order, places = np.lexsort((columns.first_id, columns.submit)), np.zeros(len(share), np.int64)
    for i in order.tolist():
        virtual.advance(columns.submit.item(i))
        places[i] = virtual.submit(columns.user.item(i), columns.submit.item(i), columns.declared_work.item(i))
    virtual.advance(inf)
    start, end = (times[places] for times in virtual.times)
    return VirtualRecord(
        start, end, share, sum_of_boxes(start, end, np.ones(len(start))), sum_of_boxes(start, end, share)
    )


def most(steps: Steps, begin: Floats, end: Floats) -> Floats:
    """The largest value of a step function in each [begin, end); its value at `begin` where this is empty."""
    if not len(steps.times):
        return np.zeros(len(begin))
    padded = np.concatenate([[0.0], steps.values, [-inf]])
    first = np.searchsorted(steps.times, begin, side="right")
    past = np.maximum(np.searchsorted(steps.times, end, side="left") + 1, first + 1)
    ranges = np.column_stack([first, past]).ravel()
    return np.asarray(np.maximum.reduceat(padded, ranges)[::2])


class StretchBounds(NamedTuple):
    """What OStrich guarantees, one value per campaign in the order of `campaign_columns`."""

    k: Floats
    """The most users active in V between submission and end."""
    preceding_work: Floats
    """W_{i-1}, processor-seconds; 0 for a user's first campaign."""
    end: Floats
    """Lemma 2: the latest end (s)."""
    stretch: Floats
    """Theorem 1: the largest stretch."""
    late: Flags
    """Whether Lemma 2 is violated: the campaign ended later, or is not over by then."""
    stretched: Flags
    """Whether Theorem 1 is violated."""


def bounds(result: Result, shares: Mapping[Any, float] | None = None) -> StretchBounds:
    """Lemma 2's and Theorem 1's bounds of every campaign, and whether they hold."""
    columns, virtual = campaign_columns(result), virtual_schedule(result, shares)
    m, work = result.processors, columns.declared_work
    longest = float(columns.declared_longest.max(initial=0.0))
    before = _preceding(columns)
    over = np.where(np.isnan(columns.end), result.now, columns.end)
    k = np.maximum(most(virtual.weight, columns.submit, over) / virtual.share, 1.0)
    end = columns.submit + (k * before + k * work) / m + 2 * longest + columns.declared_longest
    with np.errstate(divide="ignore", invalid="ignore"):
        stretch = k * (1 + before / work) + 3 * m * longest / work
        lower = np.maximum(work / m, columns.declared_longest)
        stretched = (over - columns.submit) / lower > stretch * (1 + TOLERANCE)
    return StretchBounds(k, before, end, stretch, over > end + TOLERANCE, stretched)


def bound_table(result: Result, shares: Mapping[Any, float] | None = None) -> DataFrame:
    """One row per campaign: its times in V, the bounds on its end (s) and stretch, and the actual values."""
    columns, guaranteed = campaign_columns(result), bounds(result, shares)
    virtual = virtual_schedule(result, shares)
    table = pd.DataFrame(
        {
            "user": _labels(result, columns.user),
            "virtual_start": virtual.start,
            "virtual_end": virtual.end,
            "k": guaranteed.k,
            "end": columns.end,
            "end_bound": guaranteed.end,
            "stretch": columns.stretch,
            "stretch_bound": guaranteed.stretch,
            "violated": guaranteed.late | guaranteed.stretched,
        }
    )
    return table.set_axis(pd.Index(columns.number, name="campaign"))


def _summed(of_row: Whole, values: Floats, count: int) -> Floats:
    return np.bincount(of_row, values, count).astype(np.float64)


def _folded(rule: np.ufunc, of_row: Whole, values: AnyArray, out: AnyArray) -> AnyArray:
    with np.errstate(invalid="ignore"):  # NaN means that it has not happened
        rule.at(out, of_row, values)
    return out


def _preceding(columns: CampaignColumns) -> Floats:
    order = np.lexsort((columns.first_id, columns.submit, columns.user))
    work, user = columns.declared_work[order], columns.user[order]
    before = np.zeros(len(order))
    before[order[1:]] = np.where(user[1:] == user[:-1], work[:-1], 0.0)
    return before


def _labels(result: Result, user: Whole) -> list[Any]:
    labels = [*result.names["user"], None]
    return [labels[code] for code in user.tolist()]


def _spread(stretches: Floats) -> list[float]:
    if not len(stretches):
        return [0, np.nan, np.nan, np.nan, np.nan]
    median, p95 = np.percentile(stretches, [50, 95])
    return [len(stretches), float(stretches.mean()), float(median), float(p95), float(stretches[-1])]
