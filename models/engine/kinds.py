"""The kinds of machines, pools and nodes with or without changes: what each does of `thinktime.models.engine.parts`."""

from __future__ import annotations

from thinktime.models.engine import (
    changes,
    changing_node_profile,
    changing_nodes,
    changing_profile,
    changing_room,
    clearing,
    entry_rows,
    gaps,
    hopeless,
    interruptions,
    leap,
    limits,
    node_changes,
    node_profile,
    node_room,
    passes,
    runs,
)
from thinktime.models.engine.estimates import Estimator
from thinktime.models.engine.machine_state import State, Truth
from thinktime.models.engine.parts import Changes
from thinktime.models.engine.pool_room import PoolRoom
from thinktime.models.engine.profile import PoolProfiles
from thinktime.models.engine.queue_orders import Order
from thinktime.models.engine.rules import Rule
from thinktime.models.engine.sources import Sources
from thinktime.workloads.arrays import Floats, Ints, IntTable


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


class NodeProfiles(PoolProfiles):
    """Nodes: a step has what each node will have left, and whatever finds a time for a job also finds its places."""

    def idle_profile(self, state: State, now: float, times: Floats, free: Ints) -> int:
        return node_profile.nodes_idle_profile(state, now, times, free)

    def running_profile(self, state: State, now: float, skip: int, times: Floats, free: Ints) -> int:
        return node_profile.nodes_running_profile(state, now, skip, times, free)

    def advance(self, state: State, now: float, times: Floats, free: Ints, n: int) -> int:
        return node_profile.nodes_advance(state, now, times, free, n)

    def book(
        self, state: State, row: int, sign: int, begin: float, end: float, times: Floats, free: Ints, n: int
    ) -> int:
        return node_profile.nodes_book(state, row, sign, begin, end, times, free, n)

    def earliest(self, state: State, row: int, duration: float, times: Floats, free: Ints, n: int) -> float:
        return node_profile.nodes_earliest(state, row, duration, times, free, n)

    def fits_from_now(self, state: State, row: int, duration: float, times: Floats, free: Ints, n: int) -> bool:
        return node_profile.nodes_fits_from_now(state, row, duration, times, free, n)

    def bring_forward(
        self, state: State, row: int, reserved: float, reach: float, tried: Floats, times: Floats, free: Ints, n: int
    ) -> tuple[float, int]:
        return node_profile.nodes_bring_forward(state, row, reserved, reach, tried, times, free, n)

    def begin_sweep(self, state: State) -> bool:
        return node_profile.nodes_begin_sweep(state)

    def crowds(self, state: State) -> bool:
        return node_profile.nodes_crowds(state)

    def narrowest(self, state: State, rows: Ints) -> int:
        return node_profile.nodes_narrowest(state, rows)

    def left_now(self, state: State, free: Ints) -> int:
        return node_profile.nodes_left_now(state, free)

    def fits_at(self, state: State, row: int, begin: float, duration: float, times: Floats, free: Ints, n: int) -> bool:
        return node_profile.nodes_fits_at(state, row, begin, duration, times, free, n)


class ChangingProfiles(PoolProfiles):
    """A pool that changes: a step knows the windows, and what each leaves to the jobs that it admits."""

    def step_at(self, state: State, time: float, times: Floats, free: Ints, n: int) -> int:
        return changing_profile.changing_step_at(state, time, times, free, n)

    def change_step(self, state: State, i: int, sign: int, kept: IntTable, free: Ints) -> None:
        changing_profile.changing_change_step(state, i, sign, kept, free)

    def width(self, state: State) -> int:
        return changing_profile.width(state)

    def copy_profile(
        self, state: State, times: Floats, free: Ints, n: int, more: int, to_times: Floats, to_free: Ints
    ) -> None:
        changing_profile.copy_records(state, times, free, n, more, to_times, to_free)

    def idle_profile(self, state: State, now: float, times: Floats, free: Ints) -> int:
        return changing_profile.changing_idle_profile(state, now, times, free)

    def running_profile(self, state: State, now: float, skip: int, times: Floats, free: Ints) -> int:
        return changing_profile.changing_running_profile(state, now, skip, times, free)

    def advance(self, state: State, now: float, times: Floats, free: Ints, n: int) -> int:
        return changing_profile.changing_advance(state, now, times, free, n)

    def book(
        self, state: State, row: int, sign: int, begin: float, end: float, times: Floats, free: Ints, n: int
    ) -> int:
        return changing_profile.changing_book(state, row, sign, begin, end, times, free, n)

    def earliest(self, state: State, row: int, duration: float, times: Floats, free: Ints, n: int) -> float:
        return changing_profile.changing_earliest(state, row, duration, times, free, n)

    def fits_from_now(self, state: State, row: int, duration: float, times: Floats, free: Ints, n: int) -> bool:
        return changing_profile.changing_fits_from_now(state, row, duration, times, free, n)

    def bring_forward(
        self, state: State, row: int, reserved: float, reach: float, tried: Floats, times: Floats, free: Ints, n: int
    ) -> tuple[float, int]:
        return changing_profile.changing_bring_forward(state, row, reserved, reach, tried, times, free, n)

    def left_now(self, state: State, free: Ints) -> int:
        return changing_profile.changing_left_now(state, free)

    def fits_at(self, state: State, row: int, begin: float, duration: float, times: Floats, free: Ints, n: int) -> bool:
        return changing_profile.changing_fits_at(state, row, begin, duration, times, free, n)

    def send_off(
        self,
        state: State,
        row: int,
        sign: int,
        suspends: bool,
        begin: float,
        end: float,
        times: Floats,
        free: Ints,
        n: int,
    ) -> int:
        return changing_profile.changing_send_off(state, row, sign, suspends, begin, end, times, free, n)

    def more_from(self, state: State, now: float, times: Floats, free: Ints, n: int) -> int:
        return changing_profile.changing_more_from(state, now, times, free, n)


