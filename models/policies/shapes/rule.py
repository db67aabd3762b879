"""Sizes around a rule: with which jobs start, whose running jobs shrink for the head of the queue, and who grows.

The contract is in ``docs/design.md``. The rule in the middle, ``base``, decides who starts, and knows of sizes as
little as of anything else that changes between its passes.
"""

from __future__ import annotations

from typing import Any

from thinktime.models.engine import gapped, shapes
from thinktime.models.engine.changes import resizing
from thinktime.models.engine.codes import machine_state as at
from thinktime.models.engine.codes import profile as profile_codes
from thinktime.models.engine.codes import shapes as codes
from thinktime.models.engine.limits import growth
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.profile import Profile
from thinktime.models.engine.rooms import trials
from thinktime.models.engine.rules import Rule
from thinktime.models.policies.shapes import choosing
from thinktime.workloads.arrays import Ints


class Around(Rule):
    """A rule that passes on what it is told to the one in its middle."""

    PARTS = ("profile",)
    base: Rule
    """Not copied: it is the rule of another policy."""
    profile: Profile

    def __init__(self, **given: Any) -> None:
        self.base, self.profile = Rule(), Profile()
        super().__init__(**given)

    def reserve_first(self, state: State, now: float, rows: Ints) -> tuple[int, float]:
        """As the rule in the middle."""
        return self.base.reserve_first(state, now, rows)

    def order_matters(self, state: State, now: float, rows: Ints) -> bool:
        """Sizes may be chosen along the queue."""
        return True

    def ended(self, state: State, now: float, rows: Ints) -> None:
        """The rule in the middle is told."""
        self.base.ended(state, now, rows)

    def withdrawn(self, state: State, now: float, rows: Ints) -> None:
        """The rule in the middle is told."""
        self.base.withdrawn(state, now, rows)

    def barred(self, state: State, now: float, rows: Ints) -> None:
        """The rule in the middle is told."""
        self.base.barred(state, now, rows)

    def put_off(self, state: State, now: float, rows: Ints) -> None:
        """The rule in the middle is told."""
        self.base.put_off(state, now, rows)

    def started(self, state: State, now: float, rows: Ints) -> None:
        """The rule in the middle is told."""
        self.base.started(state, now, rows)

    def revised(self, state: State, now: float, rows: Ints) -> None:
        """The rule in the middle is told."""
        self.base.revised(state, now, rows)

    def interrupted(self, state: State, now: float, rows: Ints) -> None:
        """The rule in the middle is told."""
        self.base.interrupted(state, now, rows)

    def resizing(self, state: State, now: float, rows: Ints) -> None:
        """The rule in the middle is told."""
        self.base.resizing(state, now, rows)

    def resized(self, state: State, now: float, rows: Ints) -> None:
        """The rule in the middle is told."""
        self.base.resized(state, now, rows)

    def kept_profile(self) -> Profile:
        """That of the rule in the middle."""
        return self.base.kept_profile()

    def next_due(self, state: State, now: float) -> float:
        """That of the rule in the middle."""
        return self.base.next_due(state, now)


class Shaped(Around):
    """Sizes around a rule."""

    NUMBERS = {"size": codes.PREFERRED, "expand": codes.NOBODY, "shrink": codes.NOBODY, "least": codes.LEAST,
               "reserved": 1, "strict": False}  # fmt: skip
    size: int
    """The size with which jobs start."""
    expand: int
    """Who grows first."""
    shrink: int
    """Who shrinks first for the head of the queue."""
    least: int
    """The size to which jobs shrink: the least, or the preferred one."""
    reserved: int
    """So many waiting jobs must not be delayed by those that grow."""
    strict: bool
    """Whether nobody starts behind a job that does not."""

    def select(self, state: State, now: float, rows: Ints) -> int:
        """Choose sizes, and let the rule decide."""
        if self.size == codes.LARGEST:
            choosing.choose_largest(state, now, rows, self.strict)
        elif self.size == codes.EARLIEST:
            choosing.choose_earliest(state, now, rows, self.profile)
        else:
            for i in range(len(rows)):
                if state.form[rows[i]] >= 0:
                    choosing.choose_fixed(state, rows[i], self.size)
        return self.base.select(state, now, rows)

    def count_as(self, state: State, now: float, rows: Ints) -> None:
        """With the least size, if it is chosen by what is free or predicted."""
        for i in range(len(rows)):
            if state.form[rows[i]] >= 0:
                choosing.choose_fixed(state, rows[i], codes.LEAST if self.size >= codes.LARGEST else self.size)

    def reshape(self, state: State, now: float, rows: Ints) -> bool:
        """Shrink to start the head, or let jobs grow."""
        before = state.spare.used
        if state.asking_count > 0:
            _grant(state, self, now, rows)
        if self.shrink != codes.NOBODY and len(rows) > 0 and state.resize_count == 0:
            _shrink(state, self, now, rows[0])
        if self.expand != codes.NOBODY and state.resize_count == 0:
            _expand(state, self, now, rows)
        state.spare.used = before
        return False


