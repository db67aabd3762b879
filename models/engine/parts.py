"""What differs between the kinds of machines, said once: room, profiles, and changes.

A state (`thinktime.models.engine.machine_state`) has one of each, whose methods take the state. The kinds are in
`thinktime.models.engine.kinds`. What is answered here is the answer of a steady pool, of which a number says it all;
where a pool needs more than the state, its answer is in `thinktime.models.engine.rooms.pool_room`,
`thinktime.models.engine.rooms.pool_profile` and `thinktime.models.engine.changes.pool_changes`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from thinktime.models.engine.estimates import Estimator
    from thinktime.models.engine.machine_state import State
    from thinktime.models.engine.profile import Profile
    from thinktime.models.engine.queue_orders import Order
    from thinktime.models.engine.rules import Rule
    from thinktime.models.engine.sources.sources import Sources
    from thinktime.models.engine.truth import Truth
    from thinktime.workloads.arrays import Floats, Ints, IntTable

INFINITY = math.inf


class Room:
    """What a pass can still give away on a machine, and who has what."""

    def backfill(self, state: State, now: float, queue: Ints, k: int, skip: int, out: Ints, left: int) -> int:
        """EASY, when ``k`` jobs start: the next is the head, which gets a reservation that no later job may delay.

        The shadow time is the earliest time at which expected ends, all ends of one time together, give the head
        room, and ``later`` is what is left then. A later job that fits starts if it ends by the shadow time, or else
        if the head still finds room without what the job takes. The shadow time is computed only when a job could use
        it, and stands until a job ends.
        """
        raise NotImplementedError

    def last_shadow(self, state: State) -> tuple[float, int]:
        """The shadow time that the last pass has found for the same head, and what is left then."""
        raise NotImplementedError

    def head_start(self, state: State, now: float, head: int, started: int, skip: int, left: int) -> float:
        """When the head has room, if the first ``started`` rows of ``out`` start now."""
        raise NotImplementedError

    def shadow_time(
        self, state: State, now: float, head: int, out: Ints, started: int, skip: int, later: int
    ) -> tuple[float, int]:
        """The time by which expected ends give the head room, and what is left then, its part included.

        Merges the running jobs, which are sorted by their ends, with those started in this pass.
        """
        raise NotImplementedError

    def what_is_left(self, state: State, first: int, now: float) -> int:
        """What the starts of a pass have left, to ask about the ``first`` job that waits and all others."""
        raise NotImplementedError

    def has_room(self, state: State, row: int, left: int) -> bool:
        """Whether there is room for a job in what is left."""
        raise NotImplementedError

    def forget_what_is_left(self, state: State) -> None:
        """All have been asked about."""
        raise NotImplementedError

    def begin_pass(self, state: State, skip: int) -> int:
        """What starts may use: all that is idle, and what the first ``skip`` running jobs have."""
        raise NotImplementedError

    def rewind(self, state: State, rows: Ints) -> None:
        """A pass is over, in which these rows have taken what they need: so far, none of them has started."""

    def fits_now(self, state: State, row: int, left: int) -> bool:
        """Whether a job finds room in what the pass has left."""
        return bool(state.processors[row] <= left)

    def fits(self, state: State, row: int, left: int) -> bool:
        """Whether a job finds room in what is left at another time."""
        return bool(state.processors[row] <= left)

    def fits_as_planned(self, state: State, row: int, left: int) -> bool:
        """Whether a job finds room where its reservation is."""
        return bool(state.processors[row] <= left)

    def proposed_fits(self, state: State, row: int, left: int) -> bool:
        """Whether a job that was proposed finds room."""
        return bool(state.processors[row] <= left)

    def take_now(self, state: State, row: int, left: int) -> int:
        """What the pass has left when a job starts in it."""
        need: int = state.processors[row]
        return left - need

    def take(self, state: State, row: int, left: int) -> int:
        """What is left when a job takes its place."""
        need: int = state.processors[row]
        return left - need

    def give(self, state: State, row: int, left: int) -> int:
        """What is left when a job gives its place back."""
        need: int = state.processors[row]
        return left + need

    def copied(self, state: State, head: int, left: int) -> int:
        """What is left, to be changed apart from the pass until the head finds room."""
        return left

    def hopeless(self, state: State, row: int, left: int) -> bool:
        """Whether a job certainly finds no room."""
        return bool(state.processors[row] > left)

    def held_back(self, state: State, row: int, started: int) -> bool:
        """Whether it is known that a job would delay the head, when so many jobs have been started."""
        return False

    def hold_back(self, state: State, row: int, started: int) -> None:
        """A job would delay the head, when so many jobs have been started."""

    def fits_beside(self, state: State, row: int, head: int, left: int, later: int) -> bool:
        """Whether a job finds other room, in what is left now and besides the head's place in what is left later."""
        return False

    def possible(self, state: State, row: int) -> bool:
        """Whether an idle machine has room for a job."""
        return bool(1 <= state.processors[row] <= state.machine_size)

    def must_evict(self, state: State, row: int) -> bool:
        """Whether a job that starts needs the room of an overrunning job."""
        return bool(state.processors[row] > state.idle)

    def in_the_way(self, state: State, row: int, victim: int) -> bool:
        """Whether an overrunning job has what a job that starts needs."""
        return True

    def occupy(self, state: State, row: int) -> None:
        """A job starts, and takes its processors or nodes."""
        state.idle -= state.processors[row]

    def vacate(self, state: State, row: int) -> None:
        """A job ends, and gives them back."""
        state.idle += state.processors[row]

    def resize(self, state: State, row: int, place: int) -> None:
        """A running job has the size of a place of its form from now on; it keeps what it can of its processors."""

    def give_up(self, state: State, row: int, place: int, gone: Ints) -> None:
        """A running job has the smaller size of a place, without some processors, or nodes, that it loses."""

    def lost(self, state: State, row: int, gone: Ints) -> int:
        """How many of a running job's processors are among those that go, or on such nodes; they ascend."""
        return 0

    def cut_part(self, state: State, row: int, part: int, size: int) -> None:
        """A part (`thinktime.models.engine.shapes`) has the first, or the last, of a running job's places."""

    def ask_part(self, state: State, row: int, part: int, size: int) -> None:
        """A part asks for so many processors more, as a running job would get them."""

    def note_part(self, state: State, row: int, part: int) -> None:
        """A running job gets what its part has found."""

    def forget_part(self, state: State) -> None:
        """The part stands for nothing."""

    def plan_starts(self, state: State, queue: Ints, rows: Ints) -> None:
        """A pass has chosen rows of the queue, and places for them."""

    def run_length(self, state: State, row: int, work: float) -> float:
        """How long a job runs that starts now and has so much work to do, s."""
        return work

    def admitted_first(self, state: State, rows: Ints) -> Ints:
        """The waiting rows, those first that a window admits now."""
        return rows

    def has_news(self, state: State) -> bool:
        """Whether the machine has changed since the last pass, in a way that reservations may break or come sooner."""
        return False

    def gone_back(self, state: State, row: int) -> bool:
        """Whether a waiting job has run, and has been interrupted."""
        return False


