"""Estimators of one's own: what they are told, when, and what becomes of their answers."""

import traceback
from collections import defaultdict
from dataclasses import replace
from math import inf, nan

import numpy as np
import pytest
import simpy
from hypothesis import given, settings
from hypothesis import strategies as st

import thinktime as tt
from tests.how_many import in_turn
from tests.models.jobs.test_view import ON_GRID, SECRETS, gives_away, reachable
from thinktime.models.machine.estimators import guess_from
from thinktime.models.machine.forecast import fair_start
from thinktime.users.feedback import replay_with_feedback

MACHINES = {"pool": {"processors": 6}, "nodes": {"nodes": tt.Nodes.uniform(3, processors=2)}}
POLICIES = ["fcfs", "easy", "easy:order=sjf", "easy:order=lxf", "conservative", "slack:awt=60", "ostrich"]


class LastTwo(tt.Estimator):
    """The ready `last-two` in Python."""

    def __init__(self):
        self.runs = defaultdict(list)

    def estimate(self, job, now):
        runs = self.runs[job.user][-2:] if job.user is not None else []
        mean = (runs[0] + runs[-1]) / 2 if runs else job.requested
        return max(min(mean, job.requested), 1)

    def learn(self, job, runtime, now):
        self.runs[job.user].append(runtime)


