"""Behaviours: each does what it says, by hand; together they lose no job uncounted, and luck stays in step."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import thinktime as tt
from thinktime import HOUR
from thinktime.models.state import State
from thinktime.users import behaviours as b

from .behaving import BUSY, Diary, one, several

PLAIN = {"runtime": 100, "jobs": 1, "think_time": 60, "processors": 4, "overestimate": 1, "first": 0}
LONG = tt.Job(user="bob", runtime=5000, processors=8)  # in the way until 5000 s


def lost(result):
    return result.lost[["time", "reason", "jobs", "node_hours"]].values.tolist()


# -- patience -----------------------------------------------------------------------------------------------


def test_patience_withdraws_a_job_that_has_waited_too_long():
    """Submitted at 0 behind a job until 5000, withdrawn at 300; 4 processors x 100 s are lost."""
    result = one(b.Patience(300), before=[LONG], campaigns=1, **PLAIN)
    mine = result.jobs.query("user == 'ada'")
    assert mine[["submit", "end", "state"]].values.tolist() == [[0.0, 300.0, "withdrawn"]]
    assert lost(result) == [[300.0, "renege", 1, 400 / 3600]]
    summary = result.summary()
    assert (summary["lost_jobs"], summary["lost_node_hours"]) == (1, 400 / 3600)
    assert "lost_node_hours" in str(summary)


def test_the_user_goes_on_after_giving_up():
    """The campaign is over when its job is withdrawn; the next follows after the think time."""
    result = one(b.Patience(300), before=[LONG], campaigns=3, **PLAIN)
    assert result.jobs.query("user == 'ada'")["submit"].tolist() == [0, 360, 720]


def test_patience_of_no_time_lets_a_free_machine_start_the_job():
    """Below a second it is a second, so an empty machine loses nobody."""
    result = one(b.Patience(0), campaigns=5, **PLAIN)
    assert set(result.jobs["state"]) == {"finished"} and not len(result.lost)


def test_patience_does_nothing_to_a_running_job():
    """The job starts at 5000, runs beyond the patience of 5050 s, and ends whole."""
    result = one(b.Patience(5050), before=[LONG], campaigns=1, **PLAIN | {"runtime": 300})
    assert result.jobs.query("user == 'ada'")[["start", "end"]].values.tolist() == [[5000, 5300]]


# -- balking ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "balk, waiting, submits",
    [
        (b.Balk(queue=1), 1, True),
        (b.Balk(queue=1), 2, False),
        (b.Balk(backlog=10_000), 2, True),
        (b.Balk(backlog=9_999), 2, False),
        (b.Balk(wait=9990), 1, True),
        (b.Balk(wait=9989), 1, False),
        (b.Balk(rule=lambda sight, job: sight.free < job.processors), 0, False),
        (b.Balk(rule=lambda sight, job: len(sight.running) > 1), 0, True),
    ],
)
def test_a_user_who_balks_does_not_submit(balk, waiting, submits):
    """One job of the whole machine runs, others wait: 2 x 5000 s of the whole machine are a backlog of 10,000 s."""
    result = one(balk, before=[LONG] * (1 + waiting), campaigns=1, **PLAIN | {"first": 10})
    assert ("ada" in result.labels("user")) == submits
    assert lost(result) == ([] if submits else [[10.0, "balk", 1, 400 / 3600]])


def test_who_balks_comes_back_after_the_think_time():
    """A campaign given up at once is over at once; with no think time at all the user looks again a second later."""
    result = one(b.Balk(queue=0), before=[LONG] * 2, campaigns=3, **PLAIN | {"first": 1})
    assert result.lost["time"].tolist() == [1, 61, 121]
    result = one(b.Balk(queue=0), before=[LONG] * 2, campaigns=3, **PLAIN | {"first": 1, "think_time": 0})
    assert result.lost["time"].tolist() == [1, 2, 3]


def test_balk_must_know_when():
    """A rule that is no rule is refused."""
    with pytest.raises(ValueError, match="when the queue looks bad"):
        b.Balk()


# -- sessions -----------------------------------------------------------------------------------------------


def test_the_chance_to_stay_is_as_specified():
    """0.8 at once, 0.4 after 20 minutes, 0.2 after an hour, 0.032 after eight."""
    chances = [b.Continuation().chance(60 * minutes) for minutes in (0, 20, 60, 480)]
    assert chances == pytest.approx([0.8, 0.4, 0.2, 0.032])


def test_users_stay_as_often_as_the_curve_says():
    """Responses of 20 minutes on an empty machine: 40 % stay, within a binomial interval at 99.9 %."""
    result = one(b.Continuation(away=100_000), campaigns=2000, **PLAIN | {"runtime": 1200})
    stays = int((result["think_time"][1:] == 60).sum())
    low, high = stats.binom.interval(0.999, 1999, 0.4)
    assert low <= stays <= high
    assert set(result["think_time"][1:].tolist()) == {60, 100_000}


def test_who_leaves_comes_back_in_the_morning():
    """Never staying: one campaign a day, from Monday to Friday, in the first hour of the working day."""
    result = one(b.Continuation(level=0), campaigns=10, **PLAIN)
    days, hours = np.divmod(result["submit"][1:], tt.DAY)
    assert days.tolist() == [0, 1, 2, 3, 4, 7, 8, 9, 10]
    assert ((hours >= 9 * HOUR) & (hours < 10 * HOUR)).all()
    early = one(
        b.Continuation(level=0, late=0), campaigns=3, hours=tt.WorkingHours(7, 12, days=(2,)), **PLAIN
    )
    assert early["submit"].tolist() == [(2 + 7 * k) * tt.DAY + 7 * HOUR for k in range(3)]


def test_a_curve_of_ones_own():
    """Stay after short responses only."""
    stay = b.Continuation(probability=lambda response: response < 150, away=7)
    assert one(stay, campaigns=3, **PLAIN)["think_time"].tolist()[1:] == [60, 60]
    assert one(stay, campaigns=3, **PLAIN | {"runtime": 200})["think_time"].tolist()[1:] == [7, 7]


# -- thinking -----------------------------------------------------------------------------------------------


def test_think_times_on_a_line():
    """0.4826 x response + 1779 s, to the grid; a spread multiplies it."""
    result = one(b.LinearThinking(), campaigns=2, **PLAIN)
    assert result["think_time"][1] == pytest.approx(0.4826 * 100 + 1779, abs=1e-3)
    result = one(b.LinearThinking(slope=1, offset=0, spread=3), campaigns=2, **PLAIN)
    assert result["think_time"][1] == 300


def test_a_rhythm_keeps_the_rate_and_moves_the_hours():
    """Nothing at night with a cycle of twelve hours; over whole weeks as many submissions as without one."""
    from thinktime.workloads.generators.cycles import Cycle

    day = b.Rhythm(cycle=Cycle(day=(0, 1)))
    quick = PLAIN | {"runtime": 0, "think_time": stats.expon(scale=600)}
    with_it, without = (one(*each, campaigns=10**9, until=4 * tt.WEEK, **quick) for each in ((day,), ()))
    assert (with_it["submit"][1:] % tt.DAY >= 12 * HOUR - 1).all()
    assert len(with_it) == pytest.approx(len(without), rel=0.01)


# -- giving way ---------------------------------------------------------------------------------------------

WINDOW = b.Windows([(150, 1000)])  # of the campaigns at 0, 160, 320, … the second to the seventh fall into it


def test_delay_waits_for_the_end_of_the_window():
    """The second campaign is due at 160, in the window, and comes at its end."""
    result = one(b.Delay(WINDOW), campaigns=3, **PLAIN)
    assert result["submit"].tolist() == [0, 1000, 1160]
    assert not len(result.lost)


def test_delay_by_a_while_looks_again():
    """While the queue is crowded, ten minutes more, up to three times."""
    crowded = {"before": [LONG] * 3, "campaigns": 1}
    assert one(b.Delay(b.crowded(1), by=600), **crowded, **PLAIN | {"first": 1})["submit"].max() == 5401
    assert (
        one(b.Delay(b.crowded(1), by=600, times=3), **crowded, **PLAIN | {"first": 1})["submit"].max() == 1801
    )


@pytest.mark.parametrize(
    "behaviour, processors, runtime, node_seconds",
    [
        (b.Degrade(WINDOW), 3, 100, 200),
        (b.Reconfigure(WINDOW), 3, 200, 0),
        (b.Renounce(WINDOW), None, None, 500),
    ],
)
def test_giving_way_in_a_window(behaviour, processors, runtime, node_seconds):
    """A job of 5 processors x 100 s inside the window: 3 x 100, 3 x 200, or nothing; outside it is itself."""
    result = one(behaviour, campaigns=2, **PLAIN | {"processors": 5, "overestimate": 3})
    first, *second = map(tuple, result.jobs[["processors", "runtime", "estimate"]].values.tolist())
    assert first == (5, 100, 300)
    assert second == ([] if processors is None else [(processors, runtime, 3 * runtime)])
    assert result.lost["node_hours"].sum() * 3600 == pytest.approx(node_seconds)
    assert result.lost["jobs"].sum() == (processors is None)


def test_sequential_jobs_give_no_way():
    """One processor cannot be halved."""
    for behaviour in (b.Degrade(WINDOW), b.Reconfigure(WINDOW)):
        result = one(behaviour, campaigns=3, **PLAIN | {"processors": 1})
        assert (set(result["processors"].tolist()), set(result["runtime"].tolist())) == ({1}, {100})


def test_long_waits_are_remembered():
    """After a wait of 5000 s the user asks for half, and again until the mean of two waits is below."""
    result = one(b.Degrade(b.waiting_long(2600, jobs=2)), before=[LONG], campaigns=4, **PLAIN)
    assert result["processors"].tolist()[1:] == [4, 2, 4, 4]


def test_a_windows_beginning_counts_and_its_end_does_not():
    """From the first second on, and no longer at the end."""
    assert [WINDOW.end(t) for t in (149, 150, 999, 1000)] == [149, 1000, 1000, 1000]
    with pytest.raises(ValueError, match="from an earlier to a later time"):
        b.Windows([(5, 5)])


# -- adapting -----------------------------------------------------------------------------------------------


def test_any_change_of_a_job():
    """Double the run time, or nothing at all for wide jobs."""
    double = b.Adapt(lambda user, job: replace(job, runtime=2 * job.runtime, estimate=None))
    assert set(one(double, campaigns=2, **PLAIN)["runtime"].tolist()) == {200}
    refuse = b.Adapt(lambda user, job: None)
    assert lost(one(refuse, campaigns=1, **PLAIN)) == [[0.0, "adapt", 1, 400 / 3600]]


def test_estimates_learn_from_kills():
    """Killed at 75 s, the user asks for twice that; without another kill the factor falls: 2, 1.8, 1.62."""
    result = one(b.Estimate(), campaigns=4, **PLAIN | {"overestimate": 0.75})
    assert result["estimate"].tolist() == pytest.approx([75, 150, 135, 121.5], abs=1e-3)
    assert [State(state).label for state in result["state"]] == ["killed", "finished", "finished", "finished"]


# -- limits and contentment ---------------------------------------------------------------------------------


def test_a_limit_on_jobs_in_flight():
    """Five jobs of 100 s, two at a time on a machine for all: 0, 0, 100, 100, 200; the next campaign after all."""
    result = one(b.InFlight(2), campaigns=2, size=64, **PLAIN | {"jobs": 5})
    assert result["submit"].tolist() == [0, 0, 100, 100, 200, 360, 360, 460, 460, 560]


def test_a_limit_that_depends_on_what_the_user_sees():
    """As many as there is room for on the machine."""
    room = b.InFlight(lambda user: user.sight.free // 4)
    result = one(room, campaigns=1, size=12, **PLAIN | {"jobs": 7})
    assert result["submit"].tolist() == [0, 0, 0, 100, 100, 100, 200]
    assert (result["submit"] == result["start"]).all()


def test_who_complains_too_often_stays_away():
    """Jobs of 100 s accept 100 (ln 4 + 1) s; a wait of 5000 s uses up the budget of 20 jobs."""
    contentment = b.Contentment(complaints=3, away=1e5)
    result = one(contentment, before=[LONG], campaigns=6, **PLAIN)
    assert result["think_time"].tolist()[2:] == [60, 60, 100_000, 60, 60]
    result = one(b.Contentment(complaints=1), before=[LONG], campaigns=6, **PLAIN)
    assert len(result) == 2


# -- all together -------------------------------------------------------------------------------------------

EVERY = {
    "Adapt": b.Adapt(lambda user, job: replace(job, processors=1) if user.recent_wait() > 600 else job),
    "Balk": b.Balk(queue=3),
    "Contentment": b.Contentment(complaints=20, away=stats.expon(scale=tt.DAY)),
    "Continuation": b.Continuation(away=stats.expon(scale=4 * HOUR)),
    "Degrade": b.Degrade(b.crowded(2)),
    "Delay": b.Delay(b.crowded(2), by=stats.expon(scale=600)),
    "Estimate": b.Estimate(),
    "InFlight": b.InFlight(2),
    "LinearThinking": b.LinearThinking(spread=stats.expon()),
    "Patience": b.Patience(stats.expon(scale=900)),
    "Reconfigure": b.Reconfigure(b.waiting_long(900)),
    "Renounce": b.Renounce(b.waiting_long(3600)),
    "Rhythm": b.Rhythm(),
}


def test_every_behaviour_stands_in_these_tests():
    """Who adds a behaviour is told to add it here."""
    things = {name: getattr(b, name) for name in b.__all__}
    ready = {
        name for name, thing in things.items() if isinstance(thing, type) and issubclass(thing, b.Behaviour)
    }
    assert ready - {"Behaviour"} == set(EVERY)


def luck(books):
    """What each user intended under each policy, up to the last campaign that came under all of them."""
    last = {name: min(book[name][-1][0] for book in books) for name in books[0]}
    assert min(last.values()) >= 2
    return [{name: [e for e in book[name] if e[0] <= last[name]] for name in last} for book in books]


@pytest.mark.parametrize("name", EVERY)
def test_users_intend_the_same_under_every_policy(name):
    """The k-th campaign of a user is the same whatever happened before it: common random numbers."""
    books = [several(EVERY[name], policy=policy)[1] for policy in ("fcfs", "easy:order=sjf", "conservative")]
    first, *others = luck(books)
    assert all(other == first for other in others)


@pytest.mark.parametrize("name", EVERY)
def test_policies_that_make_nobody_wait_give_identical_logs(name):
    """On a machine for all, FCFS and conservative backfilling see the very same submissions."""
    results = [several(EVERY[name], policy=policy, size=4096)[0] for policy in ("fcfs", "conservative")]
    assert (results[0]["start"] == results[0]["submit"])[results[0]["state"] >= State.RUNNING].all()
    for column in results[0].columns:
        if column != "promised":
            assert results[0][column].tobytes() == results[1][column].tobytes(), column
    assert results[0].lost.equals(results[1].lost)


def test_another_behaviour_leaves_the_luck_of_the_others():
    """Patience and breaks draw the same numbers with a companion as without."""
    breaks = b.Continuation(level=0, away=stats.expon(scale=HOUR))
    alone = one(breaks, campaigns=30, size=4096)
    together = one(b.Estimate(), b.Patience(stats.expon(scale=600)), breaks, campaigns=30, size=4096)
    assert alone["think_time"].tobytes() == together["think_time"].tobytes()


def test_a_generator_for_this_campaign():
    """However often one campaign draws, the next one's luck is its own."""

    class Dice(b.Behaviour):
        def __init__(self, often):
            self.often = often

        def think(self, user, last, thought):
            return user.rng(self).uniform(1, 100, size=self.often)[0]

    once, thrice = (one(Dice(often), campaigns=6, size=4096) for often in (1, 3))
    assert once["think_time"].tobytes() == thrice["think_time"].tobytes()
    assert len(np.unique(once.campaigns["think_time"].dropna())) == 5


