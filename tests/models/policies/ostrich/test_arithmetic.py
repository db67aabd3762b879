"""The arithmetic of V: long numbers, and the whole state of V, against Python's own whole numbers and fractions."""

from fractions import Fraction
from math import floor, inf

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from thinktime.models.engine import long_numbers
from thinktime.models.engine.codes import long_numbers as long_numbers_codes
from thinktime.models.engine.spare import Spare
from thinktime.models.policies.ostrich import progress as virtual
from thinktime.models.policies.ostrich.virtual import VirtualSchedule

UNIT, SLACK = 2**120, 2**60
WORD = st.one_of(st.integers(0, 2**30 - 1), st.sampled_from([0, 0, 1, 2**29, 2**30 - 1]))


def number(words):
    """The number that some words stand for."""
    return sum(word << long_numbers_codes.BITS * place for place, word in enumerate(np.asarray(words).tolist()))


def words(given, size):
    return np.array([given >> 30 * place & (2**30 - 1) for place in range(size)])


def nearest(exact, half_up=True):
    """A fraction rounded to a whole number."""
    return floor(exact + Fraction(1, 2)) if half_up else -floor(-exact + Fraction(1, 2))


@settings(max_examples=2000, deadline=None, derandomize=True)
@given(
    st.lists(WORD, min_size=1, max_size=5),
    st.lists(WORD, min_size=1, max_size=5),
    st.lists(WORD, min_size=1, max_size=5),
    st.booleans(),
)
def test_a_product_divided_is_rounded_to_the_nearest_whole_number(first, second, third, half_up):
    """Products of any two numbers divided by a third are those of fractions, halves up or down as asked."""
    a, b, c = number(first), number(second), max(number(third), 1)
    out = np.zeros(12, np.int64)
    long_numbers.scaled(Spare(), words(a, 12), words(b, 12), words(c, 12), half_up, out)
    assert number(out) == nearest(Fraction(a * b, c), half_up)


