"""Relative fairshare and goal-oriented search against whole schedules in plain Python; options; goals of one's own."""

import datetime

import numpy as np
import pytest
import simpy
from hypothesis import given, settings
from hypothesis import strategies as st

import thinktime as tt
from tests.models.policies.goal import twin
from thinktime.models.policies.search.tradeoff import Tradeoff
from thinktime.workloads.header import Header

DAY = 86_400
START = 893_466_664  # 1998-04-24 18:11:04 in California
ZONE = datetime.timezone(datetime.timedelta(hours=-8))


def local_days(now):
    """The local day that holds now, in s since the log's start, at a fixed offset."""
    day = (now + START - 8 * 3600) // DAY
    begin = day * DAY - START + 8 * 3600
    return begin, begin + DAY


def trace_of(jobs):
    """The jobs as a log of a machine in that zone."""
    names = {"id": "id", "user": "user", "submit": "submit", "requested_processors": "n", "requested_time": "est"}
    columns = {name: [job[key] for job in jobs] for name, key in names.items()}
    header = Header().set("UnixStartTime", START).set("TimeZone", -8 * 3600)
    return tt.Trace(columns | {"runtime": [job["run"] for job in jobs]}, header)


def starts_of(jobs, policy, processors):
    """Starts by id, under the package's policy."""
    result = tt.replay(trace_of(jobs), policy, processors)
    return dict(zip(result["id"].tolist(), result["start"].tolist(), strict=True))


