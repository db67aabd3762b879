"""What policies ask about other sizes of jobs, and what they propose of them."""

from collections.abc import Callable
from typing import Any

import numpy as np

from thinktime.models.engine import questions, shapes
from thinktime.models.engine.limits import entry_rows
from thinktime.models.engine.machine_state import State as MachineState
from thinktime.models.jobs.leaving import Resize
from thinktime.models.jobs.proposed import Proposed
from thinktime.models.jobs.request import Request
from thinktime.models.state import State
from thinktime.workloads.names import quoted


def asked_with(state: MachineState, job: Request, processors: int, ask: Callable[..., Any], *given: Any) -> Any:
    """What is answered about a waiting job if it has another size; ``ValueError`` if it cannot have it."""
    place, own = job.place_of(processors), job.processors
    if processors == own:
        return ask(job.row, *given)
    if state.state[entry_rows.job_of(state, job.row)] != State.WAITING:
        raise ValueError(f"job {job.id} does not wait, so it has {own} processors")
    before = job.place_of(own)
    shapes.choose(state, job.row, place)
    try:
        return ask(job.row, *given)
    finally:
        shapes.choose(state, job.row, before)


def only_time(state: MachineState, given: tuple[Any, ...], at: float | None) -> float:
    """The time that stands alone behind a job; ``TypeError`` where it could be a size, and for two times."""
    if len(given) > 1 or at is not None:
        raise TypeError("view.fits(job, …) takes one time, at=SECONDS")
    if state.shaped:
        asked = quoted(given[0])
        raise TypeError(
            f"in view.fits(job, {asked}), {asked} may be a time or a size: say at={asked} or processors={asked}"
        )
    time: float = given[0]
    return time


def may_have(state: MachineState, job: Request, processors: int | None, now: float, proposed: Proposed) -> bool:
    """Whether a running job may be given another size now: any, or this one, beside what was proposed so far."""
    if not state.shaped or job.state != State.RUNNING:
        return False
    if processors is None:
        return shapes.may_be_resized(state, job.row, now)
    place, own = job.place_of(processors), job.processors
    if not shapes.may_be_given(state, job.row, now, place):
        return False
    if processors <= own:
        return processors < own
    chosen, gone = (np.array([row for row in rows if _is_known(state, row)], np.int64)
                    for rows in (proposed.rows, proposed.leaving))  # fmt: skip
    return bool(questions.may_grow(state, now, job.row, place, chosen, gone))


def _is_known(state: MachineState, row: Any) -> bool:
    """Whether a row is one of the machine: compiled code checks no index."""
    return isinstance(row, int) and 0 <= row < len(state.id)


def proposed_resizes(state: MachineState) -> list[Resize]:
    """What a rule has proposed for running jobs, taken out of the engine's state."""
    rows, places = (np.asarray(each)[: state.resize_count].tolist() for each in (state.resizes, state.resizes_to))
    state.resize_count = 0
    return [Resize(row, int(state.form_sizes[place])) for row, place in zip(rows, places, strict=True)]
