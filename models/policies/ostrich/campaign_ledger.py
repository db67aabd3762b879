"""What is known of the campaigns on a machine, for goals over campaigns: their submissions, work and longest jobs.

A job without a campaign is a campaign of its own.
"""

from typing import Any

import numpy as np

from thinktime.models.jobs.view import View
from thinktime.workloads.arrays import Rows


class CampaignLedger:
    """Work (processor-seconds), longest estimate and first submission of campaigns, by their numbers."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[float, float, float]] = {}  # submission, work, longest

    def on_submit(self, view: View, rows: Rows) -> None:
        """Jobs have been submitted; those that were interrupted are known."""
        jobs = view.columns(rows[view.requests.runs[rows] == 0])
        columns = (jobs.campaign, jobs.submit, jobs.processors * jobs.estimate, jobs.estimate)
        for number, submit, work, estimate in zip(*(column.tolist() for column in columns), strict=True):
            if number >= 0:
                first, total, longest = self._known.get(number, (submit, 0.0, 0.0))
                self._known[number] = (first, total + work, max(longest, estimate))

    def for_stretch(self, view: View, rows: Rows, least: float) -> dict[str, Any]:
        """What the goal ``stretch`` needs of the campaigns of some waiting jobs."""
        jobs = view.columns(rows)
        # Jobs without a campaign get numbers below zero, each a different one.
        numbers = np.where(jobs.campaign >= 0, jobs.campaign, -1 - np.arange(len(rows)))
        unique, first, index = np.unique(numbers, return_index=True, return_inverse=True)
        submit, estimate = jobs.submit[first].copy(), jobs.estimate[first].copy()
        work = jobs.processors[first] * estimate
        for at in np.flatnonzero(unique >= 0).tolist():
            submit[at], work[at], estimate[at] = self._known[int(unique[at])]
        end = np.full(len(unique), view.now)
        running = view.requests.campaign[view.running_rows]
        if len(running):
            place = np.searchsorted(unique, running)
            place[place == len(unique)] = 0
            mine = (unique[place] == running) & (running >= 0)
            np.maximum.at(end, place[mine], view.expected_ends()[mine])
        return {
            "campaign": index.astype(np.int64),
            "campaign_submit": submit,
            "campaign_end": end,
            "campaign_least": np.maximum(np.maximum(work / view.capacity, estimate), least),
        }
