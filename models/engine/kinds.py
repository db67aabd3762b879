"""The kinds of machines, pools and nodes with or without changes: what each does of `thinktime.models.engine.parts`."""

from __future__ import annotations

from thinktime.models.engine import gaps, leap, passes
from thinktime.models.engine.changes import changes, hopeless, node_changes
from thinktime.models.engine.estimates import Estimator
from thinktime.models.engine.interruptions import clearing, interruptions, runs
from thinktime.models.engine.limits import entry_rows, limits
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.parts import Changes
from thinktime.models.engine.queue_orders import Order
from thinktime.models.engine.rooms import changing_nodes, changing_room, node_room
from thinktime.models.engine.rooms.changing_node_profile import ChangingNodeProfiles
from thinktime.models.engine.rooms.changing_profile import ChangingProfiles
from thinktime.models.engine.rooms.node_profile import NodeProfiles
from thinktime.models.engine.rooms.pool_profile import PoolProfiles
from thinktime.models.engine.rooms.pool_room import PoolRoom
from thinktime.models.engine.rules import Rule
from thinktime.models.engine.sources.sources import Sources
from thinktime.models.engine.truth import Truth
from thinktime.workloads.arrays import Ints


class NodeRoom(PoolRoom):
    """Nodes: a job has room if its chunks have places, and tables say what each node has left."""

    def backfill(self, state: State, now: float, queue: Ints, k: int, skip: int, out: Ints, left: int) -> int:
        return passes.backfill(state, now, queue, k, skip, out, left)

    def shadow_time(
        self, state: State, now: float, head: int, out: Ints, started: int, skip: int, later: int
    ) -> tuple[float, int]:
        return passes.shadow_time(state, now, head, out, started, skip, later)

    def last_shadow(self, state: State) -> tuple[float, int]:
        return node_room.nodes_last_shadow(state)

    def begin_pass(self, state: State, skip: int) -> int:
        return node_room.nodes_begin_pass(state, skip)

    def rewind(self, state: State, rows: Ints) -> None:
        node_room.nodes_rewind(state, rows)

    def fits_now(self, state: State, row: int, left: int) -> bool:
        return node_room.nodes_fits_now(state, row, left)

    def fits(self, state: State, row: int, left: int) -> bool:
        return node_room.nodes_fits(state, row, left)

    def fits_as_planned(self, state: State, row: int, left: int) -> bool:
        return node_room.nodes_fits_as_planned(state, row, left)

    def proposed_fits(self, state: State, row: int, left: int) -> bool:
        return node_room.nodes_proposed_fits(state, row, left)

    def take_now(self, state: State, row: int, left: int) -> int:
        return node_room.nodes_take_now(state, row, left)

    def take(self, state: State, row: int, left: int) -> int:
        return node_room.nodes_take(state, row, left)

    def give(self, state: State, row: int, left: int) -> int:
        return node_room.nodes_give(state, row, left)

    def copied(self, state: State, head: int, left: int) -> int:
        return node_room.nodes_copied(state, head, left)

    def hopeless(self, state: State, row: int, left: int) -> bool:
        return node_room.nodes_hopeless(state, row, left)

    def held_back(self, state: State, row: int, started: int) -> bool:
        return node_room.nodes_held_back(state, row, started)

    def hold_back(self, state: State, row: int, started: int) -> None:
        node_room.nodes_hold_back(state, row, started)

    def fits_beside(self, state: State, row: int, head: int, left: int, later: int) -> bool:
        return node_room.nodes_fits_beside(state, row, head, left, later)

    def possible(self, state: State, row: int) -> bool:
        return node_room.nodes_possible(state, row)

    def must_evict(self, state: State, row: int) -> bool:
        return node_room.nodes_must_evict(state, row)

    def in_the_way(self, state: State, row: int, victim: int) -> bool:
        return node_room.nodes_in_the_way(state, row, victim)

    def occupy(self, state: State, row: int) -> None:
        node_room.nodes_occupy(state, row)

    def vacate(self, state: State, row: int) -> None:
        node_room.nodes_vacate(state, row)

    def plan_starts(self, state: State, queue: Ints, rows: Ints) -> None:
        node_room.nodes_plan_starts(state, queue, rows)


