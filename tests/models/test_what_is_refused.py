"""What a machine refuses: in one sentence, and without a trace of it afterwards."""

import itertools
from typing import Any

import numpy as np
import pytest
import simpy
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import thinktime as tt
from thinktime import Job
from thinktime.models.jobs.pool import Pool
from thinktime.users.behaviours import Continuation
from thinktime.workloads.grid import LIMIT


def machine(processors: int = 4, now: float = 0.0) -> tt.Machine:
    return tt.Machine(simpy.Environment(now), processors, "easy")


def state(machine: tt.Machine) -> Any:
    """Everything that a submission could change."""
    pool = machine.pool
    sizes = pool.requests.size, pool.outcomes.size, machine._intake.next_id, pool.truth.all_numbers()
    return (sizes, {name: list(labels) for name, labels in machine.names.items()}, dict(machine.labels._codes["user"]))


REFUSED: list[tuple[Any, str]] = [
    (lambda: Job(runtime=5, id=10**30), "id must be a whole number below 9,007,199,254,740,992"),
    (lambda: Job(runtime=5, id=10**5000), "id must be a whole number below .* not a number of more than"),
    (lambda: Job(runtime=5, processors=5, user="eve"), "asks for 5 processors, but the machine has 4"),
    (lambda: Job(runtime=5, processors=10**30, user="eve"), "asks for 1000000.* processors"),
    (lambda: Job(runtime=5, id=1, user="eve"), "there is a job 1 on this machine already"),
    (lambda: Job(runtime=LIMIT), "runtime must be below 8,796,093,022,208 s"),
    (lambda: Job(runtime=1, estimate=1e18), "estimate must be below 8,796,093,022,208 s"),
    (lambda: Job(runtime=1, think_time=1e300), "think_time must be below"),
    (lambda: Job(runtime=-5), "runtime must be finite and at least 0"),
    (lambda: None, "a machine takes a Job, not None; write submit"),
    (lambda: {"runtime": 5}, r"a machine takes a Job, not \{'runtime': 5\}"),
    (lambda: [Job(runtime=5)], "a machine takes a Job, not .*submit_campaign takes several"),
]


@pytest.mark.parametrize(("make", "sentence"), REFUSED)
@pytest.mark.parametrize("campaign", [False, True])
def test_a_refused_job_leaves_no_trace(make: Any, sentence: str, campaign: bool) -> None:
    """Whatever is wrong with a job, alone or in a campaign: a sentence, and the machine as it was and usable."""
    there = machine()
    there.submit(Job(runtime=10, user="ada"))
    before = state(there)
    with pytest.raises((ValueError, TypeError), match=sentence):
        there.submit_campaign([Job(runtime=1, user="eve"), make()]) if campaign else there.submit(make())
    assert state(there) == before
    after = there.submit(Job(runtime=3, user="ada"))
    there.env.run()
    assert (after.id, after.value.end, len(there.result())) == (2, 3, 2)
    assert there.result().names["user"] == ["ada"]


