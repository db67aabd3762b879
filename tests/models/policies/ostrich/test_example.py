"""The paper's example (appendix A), its continuation, and a real schedule that fits all that the appendix says."""

import pytest

from tests.models.policies.ostrich.exact import Exact, user
from tests.models.policies.ostrich.package import Run

PRINTED = {0: {(1, 0): 16, (2, 0): 6}, 2: {(1, 0): 23, (2, 0): 8, (3, 0): 7}}
AT_5 = {(1, 0): 23, (2, 0): 8, (3, 0): 7, (3, 1): 11}
CONTINUED = {7: {(1, 0): 23, (2, 0): 8, (3, 1): 11}, 8: {(1, 0): 18, (3, 1): 10}, 10: {(1, 0): 14}, 14: {}}
VIRTUAL = {(1, 0): (0, 14), (2, 0): (0, 8), (3, 0): (2, 7), (3, 1): (7, 10)}
STARTS = {
    (1, 0): [4] * 2 + [5] * 4 + [6] * 2 + [8] * 2 + [9] * 4 + [10] * 2 + [11] * 4 + [12] * 2 + [13] * 2,
    (2, 0): [0] * 6 + [3] + [4] * 3,
    (3, 0): [2] * 4 + [3],
    (3, 1): [7] * 4,
}


def example():
    """Users 0 (idle) to 3 of the appendix; the lengths are ours, the works and times are the paper's."""
    return [
        user(0, []),
        user(1, [(0, [2] * 24)]),
        user(2, [(0, [3, 3, 2, 2, 2, 2, 1, 1, 1, 1])]),
        user(3, [(2, [2] * 5), (5, [2] * 4)], closed=False),
    ]


@pytest.fixture(scope="module")
def twin():
    return Exact(6, example())


@pytest.fixture(scope="module")
def run():
    return Run(6, example())


@pytest.mark.parametrize("time, projected", [*PRINTED.items(), (5, AT_5), *CONTINUED.items()])
def test_every_printed_virtual_completion_time_is_reproduced(twin, run, time, projected):
    """After the submissions C̃ is 16 and 6; 23, 8 and 7; 11 beside them; and as exactly in the continuation."""
    assert twin.projections[time] == projected
    assert run.policy.projections[time] == projected


def test_campaigns_start_and_end_in_the_virtual_schedule_as_computed_by_hand(twin, run):
    """The second campaign of user 3 was projected to end at 11 in V, but user 2 leaves at 8, so it ends at 10."""
    assert {(c.user, c.index): (c.virtual_start, c.virtual_end) for c in twin.campaigns} == VIRTUAL
    assert {key: (c.virtual_start, c.virtual_end) for key, c in run.virtual.items()} == VIRTUAL


def test_every_job_of_the_example_starts_when_the_paper_says(twin, run):
    """User 2 first; user 3 takes over at 2 and 3; user 1 fills up; user 3's second campaign waits until 7."""
    assert {(c.user, c.index): [job.start for job in c.jobs] for c in twin.campaigns} == STARTS
    assert run.starts == STARTS


def test_the_machine_is_shared_as_the_appendix_tells(run):
    """Processors of users 1, 2 and 3 in every second of the example."""
    table = run.result
    labels = run.machine.names["user"]

    def held(number, time):
        mine = table["user"] == labels.index(number)
        return int((mine & (table["start"] <= time) & (table["end"] > time)).sum())

    used = [tuple(held(number, time) for number in (1, 2, 3)) for time in range(15)]
    assert used == [
        (0, 6, 0), (0, 6, 0), (0, 2, 4), (0, 1, 5), (2, 3, 1), (6, 0, 0), (6, 0, 0), (2, 0, 4), (2, 0, 4),
        *[(6, 0, 0)] * 4, (4, 0, 0), (2, 0, 0),
    ]  # fmt: skip
