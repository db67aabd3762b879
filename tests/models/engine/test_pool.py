"""The events of a pool against a pool made of lists and dicts that sorts everything anew at every step."""

import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thinktime.models.jobs.pool import Pool
from thinktime.models.jobs.refusing import PolicyError
from thinktime.models.state import State

PROCESSORS = 6
OVERRUNS = ("kill", "extend", "until_needed")


class Lists:
    """The twin: rows in plain lists."""

    def __init__(self, jobs, overrun):
        self.jobs, self.overrun = jobs, overrun
        self.state = dict.fromkeys(range(len(jobs)), State.FUTURE)
        self.arrival, self.start, self.end = {}, {}, {}

    def of(self, state):
        return [row for row, now in self.state.items() if now == state]

    def waiting(self):
        return sorted(self.of(State.WAITING), key=lambda row: (self.jobs[row]["key"], self.arrival[row]))

    def expected_end(self, row):
        return self.start[row] + self.jobs[row]["estimate"]

    def running(self):
        return sorted(self.of(State.RUNNING), key=lambda row: (self.expected_end(row), self.jobs[row]["id"]))

    def idle(self):
        return PROCESSORS - sum(self.jobs[row]["processors"] for row in self.of(State.RUNNING))

    def next_end(self):
        return min((self.end[row] for row in self.of(State.RUNNING)), default=math.inf)

    def enqueue(self, rows):
        accepted = []
        for row in sorted(rows, key=lambda row: self.jobs[row]["id"]):
            if self.state[row] == State.FUTURE:
                wide = self.jobs[row]["processors"] > PROCESSORS
                self.state[row] = State.REFUSED if wide else State.WAITING
                self.arrival[row] = len(self.arrival)
                accepted += [] if wide else [row]
        return accepted

    def finish_due(self, now):
        due = [row for row in self.of(State.RUNNING) if self.end[row] <= now]
        for row in due:
            cut = self.overrun == "kill" and self.jobs[row]["runtime"] > self.jobs[row]["estimate"]
            self.state[row] = State.KILLED if cut else State.FINISHED
        return sorted(due, key=lambda row: (self.end[row], row))

    def overrunning(self, now):
        late = [row for row in self.running() if self.expected_end(row) <= now]
        return late if self.overrun == "until_needed" else []

    def may_start(self, rows, now):
        room = self.idle() + sum(self.jobs[row]["processors"] for row in self.overrunning(now))
        if len(set(rows)) < len(rows) or not set(rows) <= set(self.of(State.WAITING)):
            return False
        return sum(self.jobs[row]["processors"] for row in rows) <= room

    def begin(self, rows, now):
        evicted = []
        for row in rows:
            while self.jobs[row]["processors"] > self.idle():
                victim = self.overrunning(now)[0]
                self.leave(victim, now, State.KILLED)
                evicted.append(victim)
            job = self.jobs[row]
            self.state[row], self.start[row] = State.RUNNING, now
            longest = job["estimate"] if self.overrun == "kill" else math.inf
            self.end[row] = now + min(job["runtime"], longest)
        return evicted

    def leave(self, row, now, state):
        self.state[row], self.end[row] = state, now


jobs = st.fixed_dictionaries(
    {
        "processors": st.integers(1, PROCESSORS + 1),
        "estimate": st.integers(1, 8),
        "runtime": st.integers(0, 12),
        "key": st.integers(0, 2),
    }
)


def agree(pool, twin):
    """Everything that can be seen of both is the same."""
    assert pool.waiting_rows.tolist() == twin.waiting()
    assert pool.running_rows.tolist() == twin.running()
    assert (pool.idle, pool.waiting_count()) == (twin.idle(), len(twin.waiting()))
    assert pool.next_end() == twin.next_end()
    assert pool.last_end() == max((twin.end[row] for row in twin.of(State.RUNNING)), default=math.inf)
    assert pool.requests.state[: len(twin.jobs)].tolist() == list(twin.state.values())
    for row, end in twin.end.items():
        assert pool.outcomes.end[row] == end
    for row, start in twin.start.items():
        assert (pool.requests.start[row], pool.requests.expected_end[row]) == (start, twin.expected_end(row))


@settings(max_examples=300, deadline=None)
@given(st.lists(jobs, min_size=1, max_size=16), st.sampled_from(OVERRUNS), st.integers(0, 2**32))
def test_pool_does_what_lists_do(given_jobs, overrun, seed):
    """Any sequence of submissions, starts, evictions, ends and withdrawals leaves pool and twin alike."""
    chance = random.Random(seed)
    numbers = chance.sample(range(1, 100), len(given_jobs))
    listed = [job | {"id": number} for job, number in zip(given_jobs, numbers, strict=True)]
    pool, twin = Pool(PROCESSORS, overrun), Lists(listed, overrun)
    column = {name: np.array([job[name] for job in listed]) for name in listed[0]}
    pool.append(
        len(listed),
        column["runtime"].astype(float),
        id=column["id"],
        processors=column["processors"],
        estimate=column["estimate"].astype(float),
        key=column["key"].astype(float),
    )
    now, future = 0.0, list(range(len(listed)))
    while future or twin.of(State.WAITING) or twin.of(State.RUNNING):
        now += chance.choice([0, 1, 1, 2, 5])
        assert pool.finish_due(now).tolist() == twin.finish_due(now)
        agree(pool, twin)
        batch = [future.pop(0) for _ in range(min(len(future), chance.choice([0, 1, 1, 4])))]
        pool.arrive(np.array(batch, np.int64))
        assert pool.enqueue(now).tolist() == twin.enqueue(batch)
        agree(pool, twin)
        leave_some(pool, twin, now, chance)
        agree(pool, twin)
        start_some(pool, twin, now, chance)
        agree(pool, twin)


def leave_some(pool, twin, now, chance):
    """Now and then one job is withdrawn, and one that runs is ended."""
    if (waiting := twin.waiting()) and chance.random() < 0.1:
        row = chance.choice(waiting)
        pool.withdraw(row, now)
        twin.leave(row, now, State.WITHDRAWN)
    if (running := twin.running()) and chance.random() < 0.1:
        row, state = chance.choice(running), chance.choice([State.FINISHED, State.KILLED])
        pool.end_now(row, now, state)
        twin.leave(row, now, state)


def start_some(pool, twin, now, chance):
    """Propose jobs, often too many and sometimes nonsense; what is refused changes nothing."""
    rows = chance.sample(twin.waiting(), min(len(twin.waiting()), chance.choice([1, 1, 2, 3])))
    if chance.random() < 0.1:
        rows.append(chance.choice([-1, len(twin.jobs), *range(len(twin.jobs))]))
    if not rows:
        return  # the scheduler does not ask for nothing either
    proposal = np.array(rows, np.int64)
    assert pool.overrunning(now) == len(twin.overrunning(now))
    if twin.may_start(rows, now):
        assert pool.start(proposal, now).tolist() == twin.begin(rows, now)
    else:
        with pytest.raises(PolicyError):
            pool.start(proposal, now)


def test_rows_withdrawn_before_they_are_queued_are_left_out():
    """A job that its user withdraws at the instant of its submission never enters the queue."""
    pool = Pool(PROCESSORS)
    pool.append(3, 1.0, id=[3, 2, 1], processors=1, estimate=1.0)
    pool.requests.state[1] = State.WITHDRAWN
    pool.arrive(range(3))
    assert pool.enqueue(0.0).tolist() == [2, 0]
