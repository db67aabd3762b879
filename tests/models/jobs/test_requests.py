"""Requests and views: fast to read, and still right when they are kept for later."""

import copy
import pickle

import numpy as np
import pytest
import simpy

import thinktime as tt
from thinktime.models.jobs.request import VISIBLE

JOBS = 150
"""More than a machine has room for at first, so its arrays are replaced on the way."""


def submit_all(env, machine, jobs):
    """Jobs that come one by one, so that the machine does not know them before."""
    for number in range(jobs):
        machine.submit(tt.Job(user=f"u{number % 7}", processors=1 + number % 3, runtime=9 + number % 5, estimate=20))
        yield env.timeout(1)


def run(policy, jobs=JOBS):
    """A machine of which the policy keeps what it likes."""
    env = simpy.Environment()
    machine = tt.Machine(env, 4, policy)
    env.process(submit_all(env, machine, jobs))
    env.run()
    return machine


def test_a_kept_request_shows_what_has_become_of_the_job():
    """A policy that keeps each request of its first sight reads starts and ends of long ago and of now."""
    kept = {}

    def policy(view, now):
        for job in view.queue:
            kept.setdefault(job.row, job)
        for row, job in kept.items():
            assert job.row == row and job.id == view.requests.id[row] and job.state == view.requests.state[row]
            assert job.start == view.requests.start[row] or np.isnan([job.start, view.requests.start[row]]).all()
        return view.waiting[:1] if view.queue and view.fits(view.queue[0]) else []

    machine = run(policy)
    result = machine.result()
    assert [kept[row].start for row in range(JOBS)] == result["start"].tolist()
    assert [kept[row].user for row in range(JOBS)] == [f"u{row % 7}" for row in range(JOBS)]


def test_a_kept_view_is_the_view_of_each_instant():
    """The machine brings one view up to date, so a policy that keeps it sees what its argument shows."""
    kept = []

    def policy(view, now):
        kept.append(view)
        first = kept[0]
        assert first.now == now and [job.row for job in first.queue] == view.waiting.tolist()
        assert [job.row for job in first.running] == view.running_rows.tolist()
        return view.waiting[:1] if view.fits(view.queue[0]) else []

    run(policy)
    assert len(kept) > JOBS


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda job: pickle.loads(pickle.dumps(job))])
def test_a_copy_of_a_request_says_the_same(copied):
    """Policies are copied with what they have kept, such as requests."""
    seen = []

    def policy(view, now):
        for job in view.queue + view.running:
            seen.append(job)
            twin = copied(job)
            values = [(getattr(job, name), getattr(twin, name)) for name in ("row", *VISIBLE)]
            assert all(one == other or one != one for one, other in values)
            assert repr(twin) == repr(job)
        return view.waiting[:1] if now > 20 else []

    env = simpy.Environment()
    machine = tt.Machine(env, 4, policy)
    for user in ("ada", "bob"):
        machine.submit(tt.Job(user=user, processors=2, runtime=5, memory=1e6))
    env.run(until=21)
    machine.submit(tt.Job(processors=1, runtime=5))
    env.run(until=30)
    assert len(seen) > 3


def test_requests_say_what_the_columns_say():
    """Each attribute of a request is the value of the column, as Python's own number or label."""
    seen = set()

    def policy(view, now):
        table = view.requests
        for job in view.queue + view.running:
            for name in VISIBLE:
                value, column = getattr(job, name), getattr(table, name)[job.row]
                if name in ("user", "group", "queue", "partition"):
                    column = view.labels(name)[column] if column >= 0 else None
                assert value == column or (value != value and column != column)
                assert type(value) in (int, float, str, type(None))
                seen.add(name)
        return view.waiting[:1] if view.fits(view.queue[0]) else []

    run(policy, jobs=60)
    assert seen == set(VISIBLE)


def test_the_list_of_requests_is_the_policys_own():
    """A policy may sort or empty the list; the next one is whole again."""
    sizes = []

    def policy(view, now):
        queue = view.queue
        queue.reverse()
        queue.clear()
        assert [job.row for job in view.queue] == view.waiting.tolist()
        sizes.append(len(view.queue))
        return [view.waiting[-1]] if view.fits(int(view.waiting[-1])) else []

    run(policy)
    assert max(sizes) > 20


def test_a_kept_request_stays_with_its_machine():
    """A machine that goes on from a state of another one does not change what that one's policy has kept."""
    kept = {}

    def policy(view, now):
        if now < 50:
            kept.update({job.row: job for job in view.queue})
        return view.waiting[:1] if view.fits(view.queue[0]) else []

    env = simpy.Environment()
    machine = tt.Machine(env, 4, policy)
    for number in range(40):
        machine.submit(tt.Job(user=number, processors=3, runtime=10, estimate=20))
    env.run(until=45)
    state = machine.state()
    seen = {row: (job.start, job.expected_end) for row, job in kept.items()}
    tt.run(tt.MachineSpec(begin=state))
    assert repr({row: (job.start, job.expected_end) for row, job in kept.items()}) == repr(seen)
    env.run()
    assert {row: job.start for row, job in kept.items()} == {row: 10.0 * row for row in range(40)}
