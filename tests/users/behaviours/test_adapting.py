"""Jobs that come later, in another shape or not at all."""

from dataclasses import replace

import pytest

from tests.users.behaviours.behaving import LONG, PLAIN, lost, one
from thinktime.models.state import State
from thinktime.users import behaviours as b

WINDOW = b.Windows([(150, 1000)])  # of the campaigns at 0, 160, 320, … the second to the seventh fall into it


def test_delay_waits_for_the_end_of_the_window():
    """The second campaign is due at 160, in the window, and comes at its end."""
    result = one(b.Delay(WINDOW), campaigns=3, **PLAIN)
    assert result["submit"].tolist() == [0, 1000, 1160]
    assert not len(result.lost)


def test_delay_by_a_while_looks_again():
    """While the queue is crowded, ten minutes more, up to three times."""
    crowded = {"before": [LONG] * 3, "campaigns": 1}
    assert one(b.Delay(b.crowded(1), by=600), **crowded, **PLAIN | {"first": 1})["submit"].max() == 5401
    assert (
        one(b.Delay(b.crowded(1), by=600, times=3), **crowded, **PLAIN | {"first": 1})["submit"].max() == 1801
    )


@pytest.mark.parametrize(
    "behaviour, processors, runtime, node_seconds",
    [
        (b.Degrade(WINDOW), 3, 100, 200),
        (b.Reconfigure(WINDOW), 3, 200, 0),
        (b.Renounce(WINDOW), None, None, 500),
    ],
)
def test_giving_way_in_a_window(behaviour, processors, runtime, node_seconds):
    """A job of 5 processors x 100 s inside the window: 3 x 100, 3 x 200, or nothing; outside it is itself."""
    result = one(behaviour, campaigns=2, **PLAIN | {"processors": 5, "overestimate": 3})
    first, *second = map(tuple, result.jobs[["processors", "runtime", "estimate"]].values.tolist())
    assert first == (5, 100, 300)
    assert second == ([] if processors is None else [(processors, runtime, 3 * runtime)])
    assert result.lost["node_hours"].sum() * 3600 == pytest.approx(node_seconds)
    assert result.lost["jobs"].sum() == (processors is None)


def test_sequential_jobs_give_no_way():
    """One processor cannot be halved."""
    for behaviour in (b.Degrade(WINDOW), b.Reconfigure(WINDOW)):
        result = one(behaviour, campaigns=3, **PLAIN | {"processors": 1})
        assert (set(result["processors"].tolist()), set(result["runtime"].tolist())) == ({1}, {100})


def test_long_waits_are_remembered():
    """After a wait of 5000 s the user asks for half, and again until the mean of two waits is below."""
    result = one(b.Degrade(b.waiting_long(2600, jobs=2)), before=[LONG], campaigns=4, **PLAIN)
    assert result["processors"].tolist()[1:] == [4, 2, 4, 4]


def test_a_windows_beginning_counts_and_its_end_does_not():
    """From the first second on, and no longer at the end."""
    assert [WINDOW.end(t) for t in (149, 150, 999, 1000)] == [149, 1000, 1000, 1000]
    with pytest.raises(ValueError, match="from an earlier to a later time"):
        b.Windows([(5, 5)])


def test_any_change_of_a_job():
    """Double the run time, or nothing at all for wide jobs."""
    double = b.Adapt(lambda user, job: replace(job, runtime=2 * job.runtime, estimate=None))
    assert set(one(double, campaigns=2, **PLAIN)["runtime"].tolist()) == {200}
    refuse = b.Adapt(lambda user, job: None)
    assert lost(one(refuse, campaigns=1, **PLAIN)) == [[0.0, "adapt", 1, 400 / 3600]]


def test_estimates_learn_from_kills():
    """Killed at 75 s, the user asks for twice that; without another kill the factor falls: 2, 1.8, 1.62."""
    result = one(b.Estimate(), campaigns=4, **PLAIN | {"overestimate": 0.75})
    assert result["estimate"].tolist() == pytest.approx([75, 150, 135, 121.5], abs=1e-3)
    assert [State(state).label for state in result["state"]] == ["killed", "finished", "finished", "finished"]


def test_what_is_no_job_is_refused():
    """An adapt that forgets to return the job in some case gives None, which is a loss; anything else is an error."""
    with pytest.raises(TypeError, match="user 'ada': adapt of Adapt gave 3, but must give a Job, or None"):
        one(b.Adapt(lambda user, job: 3), campaigns=1)
