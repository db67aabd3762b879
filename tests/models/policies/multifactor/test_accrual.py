"""Use of the associations of a tree, tick by tick and exactly, against brute force over random runs."""

from dataclasses import replace

import numpy as np
import pytest
import simpy
from hypothesis import given, settings
from hypothesis import strategies as st

import thinktime as tt
from tests.models.policies.multifactor.twin import Run, by_ticks, exactly
from thinktime.models.orders.tree_accounts import IS_RESET, reset_times
from thinktime.models.site.accounts import AccountTree, Association
from thinktime.models.site.partitions import Partition
from thinktime.models.site.priority import PriorityRules
from thinktime.models.site.site import Site, Usage
from thinktime.models.site.tres import Tres
from thinktime.workloads.calendar import Calendar
from thinktime.workloads.nodes import Cluster, Nodes

USERS = ("ann", "bob", "eve")
TREE = AccountTree(
    [
        Association("a"), Association("b", parent="a"), Association("a", "ann"), Association("b", "bob"),
        Association("b", "ann"), Association("b", "eve"),
    ]
)  # fmt: skip


def machine(accrual, half_life=0.0, period=10.0, enforce=(), options="", **site):
    """A machine whose order has the accounts."""
    rules = PriorityRules("multifactor", fairshare=1000, half_life=half_life, calc_period=period)
    given = Site(accounts=TREE, priority=rules, enforce=frozenset(enforce), **site)
    return tt.Machine(simpy.Environment(), 64, f"none:order=multifactor,accrual={accrual}{options}", site=given)


def feed(machine, runs, until):
    """Let runs begin and end up to a time; return the accounts."""
    rows = [
        machine.submit(tt.Job(runtime=1, processors=int(run.billed), user=run.user, group="b")).row for run in runs
    ]  # fmt: skip
    accounts = machine.policy.order.accounts
    events = sorted(
        (time, begins, row)
        for run, row in zip(runs, rows, strict=True)
        for time, begins in ((run.start, 1), (run.end, 0))
    )
    for time, begins, row in events:
        if time <= until:
            (accounts.on_start if begins else accounts.on_end)(None, np.array([row]), float(time))
    return accounts


def used(accounts, now):
    """What users have used, of account b."""
    return {user: accounts.raw_usage(now)["b", user, None] for user in USERS}


@st.composite
def runs(draw):
    """Runs of a few seconds to a few ticks; many begin or end at one."""
    found = []
    for _ in range(draw(st.integers(1, 6))):
        start = draw(st.integers(0, 35))
        length = draw(st.one_of(st.integers(1, 30), st.sampled_from([10, 20])))
        found.append(Run(draw(st.sampled_from(USERS)), start, start + length, draw(st.sampled_from([1, 2, 3, 8]))))
    return found


@settings(max_examples=150, deadline=None)
@given(runs(), st.sampled_from([0.0, 20.0, 60.0]), st.booleans(), st.integers(0, 7))
def test_slurms_accrual_is_that_of_brute_force(drawn, half_life, ends_count, ticks):
    """At ticks, and at ends only where limits are enforced; each piece decays by its own length, too."""
    until = 10 * ticks
    accounts = feed(machine("slurm", half_life, enforce=["limits"] * ends_count), drawn, until)
    expected, _ = by_ticks(drawn, until, 10, half_life, ends_count)
    assert used(accounts, until) == pytest.approx(dict.fromkeys(USERS, 0.0) | expected, rel=1e-12)


@settings(max_examples=150, deadline=None)
@given(runs(), st.sampled_from([0.0, 20.0, 60.0]), st.integers(1, 70))
def test_exact_accrual_is_the_integral(drawn, half_life, until):
    """Every moment of every run counts, and decays from then on; looking in between changes nothing."""
    accounts = feed(machine("exact", half_life), drawn, until)
    expected = dict.fromkeys(USERS, 0.0) | exactly([run for run in drawn if run.start < until], until, half_life)
    found = used(accounts, until)
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert found == used(accounts, until)


@settings(max_examples=60, deadline=None)
@given(runs(), st.sampled_from(["slurm", "exact"]), st.lists(st.integers(0, 70), max_size=8))
def test_looking_changes_nothing(drawn, accrual, looks):
    """Asking for fair shares at some times changes nothing in what is found at the end."""
    quiet = feed(machine(accrual, 20.0, enforce=["limits"]), drawn, 70)
    watched = machine(accrual, 20.0, enforce=["limits"])
    keep_charge, times = watched.policy.order.accounts.on_start, sorted(looks)

    def look_first(view, rows, now):
        while times and times[0] <= now:
            watched.policy.order.accounts.fair_shares(float(times.pop(0)))
        keep_charge(view, rows, now)

    watched.policy.order.accounts.on_start = look_first
    noisy = feed(watched, drawn, 70)
    assert quiet.raw_usage(70) == noisy.raw_usage(70)
    assert quiet.fair_shares(70) == noisy.fair_shares(70)


