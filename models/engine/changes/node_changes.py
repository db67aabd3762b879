"""What happens to nodes that change, and to jobs on them: they begin and leave, are suspended, and are hit."""

from __future__ import annotations

import math

from thinktime.models.engine import gapped, pool, situation
from thinktime.models.engine.changes.changes import ChangingChanges
from thinktime.models.engine.codes import fences as fences_codes
from thinktime.models.engine.codes import interruptions as interruptions_codes
from thinktime.models.engine.codes import machine_state as at
from thinktime.models.engine.codes import nodes as nodes_codes
from thinktime.models.engine.codes import state_codes as states
from thinktime.models.engine.interruptions import clearing, interruptions
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.rooms import fences, nodes
from thinktime.models.engine.truth import Truth
from thinktime.workloads.arrays import Ints

INFINITY = math.inf


class ChangingNodeChanges(ChangingChanges):
    """Nodes that change: windows close, outages hit and suspended jobs keep certain nodes."""

    def hit_suspended(self, state: State, truth: Truth, now: float, failing: Ints, k: int) -> None:
        """They keep their work, and may go on anywhere."""
        i = 0
        while i < state.set_aside:
            row = state.kept[i]
            if not interruptions.has_one_of(state, row, failing):
                i += 1
                continue
            waited, cancels = state.state[row] == states.WAITING, state.cancels and state.lasting[row] < 0
            release(state, row)
            state.delayed_count = situation.drop(state.delayed, state.delayed_count, row)
            truth.arrived_count = situation.drop(
                truth.arrived, truth.arrived_count, row
            )  # it may have come back at this instant
            truth.hit_count = situation.drop(truth.hit, truth.hit_count, row)
            interruptions.log_run(state, truth, now, row, interruptions_codes.FAILED, 0.0, 0.0, 0.0)
            if not interruptions.send_back(
                state, truth, now, row, interruptions_codes.IS_KILLED if cancels else interruptions_codes.MAY_GO_ON
            ):
                known = False
                for j in range(k):
                    other = truth.done[j]
                    known = known or other == row  # it was suspended at this instant
                truth.done[k + state.given_up] = row
                state.given_up += not known
            if waited:
                state.passed_over = 0
                pool.leave_queue(state, fences_codes.ONE)

    def close_nodes(self, state: State, window: int) -> None:
        """Jobs that are there may go on."""
        fences.change_nodes(state, window, -fences.closed(window), state.free)

    def open_nodes(self, state: State, window: int) -> None:
        """Some may be down."""
        fences.change_nodes(state, window, fences.closed(window), state.free)
        for i in range(state.first_node[window], state.first_node[window + 1]):
            _note_node(state, state.window_nodes[i])

    def clear(self, state: State, truth: Truth, now: float, window: int, k: int) -> int:
        """All jobs on the window's nodes leave that it does not admit."""
        mine = state.window_nodes[state.first_node[window] : state.first_node[window + 1]]
        rows, n = state.out, 0
        for i in range(gapped.line_up(state)):
            row = state.running[i]
            if not fences.lets_in(state, window, row) and interruptions.has_one_of(state, row, mine):
                rows[n] = row
                n += 1
        for i in range(n):
            row = rows[i]
            k = clearing.make_way(state, truth, now, window, row, k)
        return k

    def go_down(self, state: State, indices: Ints) -> int:
        """No job is on them any more."""
        processors = at.ZERO
        for i in range(len(indices)):
            v = indices[i]
            fences.change_node(v, -fences_codes.DOWN, state.free)
            processors += state.capacity[v, 0]
        return int(processors)

    def come_back(self, state: State, index: int) -> int:
        """The node may be in a window."""
        fences.change_node(index, fences_codes.DOWN, state.free)
        _note_node(state, index)
        return int(state.capacity[index, 0])

    def never_starts(self, state: State, row: int, now: float) -> bool:
        """It finds nodes now, or at the end of a window, or never."""
        if _would_fit(state, row, now):
            return False
        for i in range(state.known_count):
            window = state.known[i]
            if state.closes[window] < INFINITY and _would_fit(state, row, state.closes[window]):
                return False
        return True

    def leave_nodes(self, state: State, row: int, suspended: bool) -> None:
        """The places of a run that is over are noted, so that the next run gets others."""
        if suspended:
            fences.change_others(state, row, nodes_codes.TAKE, state.free)
            situation.set_aside(state, row)
        else:
            state.held[row] = 0

    def let_go(self, state: State, row: int) -> None:
        """A suspended job gives back its nodes."""
        if state.suspended[row] > 0:
            release(state, row)


def release(state: State, row: int) -> None:
    """A suspended job gives back what it has kept."""
    fences.change_others(state, row, nodes_codes.GIVE, state.free)
    nodes.note_room(state, row)
    state.held[row] = 0
    situation.go_on(state, row)


def _note_node(state: State, v: int) -> None:
    """A node has got more room."""
    state.given[state.given_so_far % len(state.given)] = v
    state.given_so_far += 1


def _would_fit(state: State, row: int, time: float) -> bool:
    """Whether a job would find nodes at a time on an idle machine that is up, beside the windows that are known."""
    low = state.low
    low[:] = state.capacity
    fences.fence(state, row, time, time + state.estimate[row])
    if state.suspended[row] > 0:
        fitting = fences.resumes(state, row, low)
    else:
        fitting = nodes.find(state, state.shape[row], at.ZERO, low)
        state.found = 0
    fences.unfence(state)
    return fitting