def _shrink(state: State, rule: Shaped, now: float, head: int) -> None:
    """Let running jobs shrink, if the head of the queue may start then.

    In the profile ``trial``, they have given back what they will not need any more.
    """
    kept, trial, rows = rule.profile, state.trial, shrinkable(state, rule, now)
    if len(rows) == 0:
        return
    missing = state.processors[head] - idle_now(state) - shapes.coming(state)
    state.profiles.running_profile(state, now, at.ZERO, trial)
    shapes.book_coming(state, now, trial)
    keeps, planned = rule.base.kept_profile().n > 0, trials.kept_place(state, head)
    if keeps:
        state.profiles.copy_profile(state, rule.base.kept_profile(), kept)
    fits = _has_room(state, head, missing, trial)
    for i in range(0 if fits else len(rows)):
        row = rows[i]
        own = state.processors[row]
        floor = shapes.floor_of(state, row, rule.least)
        place = max(floor, shapes.place_below(state, row, own - max(missing, 1)))
        fits = _fits_without(state, head, row, place, missing, trial)
        while place > floor and not fits:
            place -= 1
            fits = _fits_without(state, head, row, place, missing, trial)
        if keeps and not _may_last(state, row, now, place, kept):
            fits = False
            continue
        size = state.form_sizes[place]
        shapes.book_part(state, row, profile_codes.GIVE, now, state.expected_end[row], size - own, trial)
        shapes.propose(state, row, place)
        missing -= own - size
        if fits:
            break
    trials.plan_one_again(state, head, planned)
    if not fits:
        state.resize_count = 0


def _has_room(state: State, head: int, missing: int, trial: Profile) -> bool:
    """Whether the head of the queue could start, if so many processors are missing."""
    return bool(missing <= 0 and state.profiles.fits_from_now(state, head, state.estimate[head], trial))


def _fits_without(state: State, head: int, row: int, place: int, missing: int, trial: Profile) -> bool:
    """Whether the head of the queue could start if a running job had the size of a place."""
    begin, end, more = trial.times[0], state.expected_end[row], state.processors[row] - state.form_sizes[place]
    shapes.book_part(state, row, profile_codes.GIVE, begin, end, -more, trial)
    fits = _has_room(state, head, missing - more, trial)
    shapes.book_part(state, row, profile_codes.TAKE, begin, end, -more, trial)
    return fits


def _may_last(state: State, row: int, now: float, place: int, kept: Profile) -> bool:
    """Whether a job that shrinks, and so takes longer, leaves reservations as they are; the profile then has it so."""
    before, end = state.expected_end[row], shapes.end_with(state, row, now, place)
    size, form = state.form_sizes[place], state.form[row]
    fitting = end <= before or shapes.keeps_room(state, row, size, before, end, kept)
    begin = min(now + state.form_notice[form] + state.form_cost[form], before)
    if fitting:
        state.profiles.book(state, row, profile_codes.GIVE, begin, before, kept)
        shapes.book_part(state, row, profile_codes.TAKE, begin, end, size, kept)
    return bool(fitting)