def test_worked_numbers():
    """8 processors from 0 to 20 s with a half-life of 60 s: 126.8 at the end, and 63.2 at the tick of 58."""
    accounts = feed(machine("slurm", 60.0, 60.0, ["limits"], ",tick_origin=-2s"), [Run("bob", 0, 20, 8)], 100)
    assert round(used(accounts, 20)["bob"], 1) == 126.8
    assert round(used(accounts, 58)["bob"], 1) == 63.2


def test_what_was_used_before_the_start():
    """Usage at the start is that of associations; what an account has beyond its users' is its own, and decays."""
    usage = (Usage("b", "bob", 100.0), Usage("b", None, 160.0), Usage("a", None, 200.0))
    accounts = machine("exact", 60.0, usage=usage).policy.order.accounts
    found = accounts.raw_usage(0.0)
    assert [found["b", "bob", None], found["b", None, None], found["a", None, None]] == [100, 160, 200]
    assert accounts.raw_usage(60.0)["root", None, None] == 100
    usage = (Usage("b", "bob", 100.0), Usage("root", None, 150.0))  # nothing is known of the accounts in between
    found = machine("exact", 60.0, usage=usage).policy.order.accounts.raw_usage(0.0)
    assert [found[name, None, None] for name in ("b", "a", "root")] == [100, 100, 150]


@pytest.mark.parametrize("accrual", ["exact", "slurm"])
def test_use_is_set_to_zero(accrual):
    """Exactly at midnight, or at the next tick, to which what has run since the last one is added."""
    hall = machine(accrual, period=100.0, options=",tick_origin=10s")
    accounts = hall.policy.order.accounts
    accounts.site = replace(accounts.site, priority=replace(accounts.rules, usage_reset="DAILY"))
    accounts.on_calendar(Calendar(start=1_000_080_000 - 1000))
    midnight = accounts._calendar.midnights(0.0, 1.0)[1]
    tick = np.ceil((midnight - 10) / 100) * 100 + 10
    assert 0 < midnight < tick
    feed(hall, [Run("bob", 0, 10**6, 8)], 0)
    assert used(accounts, tick - 1 if accrual == "slurm" else midnight - 1)["bob"] > 1000
    assert used(accounts, tick)["bob"] == 8 * (100 if accrual == "slurm" else tick - midnight)
    assert used(accounts, tick + 90)["bob"] == (800 if accrual == "slurm" else 8 * (tick + 90 - midnight))


def test_days_of_resets():
    """Weeks begin on Sundays, quarters in January, April, July and October."""
    calendar = Calendar(start=0)  # Thursday, 1 January 1970
    days = {name: [calendar.date(t) for t in reset_times(name, calendar)[:3].tolist()] for name in IS_RESET}
    assert [day.isoformat() for day in days["WEEKLY"]] == ["1970-01-04", "1970-01-11", "1970-01-18"]
    assert [day.isoformat() for day in days["QUARTERLY"]] == ["1970-04-01", "1970-07-01", "1970-10-01"]
    assert [day.isoformat() for day in days["YEARLY"]] == ["1971-01-01", "1972-01-01", "1973-01-01"]
    assert [day.isoformat() for day in days["MONTHLY"]][:2] == ["1970-02-01", "1970-03-01"]
    assert [day.isoformat() for day in days["DAILY"]][:2] == ["1970-01-02", "1970-01-03"]


def test_billing():
    """Weights of resources, their largest part with MAX_TRES, whole nodes where they are exclusive, and QOS."""
    nodes = Nodes([Cluster("n", 2, {"processors": 8, "memory": 32 * 2**30, "gpus": 2})])
    weights = Tres({"cpu": 1.0, "mem": 0.5, "gres/gpu": 4.0, "node": 2.0})
    asked = {"2:ppn=2:mem=8gb:gpus=1": (4 + 8 + 8 + 4, 8), "1:ppn=2#excl": (8 + 2, 8), "1:ppn=1:mem=20gb": (13, 10)}
    for k, flags in enumerate([(), ("MAX_TRES",)]):
        rules = PriorityRules("multifactor", fairshare=1, half_life=0, flags=frozenset(flags))
        site = Site(
            nodes=nodes, partitions=(Partition("main", billing_weights=weights),), accounts=TREE, priority=rules
        )  # fmt: skip
        for text, expected in asked.items():
            hall = tt.Machine(simpy.Environment(), policy="none:order=multifactor", nodes=nodes, site=site)
            row = hall.submit(tt.Job(runtime=10, nodes=text, user="eve")).row
            accounts = hall.policy.order.accounts
            accounts.on_start(None, np.array([row]), 0.0)
            assert accounts.raw_usage(10.0)["b", "eve", None] == 10 * expected[k]
