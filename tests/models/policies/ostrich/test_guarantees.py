"""What OStrich promises: virtual work conserved, no job before the virtual start, fair shares."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thinktime as tt
from tests.models.policies.ostrich.exact import Exact, user
from tests.models.policies.ostrich.instances import populations
from tests.models.policies.ostrich.package import Run, Watched, shares_of

TICK = 2.0**-10


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.integers(1, 8), populations(shares=True))
def test_the_virtual_schedule_does_all_work_and_idles_only_without_any(processors, users):
    """V does the campaigns' work on the whole machine while any is active."""
    twin = Exact(processors, users)
    work = sum(campaign.work for campaign in twin.campaigns)
    done = sum((end - begin) * rate for begin, end, rates in twin.virtual.pieces for rate in rates.values())
    assert done == work
    assert all(sum(rates.values()) == processors for _, _, rates in twin.virtual.pieces if rates)
    campaigns = list(Run(processors, users, Watched(shares=shares_of(users))).virtual.values())
    busy, until = 0.0, -1.0
    for campaign in sorted(campaigns, key=lambda c: c.virtual_start):
        busy += max(0.0, campaign.virtual_end - max(campaign.virtual_start, until))
        until = max(until, campaign.virtual_end)
    assert busy * processors == pytest.approx(float(work), abs=len(campaigns) * processors * TICK)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.integers(1, 8), populations(shares=True, closed=False))
def test_a_campaign_starts_in_v_at_its_submission_or_after_the_users_previous_one(processors, users):
    """Campaigns start in V by equation (4.2), several of a user at once included."""
    run = Run(processors, users, Watched(shares=shares_of(users)))
    for (number, index), campaign in run.virtual.items():
        before = run.virtual[number, index - 1].virtual_end if index else 0
        assert campaign.virtual_start == max(campaign.submit, before)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.integers(1, 8), populations(closed=False, estimates=True), st.sampled_from(["yes", "no"]))
def test_no_job_starts_before_its_campaigns_virtual_start(processors, users, corrected):
    """No job starts before its campaign does in V, whatever is idle."""
    run = Run(processors, users, Watched(corrected=corrected))
    for key, starts in run.starts.items():
        assert min(starts) >= run.virtual[key].virtual_start


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.integers(1, 8), populations(most=3, closed=False))
def test_a_campaign_that_is_not_held_back_may_start_at_once(processors, users):
    """With ``held_back=no`` no processor idles while a job waits."""
    result = Run(processors, users, Watched(held_back="no")).result
    for time in np.unique(result["end"]):
        running = ((result["start"] <= time) & (result["end"] > time)).sum()
        waiting = ((result["submit"] <= time) & (result["start"] > time)).sum()
        assert running == processors or not waiting


def list_schedule(processors, jobs):
    """Plain list scheduling of (release, run), in this order: each to the processor that is free first."""
    free, ends = [0] * processors, []
    for release, run in jobs:
        i = free.index(min(free))
        free[i] = max(free[i], release) + run
        ends.append(free[i])
    return ends


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.integers(1, 8), populations(most=1, closed=True, shortest=1))
def test_with_one_user_ostrich_is_plain_list_scheduling(processors, users):
    """A user alone who waits for the own campaigns gets LPT on the whole machine for each of them."""
    run, release = Run(processors, users), 0
    for campaign in users[0].campaigns:
        release += campaign.after
        order = sorted(campaign.jobs, key=lambda job: (-job.run, job.number))
        ends = list_schedule(processors, [(release, job.run) for job in order])
        found = run.records[0, campaign.index].jobs
        assert [found[job.number].end for job in order] == ends
        release = max(ends)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.integers(1, 8), populations(most=1, closed=False))
def test_with_one_user_campaigns_at_once_are_list_scheduled_from_their_virtual_starts(processors, users):
    """Alone in V a campaign of work W takes W / m; each campaign is released when the one before is done there."""
    run, jobs, virtual_end = Run(processors, users), [], Fraction(0)
    for campaign in users[0].campaigns:
        virtual_start = max(campaign.after, virtual_end)
        virtual_end = virtual_start + campaign.work / processors
        release = Fraction(-(-virtual_start * 1024 // 1), 1024)
        jobs += [(release, job) for job in sorted(campaign.jobs, key=lambda job: (-job.estimate, job.number))]
    ends = list_schedule(processors, [(release, job.run) for release, job in jobs])
    found = [job.end for _, record in sorted(run.records.items()) for job in record.jobs]
    assert sorted(found) == sorted(ends)


@pytest.mark.parametrize("shares", [{0: 1, 1: 2, 2: 3}, {0: 0.5, 1: 0.25, 2: 4}, {0: 7, 1: 1, 2: 1}, {}])
def test_under_saturation_users_get_processor_time_in_proportion_to_their_shares(shares):
    """Users who always have work get processor time in proportion to their shares, within m p_max."""
    processors, run, until = 6, 10, 1000
    users = [user(number, [(0, [run] * 6)] * 120, shares.get(number, 1), closed=False) for number in range(3)]
    result = Run(processors, users, tt.policies.OStrich(shares=shares)).result
    total = sum(shares.get(number, 1) for number in range(3))
    for number in range(3):
        mine = result["user"] == number
        held = np.clip(until - result["start"][mine], 0, run).sum()
        due = processors * until * shares.get(number, 1) / total
        assert abs(held - due) <= processors * run + 6 * run, number


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.integers(1, 8), populations(closed=False))
def test_the_order_in_which_two_campaigns_will_end_in_v_never_changes(processors, users):
    """Projections of campaigns in V move, but keep their order."""
    twin = Exact(processors, users)
    for projected, after in pairwise(twin.projections.values()):
        both = sorted(projected.keys() & after.keys())
        assert sorted(both, key=lambda key: (projected[key], key)) == sorted(both, key=lambda key: (after[key], key))
