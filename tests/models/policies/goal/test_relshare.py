"""Relative fairshare against whole schedules in plain Python."""

import pytest
import simpy
from hypothesis import given, settings

import thinktime as tt
from tests.models.policies.goal import twin
from tests.models.policies.goal.logs import DAY, START, local_days, logs, starts_of, trace_of


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