class ChangingRoom(PoolRoom):
    """A pool that changes: a job has room if nothing is closed or promised to others for as long as it may run."""

    def backfill(self, state: State, now: float, queue: Ints, k: int, skip: int, out: Ints, left: int) -> int:
        return changing_room.backfill_beside_windows(state, now, queue, k, skip, out, left)

    def head_start(self, state: State, now: float, head: int, started: int, skip: int, left: int) -> float:
        return changing_room.head_start_beside_windows(state, now, head, started, skip, left)

    def what_is_left(self, state: State, first: int, now: float) -> int:
        return changing_room.what_windows_leave(state, first, now)

    def has_room(self, state: State, row: int, left: int) -> bool:
        return changing_room.has_room_now(state, row, left)

    def forget_what_is_left(self, state: State) -> None:
        changing_room.rewind_all(state)

    def begin_pass(self, state: State, skip: int) -> int:
        return changing_room.begin_beside_windows(state, skip)

    def rewind(self, state: State, rows: Ints) -> None:
        changing_room.rewind_beside_windows(state, rows)

    def fits_now(self, state: State, row: int, left: int) -> bool:
        return changing_room.fits_beside_windows(state, row, left)

    def fits_as_planned(self, state: State, row: int, left: int) -> bool:
        return changing_room.fits_as_planned_beside_windows(state, row, left)

    def proposed_fits(self, state: State, row: int, left: int) -> bool:
        return changing_room.proposed_fits_beside_windows(state, row, left)

    def take_now(self, state: State, row: int, left: int) -> int:
        return changing_room.take_beside_windows(state, row, left)

    def possible(self, state: State, row: int) -> bool:
        return changing_room.possible_at_any_time(state, row)

    def occupy(self, state: State, row: int) -> None:
        gaps.occupy_lowest(state, row)

    def vacate(self, state: State, row: int) -> None:
        gaps.vacate_places(state, row)

    def run_length(self, state: State, row: int, work: float) -> float:
        return runs.length_with_checkpoints(state, row, work)

    def admitted_first(self, state: State, rows: Ints) -> Ints:
        return changing_room.admitted_before_others(state, rows)

    def has_news(self, state: State) -> bool:
        return changing_room.has_news_of_changes(state)

    def gone_back(self, state: State, row: int) -> bool:
        return changing_room.has_run_before(state, row)


class ChangingNodeRoom(NodeRoom):
    """Nodes that change: fences keep windows, nodes that are down and those of suspended jobs from other jobs."""

    def backfill(self, state: State, now: float, queue: Ints, k: int, skip: int, out: Ints, left: int) -> int:
        return changing_nodes.backfill_on_nodes(state, now, queue, k, skip, out, left)

    def head_start(self, state: State, now: float, head: int, started: int, skip: int, left: int) -> float:
        return changing_nodes.head_start_on_nodes(state, now, head, started, skip, left)

    def shadow_time(
        self, state: State, now: float, head: int, out: Ints, started: int, skip: int, later: int
    ) -> tuple[float, int]:
        return changing_nodes.shadow_time_on_nodes(state, now, head, out, started, skip, later)

    def what_is_left(self, state: State, first: int, now: float) -> int:
        return changing_nodes.what_windows_leave_of_nodes(state, first, now)

    def has_room(self, state: State, row: int, left: int) -> bool:
        return changing_nodes.has_room_on_nodes(state, row, left)

    def forget_what_is_left(self, state: State) -> None:
        changing_nodes.leave_nodes(state)

    def begin_pass(self, state: State, skip: int) -> int:
        return changing_nodes.begin_on_nodes(state, skip)

    def rewind(self, state: State, rows: Ints) -> None:
        changing_nodes.rewind_on_nodes(state, rows)

    def fits_now(self, state: State, row: int, left: int) -> bool:
        return changing_nodes.fits_now_on_nodes(state, row, left)

    def fits(self, state: State, row: int, left: int) -> bool:
        return changing_nodes.fits_later_on_nodes(state, row, left)

    def fits_as_planned(self, state: State, row: int, left: int) -> bool:
        return changing_nodes.fits_as_planned_on_nodes(state, row, left)

    def take_now(self, state: State, row: int, left: int) -> int:
        return changing_nodes.take_now_on_nodes(state, row, left)

    def take(self, state: State, row: int, left: int) -> int:
        return changing_nodes.take_later_on_nodes(state, row, left)

    def give(self, state: State, row: int, left: int) -> int:
        return changing_nodes.give_later_on_nodes(state, row, left)

    def hopeless(self, state: State, row: int, left: int) -> bool:
        return changing_nodes.hopeless_on_nodes(state, row, left)

    def held_back(self, state: State, row: int, started: int) -> bool:
        return changing_nodes.held_back_on_nodes(state, row, started)

    def hold_back(self, state: State, row: int, started: int) -> None:
        changing_nodes.hold_back_on_nodes(state, row, started)

    def fits_beside(self, state: State, row: int, head: int, left: int, later: int) -> bool:
        return changing_nodes.fits_beside_on_nodes(state, row, head, left, later)

    def occupy(self, state: State, row: int) -> None:
        node_changes.occupy_nodes(state, row)

    def vacate(self, state: State, row: int) -> None:
        node_changes.vacate_nodes(state, row)

    def run_length(self, state: State, row: int, work: float) -> float:
        return runs.length_with_checkpoints(state, row, work)

    def admitted_first(self, state: State, rows: Ints) -> Ints:
        return changing_room.admitted_before_others(state, rows)

    def has_news(self, state: State) -> bool:
        return changing_room.has_news_of_changes(state)

    def gone_back(self, state: State, row: int) -> bool:
        return changing_room.has_run_before(state, row)


