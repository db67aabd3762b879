"""What a compiled rule does at an instant, each written once for every kind of rule.

The arguments are the state of the machine, what the rule remembers, the time and some rows. For the rules, see the
modules that write these functions for their kinds.
"""

from thinktime.models.kernels.machine_state import INFINITY, PROCESSORS
from thinktime.models.kernels.room import admitted_first, available, overrunning, plan_starts
from thinktime.workloads.compiler import Ints
from thinktime.workloads.kinds import by_kind, by_kind_of
from thinktime.workloads.structures import Structure

NEEDS_ROOM = -1


@by_kind_of("rule")
def select(state: Structure, rule: Structure, now: float, rows: Ints) -> int:
    """Write the waiting rows that start now to ``out`` and return how many; ``rows`` are all of them, in order.

    `NEEDS_ROOM`, or another number below 0, says that the rule's arrays are too short, or that it asks something
    (`thinktime.models.kernels.agent`), and that nothing has been done.
    """
    return 0


@by_kind_of("rule")
def reserve_first(state: Structure, rule: Structure, now: float, rows: Ints) -> tuple[int, float]:
    """How many of the rows start before the one that gets the only reservation, and its start; infinite for none."""
    return 0, INFINITY


@by_kind
def decide(state: Structure, rule: Structure, now: float, rows: Ints) -> int:
    """What `select` does, and note that these rows start where the pass has placed them."""
    queue = admitted_first(state, rows)
    k = select(state, rule, now, queue)
    if k > 0:
        plan_starts(state, queue, state.out[:k])
    return k


@by_kind_of("rule")
def order_matters(state: Structure, rule: Structure, now: float, rows: Ints) -> bool:
    """Whether the order of the waiting rows can make a difference to `select`: whether any of them fits now."""
    free = available(state, overrunning(state, now))
    narrowest: int = state.counts[PROCESSORS] + 1
    for row in rows:
        narrowest = min(narrowest, state.processors[row])
    return narrowest <= free


@by_kind_of("rule")
def passes_over(state: Structure, rule: Structure) -> bool:
    """Whether jobs that did not start in one pass cannot start in the next, if nothing has ended in between."""
    return False


@by_kind_of("rule")
def ended(state: Structure, rule: Structure, now: float, rows: Ints) -> None:
    """Running jobs have ended."""


@by_kind_of("rule")
def withdrawn(state: Structure, rule: Structure, now: float, rows: Ints) -> None:
    """Waiting jobs have left the queue."""


@by_kind_of("rule")
def barred(state: Structure, rule: Structure, now: float, rows: Ints) -> None:
    """Waiting jobs are beyond a limit from now on: until they are within it again, `select` is not given them."""


@by_kind_of("rule")
def put_off(state: Structure, rule: Structure, now: float, rows: Ints) -> None:
    """Jobs that `select` has chosen do not start, since another one before them was beyond a limit."""


@by_kind_of("rule")
def started(state: Structure, rule: Structure, now: float, rows: Ints) -> None:
    """Jobs have started."""


@by_kind_of("rule")
def revised(state: Structure, rule: Structure, now: float, rows: Ints) -> None:
    """Running jobs are now expected to end later, since they have outlived their estimates."""


@by_kind_of("rule")
def due(state: Structure, rule: Structure, now: float, rows: Ints) -> float:
    """When the rule wants an instant of its own."""
    return INFINITY
