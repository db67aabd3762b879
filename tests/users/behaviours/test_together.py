"""Behaviours together: no job is lost uncounted, and luck stays in step."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import thinktime as tt
from tests.how_many import few_or_many
from tests.users.behaviours.behaving import BUSY, Diary, one, several
from thinktime import HOUR
from thinktime.models.state import State
from thinktime.users import behaviours as b
from thinktime.workloads.signals import Signal

PRICE = Signal([0, HOUR, 2 * HOUR], [4.0, 1.0, 2.0], "price", end=3 * HOUR)
EVERY = {
    "Adapt": b.Adapt(lambda user, job: replace(job, processors=1) if user.recent_wait() > 600 else job),
    "Balk": b.Balk(queue=3),
    "Choose": b.Choose(queues=["short"]),
    "ComeBack": b.ComeBack(600),
    "Contentment": b.Contentment(complaints=20, away=stats.expon(scale=tt.DAY)),
    "Continuation": b.Continuation(away=stats.expon(scale=4 * HOUR)),
    "Degrade": b.Degrade(b.crowded(2)),
    "Delay": b.Delay(b.crowded(2), by=stats.expon(scale=600)),
    "Discouraged": b.Discouraged(),
    "Estimate": b.Estimate(),
    "InFlight": b.InFlight(2),
    "LinearThinking": b.LinearThinking(spread=stats.expon()),
    "Logit": b.Logit(b.Shown(PRICE, sees="forecast"), delay=HOUR, reshape=0.5, degrade=0.5, renounce=True),
    "Mold": b.Mold(tries=3, habit=0.3),
    "Mornings": b.Mornings(share=0.5),
    "Parcel": b.Parcel(),
    "Patience": b.Patience(stats.expon(scale=900)),
    "Reconfigure": b.Reconfigure(b.waiting_long(900)),
    "Renounce": b.Renounce(b.waiting_long(3600)),
    "Reshape": b.Reshape(b.Elastic(PRICE, 2.0), serial=0.1),
    "Rhythm": b.Rhythm(),
    "Rush": b.Rush(budget=20, period=6 * HOUR),
    "SeeYouLater": b.SeeYouLater(b.Elastic(PRICE, 2.0), away=stats.expon(scale=HOUR)),
    "Shift": b.Shift(b.Dear(PRICE, above=2.0), queue="night"),
    "Shorten": b.Shorten(),
    "SleepOnIt": b.SleepOnIt(budget=20, period=6 * HOUR, before=HOUR),
    "Split": b.Split(),
}


def test_every_behaviour_stands_in_these_tests():
    """Every behaviour of the package is among these tests."""
    things = {name: getattr(b, name) for name in b.__all__}
    ready = {name for name, thing in things.items() if isinstance(thing, type) and issubclass(thing, b.Behaviour)}
    assert ready - {"Behaviour"} == set(EVERY)


def luck(books):
    """What each user intended under each policy, up to the last campaign that came under all of them."""
    last = {name: min(book[name][-1][0] for book in books) for name in books[0]}
    assert min(last.values()) >= 2
    return [{name: [e for e in book[name] if e[0] <= last[name]] for name in last} for book in books]


POLICIES = ("fcfs", "easy:order=sjf", "conservative")


@pytest.mark.parametrize("policies", few_or_many(POLICIES[:2], POLICIES), ids=len)
@pytest.mark.parametrize("name", EVERY)
def test_users_intend_the_same_under_every_policy(name, policies):
    """The k-th campaign of a user is the same whatever happened before it: common random numbers."""
    books = [several(EVERY[name], policy=policy, users=2, until=tt.DAY)[1] for policy in policies]
    first, *others = luck(books)
    assert all(other == first for other in others)


@pytest.mark.parametrize("name", EVERY)
def test_policies_that_make_no_job_wait_give_identical_logs(name):
    """Where no job waits, FCFS and conservative backfilling see the same submissions."""
    results = [
        several(EVERY[name], policy=policy, users=3, size=4096, until=tt.DAY / 6)[0]
        for policy in ("fcfs", "conservative")
    ]
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
    """The luck of a campaign does not depend on how often the one before drew."""

    class Dice(b.Behaviour):
        def __init__(self, often):
            self.often = often

        def think(self, user, last, thought):
            return user.rng(self).uniform(1, 100, size=self.often)[0]

    once, thrice = (one(Dice(often), campaigns=6, size=4096) for often in (1, 3))
    assert once["think_time"].tobytes() == thrice["think_time"].tobytes()
    assert len(np.unique(once.campaigns["think_time"].dropna())) == 5


@settings(max_examples=15)
@given(
    st.lists(st.sampled_from(sorted(EVERY.keys() - {"Parcel"})), unique=True, max_size=5),
    st.sampled_from(["fcfs", "easy", "no-guarantee:order=lxf", "conservative"]),
    st.integers(0, 1000),
)
def test_every_intended_job_is_accounted_for(names, policy, seed):
    """Every intended job is submitted, lost or held back (Parcel makes several of one); reneged ones are withdrawn."""
    limited = "InFlight" in names
    result, book = several(*(EVERY[name] for name in names), policy=policy, users=4, until=tt.DAY / 2, seed=seed)
    intended = sum(len(entries) for entries in book.values())
    whole = result.lost.query("jobs == 1")["reason"].value_counts()
    never = sum(count for reason, count in whole.items() if reason != "renege")
    held_back = intended - len(result) - never
    assert held_back >= 0 and (limited or held_back == 0)
    assert whole.get("renege", 0) == int((result["state"] == State.WITHDRAWN).sum())
    assert not (result["state"] == State.KILLED).any()
    by_user = result.lost.groupby("user")["jobs"].sum()
    assert set(by_user.index) <= set(book)


def test_the_diary_itself():
    """The book of intentions is the machine's own where no user reacts."""
    result, book = several()
    assert sum(len(entries) for entries in book.values()) == len(result)
    assert isinstance(Diary({}), b.Behaviour) and BUSY.behaviours == ()


@pytest.mark.parametrize(
    "wrong, message", [(b.Patience, r"write Patience\(…\)"), (len, "derive its class from Behaviour")]
)
def test_what_is_no_behaviour_is_refused(wrong, message):
    """A class and other things are refused as behaviours, and one behaviour needs no tuple."""
    with pytest.raises(TypeError, match=message):
        replace(BUSY, behaviours=[wrong])
    assert replace(BUSY, behaviours=b.Patience(5)).behaviours == (b.Patience(5),)
