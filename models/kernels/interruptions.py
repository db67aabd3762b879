"""Jobs that are thrown off a machine that changes: the record of the run, and what becomes of the job.

``log`` has a record for each run that was interrupted. ``hit[:n]`` are the rows that have to be told.
"""

import numpy as np

from thinktime.models.kernels import gaps, limits, runs
from thinktime.models.kernels import machine_state as at
from thinktime.models.kernels import situation as of
from thinktime.models.kernels.gapped import leave_place
from thinktime.models.kernels.room import vacate
from thinktime.models.kernels.state_codes import FUTURE, KILLED
from thinktime.models.kernels.true_ends import end_of, take_end
from thinktime.workloads.compiler import Ints, call_back, kernel, whole
from thinktime.workloads.kinds import by_kind
from thinktime.workloads.structures import Structure

RECORD = 10
ROW, BEGIN, STOP, FIRST_PLACE, PLACES, HOW, PROGRESS, OVERHEAD, LOST, SUBMIT = range(RECORD)
"""What a record of a run has."""
FAILED, WINDOW, PREEMPTED = whole(3), whole(4), whole(5)
"""How a run was broken off (`thinktime.models.state.RUN_ENDS`)."""
MAY_GO_ON, IS_KILLED, KEEPS_WORK = whole(0), whole(1), whole(2)
"""What becomes of the job."""
FATES = (IS_KILLED, MAY_GO_ON, KEEPS_WORK)
"""For each way to leave (`thinktime.models.kernels.situation`)."""


@kernel
def interrupt(state: Structure, truth: Structure, now: float, row: int, how: int, fate: int) -> None:
    """A running job is thrown off: it goes back into the queue, or is killed."""
    leave_place(state, row)
    take_end(state, truth, end_of(state, truth, row))
    vacate(state, row)
    limits.vacate(state, row, now)
    kept = runs.KEPT if fate == KEEPS_WORK else runs.LOST
    progress, overhead, lost = runs.account(state, truth, row, now, kept)
    log_run(state, truth, now, row, how, progress, overhead, lost)
    state.done[row] += progress
    if send_back(state, truth, now, row, fate):
        leave_nodes(state, row, fate == KEEPS_WORK)


@by_kind
def leave_nodes(state: Structure, row: int, suspended: bool) -> None:
    """An interrupted job that goes on has left its nodes; if it is suspended, it keeps what it has there.

    On a pool this is a number, if all is kept.
    """
    if suspended and state.situation[of.KEEPS_ALL]:
        of.set_aside(state, row)


@by_kind
def let_go(state: Structure, row: int) -> None:
    """A waiting job is given up; if it is suspended, it keeps nothing any more."""
    if state.suspended[row] > 0:
        of.go_on(state, row)
        state.counts[at.PASSED_OVER] = 0


@kernel
def send_back(state: Structure, truth: Structure, now: float, row: int, fate: int) -> bool:
    """An interrupted job goes back into the queue, or is killed; whether it goes on."""
    situation, counts = state.situation, truth.counts
    state.runs[row] += 1
    state.start[row] = np.nan
    never = state.lasting[row] > 0 and (fate == MAY_GO_ON or state.lasting[row] == of.OF_PROCESS)
    killed = fate == IS_KILLED or never or state.runs[row] > situation[of.MOST_RUNS]
    truth.end[row] = now if killed else np.nan
    state.state[row] = KILLED if killed else FUTURE
    if killed:
        return False
    stays = fate == KEEPS_WORK and state.precedence.size > 0  # at a site it is not submitted again
    if situation[of.REQUEUES_NOW] and not stays:
        state.submit[row] = now
    runs.plan_run(state, row)
    if state.when[of.DELAY] > 0.0 and not stays:
        state.ready[row] = now + state.when[of.DELAY]
        state.delayed[situation[of.DELAYED]] = row
        situation[of.DELAYED] += 1
    else:
        queue_again(truth, row)
    if truth.attention[row] & at.AWAITED_INTERRUPTION:
        truth.hit[counts[at.HIT]] = row
        counts[at.HIT] += 1
    return True


@kernel
def log_run(
    state: Structure, truth: Structure, now: float, row: int, how: int, progress: float, overhead: float, lost: float
) -> None:
    """Write down a run that is over, though the job may not be."""
    n = RECORD * truth.counts[at.LOGGED]
    if truth.log.size < n + RECORD:
        call_back(state.situation[of.GROW], gaps.LOG, at.ZERO, at.ZERO)
    log = truth.log
    log[n + ROW], log[n + BEGIN], log[n + STOP], log[n + HOW] = row, state.start[row], now, how
    log[n + FIRST_PLACE], log[n + PLACES] = state.offset[row], state.size[row]
    log[n + PROGRESS], log[n + OVERHEAD], log[n + LOST], log[n + SUBMIT] = progress, overhead, lost, state.submit[row]
    truth.counts[at.LOGGED] += 1


@kernel
def queue_again(truth: Structure, row: int) -> None:
    """A job comes into the queue at this instant."""
    truth.arrived[truth.counts[at.ARRIVED]] = row
    truth.counts[at.ARRIVED] += 1


@kernel
def has_one_of(state: Structure, row: int, processors: Ints) -> bool:
    """Whether a running job has one of some processors, which ascend."""
    for place in range(state.offset[row], state.offset[row] + state.size[row]):
        low, high = 0, processors.size
        while low < high:
            middle = (low + high) // 2
            if processors[middle] < state.places[place, gaps.FROM]:
                low = middle + 1
            else:
                high = middle
        if low < processors.size and processors[low] < state.places[place, gaps.STOP]:
            return True
    return False
