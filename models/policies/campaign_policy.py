"""Policies that schedule campaigns: all users' campaigns by priority, and the jobs of each in an order of its own.

A campaign is what a user submits together: jobs submitted with ``submit_campaign``; else the jobs that a
user submits at one instant, or, with a ``threshold``, within that many seconds of the campaign's first job
(the SLURM plugin's rule, since a log has no campaigns). Whenever processors are free, the next job of the
most urgent campaign starts. Sequential jobs need no more than that. Parallel jobs are given to EASY in the same order
(``backfilling=easy``), or start strictly in that order (``backfilling=none``).

Within a campaign: ``lpt`` longest estimate first, ``spt`` shortest first, ``fcfs`` as submitted, ``mlpt``
(see `mlpt_order`). Source: the ostrich paper, sections 3 and 4.
"""

from bisect import insort
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thinktime.models.kernels import passes
from thinktime.models.kernels.rules import decide
from thinktime.models.policies.base import NOBODY, Proposal, Rows
from thinktime.models.policies.entry import ReadyPolicy
from thinktime.models.policies.options import one_of
from thinktime.models.policies.virtual import Campaign
from thinktime.models.view import View

WITHIN = ("lpt", "spt", "fcfs", "mlpt")
BACKFILLING = ("easy", "none")


class CampaignPolicy(ReadyPolicy):
    """Base of the campaign policies. Subclasses define how urgent a campaign is (`urgency`, smaller first)."""

    def __init__(self, within: str = "lpt", backfilling: str = "easy", threshold: float = 0.0) -> None:
        if isinstance(threshold, bool) or not isinstance(threshold, int | float) or not threshold >= 0:
            raise ValueError(f"threshold is {threshold!r}, but must be at least 0 s")
        self.within = one_of("within", within, WITHIN)
        self.backfilling = one_of("backfilling", backfilling, BACKFILLING)
        self.threshold = threshold
        self.ready: list[tuple[Any, Campaign]] = []  # with jobs to start, most urgent first
        self._positions: dict[int, int] = {}
        self._latest: dict[int, Campaign] = {}
        self._counts: dict[int, int] = {}
        self._widest = 1

    # -- what a subclass defines --------------------------------------------------------

    def urgency(self, campaign: Campaign) -> float:
        """Smaller is more urgent; ties go to (submit, user, campaign)."""
        raise NotImplementedError

    def enter(self, view: View, campaign: Campaign, now: float) -> None:
        """A campaign was submitted; by default it is ready at once."""
        self.make_ready(campaign)

    def waits(self, campaign: Campaign) -> bool:
        """Whether the campaign's jobs may not start yet; by default they always may."""
        return False

    def extend(self, view: View, campaign: Campaign, work: float, now: float) -> None:
        """Jobs joined a campaign after its submission; by default only its work grows."""
        campaign.work += work

    # -- the hooks of a policy ----------------------------------------------------------

    def on_submit(self, view: View, rows: Rows, now: float) -> None:
        """Group the new jobs into campaigns."""
        jobs = view.requests
        self._widest = max(self._widest, int(jobs.processors[rows].max()))
        for members in _groups(jobs.campaign[rows], jobs.user[rows], rows):
            work = float((jobs.estimate[members] * jobs.processors[members]).sum())
            user, declared = jobs.user.item(members[0]), jobs.campaign.item(members[0]) >= 0
            latest = self._latest.get(user)
            if latest is not None and not declared and self._joins(latest, now):
                self._join(view, latest, members, work, now)
            else:
                self._found(view, user, members, work, now, declared)

    def on_withdraw(self, view: View, rows: Rows, now: float) -> None:
        """Forget jobs that have left the queue."""
        gone = set(rows.tolist())
        for campaign in self.campaigns():
            left = campaign.rows[campaign.started :]
            kept = [row for row in left.tolist() if row not in gone]
            if len(kept) < len(left):
                campaign.rows = np.concatenate([campaign.rows[: campaign.started], np.array(kept, np.int64)])
        self.ready = [entry for entry in self.ready if entry[1].left]

    def select(self, view: View, now: float) -> Proposal:
        """Start the next jobs of the most urgent campaigns."""
        if not view.free or not self.ready:
            return NOBODY
        if self.within == "mlpt":
            self._reorder_first(view)
        if self._widest == 1 and view.width == 1:
            return self._take(view.free)
        return self._backfill(view, now)

    def options(self) -> dict[str, Any]:
        """What sets this policy apart from others of its rule."""
        return {"within": self.within, "backfilling": self.backfilling, "threshold": f"{self.threshold:.15g}"}

    # -- campaigns ----------------------------------------------------------------------

    def campaigns(self) -> list[Campaign]:
        """Every campaign with jobs that have not started; subclasses add those that they hold back."""
        return [campaign for _, campaign in self.ready]

    def make_ready(self, campaign: Campaign) -> None:
        """The campaign's jobs may start from now on."""
        if campaign.left:
            insort(self.ready, self._entry(campaign))

    def _entry(self, campaign: Campaign) -> tuple[Any, Campaign]:
        key = (self.urgency(campaign), campaign.submit, campaign.position, campaign.index)
        return key, campaign

    def _found(self, view: View, user: int, rows: Rows, work: float, now: float, declared: bool) -> None:
        """A new campaign."""
        position = self._positions.setdefault(user, len(self._positions))
        index = self._counts[user] = self._counts.get(user, -1) + 1
        number = view.requests.campaign.item(rows[0])
        campaign = Campaign(number, user, position, index, now, work, self._arranged(view, rows))
        if not declared and self.threshold > 0:
            self._latest[user] = campaign
        self.enter(view, campaign, now)

    def _joins(self, campaign: Campaign, now: float) -> bool:
        return now <= campaign.submit + self.threshold

    def _join(self, view: View, campaign: Campaign, rows: Rows, work: float, now: float) -> None:
        """Add jobs to a known campaign."""
        left = np.concatenate([campaign.rows[campaign.started :], rows])
        campaign.rows = np.concatenate(
            [campaign.rows[: campaign.started], self._arranged(view, np.sort(left))]
        )
        self.extend(view, campaign, work, now)
        self.ready = sorted(self._entry(other) for _, other in self.ready if other is not campaign)
        if not self.waits(campaign):
            self.make_ready(campaign)

    def _arranged(self, view: View, rows: Rows) -> Rows:
        """A campaign's rows (by id) in the order in which they start."""
        if self.within == "fcfs" or len(rows) < 2:
            return rows.copy()
        sign = 1.0 if self.within == "spt" else -1.0
        return rows[np.argsort(sign * view.requests.estimate[rows], kind="stable")]

    # -- starts -------------------------------------------------------------------------

    def _take(self, free: int) -> Rows:
        """The first ``free`` sequential jobs."""
        first = self.ready[0][1]
        if first.left > free:
            rows = first.rows[first.started : first.started + free]
            first.started += free
            return rows
        parts = []
        while free > 0 and self.ready:
            campaign = self.ready[0][1]
            rows = campaign.rows[campaign.started : campaign.started + free]
            campaign.started += len(rows)
            free -= len(rows)
            parts.append(rows)
            if not campaign.left:
                self.ready.pop(0)
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _backfill(self, view: View, now: float) -> Rows:
        """EASY, or strict order, over the jobs of all ready campaigns."""
        queue = np.concatenate([campaign.rows[campaign.started :] for _, campaign in self.ready])
        rule = passes.make_greedy(np.array([passes.STRICT if self.backfilling == "none" else passes.EASY]))
        rows = view.started[: decide(view.state, rule, now, queue)]
        if len(rows):
            self._mark_started(rows)
        return rows

    def _mark_started(self, rows: Rows) -> None:
        started = set(rows.tolist())
        for _, campaign in self.ready:
            left = campaign.rows[campaign.started :].tolist()
            first = [row for row in left if row in started]
            if first:
                rest = [row for row in left if row not in started]
                campaign.rows = np.array(
                    [*campaign.rows[: campaign.started].tolist(), *first, *rest], np.int64
                )
                campaign.started += len(first)
        self.ready = [entry for entry in self.ready if entry[1].left]

    def _reorder_first(self, view: View) -> None:
        """Put first those jobs of the most urgent campaign that MLPT assigns to the processors that are free now."""
        campaign = self.ready[0][1]
        left = campaign.rows[campaign.started :]
        left = left[np.argsort(-view.requests.estimate[left], kind="stable")]
        order = mlpt_order(
            view.requests.estimate[left], np.maximum(view.expected_ends() - view.now, 0.0), view.free
        )
        campaign.rows = np.concatenate([campaign.rows[: campaign.started], left[order]])


