"""What differs between the kinds of machines, said once: room, profiles, and changes.

A state (`thinktime.models.engine.machine_state`) has one of each, whose methods take the state. The kinds are in
`thinktime.models.engine.kinds`.
"""

from __future__ import annotations

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
        raise NotImplementedError

    def fits_now(self, state: State, row: int, left: int) -> bool:
        """Whether a job finds room in what the pass has left."""
        raise NotImplementedError

    def fits(self, state: State, row: int, left: int) -> bool:
        """Whether a job finds room in what is left at another time."""
        raise NotImplementedError

    def fits_as_planned(self, state: State, row: int, left: int) -> bool:
        """Whether a job finds room where its reservation is."""
        raise NotImplementedError

    def proposed_fits(self, state: State, row: int, left: int) -> bool:
        """Whether a job that was proposed finds room."""
        raise NotImplementedError

    def take_now(self, state: State, row: int, left: int) -> int:
        """What the pass has left when a job starts in it."""
        raise NotImplementedError

    def take(self, state: State, row: int, left: int) -> int:
        """What is left when a job takes its place."""
        raise NotImplementedError

    def give(self, state: State, row: int, left: int) -> int:
        """What is left when a job gives its place back."""
        raise NotImplementedError

    def copied(self, state: State, head: int, left: int) -> int:
        """What is left, to be changed apart from the pass until the head finds room."""
        raise NotImplementedError

    def hopeless(self, state: State, row: int, left: int) -> bool:
        """Whether a job certainly finds no room."""
        raise NotImplementedError

    def held_back(self, state: State, row: int, started: int) -> bool:
        """Whether it is known that a job would delay the head, when so many jobs have been started."""
        raise NotImplementedError

    def hold_back(self, state: State, row: int, started: int) -> None:
        """A job would delay the head, when so many jobs have been started."""
        raise NotImplementedError

    def fits_beside(self, state: State, row: int, head: int, left: int, later: int) -> bool:
        """Whether a job finds other room, in what is left now and besides the head's place in what is left later."""
        raise NotImplementedError

    def possible(self, state: State, row: int) -> bool:
        """Whether an idle machine has room for a job."""
        raise NotImplementedError

    def must_evict(self, state: State, row: int) -> bool:
        """Whether a job that starts needs the room of an overrunning job."""
        raise NotImplementedError

    def in_the_way(self, state: State, row: int, victim: int) -> bool:
        """Whether an overrunning job has what a job that starts needs."""
        raise NotImplementedError

    def occupy(self, state: State, row: int) -> None:
        """A job starts, and takes its processors or nodes."""
        raise NotImplementedError

    def vacate(self, state: State, row: int) -> None:
        """A job ends, and gives them back."""
        raise NotImplementedError

    def resize(self, state: State, row: int, place: int) -> None:
        """A running job has the size of a place of its form from now on; it keeps what it can of its processors."""
        raise NotImplementedError

    def give_up(self, state: State, row: int, place: int, gone: Ints) -> None:
        """A running job has the smaller size of a place, without some processors, or nodes, that it loses."""
        raise NotImplementedError

    def lost(self, state: State, row: int, gone: Ints) -> int:
        """How many of a running job's processors are among those that go, or on such nodes; they ascend."""
        raise NotImplementedError

    def cut_part(self, state: State, row: int, part: int, size: int) -> None:
        """A part (`thinktime.models.engine.shapes`) has the first, or the last, of a running job's places."""
        raise NotImplementedError

    def ask_part(self, state: State, row: int, part: int, size: int) -> None:
        """A part asks for so many processors more, as a running job would get them."""
        raise NotImplementedError

    def note_part(self, state: State, row: int, part: int) -> None:
        """A running job gets what its part has found."""
        raise NotImplementedError

    def forget_part(self, state: State) -> None:
        """The part stands for nothing."""
        raise NotImplementedError

    def plan_starts(self, state: State, queue: Ints, rows: Ints) -> None:
        """A pass has chosen rows of the queue, and places for them."""
        raise NotImplementedError

    def run_length(self, state: State, row: int, work: float) -> float:
        """How long a job runs that starts now and has so much work to do, s."""
        raise NotImplementedError

    def admitted_first(self, state: State, rows: Ints) -> Ints:
        """The waiting rows, those first that a window admits now."""
        raise NotImplementedError

    def has_news(self, state: State) -> bool:
        """Whether the machine has changed since the last pass, in a way that reservations may break or come sooner."""
        raise NotImplementedError

    def gone_back(self, state: State, row: int) -> bool:
        """Whether a waiting job has run, and has been interrupted."""
        raise NotImplementedError


