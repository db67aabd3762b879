"""Backfilling where more than 200 jobs wait, against a brute force that samples every second.

Profiles of some hundred steps are another matter than short ones: there, a sweep notes what it has found. And EASY does
not look along a long queue for jobs that cannot be there.
"""

import numpy as np
import pytest

import thinktime as tt
from tests.logs.plain import starts

PROCESSORS = 40


class Sampled:
    """What is free in every second; a job has its processors on [start, start + estimate)."""

    def __init__(self, seconds, processors):
        self.free = np.full(seconds, processors)

    def change(self, begin, end, processors):
        self.free[begin:end] += processors

    def earliest(self, now, processors, estimate):
        """The first second from which on there is room for so long."""
        lacking = np.concatenate([[0], np.cumsum(self.free[now:] < processors)])
        return now + int(np.argmax(lacking[estimate:] == lacking[:-estimate]))


def keys(order, jobs, waiting, now):
    """The queue in its order, by submission and number where it leaves that open."""
    key = {
        "fcfs": lambda j: 0,
        "sjf": lambda j: jobs[j][3],
        "lxf": lambda j: -((now - jobs[j][0] + jobs[j][3]) / jobs[j][3]),
    }[order]
    return sorted(waiting, key=lambda j: (key(j), jobs[j][0], j))


def brute_force(jobs, order, compress, size):
    """The starts under conservative backfilling; ``jobs`` are (submit, processors, run time, estimate)."""
    room, reserved, running, waiting = Sampled(6_000, size), {}, {}, []
    started, coming = [None] * len(jobs), list(range(len(jobs)))

    def put(j, start):
        reserved[j] = start
        room.change(start, start + jobs[j][3], -jobs[j][1])

    def take(j):
        room.change(reserved[j], reserved[j] + jobs[j][3], jobs[j][1])

    while coming or waiting or running:
        times = [jobs[j][0] for j in coming[:1]] + [reserved[j] for j in waiting]
        now = min([*times, *(started[j] + min(jobs[j][2:]) for j in running)])
        ended = [j for j in running if started[j] + min(jobs[j][2:]) == now]
        for j in ended:
            room.change(now, running.pop(j), jobs[j][1])
        new = [j for j in coming if jobs[j][0] == now]
        coming = coming[len(new) :]
        if compress == "event" or (compress != "none" and ended):
            swept = keys(order, jobs, waiting, now)
            if compress == "scheduled":
                swept.sort(key=reserved.get)
                for j in swept:
                    take(j)
            for j in swept:
                if compress != "scheduled":
                    take(j)
                start = room.earliest(now, jobs[j][1], jobs[j][3])
                put(j, start if compress == "scheduled" else min(start, reserved[j]))
        for j in keys(order, jobs, new, now):
            put(j, room.earliest(now, jobs[j][1], jobs[j][3]))
        waiting += new
        for j in [j for j in waiting if reserved[j] == now]:
            started[j], running[j] = now, now + jobs[j][3]
            waiting.remove(j)
    return started


def steady(seed, waiting=200, more=150, gap=8):
    """A burst, and jobs that keep the queue as long."""
    rng, jobs, submit = np.random.default_rng(seed), [], 0
    for number in range(waiting + more):
        submit += int(rng.integers(0, gap)) if number >= waiting else 0
        estimate = int(rng.integers(2, 60))
        runtime = estimate if rng.random() < 0.3 else int(rng.integers(1, estimate))
        jobs.append((submit, int(rng.choice([1, 2, 4, 8, rng.integers(1, PROCESSORS + 1)])), runtime, estimate))
    return jobs


def giants(seed, waiting=400):
    """A burst in which a few large jobs end soon after their start, so that many others move forward at once."""
    rng, jobs, size = np.random.default_rng(seed), [], 30
    for number in range(waiting):
        estimate = 7 * int(rng.integers(1, 9))
        runtime = max(1, int(estimate * rng.random()))
        width = int(rng.choice([1, 1, 2, 3, 4, int(rng.integers(1, size // 2))]))
        if rng.random() < 0.05:
            estimate, runtime = 7 * int(rng.integers(8, 48)), int(rng.integers(1, 9))
            width = int(rng.integers(size // 2, size))
        jobs.append((int(number > 0), width, runtime, estimate))
    return jobs


def replayed(jobs, policy, size, **machine):
    """The same by the package."""
    submit, processors, runtime, estimate = zip(*jobs, strict=True)
    columns = {"submit": submit, "runtime": runtime, "requested_processors": processors, "requested_time": estimate}
    return tt.replay(tt.Trace(columns), policy, size, **machine)["start"].tolist()


@pytest.mark.parametrize(
    ("jobs", "size", "order", "compress"),
    [
        pytest.param(steady(22), PROCESSORS, "fcfs", "completion", id="steady"),
        pytest.param(giants(34), 30, "fcfs", "completion", id="giants", marks=pytest.mark.thorough),
        pytest.param(steady(1, 205, 0), PROCESSORS, "sjf", "completion", id="sjf", marks=pytest.mark.thorough),
        pytest.param(steady(2, 205, 0), PROCESSORS, "lxf", "event", id="lxf"),
        pytest.param(giants(3, 205), 30, "fcfs", "scheduled", id="scheduled"),
        pytest.param(giants(4, 205), 30, "sjf", "none", id="none"),
    ],
)
def test_conservative_backfilling_of_long_queues_is_the_brute_force(jobs, size, order, compress):
    """Every start is the brute force's, also where a profile becomes long and short again within a sweep."""
    found = replayed(jobs, f"conservative:order={order},compress={compress}", size)
    assert found == brute_force(jobs, order, compress, size)


def easy(jobs, order, size):
    """The starts under EASY."""
    rows = [(submit, number, width, *times) for number, (submit, width, *times) in enumerate(jobs)]

    def in_order(queue, now):
        return [rows[j] for j in keys(order, jobs, [each[1] for each in queue], now)]

    found = starts(rows, size, True, in_order)
    return [found[number] for number in range(len(jobs))]


def in_classes(seed, waiting=250, more=250):
    """A burst of jobs of which the wide ones are long, and which a few short ones join later."""
    rng, jobs, submit = np.random.default_rng(seed), [], 0
    for number in range(waiting + more):
        submit += int(rng.integers(0, 20)) if number >= waiting else 0
        short = number >= waiting and rng.random() < 0.3
        estimate = int(rng.integers(2, 30)) if short else int(rng.choice([60, 240]))
        width = int(rng.choice([1, 2, 3, 4])) if short else int(rng.choice([2, 3, 4, 8, 30]))
        jobs.append((submit, width, max(1, int(estimate * rng.random())), estimate))
    return jobs


@pytest.mark.parametrize("nodes", [None, tt.Nodes.uniform(5, 8)], ids=["pool", "nodes"])
@pytest.mark.parametrize(
    ("jobs", "order"),
    [
        pytest.param(in_classes(1), "fcfs", id="classes"),
        pytest.param(in_classes(2), "sjf", id="sjf"),
        pytest.param(steady(3), "lxf", id="lxf"),
    ],
)
def test_easy_with_long_queues_is_the_brute_force(jobs, order, nodes):
    """Every start is the brute force's; on nodes as well, as long as jobs ask for processors anywhere."""
    policy = f"easy:order={order}"
    if nodes is None:
        assert replayed(jobs, policy, PROCESSORS) == easy(jobs, order, PROCESSORS)
    else:
        assert replayed(jobs, policy, None, nodes=nodes) == easy(jobs, order, PROCESSORS)