@settings(max_examples=25)
@given(
    st.lists(st.sampled_from(sorted(EVERY)), unique=True, max_size=5),
    st.sampled_from(["fcfs", "easy", "no-guarantee:order=lxf", "conservative"]),
    st.integers(0, 1000),
)
def test_every_intended_job_is_accounted_for(names, policy, seed):
    """Intended = submitted + never submitted + held back; reneged = withdrawn; nobody ends a running job."""
    limited = "InFlight" in names
    result, book = several(*(EVERY[name] for name in names), policy=policy, users=4, until=tt.DAY, seed=seed)
    intended = sum(len(entries) for entries in book.values())
    whole = result.lost.query("jobs == 1")["reason"].value_counts()
    never = sum(count for reason, count in whole.items() if reason != "renege")
    held_back = intended - len(result) - never
    assert held_back >= 0 and (limited or held_back == 0)
    assert whole.get("renege", 0) == int((result["state"] == State.WITHDRAWN).sum())
    assert not (result["state"] == State.KILLED).any()
    by_user = result.lost.groupby("user")["jobs"].sum()
    assert set(by_user.index) <= set(book)


@settings(max_examples=15)
@given(st.integers(1, 4), st.sampled_from(["fcfs", "easy", "conservative"]), st.integers(0, 1000))
def test_no_user_has_more_in_flight_than_the_limit(limit, policy, seed):
    """At every moment, submitted and not over, by a sweep over the result."""
    result, _ = several(
        b.InFlight(limit),
        b.Patience(1800),
        policy=policy,
        users=3,
        jobs=stats.geom(0.1),
        until=tt.DAY,
        seed=seed,
    )
    for user in set(result["user"].tolist()):
        mine = result["user"] == user
        end = np.where(np.isnan(result["end"][mine]), np.inf, result["end"][mine])
        times = np.concatenate([result["submit"][mine], end])
        change = np.repeat([1, -1], mine.sum())
        assert np.cumsum(change[np.lexsort((change, times))]).max() <= limit


