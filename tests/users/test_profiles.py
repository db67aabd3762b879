"""Profiles and mixes of users, how their numbers are drawn, working hours, and when users stop."""

import itertools

import numpy as np
import pytest
import simpy
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

import thinktime as tt
from thinktime.users import LONG, SHORT, draws

DAY, HOUR = tt.DAY, tt.HOUR


def run(profile, until=None, policy="fcfs", processors=4, **limits):
    """One user on a machine of their own."""
    env = simpy.Environment()
    machine = tt.Machine(env, processors, policy)
    env.process(tt.campaign_user(env, machine, "ada", tt.stream(1, "ada"), profile, **limits))
    env.run(until=until)
    return machine.result()


def test_a_mix_gives_whole_users_by_largest_remainders():
    """A mix of 26 users at 2 to 1 has 17 and 9."""
    users = tt.mix(26, {"short": 2, "long": 1})
    assert [sum(name.startswith(kind) for name in users) for kind in ("short", "long")] == [17, 9]
    assert (users["short 1"], users["long 9"]) == (SHORT, LONG)


@given(st.integers(0, 50), st.lists(st.integers(0, 9), min_size=1, max_size=4).filter(any))
def test_a_mix_has_as_many_users_as_asked(users, shares):
    """No user is lost or won by rounding, and none is off by one or more."""
    profile = tt.Profile(runtime=1, jobs=1, think_time=1)
    names = [f"p{i}" for i in range(len(shares))]
    people = tt.mix(users, dict(zip(names, shares, strict=True)), **dict.fromkeys(names, profile))
    assert len(people) == users
    for name, share in zip(names, shares, strict=True):
        assert abs(sum(n.startswith(f"{name} ") for n in people) - users * share / sum(shares)) < 1


@pytest.mark.parametrize("shares", [{"shrt": 1}, {"short": -1}, {"short": 0}])
def test_a_wrong_mix_is_refused(shares):
    """An unknown profile and wrong shares are refused."""
    with pytest.raises(ValueError, match=r"profile 'shrt'|share of 'short'"):
        tt.mix(3, shares)


def test_the_papers_profiles():
    """Short run times are uniform on [1, 3600] s, long ones on [3600, 36000] s, campaigns have 50 jobs on average."""
    env = simpy.Environment()
    machine = tt.Machine(env, 100_000, "fcfs")
    tt.population(env, machine, tt.mix(40, {"short": 1, "long": 1}), 5, campaigns=20)
    env.run()
    result = machine.result()
    for kind, low, high in (("short", 1, 3600), ("long", 3600, 36000)):
        mine = np.array([name.startswith(kind) for name in result.labels("user")])
        runtime = result["runtime"][mine]
        assert low <= runtime.min() and runtime.max() <= high
        error = (high - low) / np.sqrt(12 * len(runtime))
        assert abs(runtime.mean() - (low + high) / 2) < 4 * error
        assert abs(len(runtime) / 400 - 50) < 4 * np.sqrt(0.98) / 0.02 / np.sqrt(400)


@pytest.mark.parametrize(
    "function, think",
    [
        (lambda last, rng: last.response_time / 2, 10.0),
        (lambda last, rng: 3 * last.stretch, 3.0),
        (lambda last, rng: last.wait + 1, 1.0),
    ],
)
def test_a_think_time_reacts_to_the_last_campaign(function, think):
    """A think time may react to response, bound, stretch and wait of the last campaign."""
    profile = tt.Profile(runtime=10, jobs=4, think_time=tt.Reaction(function))
    result = run(profile, campaigns=2, processors=2)
    assert (result["submit"][4], result["think_time"][4]) == (20 + think, think)


def test_a_reaction_draws_from_the_users_own_stream():
    """The generator that a reaction gets is the same under every policy."""
    profile = tt.Profile(runtime=10, jobs=2, think_time=tt.Reaction(lambda last, rng: rng.exponential(100)))
    first, second = (run(profile, policy=policy, campaigns=4) for policy in ("fcfs", "conservative"))
    assert first["submit"].tolist() == second["submit"].tolist()
    assert len(set(first["think_time"][2::2].tolist())) == 3


def test_a_user_stops_after_the_last_campaign_or_at_the_horizon():
    """``campaigns`` counts campaigns, ``until`` is the last time of a submission."""
    profile = tt.Profile(runtime=10, jobs=1, think_time=5)
    assert run(profile, campaigns=3)["submit"].tolist() == [0, 15, 30]
    assert run(profile, until=None, campaigns=9)["submit"].tolist()[-1] == 120
    env = simpy.Environment()
    machine = tt.Machine(env, 4, "fcfs")
    tt.population(env, machine, {"ada": profile}, 1, until=30)
    env.run()
    assert machine.result()["submit"].tolist() == [0, 15, 30]