def shrinkable(state: State, rule: Shaped, now: float) -> Ints:
    """The running jobs that may shrink, in the order in which they are asked to."""
    count = gapped.line_up(state)
    found, keys, n = state.spare.whole(count), state.spare.real(count), 0
    for i in range(count):
        row = state.running[i]
        form = state.form[row]
        if not shapes.may_be_resized(state, row, now):
            continue
        if now + state.form_notice[form] + state.form_cost[form] >= state.expected_end[row]:
            continue  # it will be over by then
        found[n] = row
        n += state.processors[row] > state.form_sizes[shapes.floor_of(state, row, rule.least)]
    found = found[:n]
    for i in range(n):
        keys[i] = -state.id[found[i]]
    found = state.spare.sorted_by(keys, found)
    for i in range(n):
        keys[i] = -state.run_began[found[i]]
    found = state.spare.sorted_by(keys, found)
    if rule.shrink == codes.LATEST:
        return found
    for i in range(n):
        row = found[i]
        keys[i] = -state.processors[row]
        if rule.shrink == codes.CHEAPEST:
            keys[i] = shapes.gain(state, row, shapes.place_of(state, row) - 1)
    return state.spare.sorted_by(keys, found)


def _expand(state: State, rule: Shaped, now: float, rows: Ints) -> None:
    """Let running jobs grow on what is idle, if this delays no reservation."""
    left = idle_now(state)
    if left <= 0:
        return
    running = growing(state, rule, now)
    if len(running) == 0:
        return
    plan(state, rule, now, rows)
    for i in range(len(running)):
        if left <= 0:
            break
        left -= grow(state, now, running[i], left, rule.profile)


def _grant(state: State, rule: Shaped, now: float, rows: Ints) -> None:
    """Let running jobs have the sizes that they ask for, in the order in which they asked, if this delays nobody."""
    left = idle_now(state)
    plan(state, rule, now, rows)
    for i in range(state.asking_count):
        left -= grant_one(state, now, state.asking[i], left, rule.profile)


def grant_one(state: State, now: float, row: int, left: int, profile: Profile) -> int:
    """Let a job have what it asks for, if so many processors are idle and free for long enough; how many it gets."""
    place = state.asks_for[row]
    if place == codes.NOWHERE:
        return 0
    more, until = state.form_sizes[place] - state.processors[row], shapes.end_with(state, row, now, place)
    if more > left or not growth.may_have(state, row, more, until, now):
        return 0
    return int(more) if shapes.grow_in(state, row, place, until, profile) else 0


def idle_now(state: State) -> int:
    """The processors that are idle for anybody."""
    left = state.room.begin_pass(state, at.ZERO)
    state.room.rewind(state, state.out[:0])
    return left


def plan(state: State, rule: Shaped, now: float, rows: Ints) -> None:
    """Make a profile of running jobs and reservations."""
    profile, kept = rule.profile, rule.base.kept_profile()
    if kept.n > 0:
        state.profiles.copy_profile(state, kept, profile)
        return
    state.profiles.running_profile(state, now, at.ZERO, profile)
    for i in range(len(rows)):
        if rule.reserved != codes.EVERYBODY and i >= rule.reserved:
            break
        choosing.book_earliest(state, rows[i], profile)


def grow(state: State, now: float, row: int, most: int, profile: Profile) -> int:
    """Let a running job have at most so many processors more, if they are free in a profile; how many it has."""
    own, end = state.processors[row], state.expected_end[row]
    place = shapes.place_below(state, row, own + most)
    while state.form_sizes[place] > own:
        until, more = shapes.end_with(state, row, now, place), state.form_sizes[place] - own
        if until >= end:
            return 0
        if growth.may_have(state, row, more, until, now) and shapes.grow_in(state, row, place, until, profile):
            return int(more)
        place -= 1
    return 0


def growing(state: State, rule: Shaped, now: float) -> Ints:
    """The running jobs that may grow, in the order in which they do."""
    count = gapped.line_up(state)
    found, keys, n = state.spare.whole(count), state.spare.real(count), 0
    for i in range(count):
        row = state.running[i]
        if not shapes.may_be_resized(state, row, now):
            continue
        found[n] = row
        n += state.processors[row] < state.form_sizes[shapes.stop_place(state, row) - 1]
    found = resizing.oldest_first(state, found[:n])
    if rule.expand == codes.OLDEST:
        return found
    for i in range(n):
        row = found[i]
        keys[i] = state.processors[row]
        if rule.expand == codes.BEST:
            keys[i] = -shapes.gain(state, row, shapes.place_of(state, row))
    return state.spare.sorted_by(keys, found)
