"""What a compiled instant asks of the sources of jobs, each written once for every kind of them.

Timetables alone are a kind. The modules that have others write these functions for their kinds.

``attention[row]`` says whether a job has an event (`KNOWN`), whether somebody waits for its end (`AWAITED`), and
whether somebody may wait for its start (`AWAITED_START`). A *watch* is a group of jobs with a number: ``watch[row]`` is
a job's watch (-1 for none), and ``left[w]`` counts the jobs of watch w that are not over. ``campaigns[c]`` does the
same for campaigns.

What is to be told is written down in the order in which it happened: ``watches`` has the numbers of watches that have
ended, ``told`` the rows of jobs that are over and -1 - c for campaigns that have ended, and ``begun`` the rows that
have started. Users who follow a plan go on at once if nobody reacts; otherwise they are in ``told`` as well
(`OF_USER`), so that all are woken in turn.
"""

from thinktime.models.kernels.limits import leave
from thinktime.models.kernels.machine_state import AWAITED, AWAITED_START, BEGUN, KNOWN, OVER, TOLD
from thinktime.models.kernels.releases import count_down
from thinktime.models.kernels.timetables import arrive_as_announced
from thinktime.workloads.compiler import Ints, inlined, kernel
from thinktime.workloads.kinds import by_kind_of
from thinktime.workloads.structures import Structure


@by_kind_of("sources")
def arrive(state: Structure, truth: Structure, sources: Structure, now: float) -> bool:
    """Submit what is announced for now."""
    arrive_as_announced(state, truth, now)
    return True


@by_kind_of("sources")
def note_over(state: Structure, truth: Structure, sources: Structure, now: float, rows: Ints) -> bool:
    """Jobs are over: note who has to be told; True if somebody may react to it."""
    urgent, watch = False, truth.watch
    truth.counts[OVER] += rows.size
    leave(state, rows)
    for row in rows:
        group = watch[row]
        watch[row] = -1
        if group >= 0:
            urgent |= count_down(truth, group)
        urgent |= note_job(state, truth, row, True)
    return urgent


@kernel
@inlined
def note_job(state: Structure, truth: Structure, row: int, counted: bool) -> bool:
    """A job is over, which may be ``counted`` in a campaign: note who has to be told; True if somebody waits."""
    counts, attention, own = truth.counts, truth.attention[row], state.campaign[row]
    if attention & KNOWN:
        truth.told[counts[TOLD]] = row
        counts[TOLD] += 1
    if counted and own >= 0:
        truth.campaigns[own] -= 1
        if truth.campaigns[own] == 0:
            truth.told[counts[TOLD]] = -1 - own
            counts[TOLD] += 1
            return True
    return bool(attention & KNOWN > 0 and attention & AWAITED > 0)


@by_kind_of("sources")
@inlined
def note_started(state: Structure, truth: Structure, sources: Structure, now: float, rows: Ints) -> bool:
    """Jobs have started: note who has to be told; True if there is anybody."""
    counts, attention = truth.counts, truth.attention
    for row in rows:
        if attention[row] & AWAITED_START:
            truth.begun[counts[BEGUN]] = row
            counts[BEGUN] += 1
    return bool(counts[BEGUN] > 0)
