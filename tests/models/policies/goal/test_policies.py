"""Goal-oriented search against whole schedules in plain Python; options; goals of one's own."""

import numpy as np
import pytest
import simpy
from hypothesis import given, settings
from hypothesis import strategies as st

import thinktime as tt
from tests.models.policies.goal import twin
from tests.models.policies.goal.logs import DAY, local_days, logs, starts_of, trace_of
from thinktime.models.policies.search.tradeoff import Tradeoff

# -- search -------------------------------------------------------------------------------------------------


@given(logs(most=7, horizon=DAY, length=DAY // 2), st.sampled_from(["lds", "dds"]))
@settings(max_examples=40)
def test_tradeoff_start_by_start(jobs, algorithm):
    """Without a node limit, tradeoff makes the fold over all orders at every decision."""
    if len({(job["submit"] + job["est"]) for job in jobs}) < len(jobs):
        return  # equal jobs make equal values, whose last bits decide
    expected = twin.simulate(jobs, 4, twin.searching(twin.lxf, algorithm, "hierarchical", None, 60))
    policy = f"tradeoff:algorithm={algorithm},comparison=hierarchical,limit=none"
    assert starts_of(jobs, policy, 4) == expected


@given(logs(most=7, horizon=DAY, length=DAY // 2))
@settings(max_examples=40)
def test_tradeoff_fs_start_by_start(jobs):
    """Tradeoff-fs makes the fold over all orders from relative fairshare's on."""
    decide = twin.searching(twin.fairshare(local_days), "dds", "hierarchical", 2 * 3600, 60)
    policy = "tradeoff-fs:comparison=hierarchical,bound=2h,limit=none"
    assert starts_of(jobs, policy, 4) == twin.simulate(jobs, 4, decide)


def test_results_are_the_same_in_every_run():
    """Under a node limit two runs give the same bytes; with another limit, another schedule."""
    rng = np.random.default_rng(4)
    jobs = [
        {"id": i, "user": i % 3, "submit": int(rng.integers(0, 20_000)), "n": int(rng.integers(1, 9)),
         "est": int(rng.integers(60, 9000))} for i in range(1, 120)
    ]  # fmt: skip
    trace = trace_of([job | {"run": job["est"]} for job in jobs])
    runs = [tt.replay(trace, f"tradeoff-fs:limit={limit}", 8)["start"].tobytes() for limit in (300, 300, 1)]
    assert runs[0] == runs[1] != runs[2]


def test_a_limit_of_one_is_the_heuristic_with_conservative_placement():
    """With a limit of one node, all reservations are rebuilt in heuristic order."""
    rng = np.random.default_rng(5)
    jobs = [
        {"id": i, "user": i % 3, "submit": int(rng.integers(0, 9000)), "n": int(rng.integers(1, 9)),
         "est": int(rng.integers(60, 3000))} for i in range(1, 100)
    ]  # fmt: skip
    jobs = [job | {"run": max(1, job["est"] // (1 + job["id"] % 2))} for job in jobs]
    for heuristic in ("fcfs", "lxf", "sjf"):
        first = starts_of(jobs, f"tradeoff:heuristic={heuristic},limit=1", 8)
        assert first == starts_of(jobs, f"conservative-dynamic:order={heuristic}", 8)


# -- goals --------------------------------------------------------------------------------------------------


def waited(plan):
    """The compiled goal `wait` with bound 0, in Python."""
    return plan.wait.sum()


def slowed(plan):
    """The compiled goal `slowdown` in Python."""
    longest = np.maximum(plan.estimate, 60.0)
    return ((longest + plan.wait) / longest).mean()


def test_a_goal_of_ones_own_is_a_function():
    """Goals in Python make the schedule of the compiled ones, alone or beside them."""
    rng = np.random.default_rng(6)
    jobs = [
        {"id": i, "user": i % 3, "submit": int(rng.integers(0, 4000)), "n": int(rng.integers(1, 9)),
         "est": int(rng.integers(60, 3000))} for i in range(1, 60)
    ]  # fmt: skip
    jobs = [job | {"run": job["est"]} for job in jobs]
    compiled = starts_of(jobs, "tradeoff:bound=0,limit=200,comparison=hierarchical", 8)
    for goals in ([waited, slowed], [waited, "slowdown"], ["wait", slowed]):
        own = Tradeoff(goals=goals, bound=0, limit=200, comparison="hierarchical")
        assert starts_of(jobs, own, 8) == compiled


def test_goals_from_a_script(tmp_path):
    """``goals=wait+FILE.py:NAME`` takes a goal from a user's script, and the result names it."""
    script = tmp_path / "mine.py"
    script.write_text("def late(plan):\n    return max(0.0, float(plan.end.max()) - 3600)\n")
    policy = tt.policies.from_spec(f"tradeoff:goals=wait+{script}:late,limit=50")
    assert str(policy.goals[1]) == f"{script}:late"
    jobs = [{"id": i, "user": 1, "submit": 0, "n": 2, "est": 60 * i, "run": 60 * i} for i in range(1, 6)]
    assert len(starts_of(jobs, policy, 4)) == 5
    with pytest.raises(ValueError, match="has no 'early'"):
        tt.policies.from_spec(f"tradeoff:goals={script}:early")


def test_a_goal_that_gives_no_number_is_named():
    """NaN, negative values and text end the run with one sentence."""
    jobs = [{"id": i, "user": 1, "submit": 0, "n": 2, "est": 60, "run": 60} for i in range(1, 4)]
    for value in (float("nan"), -1.0, "much", None):

        def broken(plan, value=value):
            return value

        with pytest.raises(ValueError, match=r"goal 'broken' gave .* at 0 s, but must give"):
            starts_of(jobs, Tradeoff(goals=["wait", broken]), 4)


def decision(policy, jobs, now=0.0, processors=4):
    """What a policy found at its last decision, on a machine to which campaigns are submitted at 0."""
    env = simpy.Environment()
    machine = tt.Machine(env, processors, policy)
    for campaign in jobs:
        machine.submit_campaign(campaign)
    env.run(until=1)
    return machine.policy.last


def test_stretch_of_campaigns():
    """The goal `stretch` is the mean of campaigns, running jobs included."""
    jobs = [
        [tt.Job(user="a", processors=2, runtime=100), tt.Job(user="a", processors=2, runtime=300)],
        [tt.Job(user="b", processors=4, runtime=200)],
    ]
    found = decision(Tradeoff(goals="stretch", heuristic="fcfs", limit=None), jobs)
    # Ada first: her jobs end at 100 and 300 (stretch 300 / 300), Bob's at 500 (500 / 200). Bob first: 1 and 500 / 300.
    assert found.values.tolist() == [pytest.approx((1 + 5 / 3) / 2)]


def test_deviation_from_entitled_use():
    """The goal `deviation` compares the day's use with equal shares, in processor-hours."""
    hours = 24
    jobs = [[tt.Job(user=name, processors=4, runtime=hours * 3600)] for name in ("ada", "bob")]
    found = decision(Tradeoff(goals="deviation", heuristic="fcfs", limit=None), jobs)
    assert found.values.tolist() == [pytest.approx(48 + 48)]  # the user of the start has 96 of 48, the other 0 of 48
    halves = [[tt.Job(user=name, processors=2, runtime=hours * 3600)] for name in ("ada", "bob")]
    assert decision(Tradeoff(goals="deviation", limit=None), halves).values.tolist() == [0]


@pytest.mark.parametrize("heuristic", ["fcfs", "lxf", "fairshare"])
def test_deviation_prefers_the_user_below_the_share(heuristic):
    """The goal `deviation` starts the job of the user below the share first."""
    env = simpy.Environment()
    machine = tt.Machine(env, 4, f"tradeoff:goals=deviation,heuristic={heuristic}")
    hour = 3600
    machine.submit(tt.Job(user="ada", processors=4, runtime=6 * hour))
    starts = {}

    def later():
        yield env.timeout(hour)
        for name in ("ada", "bob"):
            event = machine.submit(tt.Job(user=name, processors=4, runtime=12 * hour))
            event.started.callbacks.append(lambda _, name=name: starts.setdefault(name, env.now))

    env.process(later())
    env.run()
    assert starts == {"bob": 6 * hour, "ada": 18 * hour}


def test_a_copy_keeps_accounts_of_its_own():
    """A copy keeps accounts of its own for the goal and for its heuristic."""
    for text in ("tradeoff:goals=deviation", "tradeoff-fs:goals=deviation"):
        policy = tt.policies.from_spec(text)
        twin = policy.copy()
        assert twin.usage is not policy.usage
    assert twin.usage is twin.order.accounts


# -- options ------------------------------------------------------------------------------------------------


def test_the_short_names():
    """Short names stand for the paper's policies and their defaults."""
    assert str(tt.policies.from_spec("relshare")) == str(tt.policies.from_spec("easy:order=relshare,window=1d"))
    fs = tt.policies.from_spec("tradeoff-fs")
    assert (fs.order.name, fs.search.limit, fs.search.comparison) == ("relshare", 1000, "relative")


@pytest.mark.parametrize(
    ("goals", "weights", "comparison"),
    [("wait+slowdown", "1+1", "relative"), ("wait+slowdown", "2+1", "product"),
     ("wait+slowdown+stretch", "1+1+1", "product"), ("slowdown", "3", "relative")],
)  # fmt: skip
def test_the_default_comparison_is_transitive(goals, weights, comparison):
    """The default comparison is relative only where that has no cycles."""
    policy = tt.policies.from_spec(f"tradeoff:goals={goals},weights={weights}")
    assert policy.search.comparison == comparison


def test_pruning_is_for_compiled_goals():
    """Pruning is refused with a user's goal."""
    with pytest.raises(ValueError, match="prune is for compiled goals"):
        Tradeoff(goals=["wait", waited], prune=True)


def test_a_time_limit_is_told():
    """Results of a search by the clock say that they depend on the computer."""
    jobs = [{"id": i, "user": 1, "submit": 0, "n": 2, "est": 60, "run": 60} for i in range(1, 4)]
    result = tt.replay(trace_of(jobs), "tradeoff:time_limit=0.01", 4)
    assert any("time limit" in note for note in result.notes)
