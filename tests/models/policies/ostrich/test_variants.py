"""FairCamp's deadlines and the SLURM plugin's rule, by hand, and campaigns found by a threshold."""

import pytest
import simpy

import thinktime as tt
from tests.models.policies.ostrich.exact import user
from tests.models.policies.ostrich.package import Run
from thinktime.models.policies import FairCamp, OStrichSlurm


class Deadlines(FairCamp):
    """FairCamp that remembers the deadlines it gave, by (user, campaign)."""

    def __init__(self, **options):
        super().__init__(**options)
        self.given = {}

    def on_submit(self, view, rows, now):
        super().on_submit(view, rows, now)
        for campaign in self.virtual.campaigns():
            self.given[view._names["user"][campaign.user], campaign.index] = campaign.urgency


class Keys(OStrichSlurm):
    """The SLURM variant that remembers every campaign's urgency at every pass, by (user, campaign)."""

    def __init__(self, **options):
        super().__init__(**options)
        self.given = {}

    def select(self, view, now):
        rows = super().select(view, now)
        keys = {(view._names["user"][other.user], other.index): other.urgency for other in self.virtual.campaigns()}
        self.given[now] = {key: pytest.approx(value) for key, value in keys.items()}
        return rows


A, B, C, Z = range(4)


def test_faircamp_gives_deadlines_and_serves_the_earliest_first():
    """Deadlines t + k rho max(W / m, p_max), m = 2, rho = 3/2: 0 + 1.5 * 5; 1 + 4.5 * 1; 1 + 4.5 * 9; 7 + 3 * 1."""
    users = [user(A, [(0, [4, 4, 2]), (7, [1])], closed=False), user(B, [(1, [1])]), user(C, [(1, [6, 6, 6])])]
    run = Run(2, users, Deadlines())
    assert run.policy.given == {(A, 0): 7.5, (B, 0): 5.5, (C, 0): 41.5, (A, 1): 10}
    assert run.starts == {(A, 0): [0, 0, 4], (B, 0): [4], (C, 0): [5, 6, 12], (A, 1): [11]}


def test_rho_scales_the_time_that_faircamp_allows():
    """With rho = 10 the first deadline of the same users is 50."""
    run = Run(2, [user(A, [(0, [4, 4, 2])])], Deadlines(rho=10))
    assert run.policy.given == {(A, 0): 50}


def test_the_slurm_variant_hands_out_what_is_used_and_serves_who_has_least_left():
    """One processor; Z holds it until 10, meanwhile all active users share the virtual time.

    [0, 2) gives A and Z 1 s each, [2, 10) gives A, B and Z 8/3 s each: at 10 A has 10 - 11/3 left, B 5 - 8/3.
    [10, 12) gives A and B 1 s, [12, 15) A, B and C 1 s. At 15 A has 10 - 17/3 left, and 1 s more before A's
    second campaign is through; C has 4 left and goes first. At 22 a job of 4 s has ended after 2 s.
    """
    users = [
        user(Z, [(0, [10])]),
        user(A, [(0, [6, 2], [6, 4]), (12, [1])], closed=False),
        user(B, [(2, [5])]),
        user(C, [(12, [5])]),
    ]
    users = [user(0, []), user(1, []), user(2, []), *users]
    run = Run(1, users, Keys())
    assert run.policy.given[0] == {(Z, 0): 10, (A, 0): 10}
    assert run.policy.given[2] == {(Z, 0): 9, (A, 0): 9, (B, 0): 5}
    assert run.policy.given[10] == {(A, 0): 19 / 3, (B, 0): 7 / 3}
    assert run.policy.given[15] == {(A, 0): 13 / 3, (A, 1): 16 / 3, (C, 0): 4}
    assert run.policy.given[20] == {(A, 0): 11 / 6, (A, 1): 17 / 6}
    assert run.policy.given[22] == {(A, 0): 0, (A, 1): 5 / 6}
    assert run.starts == {(Z, 0): [0], (B, 0): [10], (C, 0): [15], (A, 0): [22, 20], (A, 1): [28]}


@pytest.mark.parametrize("shares, first", [({}, B), ({A: 3}, A)])
def test_shares_of_the_slurm_variant_give_more_virtual_time_and_divide_what_is_left(shares, first):
    """From 1 to 10, 3 s each leave A 3 s and B 1 s; with weight 3, A has got 5.4 s and B 1.8 s of it."""
    users = [user(A, [(1, [6])]), user(B, [(1, [4])]), user(C, []), user(Z, [(0, [10])])]
    run = Run(1, users, OStrichSlurm(shares=shares))
    assert run.starts[first, 0] == [10]


def test_the_slurm_variant_holds_no_user_back():
    """A user's second campaign starts at once where OStrich waits for V, which ends the first one at 5."""
    users = [user(A, [(0, [10]), (0, [3])], closed=False)]
    assert Run(2, users, "ostrich-slurm").starts[A, 1] == [0]
    assert Run(2, users, "ostrich").starts[A, 1] == [5]


def founded(policy, times, user="ada"):
    """How many campaigns the policy makes of single jobs submitted at these times, all of them waiting."""
    env = simpy.Environment()
    machine = tt.Machine(env, 1, policy)

    def owner():
        machine.submit(tt.Job(runtime=5000, user="blocker"))
        for time in times:
            yield env.timeout(time - env.now)
            machine.submit(tt.Job(runtime=10_000, user=user))

    env.process(owner())
    env.run(until=4000)
    return sorted(len(campaign.rows) for campaign in machine.policy.campaigns())


