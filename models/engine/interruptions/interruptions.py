"""Jobs that are thrown off a machine that changes: the record of the run, and what becomes of the job.

``log`` has a record for each run that was interrupted. ``hit[:n]`` are the rows that have to be told.
"""

from __future__ import annotations

from thinktime.models.engine import gapped, true_ends
from thinktime.models.engine.codes import gaps as gaps_codes
from thinktime.models.engine.codes import interruptions as interruptions_codes
from thinktime.models.engine.codes import machine_state as at
from thinktime.models.engine.codes import runs as runs_codes
from thinktime.models.engine.codes import situation as of
from thinktime.models.engine.codes import state_codes as states
from thinktime.models.engine.interruptions import runs
from thinktime.models.engine.limits import limits
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.truth import Truth
from thinktime.workloads.arrays import Ints

NAN = float("nan")


def fate_of(way: int) -> int:
    """What becomes of a job, for each way to leave (`thinktime.models.engine.situation`)."""
    if way == 0:
        return interruptions_codes.IS_KILLED
    return interruptions_codes.MAY_GO_ON if way == 1 else interruptions_codes.KEEPS_WORK


def interrupt(state: State, truth: Truth, now: float, row: int, how: int, fate: int) -> None:
    """A running job is thrown off: it goes back into the queue, or is killed."""
    gapped.leave_place(state, row)
    true_ends.take_end(state, truth, true_ends.end_of(state, truth, row))
    state.room.vacate(state, row)
    limits.vacate(state, row, now)
    kept = runs_codes.KEPT if fate == interruptions_codes.KEEPS_WORK else runs_codes.LOST
    progress, overhead, lost = runs.account(state, truth, row, now, kept)
    log_run(state, truth, now, row, how, progress, overhead, lost)
    runs.credit(state, truth, row, progress)
    if send_back(state, truth, now, row, fate):
        state.changes.leave_nodes(state, row, fate == interruptions_codes.KEEPS_WORK)


def send_back(state: State, truth: Truth, now: float, row: int, fate: int) -> bool:
    """An interrupted job goes back into the queue, or is killed; whether it goes on."""
    state.runs[row] += 1
    state.start[row] = NAN
    never = state.lasting[row] > 0 and (fate == interruptions_codes.MAY_GO_ON or state.lasting[row] == of.OF_PROCESS)
    killed = fate == interruptions_codes.IS_KILLED or never or state.runs[row] > state.most_runs
    truth.end[row] = now if killed else NAN
    state.state[row] = states.KILLED if killed else states.FUTURE
    if killed:
        return False
    stays = fate == interruptions_codes.KEEPS_WORK and len(state.precedence) > 0  # at a site it is not submitted again
    if state.requeues_now and not stays:
        state.submit[row] = now
    runs.plan_run(state, row)
    if state.requeue_delay > 0.0 and not stays:
        state.ready[row] = now + state.requeue_delay
        state.delayed[state.delayed_count] = row
        state.delayed_count += 1
    else:
        queue_again(truth, row)
    if truth.attention[row] & at.AWAITED_INTERRUPTION:
        truth.hit[truth.hit_count] = row
        truth.hit_count += 1
    return True


def log_run(
    state: State, truth: Truth, now: float, row: int, how: int, progress: float, overhead: float, lost: float
) -> None:
    """Write down a run that is over, though the job may not be."""
    n = interruptions_codes.RECORD * truth.logged
    if len(truth.log) < n + interruptions_codes.RECORD:
        state.grow(gaps_codes.LOG)  # objects: an array is made longer
    log = truth.log
    (
        log[n + interruptions_codes.ROW],
        log[n + interruptions_codes.BEGIN],
        log[n + interruptions_codes.STOP],
        log[n + interruptions_codes.HOW],
    ) = row, state.start[row], now, how
    log[n + interruptions_codes.FIRST_PLACE], log[n + interruptions_codes.PLACES] = state.offset[row], state.size[row]
    (
        log[n + interruptions_codes.PROGRESS],
        log[n + interruptions_codes.OVERHEAD],
        log[n + interruptions_codes.LOST],
        log[n + interruptions_codes.SIZE],
        log[n + interruptions_codes.SUBMIT],
    ) = progress, overhead, lost, state.processors[row], state.submit[row]
    truth.logged += 1


def queue_again(truth: Truth, row: int) -> None:
    """A job comes into the queue at this instant."""
    truth.arrived[truth.arrived_count] = row
    truth.arrived_count += 1


def has_one_of(state: State, row: int, processors: Ints) -> bool:
    """Whether a running job has one of some processors, which ascend."""
    for place in range(state.offset[row], state.offset[row] + state.size[row]):
        low, high = 0, len(processors)
        while low < high:
            middle = (low + high) // 2
            if processors[middle] < state.places[place, gaps_codes.FROM]:
                low = middle + 1
            else:
                high = middle
        if low < len(processors) and processors[low] < state.places[place, gaps_codes.STOP]:
            return True
    return False
