"""Campaign users: the same luck for every user under every policy, and think times from end to submission."""

import numpy as np
import pytest
import simpy
from scipy import stats

import thinktime as tt
from thinktime.users import Profile, campaign_user, population

PROFILE = Profile(
    runtime=stats.expon(scale=20),
    jobs=stats.geom(0.3),
    think_time=stats.expon(scale=30),
    processors=lambda rng: rng.integers(1, 9),
    overestimate=1.5,
    first=stats.uniform(0, 10),
)


def simulate(policy, users, seed=1, campaigns=10, until=None, processors=8):
    env = simpy.Environment()
    machine = tt.Machine(env, processors, policy)
    population(env, machine, users, seed, campaigns)
    env.run(until=until)
    return machine.result()


def luck(result, user):
    """What a user drew: the jobs in order, and the think times before them."""
    mine = result.labels("user") == user
    return [result[name][mine].tobytes() for name in ("runtime", "processors", "estimate", "think_time")]


@pytest.mark.parametrize("policy", ["easy", "conservative", "no-guarantee:order=sjf", "none:order=lxf"])
def test_a_user_draws_the_same_under_every_policy(policy):
    """Jobs and think times do not depend on the policy, nor on who else is there, nor on their order."""
    users = {"ada": PROFILE, "bob": PROFILE, 3: PROFILE}
    alone = simulate("fcfs", {"ada": PROFILE})
    together = simulate(policy, users)
    turned = simulate(policy, dict(reversed(users.items())))
    assert luck(alone, "ada") == luck(together, "ada") == luck(turned, "ada")
    assert luck(together, "ada") != luck(together, "bob") != luck(together, 3)
    assert luck(simulate("fcfs", {"ada": PROFILE}, seed=2), "ada") != luck(alone, "ada")


def test_a_user_stops_after_some_campaigns():
    """The number of campaigns is a limit; without one, users go on."""
    result = simulate("fcfs", {"ada": PROFILE, "bob": PROFILE}, campaigns=7)
    assert result.campaigns.groupby("user").size().to_dict() == {"ada": 7, "bob": 7}
    assert len(simulate("fcfs", {"ada": PROFILE}, campaigns=0)) == 0
    assert simulate("fcfs", {"ada": PROFILE}, campaigns=float("inf"), until=5000)["submit"].max() > 4500


def test_a_campaign_follows_the_end_of_the_last_by_the_think_time():
    """A campaign follows the end of the one before by the think time."""
    profile = Profile(runtime=10, jobs=2, think_time=5, processors=8, overestimate=3, first=1)
    result = simulate("fcfs", {"ada": profile}, campaigns=3)
    assert result["submit"].tolist() == [1, 1, 26, 26, 51, 51]
    assert result["start"].tolist() == [1, 11, 26, 36, 51, 61]
    assert result["estimate"].tolist() == [30] * 6
    assert result["campaign"].tolist() == [0, 0, 1, 1, 2, 2]
    assert str(result["think_time"].tolist()) == "[nan, nan, 5.0, 5.0, 5.0, 5.0]"


def test_the_think_time_recorded_is_the_one_that_passed():
    """A think time is exactly the time from the end of the campaign to the next submission, off the grid too."""
    profile = Profile(runtime=10, jobs=1, think_time=0.1)
    result = simulate("fcfs", {"ada": profile}, campaigns=3)
    assert result["think_time"][1:].tolist() == (result["submit"][1:] - result["end"][:-1]).tolist()


def test_a_zero_think_time_and_a_zero_run_time_do_no_harm():
    """Users who never think, and jobs that take no time, still end after their campaigns."""
    profile = Profile(runtime=0, jobs=3, think_time=0)
    result = simulate("fcfs", {"ada": profile, "bob": profile}, campaigns=5, processors=2)
    assert (len(result), result["end"].max()) == (30, 0)


def test_counts_are_whole_and_at_least_one():
    """Numbers of jobs and processors are rounded; negative think times and first times are none."""
    profile = Profile(runtime=5, jobs=0.2, think_time=-3, processors=2.6, first=-1)
    result = simulate("fcfs", {"ada": profile}, campaigns=2)
    assert (result["processors"].tolist(), result["runtime"].tolist(), len(result)) == ([3, 3], [5, 5], 2)


@pytest.mark.parametrize("part", ["runtime", "jobs", "think_time", "processors", "overestimate", "first"])
def test_every_quantity_may_be_a_number_a_distribution_or_a_function(part):
    """The three ways to give a quantity are interchangeable, and change no other quantity's luck."""
    ways = [2.0, stats.randint(2, 3), lambda rng: 2]
    results = []
    for way in ways:
        given = {name: getattr(PROFILE, name) for name in Profile.__slots__} | {part: way}
        results.append(simulate("fcfs", {"ada": Profile(**given)}))
    for name in ("runtime", "processors", "estimate", "think_time", "submit"):
        assert len({result[name].tobytes() for result in results}) == 1, name


@pytest.mark.parametrize("wrong", [None, True, [1, 2]])
def test_what_is_no_quantity_is_refused(wrong):
    """The error names the quantity and says what is expected."""
    profile = Profile(runtime=wrong, jobs=1, think_time=1)
    with pytest.raises(TypeError, match=r"runtime must be a number, a frozen scipy.stats distribution or a function"):
        simulate("fcfs", {"ada": profile})


def test_a_campaign_user_is_an_ordinary_process():
    """It takes any generator, can be interrupted, and shares the machine with processes of another kind."""
    env = simpy.Environment()
    machine = tt.Machine(env, 8, "fcfs")
    rng = np.random.default_rng(5)
    process = env.process(campaign_user(env, machine, "ada", rng, Profile(runtime=10, jobs=1, think_time=1)))

    def boss():
        yield env.timeout(25)
        process.interrupt("holiday")

    env.process(boss())
    with pytest.raises(simpy.Interrupt, match="holiday"):
        env.run()
    assert machine.result()["submit"].tolist() == [0, 11, 22]