class Profiles:
    """What is free in times to come, as profiles of the machine say it (`thinktime.models.engine.profile`)."""

    def add_processors(self, state: State, row: int, table: IntTable) -> None:
        """Add what a job has; a pool is a single node."""
        table[0, 0] += state.processors[row]

    def places(self, state: State) -> int:
        """How many nodes there are."""
        return 1

    def width(self, state: State) -> int:
        """How many numbers a step of a profile has besides its time."""
        return 1

    def step_at(self, state: State, time: float, profile: Profile) -> None:
        """Let a step of a profile begin at a time."""
        profile.step_at(time)

    def change_step(self, state: State, i: int, sign: int, kept: IntTable, profile: Profile) -> None:
        """Take what is kept from a step of a profile, or give it back."""
        profile.free[i * profile.width] += sign * kept[0, 0]

    def copy_profile(self, state: State, profile: Profile, to: Profile) -> None:
        """Let another profile be the same."""
        to.copy_from(profile)

    def idle_profile(self, state: State, now: float, profile: Profile) -> None:
        """Begin the profile of an idle machine."""
        profile.begin(now, 1)
        profile.free[0] = state.machine_size

    def running_profile(self, state: State, now: float, skip: int, profile: Profile) -> None:
        """Begin the profile of the running jobs alone; the first ``skip`` count as ended."""
        raise NotImplementedError

    def without_windows(self, state: State, now: float, profile: Profile) -> None:
        """On a machine that changes: begin the profile of the running jobs, unless windows admit some of them."""
        raise NotImplementedError

    def include_windows(self, state: State, first: int, stop: int, now: float, profile: Profile) -> None:
        """On a machine that changes: some of the known windows hold what they have."""
        raise NotImplementedError

    def advance(self, state: State, now: float, profile: Profile) -> None:
        """Forget what is past."""
        profile.advance(now)

    def book(self, state: State, row: int, sign: int, begin: float, end: float, profile: Profile) -> None:
        """Take a job's place on [begin, end), or give it back; ``begin`` must not lie before the present."""
        profile.change(begin, end, sign * state.processors[row])

    def earliest(self, state: State, row: int, duration: float, profile: Profile) -> float:
        """The earliest start at which a job finds room for so long; infinite if there is none."""
        return profile.earliest_fit(state.processors[row], duration)

    def earliest_from(self, state: State, row: int, duration: float, since: float, profile: Profile) -> float:
        """As `earliest`, at a step that begins at a time or later."""
        return profile.earlier_fit(INFINITY, state.processors[row], duration, since, INFINITY)

    def fits_from_now(self, state: State, row: int, duration: float, profile: Profile) -> bool:
        """Whether a job finds room from now on for so long."""
        need = state.processors[row]
        return profile.free[0] >= need and profile.fits_now(need, duration)

    def fits_at(self, state: State, row: int, begin: float, duration: float, profile: Profile) -> bool:
        """Whether a job finds room at a time for so long."""
        return profile.fits_at(state.processors[row], begin, duration)

    def fits_as_reserved(self, state: State, row: int, begin: float, profile: Profile) -> bool:
        """Whether a job finds room at the time that is reserved for it, where it was to be."""
        return self.fits_at(state, row, begin, state.estimate[row], profile)

    def part_holds(self, state: State, part: int, begin: float, end: float, profile: Profile) -> bool:
        """Whether what a part has is free in an interval."""
        return self.fits_at(state, part, begin, end - begin, profile)

    def bring_forward(
        self, state: State, row: int, reserved: float, reach: float, tried: Floats, profile: Profile
    ) -> float:
        """Move a reservation to an earlier fit, if there is one before ``reach``, and return its start.

        ``tried`` is for notes of one sweep over a profile that is never over-committed, and begins as 0. In short
        profiles they cost more than they save.
        """
        raise NotImplementedError

    def begin_sweep(self, state: State) -> bool:
        """Reservations will be brought forward; whether it may succeed although nothing was given back."""
        return False

    def crowds(self, state: State) -> bool:
        """Whether reservations can be where others are."""
        return bool(state.grace > 0.0)

    def narrowest(self, state: State, rows: Ints) -> int:
        """The least that any of some jobs needs now."""
        least: int = state.processors[rows[0]]
        for i in range(len(rows)):
            row = rows[i]
            least = min(least, state.processors[row])
        return least

    def left_now(self, state: State, profile: Profile) -> int:
        """How much of it there is at the present."""
        return int(profile.free[0])

    def send_off(
        self, state: State, row: int, sign: int, suspends: bool, begin: float, end: float, profile: Profile
    ) -> None:
        """A running job leaves at ``begin``, not at ``end``, and may be suspended, or it does not."""
        self.book(state, row, sign, begin, end, profile)

    def more_from(self, state: State, now: float, profile: Profile) -> None:
        """Processors have come back unexpectedly."""


