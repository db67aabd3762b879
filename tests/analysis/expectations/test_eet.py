"""Expected end times: the paper's examples, and Algorithm 1 slot by slot."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thinktime.analysis.expectations.eet import expected_ends


def algorithm_1(jobs, capacity_of):
    """The paper's Algorithm 1, line by line: ``jobs`` of one user as (arrival, request, run time), by arrival."""
    taken = {}
    ends = []
    for j, (arrival, request, runtime) in enumerate(jobs):
        left, time = request * runtime, arrival
        while left > 0:
            consumed = max(0, min(capacity_of[j] - taken.get(time, 0), request))
            taken[time] = taken.get(time, 0) + consumed
            left -= consumed
            time += 1
        ends.append(time)
    return ends


def ends(jobs, capacity, **options):
    """The package's EETs of (arrival, request, run time) triples."""
    columns = np.array(jobs, dtype=object).reshape(-1, 3).T
    submit, request, runtime = (column.astype(float) for column in columns)
    return expected_ends(submit, request, runtime, capacity, **options).tolist()


@pytest.mark.parametrize(
    ("jobs", "capacity", "expected"),
    [
        ([(0, 2, 4), (1, 2, 1)], 3, [4, 3]),
        ([(0, 2, 4), (1, 2, 1), (1, 5, 3), (2, 1, 2)], 3, [4, 3, 9, 11]),
        ([(0, 4, 3)], 3, [4]),
        ([(5, 1, 0), (5, 1, 2)], 1, [5, 7]),
    ],
)
def test_worked_examples(jobs, capacity, expected):
    """The package's EETs are those of Table 1, of a job wider than the capacity and of a job without length."""
    assert ends(jobs, capacity) == expected
    assert algorithm_1(jobs, [capacity] * len(jobs)) == expected


JOB = st.tuples(st.integers(0, 12), st.integers(1, 6), st.integers(0, 9))


@given(jobs=st.lists(JOB, max_size=12), capacity=st.integers(1, 7))
@settings(max_examples=2_000)
def test_events_are_algorithm_1(jobs, capacity):
    """For every job the package gives the EET that the paper's algorithm gives slot by slot."""
    jobs = sorted(jobs, key=lambda job: job[0])
    assert ends(jobs, capacity) == algorithm_1(jobs, [capacity] * len(jobs))


@given(jobs=st.lists(st.tuples(JOB, st.integers(1, 7)), max_size=10))
@settings(max_examples=1_000)
def test_a_capacity_for_each_job(jobs):
    """Where the capacity changes from job to job, every EET is the algorithm's with that job's capacity."""
    jobs = sorted(jobs, key=lambda job: job[0][0])
    capacities = [capacity for _, capacity in jobs]
    plain = [job for job, _ in jobs]
    assert ends(plain, capacities) == algorithm_1(plain, capacities)


def test_thousands_of_random_users_at_once():
    """Three thousand users in one call get the EETs that each gets alone, in any order of the rows."""
    random = np.random.default_rng(1)
    rows = [
        (user, int(random.integers(0, 60)), int(random.integers(1, 9)), int(random.integers(0, 30)))
        for user in range(3_000)
        for _ in range(int(random.integers(1, 9)))
    ]
    random.shuffle(rows)
    user, submit, request, runtime = np.array(rows).T
    number = np.arange(len(rows))
    found = expected_ends(submit, request, runtime, 4, user, number)
    for each in range(0, 3_000):
        mine = sorted((submit[i], i) for i in np.flatnonzero(user == each))
        jobs = [(int(submit[i]), int(request[i]), int(runtime[i])) for _, i in mine]
        assert found[[i for _, i in mine]].tolist() == algorithm_1(jobs, [4] * len(jobs))


def test_equal_submissions_go_by_number():
    """Of two jobs submitted together, the one with the smaller number comes first."""
    found = expected_ends([0, 0], [1, 1], [5, 3], 1, number=[8, 7])
    assert found.tolist() == [8, 3]


def test_arrivals_between_slots_count_at_the_next():
    """A lone job is never expected to end before it could."""
    assert expected_ends([0.5], [1], [1.25], 4).tolist() == [3.0]
    assert expected_ends([0.5], [1], [1.25], 4, slot=2**-10).tolist() == [1.75]


def test_bytes_beyond_64_bits_are_exact():
    """Requests in bytes give the EETs of the same jobs in smaller units, though products pass 2⁶³."""
    jobs = [(0, 3, 40), (2, 5, 33), (2, 1, 8), (7, 4, 21)]
    large = [(a, r << 58, d) for a, r, d in jobs]
    assert ends(large, 4 << 58) == ends(jobs, 4) == algorithm_1(jobs, [4] * 4)


def test_what_cannot_be():
    """An empty capacity, half a processor and endless runs are refused by name."""
    with pytest.raises(ValueError, match="capacity must hold whole numbers of at least 1"):
        expected_ends([0], [1], [1], 0)
    with pytest.raises(ValueError, match="request must hold whole numbers"):
        expected_ends([0], [0.5], [1], 1)
    with pytest.raises(ValueError, match="must be finite times"):
        expected_ends([0], [1], [np.inf], 1)
    with pytest.raises(ValueError, match="slot must be a multiple"):
        expected_ends([0], [1], [1], 1, slot=0.3)