class Profiles:
    """What is free in times to come, as profiles of the machine say it (`thinktime.models.engine.profile`)."""

    def add_processors(self, state: State, row: int, table: IntTable) -> None:
        """Add what a job has; a pool is a single node."""
        raise NotImplementedError

    def places(self, state: State) -> int:
        """How many nodes there are."""
        raise NotImplementedError

    def width(self, state: State) -> int:
        """How many numbers a step of a profile has besides its time."""
        raise NotImplementedError

    def step_at(self, state: State, time: float, profile: Profile) -> None:
        """Let a step of a profile begin at a time."""
        raise NotImplementedError

    def change_step(self, state: State, i: int, sign: int, kept: IntTable, profile: Profile) -> None:
        """Take what is kept from a step of a profile, or give it back."""
        raise NotImplementedError

    def copy_profile(self, state: State, profile: Profile, to: Profile) -> None:
        """Let another profile be the same."""
        raise NotImplementedError

    def idle_profile(self, state: State, now: float, profile: Profile) -> None:
        """Begin the profile of an idle machine."""
        raise NotImplementedError

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
        raise NotImplementedError

    def book(self, state: State, row: int, sign: int, begin: float, end: float, profile: Profile) -> None:
        """Take a job's place on [begin, end), or give it back; ``begin`` must not lie before the present."""
        raise NotImplementedError

    def earliest(self, state: State, row: int, duration: float, profile: Profile) -> float:
        """The earliest start at which a job finds room for so long; infinite if there is none."""
        raise NotImplementedError

    def earliest_from(self, state: State, row: int, duration: float, since: float, profile: Profile) -> float:
        """As `earliest`, at a step that begins at a time or later."""
        raise NotImplementedError

    def fits_from_now(self, state: State, row: int, duration: float, profile: Profile) -> bool:
        """Whether a job finds room from now on for so long."""
        raise NotImplementedError

    def fits_at(self, state: State, row: int, begin: float, duration: float, profile: Profile) -> bool:
        """Whether a job finds room at a time for so long."""
        raise NotImplementedError

    def fits_as_reserved(self, state: State, row: int, begin: float, profile: Profile) -> bool:
        """Whether a job finds room at the time that is reserved for it, where it was to be."""
        raise NotImplementedError

    def part_holds(self, state: State, part: int, begin: float, end: float, profile: Profile) -> bool:
        """Whether what a part has is free in an interval."""
        raise NotImplementedError

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
        raise NotImplementedError

    def crowds(self, state: State) -> bool:
        """Whether reservations can be where others are."""
        raise NotImplementedError

    def narrowest(self, state: State, rows: Ints) -> int:
        """The least that any of some jobs needs now."""
        raise NotImplementedError

    def left_now(self, state: State, profile: Profile) -> int:
        """How much of it there is at the present."""
        raise NotImplementedError

    def send_off(
        self, state: State, row: int, sign: int, suspends: bool, begin: float, end: float, profile: Profile
    ) -> None:
        """A running job leaves at ``begin``, not at ``end``, and may be suspended, or it does not."""
        raise NotImplementedError

    def more_from(self, state: State, now: float, profile: Profile) -> None:
        """Processors have come back unexpectedly."""
        raise NotImplementedError


class Changes:
    """What happens to a machine that changes."""

    def hit_suspended(self, state: State, truth: Truth, now: float, failing: Ints, k: int) -> None:
        """Suspended jobs are interrupted as well; those that are given up are written to ``done`` from place k on.

        On a pool they have no processors.
        """
        raise NotImplementedError

    def close_nodes(self, state: State, window: int) -> None:
        """A window begins: its nodes have nothing for jobs that it does not admit. On a pool it has no processors."""
        raise NotImplementedError

    def open_nodes(self, state: State, window: int) -> None:
        """A window is over, which might not have begun yet for a copy of the machine."""
        raise NotImplementedError

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
        raise NotImplementedError

    def change(
        self, state: State, truth: Truth, rule: Rule, order: Order, estimator: Estimator, sources: Sources, now: float
    ) -> bool:
        """The machine changes, where it does; true if users or hooks have to be told of what this interrupts."""
        raise NotImplementedError

    def next_return(self, state: State) -> float:
        """When a job under notice leaves, or one that was interrupted comes back; infinite for never."""
        raise NotImplementedError

    def preempt(
        self, state: State, truth: Truth, rule: Rule, order: Order, estimator: Estimator, sources: Sources, now: float
    ) -> bool:
        """Those leave whom the pass has chosen to, or are given notice; true if users or hooks have to be told."""
        raise NotImplementedError

    def leave_hopeless(self, state: State, truth: Truth, rule: Rule, sources: Sources, now: float) -> bool:
        """Waiting jobs that could never start any more leave the queue; true if users or hooks have to be told."""
        raise NotImplementedError

    def spare_victims(self, state: State, rows: Ints) -> None:
        """No job leaves for these, where jobs may send others away."""
        raise NotImplementedError
