"""Worlds that nobody fitted to: what each habit is, common random numbers, and loads."""

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from thinktime.analysis.studies.calibrated import families
from thinktime.analysis.studies.calibrated.families import ANYTHING, EVERYWHERE, FAMILIES, KINDS, USERS, Unfitted
from thinktime.analysis.studies.calibrated.habits import COLLEAGUE, HABITS, NEVER_QUITE, TURNS, USUAL, nearer, terms
from thinktime.analysis.studies.prediction.calibrated import LOADS, reached
from thinktime.analysis.studies.prediction.cases import CASES
from thinktime.models.machine.spec import MachineSpec
from thinktime.models.results.result import Result
from thinktime.models.state import State
from thinktime.workloads.units import DAY, HOUR, MINUTE, WEEK

EASY = MachineSpec(64, "easy")
FCFS = MachineSpec(40, "fcfs")
DAYS = 4 * DAY


def jobs(result: Result, user: int | None = None) -> list[tuple[float, ...]]:
    """Submission, start, end, run time and processors of jobs, by submission, of those that are over."""
    mine = result["state"] >= State.FINISHED
    if user is not None:
        mine &= result.labels("user") == user
    names = ("submit", "start", "end", "runtime", "processors")
    return sorted(zip(*(result[name][mine].tolist() for name in names), strict=True))


@pytest.mark.parametrize("family", FAMILIES)
def test_a_world_is_determined_by_its_seed(family: str) -> None:
    """Twice the same, also when nothing is kept; not with other dice, and another world has other persons."""
    world = Unfitted(family, 1, 5, 3)
    first = jobs(world.truth(EASY, end=DAYS))
    assert jobs(world.truth(EASY, end=DAYS)) == first
    families._sources.cache_clear()
    assert jobs(world.truth(EASY, end=DAYS)) == first != jobs(world.truth(EASY, dice=1, end=DAYS))
    assert first != jobs(Unfitted(family, 2, 5, 3).truth(EASY, end=DAYS))
    assert len(first) > 5
    assert family not in HABITS or all(time == math.floor(time) for row in first for time in row)


@pytest.mark.parametrize("family", [*HABITS, EVERYWHERE])
def test_persons_are_the_same_in_every_case(family: str) -> None:
    """A person's k-th job is the same on every machine, whoever else there is; people of a shift each have theirs."""
    world = Unfitted(family, 3, 4, 1)
    who = next(number for number in range(1, 5) if world.kind(number) != "patience")
    seen: list[Any] = []
    for name in ("FCFS", "-40 % processors", "+20 % users"):
        result = world.truth(CASES[name].spec, CASES[name].users, end=1.5 * WEEK)
        rows = np.flatnonzero(result.labels("user") == who)
        if family == "shifts":
            rows = rows[result["submit"][rows] % DAY < TURNS[0].end * HOUR]
        seen.append(list(zip(result["processors"][rows].tolist(), result["runtime"][rows].tolist(), strict=True)))
    known = min(map(len, seen))
    assert known >= 3 and all(each[:known] == seen[0][:known] for each in seen)


def test_people_react() -> None:
    """On a worse machine, the persons of every family submit other jobs, or later."""
    for family in HABITS:
        world = Unfitted(family, 0, 20, 11)
        good, bad = ([row[0] for row in jobs(world.truth(spec, end=DAYS))] for spec in (EASY, FCFS))
        assert good != bad, family