def test_jobs_that_get_past_the_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A column that refuses a value leaves all columns at one length."""
    pool = Pool(4)
    pool.append(1, runtime=5.0, id=1, processors=1)
    with pytest.raises((OverflowError, ValueError)):
        pool.append(2, runtime=7.0, user=[3, 4], id=[2, 10**30])
    assert pool.requests.size == pool.outcomes.size == 1
    rows = pool.append(1, runtime=6.0)
    assert (rows.start, pool.requests.user[1], pool.requests.id[1]) == (1, -1, -1)


def test_duplicate_numbers() -> None:
    """No two jobs that users submit have one number: not in a campaign, not later, not one that the machine gave."""
    there = machine()
    there.submit(Job(runtime=1, id=7))
    assert there.submit(Job(runtime=1)).id == 8
    assert there.submit(Job(runtime=1, id=3)).id == 3
    for jobs in ([7], [8], [3], [20, 20], [None, 9]):
        with pytest.raises(ValueError, match=r"there is a job \d+ on this machine already; .*numbers jobs from 9 on"):
            there.submit_campaign([Job(runtime=1, id=number) for number in jobs])
    assert there.submit(Job(runtime=1)).id == 9


def test_numbers_of_a_log() -> None:
    """A job with the number of a log's is refused, before the log's is submitted as well."""
    there = machine()
    there.load(tt.Trace({"submit": [5], "runtime": [1], "allocated": [1], "id": [40]}))
    with pytest.raises(ValueError, match="there is a job 40"):
        there.submit(Job(runtime=1, id=40))


@given(st.lists(st.integers(-3, 12) | st.none(), max_size=12))
def test_numbers_are_unique(wanted: list[int | None]) -> None:
    """Whatever numbers are asked for, those that are given are unique, and asked-for ones are kept."""
    there = machine()
    given_ids: list[int] = []
    for number in wanted:
        if number is not None and number in given_ids:
            with pytest.raises(ValueError, match="already"):
                there.submit(Job(runtime=1, id=number))
        else:
            given_ids.append(there.submit(Job(runtime=1, id=number)).id)
            assert number is None or given_ids[-1] == number
    assert len(set(given_ids)) == len(given_ids)


@pytest.mark.parametrize("now", [LIMIT, 2.0**60, LIMIT - 5, 2.0**52])
def test_times_beyond_the_grid(now: float) -> None:
    """A job that would run beyond 2⁴³ s is refused; its run time is not rounded to nothing."""
    there = machine(now=now)
    with pytest.raises(ValueError, match=r"a job of 10 s is submitted at .* s, but times must stay below 8,796,093"):
        there.submit(Job(runtime=10))
    assert len(there.result()) == 0


def test_last_times_of_the_grid() -> None:
    """Right below 2⁴³ s a run time still counts in full."""
    there = machine(now=LIMIT - 64)
    event = there.submit(Job(runtime=63 + 1 / 1024))
    there.env.run()
    assert event.value.runtime == 63 + 1 / 1024


@pytest.mark.parametrize("column", ["submit", "runtime", "requested_time", "wait"])
def test_traces_beyond_the_grid(column: str) -> None:
    """A log with a time from 2⁴³ s on is refused with column and row."""
    columns = {"submit": [0.0, 1.0], "runtime": [1.0, 1.0], "allocated": [1, 1], column: [0.0, -LIMIT]}
    with pytest.raises(ValueError, match=f"row 1 of column '{column}' is -8796093022208.0, but must be a time below"):
        tt.Trace(columns)


def test_replays_beyond_the_grid() -> None:
    """A log whose jobs would end beyond 2⁴³ s is not replayed."""
    trace = tt.Trace({"submit": [0, LIMIT - 1], "runtime": [1, 5], "allocated": [1, 1]})
    with pytest.raises(ValueError, match="job 2 of 5 s is submitted at 8796093022207 s, but times must stay"):
        tt.replay(trace, "easy", 4)


@pytest.mark.parametrize("runtime", [-3.0, stats.norm(-100, 1), lambda rng: -1e-9])
def test_negative_run_times_of_users(runtime: Any) -> None:
    """A user whose run times are negative is told so; they are not taken for 0."""
    env = simpy.Environment()
    tt.population(env, tt.Machine(env, 4), {"ada": tt.Profile(runtime=runtime, jobs=1, think_time=60)}, seed=1)
    with pytest.raises(ValueError, match=r"user 'ada': runtime is -[\d.e-]+, but must be at least 0 s"):
        env.run(until=1000)


@pytest.mark.parametrize("hours", [(9, 17), [9, 17], "9-17", 9, tt.WorkingHours])
def test_working_hours_of_another_kind(hours: Any) -> None:
    """Hours that are no WorkingHours are refused where they are given, with what to write."""
    for make in (
        lambda: tt.Profile(runtime=1, jobs=1, think_time=1, hours=hours),
        lambda: Continuation(hours=hours),
        lambda: tt.replay_with_feedback(
            tt.Trace({"submit": [0], "runtime": [1], "wait": [0], "allocated": [1]}), "easy", 4, hours=hours
        ),
    ):
        with pytest.raises(
            (TypeError, ValueError), match=r"hours (must be WorkingHours, such as WorkingHours\(9, 17\)|are)"
        ):
            make()


@pytest.mark.parametrize("env", [None, 64, "env", simpy.Environment])
def test_a_machine_without_an_environment(env: Any) -> None:
    """A machine says that it needs an environment."""
    with pytest.raises(
        TypeError, match=r"a machine needs a simpy.Environment first, Machine\(env, processors=64\), not"
    ):
        tt.Machine(env)


def test_too_many_processors() -> None:
    """A machine that cannot be counted is refused."""
    with pytest.raises(ValueError, match=r"processors must be below 9,007,199,254,740,992, not 9+"):
        machine(10**19 - 1)


@pytest.mark.parametrize("nodes", ["1:ppn=99999999999999999999", "99999999999999999999:ppn=1", "1:mem=9999999999999tb"])
def test_requests_beyond_all_nodes(nodes: str) -> None:
    """On nodes as well a request of any size is refused, and later ones are served."""
    env = simpy.Environment()
    there = tt.Machine(env, nodes=tt.Nodes.uniform(2, processors=4, memory=2**33))
    for _ in range(2):
        with pytest.raises(ValueError, match="could not give even if they were idle"):
            there.submit(Job(runtime=5, nodes=nodes))
    event = there.submit(Job(runtime=5, nodes="2:ppn=2"))
    env.run()
    assert event.value.end == 5


@pytest.mark.parametrize("users", [("ada", "eve"), ("ada", None), (1, "1")])
def test_a_campaign_has_one_user(users: tuple[Any, Any]) -> None:
    """A campaign with jobs of two users is refused, and changes nothing."""
    there = machine()
    before = state(there)
    jobs = [Job(runtime=1, user=user) for user in users]
    with pytest.raises(ValueError, match=r"a campaign has one user, but there are jobs of .* and of .* in it"):
        there.submit_campaign(jobs)
    assert state(there) == before


@pytest.mark.parametrize("jobs", [None, Job(runtime=1), 5, "jobs", {"runtime": 1}])
def test_campaigns_that_are_none(jobs: Any) -> None:
    """A campaign must be a list of jobs."""
    with pytest.raises(TypeError, match="a campaign is a list of Jobs, not"):
        machine().submit_campaign(jobs)


def test_unknown_names_of_results() -> None:
    """A column or a number that is not there is answered with the one that was probably meant, else with all."""
    there = machine()
    there.submit(Job(runtime=1))
    there.env.run()
    result = there.result()
    with pytest.raises(KeyError, match="a result has no column 'strat'; did you mean 'state' or 'start'"):
        result["strat"]
    with pytest.raises(KeyError, match="its columns are id, user, group"):
        result[7]  # type: ignore[index]
    with pytest.raises(KeyError, match="a summary has no number 'mean_waits'; did you mean 'mean_wait' or"):
        result.summary()["mean_waits"]
    assert result.summary().get("mean_waits") is None
    assert "mean_waits" not in result.summary()


def test_order_of_refusals_is_no_matter() -> None:
    """Any sequence of good and refused submissions leaves what the good ones alone leave."""
    good = [Job(runtime=r, processors=p, user=u) for r, p, u in itertools.product((1, 7), (1, 4), ("ada", "bob"))]
    bad = [Job(runtime=1, processors=9, user="eve"), Job(runtime=1, id=1), Job(runtime=LIMIT / 2, user="mal")]
    plain, mixed = machine(), machine(now=0.0)
    for job in good:
        plain.submit(job)
    for number, job in enumerate(good):
        mixed.submit(job)
        refused = bad[number % 2]
        with pytest.raises(ValueError):
            mixed.submit(refused)
    plain.env.run()
    mixed.env.run()
    ours, theirs = mixed.result(), plain.result()
    assert ours.names == theirs.names
    for name in theirs.columns:
        np.testing.assert_array_equal(ours[name], theirs[name])
