"""What users want of jobs that are there: that they are given back, cancelled, held, or let go.

Their wishes are kept until the loop asks for them, in the phases of an instant: holds that are given back end first,
so that one given back at its estimate has not outlived it; then jobs end that are due; then running jobs that were
cancelled. Waiting jobs are held and withdrawn in phase 3.
"""

import numpy as np

from thinktime.models.engine.codes import machine_state as at
from thinktime.models.machine.instants import Instants
from thinktime.models.machine.questions import Questions
from thinktime.models.state import State

FUTURE, WAITING, RUNNING = int(State.FUTURE), int(State.WAITING), int(State.RUNNING)


class Wishes:
    """The wishes of the users of one machine."""

    def __init__(self, instants: Instants, questions: Questions) -> None:
        self._instants, self._pool = instants, instants.pool
        self.cancelled: list[int] = []
        """The rows of jobs that were cancelled."""
        self._given_back: list[int] = []
        self._holds: list[tuple[int, bool]] = []
        questions.about(at.GIVEN_BACK, self._end_given_back)
        questions.about(at.CANCELLED, self._end_cancelled)
        questions.about(at.WITHDRAWN, self._withdraw)

    @property
    def kept(self) -> tuple[list[int], list[int], list[tuple[int, bool]]]:
        """All wishes that wait: jobs cancelled, holds given back, and jobs held or let go."""
        return self.cancelled, self._given_back, self._holds

    @kept.setter
    def kept(self, kept: tuple[list[int], list[int], list[tuple[int, bool]]]) -> None:
        self.cancelled, self._given_back, self._holds = kept

    def cancel(self, row: int) -> None:
        """A job that is not over is taken back now."""
        self.cancelled.append(row)
        self._note()

    def give_back(self, row: int) -> None:
        """A running hold ends now."""
        self._given_back.append(row)
        self._note()

    def hold(self, row: int, held: bool) -> None:
        """A job is held or let go now."""
        self._holds.append((row, held))
        self._note()

    def _note(self) -> None:
        """Let the loop know whether there are any."""
        self._pool.truth.wishes = bool(self._given_back or self.cancelled or self._holds)

    def _end_given_back(self, now: float) -> bool:
        """(1) End what is given back; True if a user may react."""
        given_back, self._given_back = self._given_back, []
        return self._instants.end(given_back, State.FINISHED, now)

    def _end_cancelled(self, now: float) -> bool:
        """(1) End running jobs that were cancelled; True if a user may react."""
        told = self._instants.end(self.cancelled, State.KILLED, now)
        state = self._pool.requests.state
        self.cancelled = [row for row in self.cancelled if state[row] < RUNNING]
        self._note()
        return told

    def _withdraw(self, now: float) -> bool:
        """(3) Waiting jobs are held, let go, or withdrawn; True if a user may react."""
        self._hold(now)
        pool, state = self._pool, self._pool.requests.state
        cancelled = list(dict.fromkeys(self.cancelled))
        rows = [row for row in cancelled if state[row] == WAITING]
        unborn = [row for row in cancelled if state[row] == FUTURE]
        never_in = [row for row in unborn if pool.requests.submit[row] <= now]
        later = [row for row in unborn if pool.requests.submit[row] > now]
        pool.outcomes.attention[later] |= at.UNWANTED
        self.cancelled = [row for row in cancelled if state[row] == RUNNING]
        self._note()
        for row in rows:
            pool.withdraw(row, now)
        for row in never_in:
            pool.give_up(row, now)
        pool.truth.in_sight = pool.waiting_count()
        known = [row for row in rows if not pool.is_aside(row)]
        if known or never_in:
            left = known + [row for row in never_in if pool.has_run(row)]
            self._instants.left_queue(np.array(left, np.int64), now)
        over = np.array(rows + never_in, np.int64)
        return bool(pool.sources.note_over(pool.state, pool.truth, now, over))

    def _hold(self, now: float) -> None:
        """(3) Jobs are held or let go, in the order in which their users did so."""
        holds, self._holds = self._holds, []
        pool = self._pool
        for row, held in holds:
            state, known = pool.requests.state.item(row), pool.eligibility
            if state >= RUNNING or pool.has_run(row) or held == known.is_held(row):
                continue
            if not held:
                known.let_go(pool, row, now)
                continue
            known.hold(row)
            if state == WAITING and not known.is_aside(row):
                pool.take_out(row)
                self._instants.left_queue(np.array([row], np.int64), now)
                known.put_aside(pool, row, now)
