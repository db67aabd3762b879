"""Jobs that come later, in another shape or not at all."""

from dataclasses import replace

import pytest

from tests.users.behaviours.behaving import LONG, PLAIN, lost, one
from thinktime.models.state import State
from thinktime.users import behaviours as b

WINDOW = b.Windows([(150, 1000)])  # of the campaigns at 0, 160, 320, … the second to the seventh fall into it


def test_delay_waits_for_the_end_of_the_window():
    """A campaign due in the window is delayed to its end."""
    result = one(b.Delay(WINDOW), campaigns=3, **PLAIN)
    assert result["submit"].tolist() == [0, 1000, 1160]
    assert not len(result.lost)


def test_delay_by_a_while_looks_again():
    """While the queue is crowded, a campaign is delayed by ten minutes, up to three times."""
    crowded = {"before": [LONG] * 3, "campaigns": 1}
    assert one(b.Delay(b.crowded(1), by=600), **crowded, **PLAIN | {"first": 1})["submit"].max() == 5401
    assert one(b.Delay(b.crowded(1), by=600, times=3), **crowded, **PLAIN | {"first": 1})["submit"].max() == 1801


@pytest.mark.parametrize(
    "behaviour, processors, runtime, node_seconds",
    [(b.Degrade(WINDOW), 3, 100, 200), (b.Reconfigure(WINDOW), 3, 200, 0), (b.Renounce(WINDOW), None, None, 500)],
)
def test_giving_way_in_a_window(behaviour, processors, runtime, node_seconds):
    """In the window a job runs on fewer processors, for longer, or not at all, and elsewhere unchanged."""
    result = one(behaviour, campaigns=2, **PLAIN | {"processors": 5, "overestimate": 3})
    first, *second = map(tuple, result.jobs[["processors", "runtime", "estimate"]].values.tolist())
    assert first == (5, 100, 300)
    assert second == ([] if processors is None else [(processors, runtime, 3 * runtime)])
    assert result.lost["node_hours"].sum() * 3600 == pytest.approx(node_seconds)
    assert result.lost["jobs"].sum() == (processors is None)


def test_sequential_jobs_give_no_way():
    """A job of one processor is not made smaller."""
    for behaviour in (b.Degrade(WINDOW), b.Reconfigure(WINDOW)):
        result = one(behaviour, campaigns=3, **PLAIN | {"processors": 1})
        assert (set(result["processors"].tolist()), set(result["runtime"].tolist())) == ({1}, {100})


def test_long_waits_are_remembered():
    """A user asks for half as long as the mean of the last two waits is long."""
    result = one(b.Degrade(b.waiting_long(2600, jobs=2)), before=[LONG], campaigns=4, **PLAIN)
    assert result["processors"].tolist()[1:] == [4, 2, 4, 4]


def test_a_windows_beginning_counts_and_its_end_does_not():
    """A window holds its first second but not its end."""
    assert [WINDOW.end(t) for t in (149, 150, 999, 1000)] == [149, 1000, 1000, 1000]
    with pytest.raises(ValueError, match="from an earlier to a later time"):
        b.Windows([(5, 5)])


def test_any_change_of_a_job():
    """A function may change a job in any way, or drop it."""
    double = b.Adapt(lambda user, job: replace(job, runtime=2 * job.runtime, estimate=None))
    assert set(one(double, campaigns=2, **PLAIN)["runtime"].tolist()) == {200}
    refuse = b.Adapt(lambda user, job: None)
    assert lost(one(refuse, campaigns=1, **PLAIN)) == [[0.0, "adapt", 1, 400 / 3600]]


def test_estimates_learn_from_kills():
    """After a kill a user asks for twice as much, and then for less each time."""
    result = one(b.Estimate(), campaigns=4, **PLAIN | {"overestimate": 0.75})
    assert result["estimate"].tolist() == pytest.approx([75, 150, 135, 121.5], abs=1e-3)
    assert [State(state).label for state in result["state"]] == ["killed", "finished", "finished", "finished"]


def test_what_is_no_job_is_refused():
    """Adapt may give a job or None, which is a loss, and nothing else."""
    with pytest.raises(TypeError, match="user 'ada': adapt of Adapt gave 3, but must give a Job, or None"):
        one(b.Adapt(lambda user, job: 3), campaigns=1)
