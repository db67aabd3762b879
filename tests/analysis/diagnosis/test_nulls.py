"""Worlds in which nobody reacts."""

import numpy as np

from tests.analysis.diagnosis import worlds
from thinktime.analysis.diagnosis import nulls
from thinktime.workloads.units import HOUR, MINUTE
from thinktime.workloads.user_models import campaigns


def test_a_world_has_the_log_s_jobs():
    """Every user has the same jobs as in the log, at other times, from the same first submission on."""
    log = worlds.closed(days=20)
    world = nulls.unreacting(log, 1)
    assert len(world) == len(log)
    for user in np.unique(log.user):
        own, drawn = log.users(user), world.users(user)
        assert sorted(zip(own.runtime, own.processors, strict=True)) == sorted(
            zip(drawn.runtime, drawn.processors, strict=True)
        )
        assert own.submit[0] == drawn.submit[0]
        assert not np.array_equal(own.submit, drawn.submit)


def gaps_within(trace):
    """The gaps between bursts within sessions, s, in order."""
    bursts = campaigns(trace, MINUTE)
    gap = (bursts.submit - bursts.last_submit[bursts.before()])[bursts.before() >= 0]
    return np.sort(gap[gap <= HOUR])


def test_gaps_within_sessions_are_those_of_the_log():
    """Gaps of up to an hour between bursts occur as often as in the log, but for a few breaks that became shorter."""
    log = worlds.deadline(days=30)
    own, drawn = gaps_within(log), gaps_within(nulls.unreacting(log, 1))
    assert len(own) <= len(drawn) <= 1.2 * len(own)
    assert np.isin(own.round(), drawn.round()).mean() > 0.95


def test_bursts_stay_together():
    """What was submitted at one instant is submitted at one instant."""
    log = worlds.closed(days=20)
    sizes = [
        np.sort(np.unique(each.submit[each.user == 1], return_counts=True)[1])
        for each in (log, nulls.unreacting(log, 1))
    ]
    assert np.array_equal(*sizes)


def test_worlds_depend_on_the_seed_alone():
    """The same seed gives the same world, another seed another one."""
    log = worlds.deadline(days=30)
    assert nulls.unreacting(log, 1).equals(nulls.unreacting(log, 1))
    assert not nulls.unreacting(log, 1).equals(nulls.unreacting(log, 2))


def test_placebo_ends_change_no_submission():
    """Another policy's ends come with the same submissions and run times."""
    log = worlds.deadline(days=30)
    other = nulls.with_ends(log)
    assert np.array_equal(log.submit, other.submit) and np.array_equal(log.runtime, other.runtime)
    assert not np.array_equal(log.wait, other.wait)
    again = nulls.with_ends(log, nulls.POLICY)
    assert np.array_equal(log.wait, again.wait)


def test_nobodys_jobs_stay():
    """Jobs without a user keep their times, and a machine that is too small refuses jobs."""
    log = worlds.deadline(days=30)
    mixed = log.with_columns(user=np.where(log.user < 4, -1, log.user))
    world = nulls.unreacting(mixed, 1)
    assert np.array_equal(np.sort(world.submit[world.user < 0]), mixed.submit[mixed.user < 0])
    assert len(nulls.with_ends(log, "easy", 4)) == (log.processors <= 4).sum()
