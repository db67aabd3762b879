"""What batches waited for."""

from hypothesis import given
from hypothesis import strategies as st

import thinktime as tt
from tests.workloads.user_models.logs import jobs_of, log, logs
from tests.workloads.user_models.twin import edges_of, sessions_of
from thinktime.workloads.user_models import DELIMITATIONS, delimit, dependencies


def edges(seen):
    """The graph as a dictionary from (before, after) to the think time."""
    graph = dependencies(seen.batches)
    pairs = zip(graph.before.tolist(), graph.after.tolist(), strict=True)
    return dict(zip(pairs, graph.think_time.tolist(), strict=True))


def test_a_chain_of_batches():
    """Each waits for the one before it only, with its think time."""
    seen = delimit(log([(1, 0, 100), (1, 160, 200), (1, 200, 230)]))
    assert edges(seen) == {(0, 1): 60, (1, 2): 0}


def test_a_batch_waits_for_all_that_overlap_each_other():
    """Three sessions overlap; a fourth begins when all are over, a fifth overlaps the fourth: three edges each."""
    hour = 3600
    jobs = [(1, 0, 10 * hour), (1, 2 * hour, 9 * hour), (1, 4 * hour, 11 * hour), (1, 12 * hour, 20 * hour)]
    seen = delimit(log([*jobs, (1, 14 * hour, 15 * hour)]))
    ends = [10, 9, 11]
    expected = {(b, c): (begin - end) * hour for c, begin in ((3, 12), (4, 14)) for b, end in enumerate(ends)}
    assert edges(seen) == expected


def test_what_another_batch_implies_is_no_edge():
    """Batch 3 begins after batches 0, 1 and 2, but 2 waited for 0 already; 1 overlaps 2 and counts."""
    hour = 3600
    seen = delimit(log([(1, 0, hour), (1, 2 * hour, 9 * hour), (1, 4 * hour, 5 * hour), (1, 10 * hour, 11 * hour)]))
    assert set(edges(seen)) == {(0, 1), (0, 2), (1, 3), (2, 3)}


@given(logs(), st.sampled_from(DELIMITATIONS), st.sampled_from([None, 0.0, 300.0]))
def test_the_same_as_by_the_book(trace, by, threshold):
    """The edges are all precedences within a user, less those that others imply; weights are think times."""
    seen = delimit(trace, by, threshold)
    expected = {}
    for user in sessions_of(jobs_of(trace, seen.end), by, seen.threshold):
        batches = [batch for session in user for batch in session]
        first = int(seen.batches.of_job[batches[0][0][0]])
        expected |= {(first + b, first + c): think for (b, c), think in edges_of(batches).items()}
    assert edges(seen) == expected


def test_borders_and_counts():
    """Edges out of a batch stand together; counts are of those that lead into it."""
    graph = dependencies(delimit(log([(1, 0, 100), (1, 160, 200), (2, 5, 6), (1, 200, 230)])).batches)
    assert graph.bounds.tolist() == [0, 1, 2, 2, 2]
    assert graph.count.tolist() == [0, 1, 1, 0]


def test_an_empty_log_has_no_edges():
    """Nothing in, nothing out."""
    assert len(dependencies(delimit(tt.Trace({"submit": []})).batches)) == 0