@settings(max_examples=500, deadline=None, derandomize=True)
@given(st.integers(0, 2**110), st.integers(-130, -1), st.integers(0, 2**43), st.integers(0, UNIT - 1))
def test_a_number_is_written_and_a_time_read_as_computed_with_fractions(digits, exponent, seconds, units):
    """Floats are cut at 2^-120; times are read at the nearest tick, or the next one that is 2^-60 s or more later."""
    given = float(digits) * 2.0**exponent
    out = np.zeros(9, np.int64)
    long_numbers.write(given, out)
    assert number(out) == Fraction(given) * UNIT // 1
    time = seconds * UNIT + units
    assert long_numbers.read(words(time, 9), False) == nearest(Fraction(time * 1024, UNIT)) / 1024
    assert long_numbers.read(words(time, 9), True) == -(-(time - SLACK) * 1024 // UNIT) / 1024


class Campaign:
    """A campaign in the twin."""

    def __init__(self, user, position, index, finish, start):
        self.user, self.position, self.index, self.finish = user, position, index, finish
        self.start, self.end = start, None

    @property
    def key(self):
        return (self.finish + SLACK // 2) // SLACK, self.position, self.index


class Twin:
    """V in whole numbers of 2^-120 and fractions, all campaigns sorted by what comes next at every event."""

    def __init__(self, processors, shares):
        self.processors, self.shares = processors, [Fraction(share) for share in shares]
        self.time = self.service = 0
        self.all, self.unfinished, self.users = [], [], []

    @property
    def rate(self):
        """Service per second."""
        return self.processors / sum(self.shares[user] for user in {each.user for each in self.unfinished})

    def due(self):
        first = min(self.unfinished, key=lambda each: each.key)
        return self.when(first), first

    def when(self, campaign):
        return self.time + nearest((campaign.finish - self.service) / self.rate)

    def advance(self, now):
        while self.unfinished and self.due()[0] <= now * UNIT + SLACK:
            time, first = self.due()
            self.time, self.service = max(self.time, time), max(self.service, first.finish)
            first.end = nearest(Fraction(self.time * 1024, UNIT)) / 1024
            self.unfinished.remove(first)
            for later in [each for each in self.unfinished if each.user == first.user][:1]:
                later.start = first.end

    def settle(self, now):
        if self.unfinished and now * UNIT > self.time:
            self.service += nearest((now * UNIT - self.time) * self.rate)
        self.time = max(self.time, int(now * UNIT))

    def submit(self, user, now, work):
        self.settle(now)
        own = [each.finish for each in self.unfinished if each.user == user]
        before = own[-1] if own else self.service
        finish = before + nearest(work * UNIT / self.shares[user])
        self.users = list(dict.fromkeys([*self.users, user]))
        start = None if own else float(now)
        campaign = Campaign(user, self.users.index(user), len(self.all), finish, start)
        self.all.append(campaign)
        self.unfinished.append(campaign)

    def change_work(self, campaign, work, now):
        self.settle(now)
        own = [each for each in self.unfinished if each.user == campaign.user]
        place = own.index(campaign)
        least = own[place - 1].finish if place else self.service
        shift = max(least - campaign.finish, nearest(work * UNIT / self.shares[campaign.user]))
        for later in own[place:]:
            later.finish += shift


def same(twin, schedule, places):
    """Whether all that V knows is the same, bit for bit."""
    rule = schedule.structure()
    assert [number(rule.time), number(rule.service)] == [twin.time, twin.service]
    for campaign, place in zip(twin.all, places, strict=True):
        assert number(rule.finish[place]) == campaign.finish
        assert number(rule.tag[place]) == campaign.key[0]
        times = [times[place].item() for times in schedule.times]
        expected = [np.nan if time is None else time for time in (campaign.start, campaign.end)]
        assert np.array_equal(times, expected, equal_nan=True)
    for campaign in twin.unfinished:
        shown = nearest(Fraction(twin.when(campaign) * 1024, UNIT)) / 1024
        assert virtual.projected(rule, places[campaign.index]) == shown
    assert len(schedule.projected()) == len(twin.unfinished)
    if twin.unfinished:
        assert number(rule.due) == twin.due()[0]
        assert schedule.next_completion() == -(-(twin.due()[0] - SLACK) * 1024 // UNIT) / 1024
    else:
        assert schedule.next_completion() == inf


TICKS = st.one_of(st.integers(0, 20).map(lambda n: n * 1024), st.integers(0, 2**24), st.just(0))
EVENTS = st.lists(
    st.tuples(TICKS, st.integers(0, 4), st.sampled_from(["submit", "submit", "change", "look"]), TICKS), max_size=25
)
SHARES = st.one_of(
    st.just(1.0),
    st.sampled_from([2.0, 0.5, 3.0, 0.1, 1 / 3, 3.7, 1e-9, 123456.789]),
    st.floats(2.0**-40, 2.0**40),
    st.fractions(Fraction(1, 50), 50, max_denominator=99),
)


@settings(max_examples=600, deadline=None, derandomize=True)
@given(
    st.sampled_from([1, 2, 3, 7, 100, 2**20 + 7]),
    st.one_of(st.just([1] * 5), st.lists(SHARES, min_size=5, max_size=5)),
    EVENTS,
    st.randoms(use_true_random=False),
)
def test_v_is_that_of_whole_numbers_bit_for_bit(processors, shares, events, luck):
    """Under any submissions, weights, corrections and joining jobs, time, S, F, tags and completions are the twin's."""
    twin, schedule, places = Twin(processors, shares), VirtualSchedule(dict(enumerate(shares))), []
    schedule.prepare(list(range(5)), processors)
    now = Fraction(0)
    for wait, user, kind, amount in events:
        now += Fraction(wait, 1024)
        twin.advance(now)
        schedule.advance(float(now))
        same(twin, schedule, places)
        if kind == "submit" or (kind == "change" and not twin.unfinished):
            work = Fraction(max(amount, 1024), 1024)
            twin.submit(user, now, work)
            places.append(schedule.submit(user, float(now), float(work)))
        elif kind == "change" and amount:
            work = Fraction(luck.choice([1, -1]) * amount, 1024)
            campaign = luck.choice(twin.unfinished)
            twin.change_work(campaign, work, now)
            virtual.change_work(schedule.structure(), places[campaign.index], float(work), float(now))
        same(twin, schedule, places)
