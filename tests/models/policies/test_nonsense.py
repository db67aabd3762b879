"""Whatever a policy of one's own names, it gets an error in Python: compiled code checks no index."""

import numpy as np
import pytest

import thinktime as tt
from thinktime.models.changing.sights import Leave

NONSENSE = [-1, 4, 10**6, 2**62, -(2**62), 2**70, np.int64(99)]
MACHINES = {
    "processors": {"processors": 3},
    "changes": {"processors": 3, "changes": tt.Changes(windows=[tt.Window(5, 9, 1)])},
}
ASKED = {
    "fits": lambda view, row: view.fits(row),
    "fits later": lambda view, row: view.fits(row, view.now + 1),
    "earliest": lambda view, row: view.earliest(row),
}


def log():
    """Four jobs."""
    return tt.Trace({"submit": [0, 1, 2, 3], "runtime": [10, 10, 5, 5], "allocated": [2, 2, 1, 1]})


@pytest.mark.parametrize("row", NONSENSE, ids=str)
@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("ask", ASKED.values(), ids=ASKED)
def test_a_question_about_no_job_is_an_index_error(row, machine, ask):
    """`view.fits` and `view.earliest` name the row and the rows that there are."""

    def policy(view, now):
        ask(view, row)
        return []

    with pytest.raises(IndexError, match="there is no job in row"):
        tt.replay(log(), policy, **MACHINES[machine])


@pytest.mark.parametrize("row", [row for row in NONSENSE if row != 4], ids=str)  # there is room for more than four jobs
def test_a_window_admits_no_job_that_is_not_there(row):
    """`window.admits` says so, too."""

    def policy(view, now):
        for window in view.windows:
            window.admits(row)
        return []

    with pytest.raises(IndexError, match="there is no job in row"):
        tt.replay(log(), policy, **MACHINES["changes"])


@pytest.mark.parametrize("row", NONSENSE, ids=str)
def test_no_job_can_be_proposed_that_is_not_there(row):
    """Neither to start nor to leave, nor as the one for which another leaves."""

    def start(view, now):
        return [row]

    def leave(view, now):
        return [Leave(row, "requeue", 0.0, -1)]

    def keep(view, now):
        return list(view.waiting[:1]) if not view.running else [Leave(view.running[0].row, "suspend", 0.0, row)]

    for policy in (start, leave):
        with pytest.raises((tt.PolicyError, ValueError, TypeError)):
            tt.replay(log(), policy, 3, changes=tt.Changes())
    if row != -1:
        with pytest.raises((IndexError, tt.PolicyError, ValueError)):
            tt.replay(log(), keep, 3, changes=tt.Changes())
