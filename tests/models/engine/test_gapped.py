"""Running jobs, sorted when they are read, against a sorted list."""

import random

import numpy as np
import pytest

from tests.how_many import in_turn
from thinktime.models.engine import gapped
from thinktime.models.jobs.pool import Pool
from thinktime.models.state import State


@pytest.mark.parametrize(("most", "different"), in_turn(2, [8, 2300], [1, 5, 10**9]))
def test_running_jobs_are_in_order_of_their_expected_ends(most, different):
    """Whatever starts and ends, and however rarely somebody looks, running jobs are sorted by expected end and id."""
    chance = random.Random(most + different)
    pool, jobs = Pool(most), 10_000
    pool.append(jobs, np.ones(jobs), id=np.array(chance.sample(range(10**6), jobs)), processors=1)
    columns, running = pool.requests, []
    for row in range(jobs):
        while running and (len(running) == most or chance.random() < 0.4):
            place = chance.choice([0, len(running) - 1, chance.randrange(len(running))])
            columns.state[running.pop(place)] = State.FINISHED
            pool.state.at_work -= 1
        columns.expected_end[row] = chance.randrange(different) if row % 3 else -(row // 2000)
        columns.state[row] = State.RUNNING
        pool.state.at_work += 1
        gapped.note_running(pool.state, row)
        running.append(row)
        if row % 50 == 0 or row < 500 or row > 9_900:
            running.sort(key=lambda each: (columns.expected_end[each], columns.id[each]))
            if row % 2:
                gapped.sort_in(pool.state)
            else:
                assert pool.running_rows.tolist() == running
