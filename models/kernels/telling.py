"""Who has to be told what has happened: users who wait for jobs, campaigns, and watches.

``attention[row]`` says whether a job has an event (`KNOWN`), whether somebody waits for its end (`AWAITED`), and
whether somebody may wait for its start (`AWAITED_START`). A *watch* is a group of jobs with a number: ``watch[row]`` is
a job's watch (-1 for none), and ``left[w]`` counts the jobs of watch w that are not over. ``campaigns[c]`` does the
same for campaigns.

What is to be told is written down in the order in which it happened: ``watches`` has the numbers of watches that have
ended, ``told`` the rows of jobs that are over and -1 - c for campaigns that have ended, and ``begun`` the rows that
have started.
"""

from thinktime.models.kernels.chains import goes_on
from thinktime.models.kernels.machine_state import (
    AWAITED,
    AWAITED_START,
    BEGUN,
    ENDED_WATCHES,
    KNOWN,
    OVER,
    TOLD,
)
from thinktime.workloads.compiler import Ints, Structure, kernel


@kernel
def note_over(state: Structure, truth: Structure, now: float, rows: Ints) -> bool:
    """Jobs are over: submit what follows, and note who has to be told; True if somebody may react to it."""
    counts, attention, watch, campaign = truth.counts, truth.attention, truth.watch, state.campaign
    urgent = False
    counts[OVER] += rows.size
    for row in rows:
        if row < truth.following.size and goes_on(state, truth, now, row):
            continue
        group = watch[row]
        if group >= 0:
            watch[row] = -1
            truth.left[group] -= 1
            if truth.left[group] == 0:
                truth.watches[counts[ENDED_WATCHES]] = group
                counts[ENDED_WATCHES] += 1
                urgent = True
        if attention[row] & KNOWN:
            truth.told[counts[TOLD]] = row
            counts[TOLD] += 1
            urgent |= (attention[row] & AWAITED) > 0
        group = campaign[row]
        if group >= 0:
            truth.campaigns[group] -= 1
            if truth.campaigns[group] == 0:
                truth.told[counts[TOLD]] = -1 - group
                counts[TOLD] += 1
                urgent = True
    return urgent


@kernel
def note_started(truth: Structure, rows: Ints) -> bool:
    """Jobs have started: note who has to be told; True if there is anybody."""
    counts, attention = truth.counts, truth.attention
    for row in rows:
        if attention[row] & AWAITED_START:
            truth.begun[counts[BEGUN]] = row
            counts[BEGUN] += 1
    return bool(counts[BEGUN] > 0)
