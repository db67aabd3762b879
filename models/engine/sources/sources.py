"""What an instant asks of the sources of jobs, which are timetables here; others override it.

These are chains (`thinktime.models.engine.sources.chains`) and conditions
(`thinktime.models.engine.sources.eligibility`).

``attention[row]`` says whether a job has an event (`KNOWN`), whether somebody waits for its end (`AWAITED`), and
whether somebody may wait for its start (`AWAITED_START`). A *watch* is a group of jobs with a number: ``watch[row]`` is
a job's watch (-1 for none), and ``left[w]`` counts the jobs of watch w that are not over. ``campaigns[c]`` does the
same for campaigns.

What is to be told is written down in the order in which it happened: ``watches`` has the numbers of watches that have
ended, ``told`` the rows of jobs that are over and -1 - c for campaigns that have ended, and ``begun`` the rows that
have started. Users who follow a plan go on at once if nobody reacts; otherwise they are in ``told`` as well
(`OF_USER`), so that all are woken in turn.
"""

from __future__ import annotations

from thinktime.models.engine.codes import machine_state as at
from thinktime.models.engine.limits import limits
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.sources import releases, timetables
from thinktime.models.engine.structure import Structure
from thinktime.models.engine.truth import Truth
from thinktime.workloads.arrays import Ints


class Sources(Structure):
    """Who submits jobs and has to be told of what becomes of them: here, timetables alone."""

    def arrive(self, state: State, truth: Truth, now: float) -> bool:
        """Submit what is announced for now."""
        timetables.arrive_as_announced(state, truth, now)
        return True

    def note_over(self, state: State, truth: Truth, now: float, rows: Ints) -> bool:
        """Jobs are over: note who has to be told; True if somebody may react to it."""
        urgent = False
        truth.over += len(rows)
        if state.limited:
            limits.leave(state, rows)
        for i in range(len(rows)):
            row = rows[i]
            group = truth.watch[row]
            truth.watch[row] = -1
            if group >= 0:
                urgent |= releases.count_down(truth, group)
            urgent |= note_job(state, truth, row, True)
        return urgent

    def note_started(self, state: State, truth: Truth, now: float, rows: Ints) -> bool:
        """Jobs have started: note who has to be told; True if there is anybody."""
        for i in range(len(rows)):
            row = rows[i]
            if truth.attention[row] & at.AWAITED_START:
                truth.begun[truth.begun_count] = row
                truth.begun_count += 1
        return bool(truth.begun_count > 0)


class Forecast(Sources):
    """Nobody, in a forecast."""

    NUMBERS = {"goal": -1}
    goal: int
    """The forecast is over when the job in this row has started."""

    def note_over(self, state: State, truth: Truth, now: float, rows: Ints) -> bool:
        """Jobs are over, and nobody is told or submits others."""
        truth.over += len(rows)
        limits.leave(state, rows)
        return False

    def note_started(self, state: State, truth: Truth, now: float, rows: Ints) -> bool:
        """Whether the one has started that is waited for."""
        found = False
        for i in range(len(rows)):
            found = found or rows[i] == self.goal
        return found


def note_job(state: State, truth: Truth, row: int, counted: bool) -> bool:
    """A job is over, which may be ``counted`` in a campaign: note who has to be told; True if somebody waits."""
    attention, own = truth.attention[row], state.campaign[row]
    if attention & at.KNOWN:
        truth.told[truth.told_count] = row
        truth.told_count += 1
    if counted and own >= 0:
        truth.campaigns[own] -= 1
        if truth.campaigns[own] == 0:
            truth.told[truth.told_count] = -1 - own
            truth.told_count += 1
            return True
    return bool(attention & at.KNOWN > 0 and attention & at.AWAITED > 0)
