"""What happens to nodes that change, and to jobs on them: they begin and leave, are suspended, and are hit."""

from thinktime.models.kernels import changes, clearing, gaps, hopeless, interruptions, nodes, room
from thinktime.models.kernels import machine_state as at
from thinktime.models.kernels import situation as of
from thinktime.models.kernels.fences import (
    DOWN,
    ONE,
    change_node,
    change_nodes,
    change_others,
    change_processors,
    closed,
    fence,
    lets_in,
    resumes,
    unfence,
)
from thinktime.models.kernels.gapped import line_up
from thinktime.models.kernels.machine_state import CHANGING_NODES, INFINITY, ON_NODES
from thinktime.models.kernels.nodes import GIVE, TAKE
from thinktime.models.kernels.pool import leave_queue
from thinktime.models.kernels.state_codes import WAITING
from thinktime.workloads.compiler import Ints, kernel
from thinktime.workloads.kinds import usual, written_for
from thinktime.workloads.structures import Structure

nodes_occupy = usual(room.occupy, ON_NODES)
nodes_vacate = usual(room.vacate, ON_NODES)


@written_for(CHANGING_NODES, room.occupy)
def occupy_nodes(state: Structure, row: int) -> None:
    """A suspended job goes on where it was; others take nodes that are free at their starts, where any would do."""
    of.begin_run(state, row)
    if state.suspended[row] == 0 and _any_node_serves(state):
        state.size[row] = 0
    if state.suspended[row] == 0:
        nodes_occupy(state, row)
        return
    state.counts[at.IDLE] -= state.processors[row]
    state.planned[row] = 0
    change_processors(state, row, TAKE, state.free)
    of.go_on(state, row)


@kernel
def _any_node_serves(state: Structure) -> bool:
    """Whether it makes no difference to others of this pass which of the idle nodes a job takes that starts."""
    situation = state.situation
    serves = state.site[nodes.SINGLE] > 0 and situation[of.KNOWN] == 0 and situation[of.KEEPS_ALL] == 0
    for row in state.kept[: situation[of.SET_ASIDE]]:
        serves = serves and not state.planned[row]  # it goes on where it was
    return bool(serves or state.site[nodes.ALIKE] > 0)


@written_for(CHANGING_NODES, room.vacate)
def vacate_nodes(state: Structure, row: int) -> None:
    """A job ends or leaves."""
    of.end_run(state, row)
    nodes_vacate(state, row)


@written_for(CHANGING_NODES, interruptions.leave_nodes)
def keep_or_leave_nodes(state: Structure, row: int, suspended: bool) -> None:
    """The places of a run that is over are noted, so that the next run gets others."""
    if suspended:
        change_others(state, row, TAKE, state.free)
        of.set_aside(state, row)
    else:
        state.held[row] = 0


@written_for(CHANGING_NODES, interruptions.let_go)
def let_go_of_nodes(state: Structure, row: int) -> None:
    """If it is suspended."""
    if state.suspended[row] > 0:
        release(state, row)


@kernel
def release(state: Structure, row: int) -> None:
    """A suspended job gives back what it has kept."""
    change_others(state, row, GIVE, state.free)
    nodes.note_room(state, row)
    state.held[row] = 0
    of.go_on(state, row)


@written_for(CHANGING_NODES, gaps.go_down)
def nodes_go_down(state: Structure, indices: Ints) -> int:
    """Nobody is on them any more."""
    processors = at.ZERO
    for v in indices:
        change_node(v, -DOWN, state.free)
        processors += state.capacity[v, 0]
    return int(processors)


@written_for(CHANGING_NODES, gaps.come_back)
def node_comes_back(state: Structure, index: int) -> int:
    """It may be in a window."""
    change_node(index, DOWN, state.free)
    _note_node(state, index)
    return int(state.capacity[index, 0])


@kernel
def _note_node(state: Structure, v: int) -> None:
    """A node has got more room."""
    state.given[state.site[nodes.GIVEN] % state.given.size] = v
    state.site[nodes.GIVEN] += 1


@written_for(CHANGING_NODES, changes.close_nodes)
def close_nodes_of(state: Structure, window: int) -> None:
    """Whoever is there may go on."""
    change_nodes(state, window, -closed(window), state.free)


@written_for(CHANGING_NODES, changes.open_nodes)
def open_nodes_of(state: Structure, window: int) -> None:
    """They may be down."""
    change_nodes(state, window, closed(window), state.free)
    for i in range(state.first_node[window], state.first_node[window + 1]):
        _note_node(state, state.window_nodes[i])


@written_for(CHANGING_NODES, clearing.clear)
def clear_nodes(state: Structure, truth: Structure, now: float, window: int, k: int) -> int:
    """All jobs on the window's nodes leave that it does not admit."""
    mine = state.window_nodes[state.first_node[window] : state.first_node[window + 1]]
    rows, n = state.out, 0
    for row in state.running[: line_up(state)]:
        if not lets_in(state, window, row) and interruptions.has_one_of(state, row, mine):
            rows[n] = row
            n += 1
    for row in rows[:n]:
        k = clearing.make_way(state, truth, now, window, row, k)
    return k


@written_for(CHANGING_NODES, changes.hit_suspended)
def hit_suspended_on_nodes(state: Structure, truth: Structure, now: float, failing: Ints, k: int) -> None:
    """They keep their work, and may go on anywhere."""
    situation, counts, i = state.situation, truth.counts, 0
    while i < situation[of.SET_ASIDE]:
        row = state.kept[i]
        if not interruptions.has_one_of(state, row, failing):
            i += 1
            continue
        waited, cancels = state.state[row] == WAITING, situation[of.CANCELS] > 0 and state.lasting[row] < 0
        release(state, row)
        situation[of.DELAYED] = of.drop(state.delayed, situation[of.DELAYED], row)
        counts[at.ARRIVED] = of.drop(truth.arrived, counts[at.ARRIVED], row)  # it may have come back at this instant
        counts[at.HIT] = of.drop(truth.hit, counts[at.HIT], row)
        interruptions.log_run(state, truth, now, row, interruptions.FAILED, 0.0, 0.0, 0.0)
        if not interruptions.send_back(
            state, truth, now, row, interruptions.IS_KILLED if cancels else interruptions.MAY_GO_ON
        ):
            known = False
            for other in truth.done[:k]:
                known = known or other == row  # it was suspended at this instant
            truth.done[k + situation[of.GIVEN_UP]] = row
            situation[of.GIVEN_UP] += not known
        if waited:
            state.counts[at.PASSED_OVER] = 0
            leave_queue(state, ONE)


@written_for(CHANGING_NODES, hopeless.never_starts)
def never_starts_on_nodes(state: Structure, row: int, now: float) -> bool:
    """It finds nodes now, or at the end of a window, or never."""
    if _would_fit(state, row, now):
        return False
    for window in state.known[: state.situation[of.KNOWN]]:
        if state.closes[window] < INFINITY and _would_fit(state, row, state.closes[window]):
            return False
    return True


@kernel
def _would_fit(state: Structure, row: int, time: float) -> bool:
    """Whether a job would find nodes at a time on an idle machine that is up, beside the windows that are known."""
    low = state.low
    low[:] = state.capacity
    fence(state, row, time, time + state.estimate[row])
    if state.suspended[row] > 0:
        fitting = resumes(state, row, low)
    else:
        fitting = nodes.find(state, state.shape[row], at.ZERO, low)
        state.site[nodes.FOUND] = 0
    unfence(state)
    return fitting