class ChangingNodeProfiles(NodeProfiles):
    """Nodes that change: in windows, and while they are down, nodes have nothing."""

    def add_processors(self, state: State, row: int, table: IntTable) -> None:
        changing_node_profile.add_processors_on_nodes(state, row, table)

    def places(self, state: State) -> int:
        return changing_node_profile.node_places(state)

    def step_at(self, state: State, time: float, times: Floats, free: Ints, n: int) -> int:
        return changing_node_profile.nodes_step_at(state, time, times, free, n)

    def change_step(self, state: State, i: int, sign: int, kept: IntTable, free: Ints) -> None:
        changing_node_profile.nodes_change_step(state, i, sign, kept, free)

    def width(self, state: State) -> int:
        return node_profile.width(state)

    def copy_profile(
        self, state: State, times: Floats, free: Ints, n: int, more: int, to_times: Floats, to_free: Ints
    ) -> None:
        changing_node_profile.copy_slabs(state, times, free, n, more, to_times, to_free)

    def idle_profile(self, state: State, now: float, times: Floats, free: Ints) -> int:
        return changing_node_profile.idle_nodes(state, now, times, free)

    def running_profile(self, state: State, now: float, skip: int, times: Floats, free: Ints) -> int:
        return changing_node_profile.running_nodes(state, now, skip, times, free)

    def book(
        self, state: State, row: int, sign: int, begin: float, end: float, times: Floats, free: Ints, n: int
    ) -> int:
        return changing_node_profile.book_on_nodes(state, row, sign, begin, end, times, free, n)

    def earliest(self, state: State, row: int, duration: float, times: Floats, free: Ints, n: int) -> float:
        return changing_node_profile.earliest_on_nodes(state, row, duration, times, free, n)

    def fits_from_now(self, state: State, row: int, duration: float, times: Floats, free: Ints, n: int) -> bool:
        return changing_node_profile.fits_from_now_on_nodes(state, row, duration, times, free, n)

    def bring_forward(
        self, state: State, row: int, reserved: float, reach: float, tried: Floats, times: Floats, free: Ints, n: int
    ) -> tuple[float, int]:
        return changing_node_profile.bring_forward_on_nodes(state, row, reserved, reach, tried, times, free, n)

    def fits_at(self, state: State, row: int, begin: float, duration: float, times: Floats, free: Ints, n: int) -> bool:
        return changing_node_profile.fits_at_on_nodes(state, row, begin, duration, times, free, n)

    def fits_as_reserved(self, state: State, row: int, begin: float, times: Floats, free: Ints, n: int) -> bool:
        return changing_node_profile.fits_as_reserved_on_nodes(state, row, begin, times, free, n)

    def send_off(
        self,
        state: State,
        row: int,
        sign: int,
        suspends: bool,
        begin: float,
        end: float,
        times: Floats,
        free: Ints,
        n: int,
    ) -> int:
        return changing_node_profile.send_off_on_nodes(state, row, sign, suspends, begin, end, times, free, n)

    def more_from(self, state: State, now: float, times: Floats, free: Ints, n: int) -> int:
        return changing_node_profile.nodes_come_back(state, now, times, free, n)


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