def test_a_budget_is_so_many_jobs_a_day() -> None:
    """No person submits more than twelve jobs on a day, and some submit as many as they may on several days."""
    result = Unfitted("budget", 0, 8, 5).truth(EASY, end=2 * WEEK)
    day, user = (result["submit"] // DAY).astype(int), result.labels("user").astype(int)
    count = np.zeros((9, 15), int)
    np.add.at(count, (user, day), 1)
    assert count.max() <= 12
    assert (np.sort(count[1:], axis=1)[:, -1] == np.sort(count[1:], axis=1)[:, -4]).sum() >= 6


def test_students_are_the_faster_the_nearer_a_deadline_is() -> None:
    """A think time passes twice as fast with half of the time left, and none of it passes a deadline."""
    short = 1.0
    for left in (10 * DAY, DAY, HOUR):
        speed = (left - nearer(left, short)) / short
        assert speed == pytest.approx((left + NEVER_QUITE) / (USUAL + NEVER_QUITE), rel=1e-4)
    assert nearer(HOUR, 1 * DAY) == 0 and nearer(-5.0, 1.0) == 0
    dates = terms((1, 2), 0)
    for _ in range(5):
        at, due = next(dates)
        assert 5 * DAY <= due - at <= 12 * DAY
    result = Unfitted("assignment", 0, 12, 5).truth(EASY, end=4 * WEEK)
    courses = [terms(Unfitted("assignment", 0, 12, 5).seeds, course) for course in range(3)]
    due = [[next(each)[1] for _ in range(9)] for each in courses]
    left = [
        min(end - submit for end in due[int(user) % 3] if end > submit)
        for user, submit in zip(result.labels("user"), result["submit"].tolist(), strict=True)
    ]
    assert np.mean(np.array(left) < 2 * DAY) > 0.35  # of two weeks or less


def test_shifts_keep_their_hours() -> None:
    """No user submits at night or on weekends, and both shifts of an account do."""
    result = Unfitted("shifts", 0, 6, 5).truth(EASY, end=2 * WEEK)
    hour = result["submit"] % DAY / HOUR
    assert (result["submit"] % WEEK < 5 * DAY).all() and (hour >= 7).all() and (hour < 23).all()
    for user in range(1, 7):
        mine = hour[result.labels("user") == user]
        assert (mine < 15).any() and (mine >= 15).any()


def test_watchers_submit_when_few_jobs_wait() -> None:
    """At most eleven jobs wait when a campaign comes, on a machine that is too small for all."""
    result = Unfitted("watching", 0, 30, 5).truth(EASY, end=WEEK)
    submit, start = result["submit"], np.nan_to_num(result["start"], nan=np.inf)
    before = [int(((submit < time) & (start > time)).sum()) for time in submit.tolist()]
    assert max(before) <= 11 and np.mean(np.array(before) > 0) > 0.5


def test_a_share_of_a_campaign_is_enough() -> None:
    """Persons submit while some of their jobs are left, and never while half of the last campaign is."""
    result = Unfitted("share", 0, 6, 5).truth(EASY, end=WEEK)
    for user in range(1, 7):
        rows = jobs(result, user)
        times = sorted({row[0] for row in rows})
        for before, time in pairwise(times):
            last = [row[2] for row in rows if row[0] == before]
            assert np.mean(np.array(last) <= time) >= 0.5
    ends = [max(row[2] for row in jobs(result, 1) if row[0] <= time) for time in [row[0] for row in jobs(result, 1)]]
    assert any(end > row[0] for end, row in zip(ends, jobs(result, 1), strict=True))


def test_half_days_begin_at_eight_or_one() -> None:
    """Within five minutes, on working days, and at least ten minutes after the result."""
    result = Unfitted("half-days", 0, 6, 5).truth(EASY, end=2 * WEEK)
    within = result["submit"] % DAY
    assert ((within - 8 * HOUR <= 5 * MINUTE) & (within >= 8 * HOUR) | (within - 13 * HOUR <= 5 * MINUTE)).all()
    assert (result["submit"] % WEEK < 5 * DAY).all()


def test_a_relay_goes_from_one_to_the_other() -> None:
    """Campaigns of two accounts alternate, each after the one before is over."""
    result = Unfitted("relay", 0, 2, 5).truth(EASY, end=WEEK)
    turns = sorted([(*row[:3], user) for user in (1, COLLEAGUE + 1) for row in jobs(result, user)])
    campaigns = sorted({(row[0], row[3]) for row in turns})
    assert len(campaigns) > 10
    for (before, one), (time, other) in pairwise(campaigns):
        assert one != other and max(row[2] for row in turns if row[0] == before) <= time


def test_plans_end_at_the_next_meeting() -> None:
    """With more time than work, the number of campaigns of each week is that of the plan, on any machine."""
    here, there = (Unfitted("meeting", 1, 3, 5).truth(spec, end=4 * WEEK) for spec in (EASY, MachineSpec(640, "easy")))
    many = Unfitted("meeting", 1, 200, 5).truth(EASY, end=4 * WEEK)
    counts = [len({row[0] for row in jobs(result, 1)}) for result in (here, there, many)]
    assert abs(counts[0] - counts[1]) <= 2 and counts[2] < counts[0]


def test_the_discouraged_stay_away_after_slow_responses() -> None:
    """The median pause after a response of eight hours is more than three times that after one of one."""
    rows: dict[bool, list[float]] = {True: [], False: []}
    result = Unfitted("discouraged", 0, 150, 5).truth(EASY, end=2 * WEEK)
    for user in range(1, 151):
        own = jobs(result, user)
        times = sorted({row[0] for row in own})
        for before, time in pairwise(times):
            end = max(row[2] for row in own if row[0] == before)
            if end - before < HOUR or end - before > 8 * HOUR:
                rows[end - before > 8 * HOUR].append(time - end)
    assert len(rows[True]) > 50 and np.median(rows[True]) > 3 * np.median(rows[False])


def test_shares_of_kinds_are_those_drawn_for_a_world() -> None:
    """Half of the kinds or so have most persons of a world, others in another; elsewhere, all are as likely."""
    drawn = [[Unfitted(ANYTHING, world, 1, 5).kind(number) for number in range(1, 1001)] for world in (0, 1)]
    first, second = ({kind: kinds.count(kind) / len(kinds) for kind in KINDS} for kinds in drawn)
    assert max(abs(first[kind] - second[kind]) for kind in KINDS) > 0.1
    assert sum(sorted(first.values())[-len(KINDS) // 2 :]) > 0.75
    known = [Unfitted(EVERYWHERE, 0, 1, 5).kind(number) for number in range(1, 1001)]
    assert set(known) == set(families.ELSEWHERE)
    assert min(known.count(kind) for kind in families.ELSEWHERE) > 70


def test_every_family_has_its_loads() -> None:
    """More persons for more load."""
    assert set(USERS) == set(FAMILIES)
    assert all(1 <= few < some < many for few, some, many in USERS.values())


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.thorough
def test_so_many_persons_make_the_load(family: str) -> None:
    """One person less, or one more, is on the other side of it and no nearer."""
    for load, users in list(zip(LOADS, USERS[family], strict=True))[:2]:
        less, found, more = (reached(family, users + step, Unfitted) - load for step in (-1, 0, 1))
        assert any((each < 0) != (found < 0) and abs(found) <= abs(each) for each in (less, more))
