"""Why each job waited, as far as a result tells.

* From the schedule alone: the share of the wait in which fewer processors were free than the job asked for, the time
  outside the queue, and the job that let it start, by its end or by shrinking.
* From the policy, where the result has reasons (`thinktime.models.state.Reason`): why the job did not start at the last
  pass that found it waiting.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from thinktime.analysis.view.stages import NO_JOB, given_back, most_given
from thinktime.models.results import measures
from thinktime.models.results.schedule import Schedule
from thinktime.models.results.steps import Steps, sum_of_boxes
from thinktime.models.state import Reason, State
from thinktime.workloads.arrays import Floats, Whole

AT_ONCE = "It started at once."
REFUSED = "It was refused: it cannot run on this machine, or its site does not take it."
ENDS = {State.WAITING: "It still waited at the end of the run.", State.WITHDRAWN: "Its user gave it up."}
OF_REASON: Mapping[int, str] = {
    Reason.NO_REASON: "",
    Reason.NO_ROOM: "When it was last passed over, there was no room for it.",
    Reason.BEHIND_HEAD: "When it was last passed over, there was room, but the head of the queue had to start first.",
    Reason.RESERVATION: (
        "When it was last passed over, there was room, but it would have delayed a reservation of another job "
        "(under EASY that of the head, at its shadow time), or waited for its own."
    ),
    Reason.POLICY: "When it was last passed over, there was room, but the policy did not want to start it.",
    Reason.LIMIT: "When it was last passed over, it was beyond a limit of the site.",
}


class Why(NamedTuple):
    """For each job: its place in a list of texts, and the row of the job that let it start (-1: none) by its end.

    If that job shrank instead, ``shrank`` says by how many processors.
    """

    texts: list[str]
    text: Whole
    after: Whole
    shrank: Whole


def why(result: Schedule) -> Why:
    """Why each job of a result waited."""
    count, queue = len(result), measures.queued(result)
    waited = np.bincount(queue.row, queue.end - queue.begin, count).astype(np.float64)
    aside = _aside(result)
    short, outside = _percent(without_room(result, queue), waited), _percent(aside, waited + aside)
    reason = result.columns.get("reason", np.zeros(count, np.int8))
    limit, limits = result.columns.get("limit", np.full(count, -1)), [*result.names.get("limit", ()), ""]
    # One row for each sentence that occurs, so that each is made once.
    keys = np.stack([result["state"], (waited + aside) > 0, short, outside, reason, limit], axis=1).astype(np.int64)
    kinds, text = np.unique(keys, axis=0, return_inverse=True)
    texts = [
        _sentence(State(state), bool(late), short, outside, reason, limits[code])
        for state, late, short, outside, reason, code in kinds.tolist()
    ]
    return Why(texts, text.reshape(-1), *released_by(result, waited > 0))


def without_room(result: Schedule, queue: measures.Spans) -> Floats:
    """For each job, the time in the queue (s) during which fewer processors were free than it asked for."""
    free, size = free_processors(result), result["processors"][queue.row]
    short = np.zeros(len(queue.row))
    for each in np.unique(size[queue.end > queue.begin]).tolist():
        rows = np.flatnonzero(size == each)
        taken = Steps(free.times, (free.values < each).astype(np.float64))
        short[rows] = taken.integral(queue.end[rows]) - taken.integral(queue.begin[rows])
    return np.bincount(queue.row, short, len(result)).astype(np.float64)


def free_processors(result: Schedule) -> Steps:
    """Processors that are neither in use nor out of service, from the first change on."""
    held, out = measures.used(result), measures.out_of_service(result)
    used = sum_of_boxes(held.begin, held.end, measures.sizes_of(result))
    times = np.union1d(used.times, out.times)
    return Steps(times, result.processors - used.at(times) - out.at(times))


def released_by(result: Schedule, waited: np.typing.NDArray[np.bool_]) -> tuple[Whole, Whole]:
    """For each job that waited, who gave back most processors at the instant of its start (-1: no job).

    The second array has how many these were if that job shrank, and 0 if it ended.
    """
    given, found = given_back(result), np.full(len(result), NO_JOB)
    shrank = np.zeros(len(result), np.int64)
    rows = np.flatnonzero(waited & np.isfinite(result["start"]))
    place = most_given(given, result["start"][rows])
    rows, place = rows[place != NO_JOB], place[place != NO_JOB]
    found[rows] = given.row[place]
    shrank[rows] = np.where(given.kept[place] > 0, given.processors[place], 0)
    return np.where(found == np.arange(len(result)), NO_JOB, found), shrank


def _aside(result: Schedule) -> Floats:
    """How long each job waited outside the queue (s)."""
    eligible = result.columns.get("eligible")
    if eligible is None:
        return np.zeros(len(result))
    over = np.where(np.isfinite(result["end"]), result["end"], result.now)
    return np.asarray(np.where(np.isnan(eligible), over, eligible) - result["submit"])


def _percent(part: Floats, whole: Floats) -> Whole:
    """Whole percents, of which only nothing is 0 and only all is 100."""
    share = np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0)
    inside = (share > 0) & (share < 1)
    return np.where(inside, np.clip(np.round(100 * share), 1, 99), 100 * (share >= 1)).astype(np.int64)


def _sentence(state: State, late: bool, short: int, outside: int, reason: int, limit: str) -> str:
    if state == State.REFUSED:
        return REFUSED
    if not late and state not in ENDS:
        return AT_ONCE
    parts = []
    if outside:
        parts.append(f"It was outside the queue for {_share(outside)} its wait, until a job, hold or time was over.")
    if late and outside < 100:
        then = " of it in the queue" if outside else ""
        parts.append(_room(short, then) + ("" if not short or short == 100 else " In the rest enough were free."))
    passed_over = f"{OF_REASON[reason].removesuffix('.')}: {limit}." if limit else OF_REASON[reason]
    return " ".join(filter(None, [*parts, passed_over, ENDS.get(state, "")]))


def _room(short: int, then: str) -> str:
    if not short:
        return f"Enough processors were free during all of its wait{' in the queue' if then else ''}."
    where = " in the queue" if then else ""
    return f"Fewer processors were free than it asked for during {_share(short)} its wait{where}."


def _share(percent: int) -> str:
    return "all of" if percent == 100 else f"{percent} % of"