class PoolChanges(Changes):
    """A machine that does not change; what windows, outages and suspended jobs take is counted in processors."""

    def hit_suspended(self, state: State, truth: Truth, now: float, failing: Ints, k: int) -> None:
        changes.hit_suspended(state, truth, now, failing, k)

    def close_nodes(self, state: State, window: int) -> None:
        changes.close_nodes(state, window)

    def open_nodes(self, state: State, window: int) -> None:
        changes.open_nodes(state, window)

    def clear(self, state: State, truth: Truth, now: float, window: int, k: int) -> int:
        return clearing.clear(state, truth, now, window, k)

    def stays(self, state: State, row: int) -> bool:
        return entry_rows.stays(state, row)

    def go_down(self, state: State, indices: Ints) -> int:
        return gaps.go_down(state, indices)

    def come_back(self, state: State, index: int) -> int:
        return gaps.come_back(state, index)

    def never_starts(self, state: State, row: int, now: float) -> bool:
        return hopeless.never_starts(state, row, now)

    def leave_nodes(self, state: State, row: int, suspended: bool) -> None:
        interruptions.leave_nodes(state, row, suspended)

    def let_go(self, state: State, row: int) -> None:
        interruptions.let_go(state, row)

    def next_change(self, state: State, truth: Truth) -> float:
        return leap.next_change(state, truth)

    def change(
        self, state: State, truth: Truth, rule: Rule, order: Order, estimator: Estimator, sources: Sources, now: float
    ) -> bool:
        return leap.change(state, truth, rule, order, estimator, sources, now)

    def next_return(self, state: State) -> float:
        return leap.next_return(state)

    def preempt(
        self, state: State, truth: Truth, rule: Rule, order: Order, estimator: Estimator, sources: Sources, now: float
    ) -> bool:
        return leap.preempt(state, truth, rule, order, estimator, sources, now)

    def leave_hopeless(self, state: State, truth: Truth, rule: Rule, sources: Sources, now: float) -> bool:
        return leap.leave_hopeless(state, truth, rule, sources, now)

    def spare_victims(self, state: State, rows: Ints) -> None:
        limits.spare_victims(state, rows)


class ChangingChanges(PoolChanges):
    """A pool that changes: changes are due at times, jobs are interrupted by them, and policies are told."""

    def stays(self, state: State, row: int) -> bool:
        return changes.suspended_stays(state, row)

    def next_change(self, state: State, truth: Truth) -> float:
        return changes.next_change_known(state, truth)

    def change(
        self, state: State, truth: Truth, rule: Rule, order: Order, estimator: Estimator, sources: Sources, now: float
    ) -> bool:
        return changes.change_and_tell(state, truth, rule, order, estimator, sources, now)

    def next_return(self, state: State) -> float:
        return changes.next_return_known(state)

    def preempt(
        self, state: State, truth: Truth, rule: Rule, order: Order, estimator: Estimator, sources: Sources, now: float
    ) -> bool:
        return changes.preempt_and_tell(state, truth, rule, order, estimator, sources, now)

    def leave_hopeless(self, state: State, truth: Truth, rule: Rule, sources: Sources, now: float) -> bool:
        return hopeless.leave_hopeless_queue(state, truth, rule, sources, now)

    def spare_victims(self, state: State, rows: Ints) -> None:
        changes.spare_chosen_victims(state, rows)


class ChangingNodeChanges(ChangingChanges):
    """Nodes that change: windows close, outages hit and suspended jobs keep certain nodes."""

    def hit_suspended(self, state: State, truth: Truth, now: float, failing: Ints, k: int) -> None:
        node_changes.hit_suspended_on_nodes(state, truth, now, failing, k)

    def close_nodes(self, state: State, window: int) -> None:
        node_changes.close_nodes_of(state, window)

    def open_nodes(self, state: State, window: int) -> None:
        node_changes.open_nodes_of(state, window)

    def clear(self, state: State, truth: Truth, now: float, window: int, k: int) -> int:
        return node_changes.clear_nodes(state, truth, now, window, k)

    def go_down(self, state: State, indices: Ints) -> int:
        return node_changes.nodes_go_down(state, indices)

    def come_back(self, state: State, index: int) -> int:
        return node_changes.node_comes_back(state, index)

    def never_starts(self, state: State, row: int, now: float) -> bool:
        return node_changes.never_starts_on_nodes(state, row, now)

    def leave_nodes(self, state: State, row: int, suspended: bool) -> None:
        node_changes.keep_or_leave_nodes(state, row, suspended)

    def let_go(self, state: State, row: int) -> None:
        node_changes.let_go_of_nodes(state, row)


def make_state() -> State:
    """The state of a pool, before it has arrays."""
    return State(PoolRoom(), PoolProfiles(), PoolChanges(), False, False)


def make_state_on_nodes() -> State:
    """The state of a machine of nodes, before it has arrays."""
    return State(NodeRoom(), NodeProfiles(), PoolChanges(), True, False)


def make_changing_state() -> State:
    """The state of a pool that changes, before it has arrays."""
    return State(ChangingRoom(), ChangingProfiles(), ChangingChanges(), False, True)


def make_changing_nodes() -> State:
    """The state of a machine of nodes that change, before it has arrays."""
    return State(ChangingNodeRoom(), ChangingNodeProfiles(), ChangingNodeChanges(), True, True)
