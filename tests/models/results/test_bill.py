"""Charges are what their terms say, add up to the bill, and are Slurm's where its weights are the terms."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import thinktime as tt
from thinktime.models.machine.power import Power
from thinktime.models.orders.account_nodes import AccountNodes
from thinktime.models.orders.job_kinds import JobKinds
from thinktime.models.results.batsim_export import jobs_table
from thinktime.models.results.bill import charged
from thinktime.models.results.result import Result
from thinktime.models.site.charge import QUANTITIES, Charge, Term
from thinktime.models.site.partitions import Partition
from thinktime.models.site.site import Site
from thinktime.workloads.units import DAY, HOUR


def hours(**more: object) -> Result:
    """Three jobs of ann, ann and bob: [6 h, 10 h) on 2 processors, [20 h, 30 h) on 1 and [0, 1 h) on 4."""
    columns = {
        "user": [0, 0, 1], "queue": [0, 1, -1], "partition": [-1, 0, 0], "submit": [0, 0, 0],
        "start": [6 * HOUR, 20 * HOUR, 0], "end": [10 * HOUR, 30 * HOUR, HOUR], "processors": [2, 1, 4],
    }  # fmt: skip
    names = {"user": ["ann", "bob"], "queue": ["short", "long"], "partition": ["gpu"]}
    made = Result.from_columns(columns, 8, names=names)
    price = tt.Signal([0, 8 * HOUR], [0.1, 0.3], "price", "EUR/kWh", end=DAY)
    carbon = tt.Signal([0], [500], "carbon", "g/kWh")
    peak = tt.Signal([0, 8 * HOUR], [1, 2], "peak", end=DAY)
    own = made.columns | {"power": np.array([1000.0, 500.0, np.nan])}
    signals = {each.name: each for each in (price, carbon, peak)}
    return replace(made, columns=own, machine_power=Power(pue=2, job=250), signals=signals, **more)


@pytest.mark.parametrize(
    ("term", "amounts"),
    [
        (Term(2.0), [2 * 8, 2 * 10, 2 * 4]),
        (Term(1.0, hours=(8, 22)), [2 * 2, 2 + 0, 0]),
        (Term(1.0, hours=(22, 8)), [2 * 2, 2 + 6, 4]),
        (Term(1.0, hours=(0, 8)), [2 * 2, 6, 4]),
        (Term(1.0, qos="long"), [0, 10, 0]),
        (Term(1.0, partition="gpu"), [0, 10, 4]),
        (Term(1.0, partition="gpu", unnamed=True, qos="short"), [8, 0, 0]),
        (Term(1.0, tariff="peak"), [2 * (2 + 2 * 2), 4 * 2 + 6 * 1, 4]),
        (Term(1.0, tariff="peak", hours=(9, 21)), [2 * 2, 1 * 2, 0]),
        (Term(1.0, "kWh"), [2 * 2 * 4, 2 * 0.5 * 10, 2 * 4 * 0.25]),
        (Term(1.0, "kg"), [8 * 2 * 0.5, 10 * 0.5, 2 * 0.5]),
        (Term(1.0, "currency"), [2 * 2 * (2 * 0.1 + 2 * 0.3), 4 * 0.3 + 6 * 0.1, 2 * 0.1]),
        (Term(1.0, "currency", hours=(8, 22)), [2 * 2 * 2 * 0.3, 2 * 0.3, 0]),
        (Term(3.0, "job"), [3, 3, 3]),
        (Term(1.0, "billing-hour", weights={"cpu": 2.0}), [16, 20, 8]),
    ],
)
def test_a_term_by_hand(term: Term, amounts: list[float]) -> None:
    """What a term charges each job for, over its hours of the day, and times its tariff."""
    assert charged(hours(), Charge([term])).tolist() == pytest.approx(amounts, rel=1e-14)


def test_terms_add_up_to_the_bill() -> None:
    """The charge of a job is the sum of its terms, and the bill that of all jobs; ann pays 0.75 and bob 1 an hour."""
    terms = [Term(1.0, hours=(0, 24)), Term(0.5, "kWh"), Term(1.0, "currency", qos="short")]
    result = hours(charge=Charge(terms))
    parts = sum(charged(result, Charge([term])) for term in terms)
    assert result["charge"].tolist() == pytest.approx(parts.tolist(), rel=1e-14)
    assert result.summary()["total_charge"] == pytest.approx(parts.sum())
    assert result.jobs["charge"].sum() == pytest.approx(parts.sum())
    assert result.users["charge"].to_dict() == pytest.approx({"ann": parts[:2].sum(), "bob": parts[2]})
    fair = hours(charge=Charge([Term(1.0)])).summary()["charge_fairness"]
    some = hours(charge=Charge([Term(1.0, partition="gpu")])).summary()["charge_fairness"]
    assert fair == pytest.approx(1) and some == pytest.approx((10 / 18 + 1) ** 2 / (2 * ((10 / 18) ** 2 + 1)))


def test_hours_are_those_of_the_log() -> None:
    """Hours of the day are local ones: 1 January 1970 in Tokyo begins nine hours earlier."""
    result = replace(hours(), unix_start=0.0, zone="Asia/Tokyo")
    assert charged(result, Charge([Term(1.0, hours=(9, 10))])).tolist() == [0, 1, 4]


def test_runs_that_are_free() -> None:
    """Of a job that a failure interrupts, both runs are charged, unless failed ones are free, as their rows say."""
    log = tt.Trace({"submit": [0], "runtime": [100], "allocated": [1]})
    changes = tt.Changes(outages=tt.Outages([40], [60], [0]))
    for free, seconds in (((), 140), (("failed",), 100)):
        spec = tt.MachineSpec(1, "fcfs", changes=changes, charge=Charge([Term(HOUR)], free=free))
        result = tt.run(spec, tt.sources.log(log))
        assert result["charge"].tolist() == [seconds]
        for each in (result.runs, jobs_table(result)):
            assert each["charge"].tolist() == [seconds - 100, 100]


def test_slurm_bills_the_same() -> None:
    """The charge of a site is what its priorities count as billing, times hours, also without a partition's name."""
    weights = {"cpu": 1.5, "mem": 0.25}
    site = Site(partitions=[Partition("main", default=True, billing_weights=weights), Partition("fat")])
    jobs = [
        tt.Job(runtime=HOUR, processors=n, memory=gb * 2**30, partition=p)
        for n, gb, p in ((1, 4, None), (2, 1, "main"), (3, 8, "fat"))
    ]

    def user(env: object, machine: tt.Machine) -> object:
        yield machine.submit_campaign(jobs)
        kinds, rows, users = JobKinds(site, machine.pool, {}, False), np.arange(3), np.zeros(1, np.int64)
        kind = kinds.of(AccountNodes.flat(0), users, users, machine.names, machine.pool.requests, rows)[1]
        billed.append(kinds.amounts(machine.pool, rows, kind, ["billing", "mem"])["billing"])

    billed: list[np.ndarray] = []
    result = tt.run(tt.MachineSpec(8, site=site, charge=Charge.of_site(site)), user)
    assert result["charge"].tolist() == billed[0].tolist() == [1.5 + 1, 3 + 0.5, 3]


