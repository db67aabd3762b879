"""Users of a log who respond: the same moment and the same dice in every mode, and nothing where no user responds."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

import thinktime as tt
from tests.users.busy import busy_log
from thinktime import HOUR, behaviours, sources
from thinktime.models.state import State
from thinktime.workloads.nodes import Nodes
from thinktime.workloads.power import with_power
from thinktime.workloads.signals import Signal

PRICE = Signal([0, 6 * HOUR], [4.0, 1.0], "price", end=12 * HOUR)
NIGHT = behaviours.Dear(PRICE, above=2.0)


@pytest.fixture(scope="module")
def log() -> tt.Trace:
    """A log of jobs on one to four processors, in which think times and dependencies are known."""
    busy = busy_log()
    return busy.with_columns(allocated=1 + np.arange(len(busy)) % 4, user=1 + np.arange(len(busy)) // 3 % 5)


MODES: dict[str, Callable[..., Any]] = {
    "open": sources.log,
    "dependencies": sources.dependencies,
    "feedback": sources.feedback,
    "clock": partial(sources.feedback, think="clock", hours=tt.WorkingHours()),
    "calibrated": sources.calibrated,
    "drawn": partial(sources.drawn, seed=3),
}


class Nothing(tt.Behaviour):
    """Is asked, and changes nothing."""

    def adapt(self, user, job):
        """The job."""
        return job


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("policy", ["easy:order=sjf", "conservative"])
def test_users_who_are_asked_and_change_nothing_change_nothing(log, mode, policy):
    """To be asked when a batch is due leaves every bit of a result as it is."""
    spec = tt.MachineSpec(8, policy)
    results = [tt.run(spec, MODES[mode](log).with_responses(who)) for who in ((), Nothing())]
    for column in results[0].columns:
        assert results[0][column].tobytes() == results[1][column].tobytes(), column


class Thoughtful(Nothing):
    """Is asked how long to think as well, and thinks as long."""

    def think(self, user, last, thought):
        """The time itself; the clock is that of the end of the batch."""
        assert user.now == last.end
        return thought


@pytest.mark.parametrize("mode", ["feedback", "clock", "drawn", "fitted"])
def test_users_who_think_as_long_change_nothing(log, mode):
    """To be asked how long to think leaves every bit of a result as it is, breaks between sessions included."""
    source = sources.drawn(log, seed=3, draw="fitted") if mode == "fitted" else MODES[mode](log)
    results = [tt.run(tt.MachineSpec(8), source.with_responses(who)) for who in ((), Thoughtful())]
    for column in results[0].columns:
        assert results[0][column].tobytes() == results[1][column].tobytes(), column


def test_whose_budget_runs_out_rushes():
    """Two processors for 100 s leave 44 % of the budget, so the next batch comes after half of 30 s of thinking."""
    columns = {
        "submit": [0, 130, 300],
        "runtime": [100, 60, 10],
        "allocated": [2, 2, 2],
        "wait": [0] * 3,
        "user": [1] * 3,
    }
    for low, submits in ((0.5, [0, 115, 230]), (0.4, [0, 130, 245])):
        who = behaviours.Rush(budget=0.1, period="1 d", low=low, hurry=0.5)
        result = tt.replay_with_feedback(tt.Trace(columns), "easy", 2, responses=who)
        assert result["submit"].tolist() == submits  # after the second one 11 % are left


def test_drawn_users_rush_within_sessions(log):
    """Who does not think at all when little is left submits at the end of the batch before, but for new sessions."""
    who = behaviours.Rush(budget=1e9, period="1000 d", low=1.0, hurry=0.0)
    plain, rushed = (tt.run(tt.MachineSpec(8), MODES["drawn"](log).with_responses(each)) for each in ((), who))
    zero = [(each["think_time"] == 0).sum() for each in (plain, rushed)]
    assert zero[0] < zero[1] < len(rushed)


@pytest.mark.parametrize("mode", ["open", "dependencies", "calibrated"])
def test_no_user_rushes_where_none_thinks(log, mode):
    """At recorded times, and with hazards, there is no think time."""
    who = behaviours.Rush(budget=1, period="1 d")
    with pytest.raises(ValueError, match=r"no user thinks there when a job is over; use feedback.*here Rush"):
        tt.run(tt.MachineSpec(8), MODES[mode](log).with_responses(who))
    with pytest.raises(ValueError, match=r"leaving.*here Contentment"):
        tt.run(tt.MachineSpec(8), MODES["feedback"](log).with_responses(behaviours.Contentment(complaints=3)))


@pytest.mark.parametrize("mode", MODES)
def test_users_who_delay_keep_clear_of_the_dear_hours(log, mode):
    """All wait for the cheap half of the day, and nothing is lost; batches with later jobs begin there."""
    spec = tt.MachineSpec(8)
    later = behaviours.Delay(NIGHT, patience="6 h")
    plain, delayed = (tt.run(spec, MODES[mode](log).with_responses(who)) for who in ((), later))
    found = delayed.answers
    assert len(delayed) == len(plain) or mode == "drawn"
    assert (found["response"] == "delayed").all() and len(found)
    assert (found["delay"] > 0).all() and (mode == "clock" or (found["delay"] <= 6 * HOUR).all())
    assert not len(delayed.lost) and (delayed["state"] == State.FINISHED).all()
    if mode in ("open", "dependencies"):
        assert (delayed["submit"] % (12 * HOUR) >= 6 * HOUR).all()


@pytest.mark.parametrize("mode", [mode for mode in MODES if mode != "drawn"])
def test_the_jobs_of_two_runs_are_the_same_jobs(log, mode):
    """A job that is not submitted keeps its place, as withdrawn; the others are as they were or as they are counted."""
    spec, signal = tt.MachineSpec(8), PRICE
    who = [
        behaviours.Renounce(behaviours.Elastic(signal, 0.7)),
        behaviours.Reshape(behaviours.Elastic(signal, 0.7), serial=0.1),
        behaviours.Degrade(behaviours.Elastic(signal, 0.7), work=0.5),
    ]
    plain, answered = (tt.run(spec, MODES[mode](log).with_responses(each)) for each in ((), who))
    assert np.array_equal(plain["id"], answered["id"])
    gone, found = answered["state"] == State.WITHDRAWN, answered.answers
    assert 0 < gone.sum() == (found["response"] == "renounced").sum()
    assert (answered["submit"][gone] == answered["end"][gone]).all()
    hours = (plain["processors"] * plain["runtime"]).sum() / HOUR
    done = (answered["processors"] * answered["runtime"])[~gone].sum() / HOUR
    assert done + (found["wanted"] - found["submitted"]).sum() == pytest.approx(hours)
    summary = answered.summary()
    assert summary["abandoned_jobs"] == gone.sum() and summary["jobs"] == len(plain)
    of_gone = (plain["processors"] * plain["runtime"])[gone].sum() / HOUR
    assert summary["lost_processor_hours"] == pytest.approx(of_gone)


def test_luck_is_that_of_the_user_and_the_batch(log):
    """Where the price is always the same, a user renounces the same jobs in every mode, under every policy."""
    who = behaviours.Renounce(behaviours.Elastic(Signal([0], [4.0], "price"), 0.5, reference=1.0))
    runs = [
        tt.run(tt.MachineSpec(8, policy), MODES[mode](log).with_responses(who))["state"] == State.WITHDRAWN
        for mode, policy in (("feedback", "fcfs"), ("feedback", "easy"), ("clock", "conservative"))
    ]
    assert (runs[0] == runs[1]).all() and (runs[0] == runs[2]).all() and 0.3 < runs[0].mean() < 0.7


def test_a_larger_share_of_users_has_all_of_a_smaller_one(log):
    """Half of the users respond, and with more of them these do the same."""
    gone = {}
    for share in (0.0, 0.5, 1.0):
        who = tt.Respondents(behaviours.Renounce(NIGHT), share, seed=4)
        result = tt.run(tt.MachineSpec(8), sources.log(log).with_responses(who))
        gone[share] = set(result["id"][result["state"] == State.WITHDRAWN].tolist())
    assert set() == gone[0.0] < gone[0.5] < gone[1.0]
    with pytest.raises(ValueError, match="share of users who respond must be from 0 to 1"):
        tt.Respondents(Nothing(), 1.5)
    with pytest.raises(TypeError, match="is no behaviour"):
        sources.log(log).with_responses("delay")


def test_who_waits_for_a_renounced_job_does_not_wait_any_longer():
    """The second batch comes 30 s after what it waited for is over, which is at once if that is renounced."""
    columns = {"submit": [0, 130], "runtime": [100, 60], "allocated": [2, 2], "wait": [0, 0], "user": [1, 1]}
    who = behaviours.Renounce(behaviours.Windows([(0, 10)]))
    result = tt.replay_with_feedback(tt.Trace(columns), "easy", 2, responses=who)
    assert result["submit"].tolist() == [0, 30] and result["state"].tolist() == [State.WITHDRAWN, State.FINISHED]


def test_predicted_starts_are_seen_in_a_replay():
    """Job 2 would start at 100 s, when it is dear, and is shifted; job 3 at 7200 s, when it is not."""
    signal = Signal([0, 50, 7000], [1.0, 5.0, 1.0], "price", after="hold", end=8000)
    who = behaviours.Shift(behaviours.Dear(signal, sees="start", above=2.0), queue="late")
    log = tt.Trace({"submit": [0, 10, 20], "runtime": [100, 7100, 10], "allocated": [2, 2, 2], "user": [1, 1, 2]})
    result = tt.replay(log, "fcfs", 2, responses=who)
    assert result["start"].tolist() == [0, 100, 7200]
    assert [row["queue"] == "late" for _, row in result.jobs.iterrows()] == [True, True, False]


def test_processors_that_ask_for_nodes_are_not_changed(log):
    """Users may renounce on nodes, and go elsewhere, but not reshape."""
    spec = tt.MachineSpec(nodes=Nodes.uniform(4, 2))
    assert (tt.run(spec, sources.log(log).with_responses(behaviours.Renounce(NIGHT)))["state"] == State.WITHDRAWN).any()
    with pytest.raises(ValueError, match="they change processors alone"):
        tt.run(spec, sources.log(log).with_responses(behaviours.Reshape(NIGHT)))


def test_a_result_with_responses_is_kept(log, tmp_path):
    """What users did is in the file of a result, and in its windows."""
    result = tt.run(tt.MachineSpec(8), sources.log(log).with_responses(behaviours.Renounce(NIGHT)))
    kept = tt.Result.load(result.save(tmp_path / "result.npz"))
    assert kept.answers.equals(result.answers)
    middle = float(result.answers["time"].median())
    parts = [len(each.jobs.answers) for each in (result.during(None, middle), result.during(middle, None))]
    assert sum(parts) == len(result.answers) and all(parts)


def test_the_power_of_a_job_is_what_its_user_makes_it():
    """A job of 60 W runs alone below a cap of 100 W; at 40 W another one has room beside it."""

    class Slower(tt.Behaviour):
        def adapt(self, user, job):
            return replace(job, runtime=20, estimate=20, power=40.0) if user.considered[0].power == 60 else job

    columns = {"submit": [0, 0], "runtime": [10, 10], "allocated": [1, 1], "user": [1, 2]}
    log = tt.Trace(columns, further={"power": np.array([60.0, 60.0])})
    spec = tt.MachineSpec(2, power=tt.Power(cap=100.0))
    plain, slower = (tt.run(spec, sources.log(log).with_responses(who)) for who in ((), Slower()))
    assert (plain["start"].tolist(), slower["start"].tolist()) == ([0, 10], [0, 0])
    assert slower["power"].tolist() == [40, 40] and slower["end"].tolist() == [20, 20]


def test_users_of_a_log_know_their_last_batch_and_learn():
    """What the last batch was charged decides on the next one; and an estimate is raised after a kill."""
    signal = Signal([0, 100], [5.0, 1.0], "price", after="hold", end=200)
    columns = {"submit": [0, 200, 400], "runtime": [100, 100, 100], "allocated": [1, 1, 1], "user": [1, 1, 1]}
    log = tt.Trace(columns | {"wait": [0, 0, 0]})
    charged = behaviours.Renounce(behaviours.Dear(signal, sees="charge", above=2.0))
    result = tt.replay_with_feedback(log, "easy", 2, responses=charged)
    # The first paid 5, so the second is not submitted, and has paid nothing; the third does not know a charge.
    assert result["state"].tolist() == [State.FINISHED, State.WITHDRAWN, State.FINISHED]
    killed = tt.Trace(columns | {"wait": [0, 0, 0], "requested_time": [50, 50, 50]})
    learning = tt.replay_with_feedback(killed, "easy", 2, responses=behaviours.Estimate(raised=2.0))
    assert learning["estimate"].tolist() == [50, 100, 90]
    assert learning["state"].tolist() == [State.KILLED, State.FINISHED, State.KILLED]


def test_users_who_respond_are_no_part_of_a_state(log):
    """From a state on, no user submits the batches of users who would have to be asked."""
    states = []

    def look(env, machine):
        yield env.timeout(20_000)
        states.append(machine.state())

    whole = tt.run(tt.MachineSpec(8), sources.log(log).with_responses(Nothing()), look)
    rest = tt.run(tt.MachineSpec(begin=states[0]))
    assert rest["submit"].max() <= 20_000 < whole["submit"].max() and (rest["state"] == State.FINISHED).all()


@pytest.mark.parametrize("draw", ["samples", "fitted"])
def test_drawn_jobs_draw_the_power_of_the_jobs_that_they_repeat(log, draw):
    """The jobs of each user of a log draw their own watts per processor, and so do those of users who are drawn."""
    watts = {int(user): 10.0 * (1 + k) for k, user in enumerate(np.unique(log.user))}
    result = tt.run(tt.MachineSpec(8, power=tt.Power()), sources.drawn(with_power(log, watts), seed=3, draw=draw))
    assert len(result) and all(
        watts[int(user)] == power for user, power in zip(result.labels("user"), result["power"], strict=True)
    )
