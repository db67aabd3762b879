"""Sorted rows with gaps against a sorted list."""

import random

import numpy as np
import pytest

from thinktime.models.kernels import gapped


@pytest.mark.parametrize("size, most", [(12, 8), (3000, 2300)])
@pytest.mark.parametrize("different", [1, 5, 10**9])
def test_rows_stay_sorted(size, most, different):
    """Whatever is inserted and removed, the rows are those of a sorted list, and neither end is a gap."""
    chance = random.Random(size + different)
    rows, keys, counts = np.full(size, -1), np.zeros(size), np.array([7, 0, 0])
    tie = np.array(chance.sample(range(10**6), 10_000)) if different < 10 else np.empty(0, np.int64)
    listed, key_of = [], {}
    for row in range(10_000):
        while listed and (len(listed) == most or chance.random() < 0.4):
            place = chance.choice([0, len(listed) - 1, chance.randrange(len(listed))])
            gone = listed.pop(place)[2]
            gapped.remove(gone, key_of[gone], tie, rows, keys, counts, 1)
        if different == 5 and row % 1500 == 0:
            assert gapped.close_gaps(rows, keys, counts, 1) == len(listed)
            assert rows[: len(listed)].tolist() == [row for *_, row in listed]
        key_of[row] = float(chance.randrange(different)) if row % 3 else -float(row // 2000)
        gapped.insert(row, key_of[row], tie, rows, keys, counts, 1)
        listed.append((key_of[row], tie[row] if tie.size else row, row))
        if row % 50 == 0 or row < 500 or row > 9_900:
            listed.sort()
            inside = rows[counts[1] : counts[2]]
            assert inside[inside >= 0].tolist() == [row for *_, row in listed]
            assert inside[0] >= 0 and inside[-1] >= 0
            assert (np.diff(keys[counts[1] : counts[2]]) >= 0).all()
        else:
            listed.sort()
    assert counts[0] == 7
