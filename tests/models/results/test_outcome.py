"""What was served, what was given up, and what is not over."""

import math

import numpy as np
import pytest
import simpy

import thinktime as tt
from thinktime.models.results.outcome import Outcome, abandonment, abandonment_by_user, known_until, outcomes
from thinktime.models.results.result import Result
from thinktime.models.state import State
from thinktime.users import behaviours

NAN = math.nan

# (campaign, submit, start, end, state), all of ann, 2 processors each, at the horizon 100
JOBS = [
    (0, 0, 0, 10, State.FINISHED), (0, 0, 10, 15, State.KILLED),
    (1, 20, 20, 30, State.FINISHED), (1, 20, NAN, 50, State.WITHDRAWN),
    (2, 30, 40, NAN, State.RUNNING), (2, 30, 31, 35, State.FINISHED),
    (3, 40, NAN, NAN, State.WAITING), (3, 40, NAN, 60, State.WITHDRAWN),
    (4, 50, NAN, 50, State.REFUSED), (4, 50, 51, 52, State.FINISHED),
    (5, 60, NAN, 60, State.REFUSED),
]  # fmt: skip


@pytest.fixture
def result() -> Result:
    """A campaign of each outcome, two of them mixed."""
    names = ("campaign", "submit", "start", "end", "state")
    columns = {name: [row[i] for row in JOBS] for i, name in enumerate(names)}
    more = {"processors": [2] * len(JOBS), "user": [0] * len(JOBS), "runtime": [1800.0] * len(JOBS)}
    return Result.from_columns(columns | more, 4, names={"user": ["ann"]}, now=100.0)


def blocked(behaviour: behaviours.Behaviour, until: float = 2 * tt.DAY) -> Result:
    """A user with that behaviour before a machine that is never free: 36 campaigns of one job in two days."""
    env = simpy.Environment()
    machine = tt.Machine(env, processors=4, policy="fcfs")
    machine.submit(tt.Job(user="block", processors=4, runtime=1e9))
    profile = tt.Profile(runtime=600, jobs=1, think_time=3000, first=1, behaviours=(behaviour,))
    env.process(tt.campaign_user(env, machine, "ada", tt.stream(1, "ada"), profile))
    env.run(until=until)
    return machine.result()


def test_the_outcome_of_a_job_follows_from_its_state(result: Result) -> None:
    """Finished and killed jobs are served, withdrawn ones abandoned, waiting and running ones unfinished."""
    served, abandoned, unfinished, refused = (Outcome.SERVED, Outcome.ABANDONED, Outcome.UNFINISHED, Outcome.REFUSED)
    expected = [served, served, served, abandoned, unfinished, served, unfinished, abandoned, refused, served, refused]
    assert outcomes(result).tolist() == expected


def test_a_job_is_known_until_its_end_its_withdrawal_or_the_horizon(result: Result) -> None:
    """A job without an answer is censored at its withdrawal or at the horizon."""
    np.testing.assert_array_equal(known_until(result), [10, 15, 30, 50, 100, 35, 100, 60, NAN, 52, NAN])


def test_a_campaign_part_of_which_was_withdrawn_was_not_served(result: Result) -> None:
    """It is abandoned, whatever became of the rest; refused jobs do not count; others have no response time."""
    campaigns = result.campaigns
    assert campaigns["outcome"].tolist() == ["served", "abandoned", "unfinished", "abandoned", "served", "refused"]
    np.testing.assert_array_equal(campaigns["response_time"], [15, NAN, NAN, NAN, 2, NAN])
    np.testing.assert_array_equal(campaigns["elapsed"], [15, 30, 70, 60, 2, NAN])


def test_what_was_given_up_is_counted_beside_what_was_wanted(result: Result) -> None:
    """Two of nine jobs, with two node-hours, were given up."""
    found = abandonment(result)
    assert (found.wanted, found.abandoned, found.processor_hours) == (9, 2, 2.0)
    assert found.share == 2 / 9
    assert abandonment_by_user(result) == {"ann": found}


def test_a_user_who_was_never_served_has_no_mean_response_time() -> None:
    """Withdrawn campaigns are not response times of a user who was never served."""
    from thinktime.analysis.compare import user_comparison

    result = blocked(behaviours.Patience(1800))
    ada = result.users.loc["ada"]
    assert len(result.campaigns) == 36
    assert (ada["served"], ada["abandoned"], ada["abandoned_share"]) == (0, 36, 1)
    assert ada["lost_processor_hours"] == pytest.approx(6)
    assert math.isnan(user_comparison({"fcfs": result}, "mean_campaign_response_time").loc["ada", "fcfs"])
    assert user_comparison({"fcfs": result}, "abandoned_campaigns").loc["ada", "fcfs"] == 36
    summary = result.summary()
    assert (summary["served"], summary["abandoned_jobs"]) == (0, 36)
    assert "abandoned_share" in str(summary)


