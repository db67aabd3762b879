"""Budgets are kept: jobs for which too little is left wait, are refused or come last, under every policy."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import simpy
from hypothesis import given
from hypothesis import strategies as st

import thinktime as tt
from tests.frozen.cases import log, machines
from tests.how_many import in_turn
from tests.models.machine.cuts import digest, taking, through_a_file
from thinktime.models.machine.another_policy import under_policy
from thinktime.models.results.bill import charged
from thinktime.models.site.budget import SPENT, Budget
from thinktime.models.site.charge import Charge, Term
from thinktime.models.state import State
from thinktime.workloads.header import Header

SECONDS = Charge([Term(3600.0)], unit="processor-seconds")


def replayed(jobs: dict[str, list[int]], budget: Budget, charge: Charge = SECONDS, **more: Any) -> tt.Result:
    spec = tt.MachineSpec(8, "fcfs", charge=charge, budget=budget, **more)
    return tt.run(spec, tt.sources.log(tt.Trace(jobs)))


FOUR = {
    "submit": [0, 10, 20, 130], "runtime": [30, 10, 50, 10], "requested_time": [40, 40, 60, 40],
    "allocated": [1, 1, 1, 1], "user": [1, 1, 1, 1],
}  # fmt: skip


@pytest.mark.parametrize(
    ("spent", "starts"),
    [("hold", [0, 10, 30, 130]), ("refuse", [0, 10, np.nan, 130]), ("lowest", [0, 10, 20, 130]),
     ("credit", [0, 10, 20, 130])],
)  # fmt: skip
def test_a_budget_that_is_used_up(spent: str, starts: list[float]) -> None:
    """Of 105 in each 100 s, two jobs have reserved 80 by 10; the second has spent 10 at 20, and the third wants 60.

    At 30 the first has spent 30 instead of 40, so that the third may start. The next period has 105 again.
    """
    result = replayed(FOUR, Budget(105, period=100, spent=spent))
    assert np.array_equal(result["start"], starts, equal_nan=True)


@pytest.mark.parametrize("numbers", [[1, 2, 3, 4], [-1, -1, -1, -1], [-1, 7, -1, 7]])
def test_jobs_of_a_log_have_budgets_whatever_their_numbers_are(numbers: list[int]) -> None:
    """A number may be missing, or be used twice."""
    result = replayed(FOUR | {"id": numbers}, Budget(105, period=100, spent="hold"))
    assert result["start"].tolist() == [0, 10, 30, 130]


def test_a_job_is_held_until_the_next_period() -> None:
    """The first job spends 90 of 100, and nothing else happens before the next 100 are there."""
    jobs = {"submit": [0, 5], "runtime": [90, 20], "requested_time": [90, 20], "allocated": [1, 1], "user": [1, 1]}
    result = replayed(jobs, Budget(100, period=150))
    assert result["start"].tolist() == [0, 150] and result.summary()["overdrawn"] == 0
    assert replayed(jobs, Budget(100)).notes == ["1 job is left in the queue: the budget of user 1"]


THREE = {
    "submit": [0, 1, 2, 3], "runtime": [10, 10, 30, 10], "requested_time": [10, 10, 30, 10],
    "allocated": [8, 8, 8, 8], "user": [1, 1, 2, 2],
}  # fmt: skip


@pytest.mark.parametrize(
    ("policy", "starts"),
    [("fcfs", [0, 50, 10, 40]), ("none:order=sjf", [0, 50, 20, 10]), ("easy:order=lxf", [0, 50, 20, 10]),
     ("conservative-dynamic", [0, 50, 10, 40]), ("conservative", [0, 10, 20, 50]), ("slurm", [0, 50, 10, 40])],
)  # fmt: skip
def test_jobs_that_come_last(policy: str, starts: list[float]) -> None:
    """The second job of the first user is beyond a budget of one: it comes behind both of the other, in every order.

    But a reservation that is kept, since no other waited, stays where it is.
    """
    spec = tt.MachineSpec(8, policy, charge=SECONDS, budget=Budget(80, spent="lowest", amounts={"2": 9999}))
    result = tt.run(spec, tt.sources.log(tt.Trace(THREE)))
    assert result["start"].tolist() == starts and result.summary()["overdrawn"] == pytest.approx(80)


def test_a_new_period_brings_jobs_back_to_their_places() -> None:
    """At 25, the job that came last is first again, and so starts when the machine is free."""
    jobs = THREE | {"runtime": [10, 10, 20, 10], "requested_time": [10, 10, 20, 10]}
    for period, starts in ((None, [0, 40, 10, 30]), (25, [0, 30, 10, 40])):
        budget = Budget(80, period=period, spent="lowest", amounts={"2": 9999})
        assert replayed(jobs, budget)["start"].tolist() == starts


def test_a_period_of_any_length_begins_once() -> None:
    """25 periods of 0.805 s are 20.125 s, though not for doubles; times are multiples of 2⁻¹⁰ s, and so are periods."""
    assert Budget(1, period=0.805).period == 824 / 1024
    jobs = {"submit": [19, 19.5, 20.125, 20.5], "runtime": [1] * 4, "allocated": [1] * 4, "user": [1] * 4}
    result = replayed(jobs, Budget(1, period=0.805))
    assert result.summary()["overdrawn"] == 0 and len(set(result["start"] // (824 / 1024))) == 4


def test_the_charge_is_that_of_a_start_now() -> None:
    """A job of 20 s costs 200 in the dear 100 s and 20 in the cheap ones; 110 are enough for it from 90 on."""
    jobs = {"submit": [0], "runtime": [20], "requested_time": [20], "allocated": [1], "user": [1]}
    charge = Charge([Term(3600.0, tariff="price")])
    signals = {"price": tt.Signal([0, 100], [10, 1], end=200)}
    assert replayed(jobs, Budget(110), charge, signals=signals)["start"].tolist() == [90]
    assert replayed(jobs, Budget(19), charge, signals=signals)["state"].tolist() == [State.REFUSED]


def test_hours_are_those_of_the_log() -> None:
    """A log that begins at noon has its nights 8 hours later."""
    columns = {"submit": [0], "runtime": [3600], "allocated": [1], "user": [1]}
    jobs = tt.Trace(columns, Header().set("UnixStartTime", 12 * 3600))
    charge = Charge([Term(1.0), Term(9.0, hours=(0, 20))])
    spec = tt.MachineSpec(8, "fcfs", charge=charge, budget=Budget(1))
    assert tt.run(spec, tt.sources.log(jobs))["start"].tolist() == [8 * 3600]


def test_a_reason_and_a_forecast() -> None:
    """The reason why a job waits is its budget, and a forecast knows when it is renewed."""
    spec = tt.MachineSpec(8, "easy", reasons=True, charge=SECONDS, budget=Budget(100, period=150))
    env = simpy.Environment()
    machine = spec.open(env)
    for runtime in (90, 20):
        machine.submit(tt.Job(runtime=runtime, user="ann"))
    env.run(until=10)
    assert machine.result().jobs["limit"].tolist()[1] == "the budget of user ann"
    sight = machine.sight("ann")
    assert sight.predicted_start(machine.queue[0]) == 150
    assert sight.predicted_start(tt.Job(runtime=10)) == 10 and sight.predicted_start(tt.Job(runtime=90)) == 300
    assert sight.predicted_start(tt.Job(runtime=101)) == np.inf


def test_nothing_of_a_job_that_is_refused_runs() -> None:
    """Of a job that a runtime limit splits, the budget is enough for one of its segments, or for none."""
    job = {"submit": [0], "runtime": [90], "requested_time": [90], "allocated": [1], "user": [1]}
    for amount, states in ((40, [State.REFUSED]), (70, [State.FINISHED, State.WAITING]), (99, [State.FINISHED] * 2)):
        spec = tt.MachineSpec(8, "easy:runtime_limit=50s", charge=SECONDS, budget=Budget(amount))
        assert tt.run(spec, tt.sources.log(tt.Trace(job)))["state"].tolist() == states


def test_a_job_that_runs_again_reserves_again() -> None:
    """A failure at 40 has cost 40 of 190; the job needs 100 more, and with 130 in all it waits instead."""
    job = {"submit": [0], "runtime": [100], "requested_time": [100], "allocated": [1], "user": [1]}
    broken = tt.Changes(outages=tt.Outages([40] * 8, [50] * 8, list(range(8))))
    for spent in ("hold", "refuse"):
        again = replayed(job, Budget(140, spent=spent), changes=broken)
        assert again.runs.start.tolist() == [0, 50] and again.runs.charge.sum() == again["charge"].sum() == 140
        assert replayed(job, Budget(130, spent=spent), changes=broken)["state"].tolist() == [State.WAITING]
    free = Charge([Term(3600.0)], free=("failed",))
    assert replayed(job, Budget(130), free, changes=broken)["state"].tolist() == [State.FINISHED]


def test_what_is_reserved_is_settled() -> None:
    """Of 100 for the whole run, what a job did not use of its estimate is there for the next one once it is over."""
    jobs = {"submit": [0, 20, 40], "runtime": [10, 10, 10], "requested_time": [80, 80, 81], "allocated": [1, 1, 1],
            "user": [1, 1, 1]}  # fmt: skip
    result = replayed(jobs, Budget(100, spent="refuse"))
    assert (result["state"] == State.REFUSED).tolist() == [False, False, True]
    assert result.summary()["budget_left"] == pytest.approx(0.8) and result.summary()["overdrawn"] == 0


def test_a_charge_of_the_whole_budget_is_within_it() -> None:
    """87 processor-seconds, reckoned from hours, are a little more than 87, and yet within a budget of 87."""
    job = {"submit": [0], "runtime": [9], "requested_time": [29], "allocated": [3], "user": [1]}
    assert replayed(job, Budget(87, spent="refuse"))["start"].tolist() == [0]


def test_budgets_of_accounts_and_of_some() -> None:
    """A budget may be that of an account, and some may have another amount."""
    jobs = [tt.Job(runtime=50, user=user, group=group) for user, group in (("a", "x"), ("b", "x"), ("c", "y"))]

    def user(env: Any, machine: tt.Machine) -> Any:
        for job in jobs:
            machine.submit(job)
        yield env.timeout(0)

    for budget, refused in (
        (Budget(60, of="account", spent="refuse"), [False, True, False]),
        (Budget(60, spent="refuse"), [False, False, False]),
        (Budget(60, spent="refuse", amounts={"c": 40}), [False, False, True]),
    ):
        result = tt.run(tt.MachineSpec(8, charge=SECONDS, budget=budget), user)
        assert (result["state"] == State.REFUSED).tolist() == refused


RANGES = (0, 90), (1, 30), (0, 20), (1, 4), (1, 2)
"""Of submissions, run times, what estimates are beyond them, processors and users."""


@given(
    st.lists(st.tuples(*(st.integers(*each) for each in RANGES)), min_size=1, max_size=10),
    st.integers(20, 120),
    st.sampled_from(SPENT),
    st.sampled_from([None, 25, 60]),
)
def test_a_budget_is_never_overdrawn(jobs: list[tuple[int, ...]], amount: int, spent: str, period: int | None) -> None:
    """Held or refused, no owner is charged more for the runs that begin in a period than there is."""
    submit, runtime, more, processors, user = (list(each) for each in zip(*sorted(jobs), strict=True))
    columns = {
        "submit": submit, "runtime": runtime, "allocated": processors, "user": user,
        "requested_time": [r + m for r, m in zip(runtime, more, strict=True)],
    }  # fmt: skip
    result = replayed(columns, Budget(amount, period=period, spent=spent))
    refused, waiting = (result["state"] == state for state in (State.REFUSED, State.WAITING))
    wanted = np.array(processors) * np.array(columns["requested_time"])
    if spent in ("lowest", "credit"):
        assert np.isfinite(result["start"]).all()
        return
    assert result.summary()["overdrawn"] == 0
    number = np.nan_to_num(result["start"]) // (period or np.inf)
    for owner in (0, 1):
        for each in np.unique(number):
            own = (result["user"] == owner) & np.isfinite(result["start"]) & (number == each)
            assert charged(result)[own].sum() <= amount + 1e-9
    assert refused[wanted > amount].all()
    assert not waiting.any() or (spent == "hold" and period is None)
    assert spent == "refuse" or not refused[wanted <= amount].any()


def test_a_budget_needs_a_charge() -> None:
    """A budget is in the unit of a charge, so there must be one."""
    with pytest.raises(ValueError, match="a budget needs a charge"):
        tt.run(tt.MachineSpec(8, budget=Budget(10)), tt.sources.log(tt.Trace(FOUR)))


CUT = ["fcfs", "easy", "conservative", "slurm", "easy:order=fairshare", "conservative-dynamic:order=sjf"]


@pytest.mark.parametrize(("policy", "spent"), in_turn(3, CUT, SPENT[:3]))
def test_a_run_that_is_cut_goes_on(policy: str, spent: str) -> None:
    """A run with budgets that begins from a state, also from one in a file, is the rest of the one that was not cut."""
    budget = Budget(400, period=60, spent=spent, amounts={"2": 150})
    spec = replace(machines()["changing pool" if policy == "easy" else "pool"], policy=policy, charge=SECONDS)
    given = tt.sources.log(log(7))
    states: list[tt.MachineState] = []
    whole = tt.run(replace(spec, budget=budget), given, taking([55, 130, 300], states))
    assert whole.summary()["budget_left"] < 1 and digest(whole) == digest(tt.run(replace(spec, budget=budget), given))
    states[1] = through_a_file(states[1])
    for state in states:
        assert digest(tt.run(tt.MachineSpec(begin=state))) == digest(whole)


def test_what_a_budget_cannot_be_combined_with() -> None:
    """Recorded starts are not held back, and no job comes last where a policy has an order of its own."""
    log = tt.Trace(FOUR | {"wait": [0, 0, 0, 0]})
    recorded = tt.MachineSpec(8, "recorded", charge=SECONDS, budget=Budget(10))
    held = tt.MachineSpec(8, "carbon:base=recorded", signals={"price": tt.Signal([0], [1])})
    for each in (recorded, held):
        with pytest.raises(ValueError, match="recorded cannot be combined with jobs that are held back"):
            tt.run(each, tt.sources.log(log))
    for policy in ("slack:awt=5", "tradeoff", "cplant", "ostrich", "ostrich-slurm", "faircamp", "relshare"):
        lowest = tt.MachineSpec(8, policy, charge=SECONDS, budget=Budget(10, spent="lowest"))
        with pytest.raises(ValueError, match="a budget with spent = 'lowest' cannot be combined with policies"):
            tt.run(lowest, tt.sources.log(log))
        assert tt.run(replace(lowest, budget=Budget(9999)), tt.sources.log(log)).summary()["overdrawn"] == 0
    with pytest.raises(ValueError, match="a state that goes on under another policy cannot"):
        under_policy(replace(recorded, policy="fcfs").open(simpy.Environment()).state(), "easy")


def test_a_budget_is_read_back() -> None:
    """A budget in TOML is that of the machine."""
    spec = tt.MachineSpec(8, charge=SECONDS, budget=Budget(10, "account", "30d", "refuse", {"x": 5.0}))
    assert tt.MachineSpec.from_toml(spec.to_toml()).budget == spec.budget


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"amount": -1}, "amount must be a number of at least 0"),
        ({"amount": 1, "of": "queue"}, "of cannot be 'queue'; the choices are user, account"),
        ({"amount": 1, "spent": "held"}, "spent cannot be 'held'"),
        ({"amount": 1, "period": 0}, "period must be a number above 0"),
        ({"amount": 1, "amounts": {"x": "much"}}, "the amount of x must be a number"),
    ],
)
def test_what_is_no_budget(words: dict[str, Any], said: str) -> None:
    """One sentence says what is wrong, and what would be right."""
    with pytest.raises(ValueError, match=said.partition(";")[0]):
        Budget(**words)