class Changes:
    """What happens to a machine that changes."""

    def hit_suspended(self, state: State, truth: Truth, now: float, failing: Ints, k: int) -> None:
        """Suspended jobs are interrupted as well; those that are given up are written to ``done`` from place k on.

        On a pool they have no processors.
        """

    def close_nodes(self, state: State, window: int) -> None:
        """A window begins: its nodes have nothing for jobs that it does not admit. On a pool it has no processors."""

    def open_nodes(self, state: State, window: int) -> None:
        """A window is over, which might not have begun yet for a copy of the machine."""

    def clear(self, state: State, truth: Truth, now: float, window: int, k: int) -> int:
        """A window begins: jobs that it does not admit leave, the youngest first, if they are in the way."""
        raise NotImplementedError

    def stays(self, state: State, row: int) -> bool:
        """Whether a waiting job can go on only where it was."""
        raise NotImplementedError

    def go_down(self, state: State, indices: Ints) -> int:
        """Idle processors, or nodes, go down; how many processors these are."""
        raise NotImplementedError

    def come_back(self, state: State, index: int) -> int:
        """A processor, or a node, is idle again; how many processors these are."""
        raise NotImplementedError

    def never_starts(self, state: State, row: int, now: float) -> bool:
        """Whether a job would find no room on the machine if it were idle and up, beside the windows that are known."""
        raise NotImplementedError

    def leave_nodes(self, state: State, row: int, suspended: bool) -> None:
        """An interrupted job that goes on has left its nodes; if it is suspended, it keeps what it has there.

        On a pool this is a number, if all is kept.
        """
        raise NotImplementedError

    def let_go(self, state: State, row: int) -> None:
        """A waiting job is given up; if it is suspended, it keeps nothing any more."""
        raise NotImplementedError

    def next_change(self, state: State, truth: Truth) -> float:
        """When the machine changes next, as far as this is known to nobody but itself; infinite for never."""
        return INFINITY

    def change(
        self, state: State, truth: Truth, rule: Rule, order: Order, estimator: Estimator, sources: Sources, now: float
    ) -> bool:
        """The machine changes, where it does; true if users or hooks have to be told of what this interrupts."""
        return False

    def next_return(self, state: State) -> float:
        """When a job under notice leaves, or one that was interrupted comes back; infinite for never."""
        return INFINITY

    def preempt(
        self, state: State, truth: Truth, rule: Rule, order: Order, estimator: Estimator, sources: Sources, now: float
    ) -> bool:
        """Those leave whom the pass has chosen to, or are given notice; true if users or hooks have to be told."""
        return False

    def leave_hopeless(self, state: State, truth: Truth, rule: Rule, sources: Sources, now: float) -> bool:
        """Waiting jobs that could never start any more leave the queue; true if users or hooks have to be told."""
        return False

    def spare_victims(self, state: State, rows: Ints) -> None:
        """No job leaves for these, where jobs may send others away."""