def log(seed=1, jobs=120, load=4):
    """Jobs of four users, and of none, some of which outlive their requests."""
    rng = np.random.default_rng(seed)
    return tt.Trace(
        {
            "id": rng.permutation(jobs) + 1,
            "user": rng.integers(-1, 4, jobs),
            "submit": np.sort(rng.integers(0, 40 * jobs // load, jobs)),
            "runtime": rng.integers(0, 120, jobs) * rng.choice([0, 1, 9], jobs, p=[0.1, 0.8, 0.1]),
            "requested_processors": rng.integers(1, 7, jobs),
            "requested_time": rng.integers(1, 400, jobs),
        }
    )


def shortest_first(view, now):
    """A policy in Python that plans with estimates."""
    for job in sorted(view.queue, key=lambda job: (job.estimate, job.id)):
        if view.fits(job):
            yield job


@pytest.mark.parametrize(
    ("policy", "machine", "overrun"), in_turn(6, [*POLICIES, shortest_first], MACHINES, ["kill", "extend"])
)
def test_last_two_in_python_is_the_ready_one(policy, machine, overrun):
    """Start by start, end by end, also through revisions of the estimates of jobs that outlive them."""
    spec = tt.MachineSpec(**MACHINES[machine], policy=policy, overrun=overrun, estimates="last-two")
    for trace in (log(1), log(2, load=8)):
        ready = tt.run(spec, tt.sources.log(trace))
        own = tt.run(replace(spec, estimates=LastTwo()), tt.sources.log(trace))
        for name in ("start", "end", "state"):
            assert ready[name].tolist() == own[name].tolist()


def test_it_is_asked_in_every_kind_of_run():
    """Under observers, in feedback, for segments of long jobs and for dependent jobs, it is still `last-two`."""
    trace = log(3)
    runs = {
        "observed": lambda estimates: tt.run(
            tt.MachineSpec(6, "easy", estimates=estimates), tt.sources.log(trace), observers=[Watching()]
        ),
        "feedback": lambda estimates: replay_with_feedback(
            trace.with_columns(wait=np.zeros(120)), "easy", 6, estimates=estimates
        ),
        "split": lambda estimates: tt.replay(trace, "easy:runtime_limit=50", 6, estimates=estimates),
        "dependencies": lambda estimates: tt.replay(
            trace.with_columns(preceding=np.where(trace.id % 5 == 0, trace.id // 2, -1)), "easy", 6,
            dependencies=True, estimates=estimates,
        ),
    }  # fmt: skip
    for run in runs.values():
        ready, own = run("last-two"), run(LastTwo())
        assert ready["start"].tolist() == own["start"].tolist()


class Watching:
    """An observer that asks for a forecast at each submission."""

    def before_submissions(self, phases, rows, now):
        if len(rows):
            fair_start(phases, rows, now)


@pytest.mark.parametrize(
    "where",
    [{"overrun": "until_needed"}, {"policy": "recorded"}, {"changes": tt.Changes()}],
    ids=lambda where: next(iter(where)),
)
def test_it_is_refused_where_the_ready_ones_are(where):
    """With the sentence of the table of combinations."""
    trace = log().with_columns(wait=np.zeros(120))
    messages = []
    for estimates in ("last-two", LastTwo()):
        with pytest.raises(ValueError, match="cannot be combined with") as refused:
            tt.replay(trace, **{"policy": "easy", "processors": 6} | where, estimates=estimates)
        messages.append(str(refused.value))
    assert messages[0] == messages[1]


class Diary(tt.Estimator):
    """Writes down all that it is told; copies write into the same diary."""

    def __init__(self, told):
        self.told = told

    def copy(self):
        return self

    def estimate(self, job, now):
        self.told.append(("estimate", job.row, now))
        return job.requested / 2

    def learn(self, job, runtime, now):
        self.told.append(("learn", job.row, now, runtime))

    def revise(self, job, now):
        self.told.append(("revise", job.row, now))


@given(st.integers(0, 10**6), st.sampled_from(["fcfs", "easy:order=sjf", "conservative"]), st.booleans())
@settings(max_examples=25)
def test_a_run_time_is_told_at_the_end_and_never_before(seed, policy, sweeps):
    """Each job that ran is told once, with its true end; who is asked at a time has been told of all earlier ends."""
    told = []
    result = tt.replay(log(seed, 40), policy, 6, estimates=Diary(told), overrun="extend" if sweeps else "kill")
    times = [each[2] for each in told]
    assert times == sorted(times)
    learned = {each[1]: each[2:] for each in told if each[0] == "learn"}
    assert len(learned) == sum(each[0] == "learn" for each in told) == np.isfinite(result["start"]).sum()
    for row, (end, runtime) in learned.items():
        assert (result["end"][row], result["end"][row] - result["start"][row]) == (end, runtime)
    asked = [each[1] for each in told if each[0] == "estimate"]
    assert sorted(asked) == list(range(40))
    ends = [end for end, _ in learned.values()]
    for place, each in enumerate(told):
        if each[0] == "estimate":
            before = sum(entry[0] == "learn" for entry in told[:place])
            assert sum(end < each[2] for end in ends) <= before <= sum(end <= each[2] for end in ends)


def test_nothing_that_an_estimator_is_given_leads_to_a_run_time():
    """A walk from the requests that it gets finds no secret, until the job is over."""
    found, walked = [], []

    class Spy(tt.Estimator):
        def estimate(self, job, now):
            reached = reachable(job)
            walked.append(len(reached))
            found.extend(gives_away(reached))
            return 5

        def revise(self, job, now):
            return self.estimate(job, now) + now

    env = simpy.Environment()
    machine = tt.Machine(env, 4, "easy", "extend", estimates=Spy())
    for secret in SECRETS:
        machine.submit(tt.Job(user="ada", processors=2, runtime=secret, estimate=200000))
    machine.submit(tt.Job(processors=4, runtime=9))
    env.run(until=min(ON_GRID) - 1)
    assert len(walked) > 5 and min(walked) > 10
    assert not found


NO_TIMES = [nan, inf, -inf, 0, -1, 2**80, "60", None, True, np.array([5.0]), 5j]


@pytest.mark.parametrize("value", NO_TIMES, ids=str)
def test_what_is_no_run_time_is_refused(value):
    """The sentence names the estimator, the job and the value."""

    def guess(job, now):
        return value if job.id == 3 else 9

    trace = log(5, 10).with_columns(id=np.arange(1, 11))
    with pytest.raises(
        ValueError, match=r"^estimator guess: estimate gave .* for job 3 at \d+ s, but must give a finite"
    ):
        tt.replay(trace, "easy", 6, estimates=guess)


@pytest.mark.parametrize("value", [nan, 0, 5, "60", -1, inf])
def test_a_revision_is_beyond_what_has_run(value):
    """The sentence says for how long the job has run."""

    class Short(tt.Estimator):
        def estimate(self, job, now):
            return 5

        def revise(self, job, now):
            return value

        def __str__(self):
            return "short"

    trace = tt.Trace({"submit": [0, 1], "runtime": [50, 50], "allocated": [2, 2], "requested_time": [60, 60]})
    message = r"estimator short: revise gave .* for job 1 at 5 s, but must give more than the 5 s that it has run"
    with pytest.raises(ValueError, match=message):
        tt.replay(trace, "easy", 2, estimates=Short())


def test_a_revision_is_what_policies_plan_with():
    """The job is expected to end when it says, and under ``kill`` at its request at the latest."""
    seen = []

    class Short(tt.Estimator):
        def estimate(self, job, now):
            return 5 if job.id == 1 else 40

        def revise(self, job, now):
            return 2 * (now - job.start)

    def policy(view, now):
        seen.extend((now, job.expected_end) for job in view.running if job.id == 1)
        return [job for job in view.queue[:1] if view.fits(job)]

    trace = tt.Trace({"submit": [0, 1], "runtime": [50, 50], "allocated": [2, 2], "requested_time": [30, 60]})
    tt.replay(trace, policy, 2, estimates=Short())
    assert seen == [(1, 5), (5, 10), (10, 20), (20, 30)]
    result = tt.replay(trace, tt.policies.Easy(), 2, estimates=Short())
    assert result["start"].tolist() == [0, 30]


@pytest.mark.parametrize("what", ["estimate", "learn", "revise", "copy"])
def test_errors_come_with_the_lines_of_the_estimator(what):
    """An exception goes through compiled code as it is."""

    class Broken(tt.Estimator):
        def estimate(self, job, now):
            return 1

    def broken(self, *given):
        raise KeyError("my own mistake")

    setattr(Broken, what, broken)
    with pytest.raises(KeyError, match="my own mistake") as caught:
        tt.replay(log(6), "easy", 6, estimates=Broken())
    assert 'raise KeyError("my own mistake")' in "".join(traceback.format_exception(caught.value))


def test_one_object_serves_many_machines():
    """Each machine has a copy of its own, and forecasts ask none of them."""
    given = LastTwo()
    first = tt.replay(log(7), "easy", 6, estimates=given)
    assert given.runs == {}
    env = simpy.Environment()
    machine = tt.Machine(env, 6, "easy", estimates=given)
    own = machine.estimator.as_structure().estimator
    for _ in range(9):
        machine.submit(tt.Job(user="ada", processors=6, runtime=10, estimate=50))
    env.run(until=35)
    before = dict(own.runs)
    assert machine.sight("ada").predicted_start(machine.queue[-1]) > 35
    assert own.runs == before and len(own.runs["ada"]) == 3
    again = tt.replay(log(7), "easy", 6, estimates=given)
    assert first["start"].tolist() == again["start"].tolist()


@pytest.mark.parametrize("estimates", ["last-two", LastTwo()], ids=["last-two", "own"])
def test_a_state_goes_on_with_what_was_learned(estimates):
    """A run from the state of a machine in its middle is the rest of a whole one, and two do not learn together."""
    trace, states = log(10), []
    spec = tt.MachineSpec(6, "easy:order=sjf", estimates=estimates)

    def look(env, machine):
        for time in (300, 600):
            yield env.timeout(time - env.now)
            states.append(machine.state())

    whole = tt.run(spec, tt.sources.log(trace), look)
    for state in (*states, *states):
        rest = tt.run(tt.MachineSpec(begin=state))
        for name in ("start", "end"):
            assert rest[name].tolist() == whole[name].tolist()


def test_it_may_take_many_forms(tmp_path):
    """A function, any object that estimates, and what a script has."""
    script = tmp_path / "mine.py"
    script.write_text(
        "class Times:\n"
        "    def __init__(self, factor=1):\n        self.factor = factor\n"
        "    def estimate(self, job, now):\n        return self.factor * job.requested\n"
        "def double(job, now):\n    return 2 * job.requested\n"
        "nothing = 3\n"
    )
    trace = log(8)

    def starts(estimates, policy="easy:order=sjf"):
        return tt.replay(trace, policy, 6, estimates=estimates)["start"].tolist()

    as_asked = starts("requested")
    assert starts(lambda job, now: job.requested) == as_asked == starts(f"{script}:Times")
    double = starts(lambda job, now: 2 * job.requested)
    assert double == starts(f"{script}:double") == starts(f"{script}:Times:factor=2")
    for text, message in {
        f"{script}:nothing": "nothing of .*gives no estimates",
        f"{script}:Tmies": "did you mean 'Times'",
        f"{script}:Times:fcator=2": "there is no option 'fcator'",
        f"{script}:double:factor=2": "takes no options",
        "absent.py:Times": "there is no file",
        "last-tow": "did you mean 'last-two'|last-two",
    }.items():
        with pytest.raises(ValueError, match=message):
            guess_from(text)
    for wrong in (LastTwo, 3, None):
        with pytest.raises(TypeError):
            tt.Machine(simpy.Environment(), 4, estimates=wrong)


def test_what_was_asked_for_is_always_an_estimate():
    """Also for a hold without an end, and a job whose user asked for nothing."""
    env = simpy.Environment()
    machine = tt.Machine(env, 4, "easy", estimates=lambda job, now: job.requested)
    hold = machine.request(processors=2)
    machine.submit(tt.Job(processors=2, runtime=0, estimate=0))
    env.run(until=5)
    hold.release()
    env.run()
    assert machine.result()["start"].tolist() == [0, 0]


def test_a_result_and_a_spec_name_it(tmp_path):
    """The notes of a result say what policies planned with; TOML can hold the name in a script alone."""
    result = tt.replay(log(9), "easy", 6, estimates=LastTwo())
    assert result.notes[0] == "policies plan with estimates: LastTwo"
    with pytest.raises(ValueError, match=r"estimates is .*FILE.py:NAME"):
        tt.MachineSpec(6, estimates=LastTwo()).to_toml()
    spec = tt.MachineSpec(6, estimates="mine.py:LastTwo")
    assert tt.MachineSpec.from_toml(spec.to_toml()) == spec


def test_scenarios_take_it(tmp_path):
    """A scenario names it in a script beside it, and a changed script makes new runs."""
    (tmp_path / "mine.py").write_text("def guess(job, now):\n    return job.requested\n")
    text = """
        policies = ["easy:order=sjf"]
        seeds = [1]
        metrics = ["mean_wait"]
        [machine]
        processors = 8
        estimates = "ESTIMATES"
        [workload]
        jobs = 300
        load = 0.9
    """
    waits = []
    for estimates in ("requested", "mine.py:guess"):
        (tmp_path / "one.toml").write_text(text.replace("ESTIMATES", estimates))
        found = tt.sweep(tt.Scenario.read(tmp_path / "one.toml"), out=tmp_path / estimates.partition(".")[0])
        waits.append(found.means()["mean_wait"].tolist())
    assert waits[0] == waits[1]
    (tmp_path / "one.toml").write_text(text.replace("ESTIMATES", "mine.py:gess"))
    with pytest.raises(ValueError, match=r"machine.estimates: .*did you mean 'guess'"):
        tt.Scenario.read(tmp_path / "one.toml").check()
