"""Priorities, fair shares and usage as a Slurm 22.05.8 had them, all exactly (`data/README.md`)."""

import pytest

from tests.models.policies.multifactor.lab import Experiment, table

TICK = {"t03_mf": 57, "t03_small": 58, "t03_reltime": 58, "t03_accrue": 58}
SIZES = list(TICK)
SHARES = ["t04_tree", "t04_tree_decay", "t04_noenforce", "t04_classic", "t04_classic_decay", "t05_qos", "t05_billing"]
DEPENDENT, RUNNING = "9", "1"
"""A job counts with the processors it asked for, not yet with whole nodes, until it is looked at; and with those it
got, once it runs."""


def key(name):
    """An association by the name of its column: account, user, partition."""
    account, _, user = name.partition("/")
    return account, user or None, None


@pytest.mark.parametrize("name", SIZES)
def test_priorities_of_sizes_ages_and_partitions(name):
    """Every priority that sprio gave to a waiting job after the first tick; Slurm's second may be the one before."""
    found, compared = Experiment(name, TICK[name], eligible=name != "t03_accrue"), 0
    for line in table(name, "priority.csv"):
        second = int(float(line.pop("t")))
        said = {job: float(value) for job, value in line.items() if job not in (DEPENDENT, RUNNING)}
        if second <= TICK[name]:
            continue
        either = [found.priorities(said, when) for when in (second - 1, second)]
        assert all(value in of_job for value, *of_job in zip(said.values(), *either, strict=True)), (second, said)
        compared += len(said)
    assert compared > 250


@pytest.mark.parametrize("name", SHARES)
def test_usage_to_the_integer(name):
    """Every value of RawUsage: Slurm's second may be the one before."""
    found, compared = Experiment(name, 58), 0
    for line in table(name, "usage.csv"):
        second = int(float(line.pop("t")))
        seen = []
        for now in (second - 1, second):
            found.go_on(now)
            seen.append(found.accounts.raw_usage(now))
        for association, value in line.items():
            assert int(value) in [int(usage[key(association)]) for usage in seen], (second, association, seen)
            compared += 1
    assert compared > 400


@pytest.mark.parametrize("name", SHARES)
def test_fair_shares_to_six_digits(name):
    """FairShare of every association after every tick."""
    found, compared = Experiment(name, 58), 0
    for line in table(name, "fair_share.csv"):
        second = int(float(line.pop("t")))
        tick = max(0, (second - 58) // 60 * 60 + 58)
        found.go_on(tick)
        shares = found.accounts.fair_shares(tick)
        for association, value in line.items():
            if association != "root":
                assert float(value) == pytest.approx(shares[key(association)], abs=5e-7)
                compared += 1
    assert compared >= 7


@pytest.mark.parametrize("name", SHARES)
def test_priorities_of_fair_shares_and_qos(name):
    """Every priority that sprio gave, newcomers and those of the first minute included."""
    found = Experiment(name, 58)
    for line in table(name, "priority.csv"):
        second = int(float(line.pop("t")))
        either = []
        for now in (second - 1, second):
            found.go_on(now)
            either.append(found.priorities(line, now))
        for value, *of_job in zip(line.values(), *either, strict=True):
            assert float(value) in of_job


def test_usage_that_is_lost():
    """Without limits, of 45 s that a job ran, those up to the last tick count, and shorter jobs leave nothing."""
    found = {name: Experiment(name, 58) for name in ("t04_tree", "t04_noenforce")}
    for each in found.values():
        each.go_on(120)
    enforced, lost = (each.accounts.raw_usage(120)[key("root")] for each in found.values())
    assert (enforced, lost) == (2312, 1152)