def test_behaviours_remember_each_user_alone():
    """Two users with one profile have an account each; the profile's own behaviour is not touched."""
    contentment = b.Contentment()
    several(contentment, users=3, until=tt.DAY)
    assert contentment.account.jobs == 0


def test_the_diary_itself():
    """The book of intentions is the machine's own where nobody reacts."""
    result, book = several()
    assert sum(len(entries) for entries in book.values()) == len(result)
    assert isinstance(Diary({}), b.Behaviour) and BUSY.behaviours == ()


@pytest.mark.parametrize(
    "wrong, message", [(b.Patience, r"write Patience\(…\)"), (len, "derive its class from Behaviour")]
)
def test_what_is_no_behaviour_is_refused(wrong, message):
    """A class instead of an object of it, or anything else; one behaviour alone needs no tuple."""
    with pytest.raises(TypeError, match=message):
        replace(BUSY, behaviours=[wrong])
    assert replace(BUSY, behaviours=b.Patience(5)).behaviours == (b.Patience(5),)


def test_what_is_no_job_is_refused():
    """An adapt that forgets to return the job in some case gives None, which is a loss; anything else is an error."""
    with pytest.raises(TypeError, match="user 'ada': adapt of Adapt gave 3, but must give a Job, or None"):
        one(b.Adapt(lambda user, job: 3), campaigns=1)