def test_a_charge_is_kept(tmp_path: Path) -> None:
    """A charge is written to TOML and read back with its machine, and kept with a result."""
    charge = Charge([Term(1.0, hours=(8, 20)), Term(0.5, "billing-hour", weights={"cpu": 1.0})], "EUR", ("failed",))
    spec = tt.MachineSpec(4, charge=charge)
    assert tt.MachineSpec.from_toml(spec.to_toml()).charge == charge
    result = replace(hours(), charge=charge)
    result.save(tmp_path / "result.npz")
    assert "charge" not in hours().jobs and result["charge"].sum() > 0


@pytest.mark.parametrize(
    ("terms", "said"),
    [
        ({"per": "kwh"}, "a charge is not per 'kwh'; did you mean 'kWh'"),
        ({"hours": (8, 25)}, "hours must be hours from 0 to 24"),
        ({"hours": (8, 8)}, "two different hours"),
        ({"hours": "night"}, "two hours of the day"),
        ({"weights": {"cpu": 1.0}}, "weights are for a term per billing-hour"),
        ({"rate": "much"}, "rate must be a number"),
    ],
)
def test_what_is_no_term(terms: dict[str, object], said: str) -> None:
    """One sentence says what is wrong, and what would be right."""
    with pytest.raises(ValueError, match=r"charge|hours|weights|rate") as error:
        Term(**terms)  # type: ignore[arg-type]
    assert said in str(error.value)


def test_what_cannot_be_charged() -> None:
    """A charge per kWh needs power, one per kg or currency a signal, a tariff its name, and a run a way to end."""
    plain = Result.from_columns({"submit": [0], "start": [0], "end": [10], "processors": [1]}, 2)
    for per in QUANTITIES[2:5]:
        with pytest.raises(ValueError, match=f"the charge is per {per}, but"):
            charged(plain, Charge([Term(1.0, per)]))
    with pytest.raises(ValueError, match="tariff 'peak', but the run has no such signal"):
        charged(plain, Charge([Term(1.0, tariff="peak")]))
    with pytest.raises(ValueError, match="no run ends 'faled'; did you mean 'failed'"):
        Charge(free=["faled"])
