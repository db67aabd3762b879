"""How satisfied the users of a result are: complaints about waits beyond what they accept.

The model is that of `thinktime.users.satisfaction`: each job adds to the wait that its owner accepts, and the owner
complains whenever the waits so far exceed those accepted so far. Jobs count in the order of their starts. Jobs that
never started do not count, so users who give up do not complain: read complaints next to what was given up
(`thinktime.models.results.outcome`).
"""

import numpy as np

from thinktime.models.results import measures
from thinktime.models.results.outcome import abandonment_by_user
from thinktime.models.results.result import Result
from thinktime.models.results.tables import labelled, with_users
from thinktime.users.satisfaction import acceptable_wait
from thinktime.workloads.arrays import DataFrame, Flags, Floats, Whole, pd


def complaints(result: Result) -> Flags:
    """For each job of a result, in its order, whether its owner complained when it started."""
    found = np.zeros(len(result), dtype=np.bool_)
    rows, waited, accepted = _accounts(result)
    found[rows] = waited > accepted
    return found


def satisfaction(result: Result) -> DataFrame:
    """One row per user: jobs that started, total waits and accepted waits (s), complaints, and their share of jobs.

    `abandoned` are the jobs that the user gave up, which the other columns exclude. A user who gave up all jobs has 0
    jobs.
    """
    rows, _, _ = _accounts(result)
    wait = measures.wait(result)[rows]
    columns = {
        "jobs": np.ones(len(rows), dtype=np.int64),
        "waited": wait,
        "accepted": acceptable_wait(result["processors"][rows], result["estimate"][rows]),
        "complaints": complaints(result)[rows].astype(np.int64),
    }
    table = pd.DataFrame(columns).groupby(result["user"][rows], sort=True).sum()
    given_up = {user: each.abandoned for user, each in abandonment_by_user(result).items()}
    table = with_users(labelled(table, result), (user for user, jobs in given_up.items() if jobs), tuple(columns))
    table["complaint_share"] = table["complaints"] / table["jobs"]
    table["abandoned"] = [given_up.get(user, 0) for user in table.index]
    return table


def _accounts(result: Result) -> tuple[Whole, Floats, Floats]:
    """Started jobs by user, then start, then id; with the waits and the accepted waits of their owners up to each."""
    started = np.flatnonzero(np.isfinite(result["start"]))
    order = np.lexsort((result["id"][started], result["start"][started], result["user"][started]))
    rows = started[order]
    user = result["user"][rows]
    wait = measures.wait(result)[rows]
    accepted = acceptable_wait(result["processors"][rows], result["estimate"][rows])
    return rows, _running_sum(wait, user), _running_sum(accepted, user)


def _running_sum(values: Floats, group: Whole) -> Floats:
    """Cumulative sums within each group; equal groups are adjacent."""
    sums = np.empty_like(values)
    for part in np.split(np.arange(len(values)), np.flatnonzero(np.diff(group)) + 1):
        sums[part] = np.cumsum(values[part])
    return sums