def mlpt_order(lengths: NDArray[np.float64], busy: NDArray[np.float64], free: int) -> NDArray[np.intp]:
    """MLPT for sequential jobs: the order of the jobs in which the ``free`` processors should take them.

    Lee (Discrete Applied Mathematics 30, 1991) treats the time for which a processor is still busy as one more job
    and applies LPT to all of them, with at most one such time for each processor; the processors that got none
    are the free ones. Here: ``lengths`` (which must descend) and the remaining times ``busy`` of running jobs,
    longest first, each to the processor with the least load. Then the longest job of each free processor comes
    first, and the others follow, longest first.
    """
    remaining = np.sort(busy)[::-1]
    loads = np.zeros(free + len(remaining))
    taken = np.zeros(len(loads), bool)  # has got a remaining time
    longest: dict[int, int] = {}  # by processor
    j = 0
    for i, length in enumerate(lengths.tolist()):
        while j < len(remaining) and remaining[j] >= length:
            j = _occupy(loads, taken, remaining, j)
        place = int(np.argmin(loads))
        longest.setdefault(place, i)
        loads[place] += length
    while j < len(remaining):
        j = _occupy(loads, taken, remaining, j)
    chosen = sorted(i for place, i in longest.items() if not taken[place])
    rest = np.setdiff1d(np.arange(len(lengths)), chosen, assume_unique=True)
    return np.concatenate([np.array(chosen, np.intp), rest])


def _occupy(
    loads: NDArray[np.float64], taken: NDArray[np.bool_], remaining: NDArray[np.float64], j: int
) -> int:
    """Assign a remaining time to the least loaded processor that has none yet."""
    place = int(np.argmin(np.where(taken, np.inf, loads)))
    loads[place] += remaining[j]
    taken[place] = True
    return j + 1


def _groups(campaigns: Rows, users: Rows, rows: Rows) -> list[Rows]:
    """Rows of one instant by declared campaign, else by user, in order of first appearance."""
    if len(rows) == 1 or (campaigns[0] >= 0 and (campaigns == campaigns[0]).all()):
        return [rows.copy()]
    groups: dict[tuple[int, int], list[int]] = {}
    for campaign, user, row in zip(campaigns.tolist(), users.tolist(), rows.tolist(), strict=True):
        groups.setdefault((campaign, user if campaign < 0 else 0), []).append(row)
    return [np.array(members, np.int64) for members in groups.values()]
