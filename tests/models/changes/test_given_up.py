"""Jobs that were interrupted and then given up: killed by state, abandoned by outcome."""

from collections.abc import Callable, Generator
from typing import Any

import numpy as np
import pytest
import simpy

import thinktime as tt
from thinktime.models.machine.events import JobEvent
from thinktime.models.results.outcome import Outcome, abandonment, abandonment_by_user, known_until, outcomes, served
from thinktime.models.state import State

Process = Generator[Any, Any, None]
Wait = Callable[[simpy.Environment, JobEvent], Any]


def at(time: float) -> Wait:
    """Wait until some time."""
    return lambda env, event: env.timeout(time - env.now)


def at_the_interruption(env: simpy.Environment, event: JobEvent) -> Any:
    """Wait until the job is interrupted."""
    return event.interrupted


def given_up(when: Wait, **changes: Any) -> tuple[tt.Result, Any]:
    """The result and the record of a job on one processor that fails in [10, 40), cancelled by its user."""
    env, records = simpy.Environment(), []
    machine = tt.Machine(env, 1, changes=tt.Changes(outages=tt.Outages.of([(10, 40, "0")]), **changes))

    def user() -> Process:
        event = machine.submit(tt.Job(runtime=100, user="ann"))
        yield when(env, event)
        event.cancel()
        records.append((yield event))

    env.process(user())
    env.run(until=200)
    return machine.result(), records[0]


@pytest.mark.parametrize("when", [at_the_interruption, at(25)])
@pytest.mark.parametrize("delay", [0, 20])
def test_a_job_given_up_between_two_runs_is_abandoned(when: Wait, delay: float) -> None:
    """Its state is killed, since it has run, but it was not served: it has no response time, and its work is lost."""
    result, record = given_up(when, requeue_delay=delay)
    assert (record.state, record.outcome) == (State.KILLED, Outcome.ABANDONED)
    assert np.isnan(record.response_time)
    assert outcomes(result).tolist() == [Outcome.ABANDONED]
    assert not served(result).any()
    assert known_until(result).tolist() == [record.end]
    gone = abandonment(result)
    assert (gone.wanted, gone.abandoned, gone.share, gone.processor_hours) == (1, 1, 1.0, 100 / 3600)
    assert abandonment_by_user(result)["ann"] == gone
    summary = result.summary()
    assert (summary["killed"], summary["withdrawn"], summary["served"], summary["abandoned_share"]) == (1, 0, 0, 1.0)
    assert result.users["abandoned"].tolist() == [1]


def test_a_job_cancelled_while_it_runs_again_was_served() -> None:
    """As on a machine that does not change: it had its processors."""
    result, record = given_up(at(60))
    assert len(record.runs) == 2
    assert record.outcome == Outcome.SERVED
    assert abandonment(result).abandoned == 0


def test_a_job_that_the_machine_kills_was_served() -> None:
    """Its user has not given it up, whether it is killed by the failure or has no place any more."""
    for changes in (
        {"on_failure": "cancel"},
        {"max_restarts": 0},
        {"windows": [tt.Window(20, float("inf"), 1, announced=15)]},
    ):
        result, record = given_up(at(100), **changes)
        assert (record.state, record.outcome) == (State.KILLED, Outcome.SERVED)
        assert served(result).all()


def test_a_campaign_with_such_a_job_is_abandoned() -> None:
    """The whole answer never comes, so it is abandoned, in the table and in the record of the user."""
    env, records = simpy.Environment(), []
    machine = tt.Machine(env, 2, changes=tt.Changes(outages=tt.Outages.of([(10, 40, "0-1")])))

    def user() -> Process:
        campaign = machine.submit_campaign([tt.Job(runtime=5), tt.Job(runtime=100)])
        yield campaign.jobs[1].interrupted
        campaign.cancel()
        records.append((yield campaign))

    env.process(user())
    env.run(until=200)
    assert records[0].outcome == Outcome.ABANDONED
    assert machine.result().campaigns["outcome"].tolist() == ["abandoned"]


def test_who_is_discouraged_abandons() -> None:
    """The share that is abandoned counts the waiting jobs of campaigns that `Discouraged` users give up."""
    discouraged = tt.behaviours.Discouraged(after=1)
    profile = tt.Profile(runtime=tt.HOUR, jobs=2, processors=4, think_time=tt.HOUR, first=0, behaviours=(discouraged,))
    spec = tt.MachineSpec(4, changes=tt.Changes(failures=tt.Failures("10h", "10min", seed=2)))
    result = tt.run(spec, tt.sources.campaigns({"ann": profile}, seed=1), until=5 * tt.DAY)
    states, found = result["state"], outcomes(result)
    killed = states == State.KILLED
    assert killed.any()
    assert (found[killed] == Outcome.ABANDONED).all()
    assert result.summary()["abandoned_jobs"] == int((killed | (states == State.WITHDRAWN)).sum())