def test_submissions_wait_for_working_hours():
    """Submissions outside working hours come at the next beginning of them."""
    profile = tt.Profile(runtime=HOUR, jobs=1, think_time=6 * HOUR, hours=tt.WorkingHours(9, 17))
    submits = run(profile, campaigns=8)["submit"] / HOUR
    assert submits.tolist() == [9, 16, 33, 40, 57, 64, 81, 88]
    friday = tt.Profile(runtime=HOUR, jobs=1, think_time=0, first=4 * DAY + 17 * HOUR, hours=tt.WorkingHours())
    assert run(friday, campaigns=1)["submit"].tolist() == [7 * DAY + 9 * HOUR]


@given(st.floats(0, 30 * 86400.0), st.integers(0, 23), st.integers(0, 24), st.sets(st.integers(0, 6), min_size=1))
def test_the_next_working_time_is_the_first_one(time, start, end, days):
    """It is not before the wish, lies in the hours, and nothing between the two does; through the night as well."""
    assume(start != end)
    hours = tt.WorkingHours(start, end, tuple(days))
    found = hours.next(time)

    def inside(t):
        day, hour = int(t // DAY) % 7, t % DAY / HOUR
        if start < end:
            return day in days and start <= hour < end
        return (day in days and hour >= start) or ((day - 1) % 7 in days and hour < end)

    assert found >= time and inside(found)
    assert not any(inside(t) for t in np.linspace(time, found, 50)[:-1] if t < found)


@given(st.integers(0, 30 * 24), st.integers(0, 23), st.integers(0, 24), st.sets(st.integers(0, 6), min_size=1))
def test_the_next_morning_is_the_first_begin(hour, start, end, days):
    """After the given time, on one of the days, at the first hour; by trying hour after hour."""
    assume(start != end)
    found = tt.WorkingHours(start, end, tuple(days)).morning(hour * HOUR) / HOUR
    later = hour + 1
    while later % 24 != start or later // 24 % 7 not in days:
        later += 1
    assert found == later


def test_a_night_shift_goes_on_after_midnight():
    """A night shift from 22:00 on Friday ends at 6:00 on Saturday."""
    night = tt.WorkingHours(22, 6)
    saturday = 5 * DAY
    assert night.next(saturday + 5 * HOUR) == saturday + 5 * HOUR
    assert night.next(saturday + 6 * HOUR) == 7 * DAY + 22 * HOUR
    profile = tt.Profile(runtime=HOUR, jobs=1, think_time=6 * HOUR, hours=night)
    assert (run(profile, campaigns=4)["submit"] / HOUR).tolist() == [22, 29, 46, 53]


@pytest.mark.parametrize(
    "wrong", [{"start": 9, "end": 9}, {"end": 25}, {"start": 24, "end": 6}, {"start": -1}, {"days": ()}, {"days": (7,)}]
)
def test_wrong_hours_are_refused(wrong):
    """Hours that are none of a day, or one and the same, and days that are not in a week, are named."""
    with pytest.raises(ValueError, match=r"working (hours|days)"):
        tt.WorkingHours(**wrong)


@pytest.mark.parametrize("field", ["runtime", "jobs", "think_time", "processors", "overestimate", "first"])
def test_a_quantity_that_is_no_number_names_its_user_and_field(field):
    """NaN is not taken for 0: whose it is and what it should have been is said."""
    fields = {"runtime": 10, "jobs": 1, "think_time": 5, field: lambda rng: float("nan")}
    with pytest.raises(ValueError, match=rf"user 'ada': {field} is nan"):
        run(tt.Profile(**fields), campaigns=2)


def test_a_negative_think_time_is_none():
    """A normal think time may come out below 0; the user then submits at once."""
    profile = tt.Profile(runtime=10, jobs=1, think_time=-7)
    assert run(profile, campaigns=2)["submit"].tolist() == [0, 10]


def first(row, n=600):
    return list(itertools.islice(row, n))


def test_a_number_is_always_the_same():
    """A number as a quantity is the same in every draw."""
    assert first(draws(3, np.random.default_rng(1)), 3) == [3.0, 3.0, 3.0]


@pytest.mark.parametrize(
    "quantity", [stats.expon(scale=5), stats.geom(0.1), stats.rv_discrete(values=([1, 2], [0.5, 0.5]))]
)
def test_a_distribution_is_drawn_from_its_generator(quantity):
    """Equal generators give equal rows, across the borders of blocks, as plain floats."""
    rows = [first(draws(quantity, np.random.default_rng(seed))) for seed in (1, 1, 2)]
    assert rows[0] == rows[1] != rows[2]
    assert {type(number) for number in rows[0]} == {float}
    assert abs(np.mean(rows[0]) - quantity.mean()) < 5 * quantity.std() / np.sqrt(600)


def test_a_function_is_called_once_for_each_number():
    """A function gets the generator, and may keep a memory of its own."""
    calls = []

    def count(rng):
        calls.append(rng)
        return len(calls)

    rng = np.random.default_rng(1)
    assert first(draws(count, rng), 4) == [1, 2, 3, 4]
    assert calls == [rng] * 4


def test_an_error_names_the_quantity():
    """A text is refused as a quantity, by name."""
    with pytest.raises(TypeError, match="think_time must be a number"):
        draws("5", np.random.default_rng(1), "think_time")