def test_a_user_who_never_submits_is_in_the_table_of_users() -> None:
    """A user who balks at every job is in the table of users without a job."""
    result = blocked(behaviours.Balk(rule=lambda sight, job: True), until=3000 * 36)
    ada = result.users.loc["ada"]
    assert (ada["jobs"], ada["abandoned"], ada["abandoned_share"]) == (0, 36, 1)
    assert result.users["jobs"].dtype.kind == "i"
    assert result.lost["campaigns"].sum() == 36


def test_reneging_is_counted_once() -> None:
    """A job that was withdrawn is both a row and an entry of the lost demand, and one abandoned job."""
    result = blocked(behaviours.Patience(1800))
    assert result.lost["submitted"].all()
    assert abandonment(result).abandoned == len(result.lost) == 36


def test_a_user_of_ones_own_who_withdraws_is_counted_too() -> None:
    """A job that a script cancels while it waits was given up, without any entry of lost demand."""
    env = simpy.Environment()
    machine = tt.Machine(env, processors=1)
    machine.submit(tt.Job(user="block", runtime=100))
    job = machine.submit(tt.Job(user="ada", runtime=7200))
    env.run(until=10)
    job.cancel()
    env.run(until=200)
    assert abandonment_by_user(machine.result())["ada"] == (1, 1, 2.0)


def test_a_smaller_job_is_not_abandoned() -> None:
    """A user who halves a job gives up work, but no job."""
    result = blocked(behaviours.Degrade(lambda user: True))
    assert abandonment(result).abandoned == 0


def test_a_campaign_of_which_a_part_never_was_submitted_is_what_was_submitted() -> None:
    """Of three jobs one was left out: the campaign of two was served, and one of three wanted jobs was given up."""
    env = simpy.Environment()
    machine = tt.Machine(env, processors=4)
    first = behaviours.Adapt(lambda user, job: None if job is user.intended[0] else job)
    profile = tt.Profile(runtime=600, jobs=3, think_time=1e6, behaviours=(first,))
    env.process(tt.campaign_user(env, machine, "ada", tt.stream(1, "ada"), profile))
    env.run(until=tt.HOUR)
    result = machine.result()
    assert result.campaigns[["jobs", "outcome", "response_time"]].to_numpy().tolist() == [[2, "served", 600.0]]
    assert abandonment(result)[:2] == (3, 1)
    assert result.lost["campaigns"].sum() == 0


def records(behaviour: behaviours.Behaviour) -> list[object]:
    """What a user gets told of two campaigns of two jobs, of which only one job fits at a time."""
    found: list[object] = []

    class Told(behaviours.Behaviour):
        def ended(self, user, last):
            found.append(last)

    env = simpy.Environment()
    machine = tt.Machine(env, processors=1)
    profile = tt.Profile(runtime=600, jobs=2, think_time=0, behaviours=(behaviour, Told()))
    env.process(tt.campaign_user(env, machine, "ada", tt.stream(1, "ada"), profile, campaigns=1))
    env.run()
    return found


def test_the_record_of_a_campaign_that_was_given_up_has_no_response_time() -> None:
    """The record of a campaign with a withdrawn job has no response time."""
    (last,) = records(behaviours.Patience(300))
    assert (last.outcome, last.served, last.elapsed) == (Outcome.ABANDONED, False, 600)
    assert math.isnan(last.response_time) and math.isnan(last.stretch)
    assert [job.elapsed for job in last.jobs] == [600, 300]
    assert last.jobs[0].response_time == 600 and math.isnan(last.jobs[1].response_time)


def test_the_record_of_a_campaign_in_pieces_is_of_all_of_it() -> None:
    """With one job in flight each job is a campaign to the machine, and the user is told of both together."""
    (last,) = records(behaviours.InFlight(1))
    assert (last.served, last.response_time, len(last.jobs)) == (True, 1200, 2)


def test_a_reaction_to_a_response_time_that_is_not_there_is_explained() -> None:
    """The error says that the campaign was given up, and what to use instead."""
    env = simpy.Environment()
    machine = tt.Machine(env, processors=1)
    machine.submit(tt.Job(user="block", runtime=1e6))
    reaction = tt.Reaction(lambda last, rng: last.response_time)
    profile = tt.Profile(runtime=1, jobs=1, think_time=reaction, behaviours=(behaviours.Patience(10),))
    env.process(tt.campaign_user(env, machine, "ada", tt.stream(1, "ada"), profile))
    with pytest.raises(ValueError, match=r"'ada'.*given up.*last\.elapsed"):
        env.run(until=1000)


@pytest.mark.parametrize("what", ["response_time", "wait", "stretch"])
def test_users_of_a_scenario_react_to_what_they_lived_through(what: str) -> None:
    """After a campaign that was given up the time until that stands for its response time."""
    from thinktime.analysis.experiments.reactions import think_time

    (last,) = records(behaviours.Patience(300))
    think = think_time({"reaction": what, "factor": 1}).function
    assert think(last, None) == {"response_time": 600, "wait": 0, "stretch": 1}[what]