@pytest.mark.parametrize("policy", ["ostrich-slurm", "ostrich:threshold=600", "faircamp:threshold=600"])
def test_a_job_joins_the_users_campaign_for_600_seconds(policy):
    """Counted from the campaign's first job, 600 s included; the next job founds another."""
    assert founded(policy, [1, 300, 601]) == [3]
    assert founded(policy, [1, 300, 601.001]) == [1, 2]
    assert founded(policy, [1, 601, 602, 1202]) == [2, 2]
    assert founded("ostrich", [1, 2, 3]) == [1, 1, 1]


def test_jobs_of_two_users_are_never_one_campaign():
    """Jobs submitted at one instant without a campaign are grouped by user."""
    env = simpy.Environment()
    machine = tt.Machine(env, 1, "ostrich-slurm")
    machine.submit(tt.Job(runtime=100, user="blocker"))
    env.run(until=1)
    for name in ("ada", "bob", "ada"):
        machine.submit(tt.Job(runtime=5, user=name))
    env.run(until=50)
    assert sorted(len(campaign.rows) for campaign in machine.policy.campaigns()) == [1, 2]


def test_a_joined_job_adds_to_the_virtual_work_of_its_campaign():
    """Ada's 40 s end in V at 80, as bob shares it; 10 s more end at 100."""
    env = simpy.Environment()
    machine = tt.Machine(env, 1, "ostrich:threshold=600")
    seen = []

    def look():
        projected = machine.policy.virtual.projected()
        seen.append({machine.names["user"][c.user]: end for c, end in projected.items()})

    def owner():
        for name, run in (("bob", 100), ("ada", 40)):
            machine.submit(tt.Job(runtime=run, user=name))
        yield env.timeout(20)
        look()
        machine.submit(tt.Job(runtime=10, user="ada"))
        yield env.timeout(1)
        look()

    env.process(owner())
    env.run(until=30)
    assert seen == [{"bob": 200, "ada": 80}, {"bob": 200, "ada": 100}]


def test_a_job_joins_a_campaign_that_v_has_not_come_to_when_nothing_is_held_back():
    """With ``held_back=no`` a job that joins the user's second campaign starts at once, as the first of it did."""
    env = simpy.Environment()
    machine = tt.Machine(env, 2, "ostrich:held_back=no,threshold=5")

    def owner():
        machine.submit(tt.Job(runtime=1000, user="ada"))
        for wait in (10, 3):
            yield env.timeout(wait)
            machine.submit(tt.Job(runtime=1, user="ada"))

    env.process(owner())
    env.run()
    assert machine.result()["start"].tolist() == [0, 10, 13]


@pytest.mark.parametrize("policy", ["ostrich", "ostrich-slurm", "faircamp"])
def test_a_hold_without_an_estimate_is_scheduled(policy):
    """``machine.request()`` declares no end; others run beside it and after it."""
    env = simpy.Environment()
    machine = tt.Machine(env, 2, policy)

    def holder():
        with machine.request(user="ada") as hold:
            yield hold
            yield env.timeout(5)

    def owner():
        yield env.timeout(1)
        yield machine.submit_campaign([tt.Job(runtime=3, user="bob"), tt.Job(runtime=3, user="bob")])

    env.process(holder())
    env.process(owner())
    env.run()
    assert machine.result()["start"].tolist() == [0, 1, 4]


@pytest.mark.parametrize("rule", ["ostrich", "ostrich-slurm"])
def test_a_policys_name_holds_its_weights(rule):
    """Weighted and unweighted schedules are told apart by the text that stands in every result."""
    policy = tt.policies.from_spec(f"{rule}:shares=ada*2+bob*0.5")
    assert "shares=ada*2+bob*0.5" in str(policy)
    assert tt.policies.from_spec(str(policy)).shares == policy.shares


def test_work_without_end_joins_no_campaign():
    """A hold that declares no end is a campaign of its own, though the user's latest would take more jobs."""
    env = simpy.Environment()
    machine = tt.Machine(env, 1, "ostrich:threshold=60")
    machine.submit(tt.Job(runtime=5, user="ada"))

    def holder():
        yield env.timeout(1)
        with machine.request(user="ada") as hold:
            yield hold
            yield env.timeout(3)

    env.process(holder())
    env.run()
    assert machine.result()["start"].tolist() == [0, 5]


def test_a_campaign_of_withdrawn_jobs_takes_others():
    """Ada's second campaign is held back until 100; its only job is withdrawn; another joins it and starts then."""
    env = simpy.Environment()
    machine = tt.Machine(env, 1, "ostrich:threshold=10")

    def owner():
        events = []
        for time, length in ((0, 100), (20, 10), (25, 7)):
            yield env.timeout(time - env.now)
            events.append(machine.submit(tt.Job(runtime=length, user="ada")))
            if time == 20:
                yield env.timeout(2)
                events[1].cancel()

    env.process(owner())
    env.run()
    assert machine.result()["start"].tolist() == pytest.approx([0, float("nan"), 100], nan_ok=True)