@st.composite
def logs(draw, most=14, horizon=3 * DAY, length=DAY):
    """Jobs of a few users over some days; run times at most the estimates, ties included."""
    hour = 3600
    job = st.fixed_dictionaries(
        {
            "user": st.integers(1, 4),
            "submit": st.integers(0, horizon // hour).map(lambda t: t * hour),
            "n": st.integers(1, 4),
            "est": st.integers(1, length // hour).map(lambda t: t * hour + 7),
            "part": st.sampled_from([0.0, 0.5, 1.0, 1.0]),
        }
    )
    jobs = draw(st.lists(job, min_size=1, max_size=most))
    jobs.sort(key=lambda job: job["submit"])
    return [job | {"id": i, "run": int(job["est"] * job["part"])} for i, job in enumerate(jobs, start=1)]


# -- relative fairshare -------------------------------------------------------------------------------------


@given(logs(most=24))
@settings(max_examples=120)
def test_relshare_start_by_start(jobs):
    """RelShare is EASY by usage of the local day, start by start, with the reserved job counted."""
    expected = twin.simulate(jobs, 4, twin.relshare(local_days))
    assert starts_of(jobs, "relshare", 4) == expected


@given(logs(most=20))
@settings(max_examples=40)
def test_relshare_in_other_windows(jobs):
    """RelShare works with windows of six hours and of weeks."""

    def quarters(now):
        begin = local_days(now)[0]
        part = (now - begin) // 21_600
        return begin + part * 21_600, begin + (part + 1) * 21_600

    def weeks(now):
        monday = ((now + START - 8 * 3600) // DAY + 3) // 7 * 7 - 3  # 1 January 1970 was a Thursday
        begin = monday * DAY - START + 8 * 3600
        return begin, begin + 7 * DAY

    for window, text in ((quarters, "6h"), (weeks, "7d")):
        expected = twin.simulate(jobs, 4, twin.relshare(window))
        assert starts_of(jobs, f"easy:order=relshare,window={text}", 4) == expected


@given(logs(most=24))
@settings(max_examples=120)
def test_relshare_sorted_after_every_start(jobs):
    """With `resort=start`, every start of a pass puts its owner behind."""
    expected = twin.simulate(jobs, 4, twin.relshare_after_every_start(local_days))
    assert starts_of(jobs, "relshare:resort=start", 4) == expected


def test_two_starts_of_a_pass():
    """Sorted anew after Ada's first start, the queue has Bob's job next."""
    table = [(1, 3, 0, 4, 600), (2, 1, 1, 2, 600), (3, 1, 1, 2, 600), (4, 2, 1, 2, 600)]
    jobs = [{"id": i, "user": u, "submit": s, "n": n, "est": e, "run": e} for i, u, s, n, e in table]
    assert starts_of(jobs, "relshare", 4) == {1: 0, 2: 600, 3: 600, 4: 1200}
    assert starts_of(jobs, "relshare:resort=start", 4) == {1: 0, 2: 600, 3: 1200, 4: 600}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("relshare:resort=end", "resort is 'end', but must be one of head, start"),
        ("conservative:order=relshare,resort=start", "is for easy with one reservation"),
        ("easy:order=relshare,resort=start,reservations=2", "is for easy with one reservation"),
    ],
)
def test_where_sorting_after_every_start_has_no_meaning(text, says):
    """`resort=start` is refused where it has no meaning."""
    with pytest.raises(ValueError, match=says):
        tt.policies.from_spec(text)


def test_the_reserved_job_counts_for_its_owner():
    """A reserved job counts as usage of its owner, so the other user fills the gap."""
    hour = 3600
    table = [  # id, user, submit, n, est: the machine has 4 processors
        (1, 1, 0, 3, 4 * hour), (2, 2, 0, 1, hour), (3, 3, 0, 1, hour),
        (4, 1, 1, 4, 8 * hour), (5, 1, 2, 1, 2 * hour), (6, 2, 3, 1, 2 * hour),
    ]  # fmt: skip
    jobs = [{"id": i, "user": u, "submit": s, "n": n, "est": e, "run": e} for i, u, s, n, e in table]
    assert starts_of(jobs, "relshare", 4) == twin.simulate(jobs, 4, twin.relshare(local_days))


def test_usage_of_a_job_is_what_it_used_and_is_expected_to_use_today():
    """A job's usage today is what it used and is expected to use until midnight."""
    env = simpy.Environment()
    machine = tt.Machine(env, 4, "relshare")
    usages = []

    def look(*times):
        for time in times:
            yield env.timeout(time * 3600 - env.now)
            accounts = machine.policy.order.accounts
            usages.append(accounts.usages(machine.names["user"], env.now).get("ada", 0) / 3600)

    def ada():
        yield env.timeout(18 * 3600)
        machine.submit(tt.Job(user="ada", processors=2, runtime=8 * 3600, estimate=10 * 3600))

    env.process(ada())
    env.process(look(19, 23, 24, 25, 27, 48))
    env.run()
    assert usages == [12, 12, 8, 8, 4, 0]


def test_copies_and_machines_do_not_share_usage():
    """Machines and copies of a policy keep separate usage."""
    policy = tt.policies.from_spec("relshare")
    trace = trace_of([{"id": 1, "user": 1, "submit": 0, "n": 2, "est": 600, "run": 600}])
    first = tt.replay(trace, policy, 4)
    assert (tt.replay(trace, policy, 4)["start"] == first["start"]).all()
    assert policy.order.accounts.usages([], 600) == {None: 0}


@pytest.mark.parametrize("overrun", ["extend", "until_needed"])
def test_jobs_that_outlive_their_estimates_are_expected_to_end_in_a_second(overrun):
    """Usage of a job that overruns grows with the time that it really takes."""
    env = simpy.Environment()
    machine = tt.Machine(env, 4, "relshare", overrun)
    seen = []

    def look():
        machine.submit(tt.Job(user="ada", processors=2, runtime=3000, estimate=1000))
        for _ in range(3):
            yield env.timeout(999)
            seen.append(machine.policy.order.accounts.usages(machine.names["user"], env.now)["ada"])

    env.process(look())
    env.run()
    assert seen == [2000, 2 * (1998 + 1), 2 * (2997 + 1)]


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
    assert found.values.tolist() == [pytest.approx(48 + 48)]  # whoever starts has 96 of 48, the other 0 of 48
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


@pytest.mark.parametrize(
    "text",
    [
        "tradeoff-fs:algorithm=dds,limit=1000",
        "tradeoff:goals=wait+slowdown+deviation+stretch",
        "tradeoff:heuristic=fcfs,algorithm=lds,lds_order=top,limit=none,time_limit=0.05s",
        "tradeoff:comparison=relative,weights=2+1,bound=50h,tau=10,prune=yes",
        "tradeoff:goals=slowdown",
        "easy:order=relshare,window=7d",
        "relshare:resort=start",
    ],
)
def test_names_read_back(text):
    """A policy's name is text that makes the same policy."""
    policy = tt.policies.from_spec(text)
    assert str(tt.policies.from_spec(str(policy))) == str(policy)


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


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("tradeoff:algorithm=ddd", "algorithm is 'ddd'"),
        ("tradeoff:goals=wait+speed", "there is no goal 'speed'"),
        ("tradeoff:goals=wait+wait", "stands twice"),
        ("tradeoff:weights=1", "one number above 0 for each of the 2 goals"),
        ("tradeoff:weights=1+x", "one number above 0"),
        ("tradeoff:limit=0", "limit is 0"),
        ("tradeoff:limit=many", "limit is 'many'"),
        ("tradeoff:bound=soon", "bound: "),
        ("tradeoff:tau=0", "tau is 0"),
        ("tradeoff:window=5h", "divide a day"),
        ("tradeoff:comparison=better", "comparison is 'better'"),
        ("tradeoff:comparison=product+relative", "comparison is ['product', 'relative']"),
        ("tradeoff:goals=7", "there is no goal 7"),
        ("tradeoff-fs:heuristic=lxf+fcfs", "there is no order ['lxf', 'fcfs']"),
        ("tradeoff:heuristic=luck", "there is no order 'luck'"),
        ("tradeoff:prune=maybe", "prune is 'maybe'"),
        ("relshare:window=25h", "divide a day"),
        ("relshare:widow=1d", "there is no option 'widow'"),
    ],
)
def test_wrong_options_are_named(text, says):
    """A wrong option is refused in one sentence."""
    with pytest.raises(ValueError, match="policy") as error:
        tt.policies.from_spec(text)
    assert says in str(error.value)


def test_pruning_is_for_compiled_goals():
    """Pruning is refused with a user's goal."""
    with pytest.raises(ValueError, match="prune is for compiled goals"):
        Tradeoff(goals=["wait", waited], prune=True)


def test_a_time_limit_is_told():
    """Results of a search by the clock say that they depend on the computer."""
    jobs = [{"id": i, "user": 1, "submit": 0, "n": 2, "est": 60, "run": 60} for i in range(1, 4)]
    result = tt.replay(trace_of(jobs), "tradeoff:time_limit=0.01", 4)
    assert any("time limit" in note for note in result.notes)
