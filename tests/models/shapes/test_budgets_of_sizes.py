"""Budgets where sizes change: a run is charged stage by stage, and grows only if what is left is enough for it."""

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import simpy

import thinktime as tt
from tests.how_many import in_turn
from tests.models.machine.cuts import digest, going_on, taking, through_a_file
from tests.models.shapes.test_states import POLICIES, random_jobs
from thinktime.models.results.bill import charge_of_runs, charged
from thinktime.models.site.budget import Budget
from thinktime.models.site.charge import Charge, Term
from thinktime.workloads.shapes.shape import Shape

PRICES = (1, 1, 3, 3, 0, 2, 5)
"""In each of these tens of seconds, a processor-second costs so much; they repeat."""
STEP = 10
SPENT = ("hold", "refuse", "lowest")


def _machine(policy: str, budget: Budget, prices: bool, **more: Any) -> tt.MachineSpec:
    signal = tt.Signal([STEP * k for k in range(len(PRICES))], PRICES, "price", end=STEP * len(PRICES))
    term = Term(3600.0, tariff="price" if prices else None)
    return tt.MachineSpec(
        more.pop("processors", 16), policy, charge=Charge([term, Term(20.0, "job")], **more),
        budget=budget, signals=[signal],
    )  # fmt: skip


def _price_until(time: float) -> float:
    """The sum of the price over [0, time)."""
    turns, rest = divmod(time / STEP, len(PRICES))
    whole = int(rest)
    return STEP * (turns * sum(PRICES) + sum(PRICES[:whole]) + (rest - whole) * PRICES[whole])


def _charge(size: float, begin: float, end: float, prices: bool) -> float:
    return size * (_price_until(end) - _price_until(begin) if prices else end - begin)


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("spent", "base", "prices"),
    in_turn(4, SPENT, ("none", "easy", "conservative-dynamic", "conservative"), [False, True]),
)
def test_jobs_of_one_size_are_rigid(spent: str, base: str, prices: bool) -> None:
    """Jobs that may have their own size only, and rigid ones under the rule in the middle, start alike."""
    rigid = [(time, job) for time, job in random_jobs(5, 40) if job.shape is None and job.runtime > 0]
    rigid += [(time + 7.0, job) for time, job in rigid]
    rigid.sort(key=lambda each: each[0])
    alone = [
        (time, tt.Job(
            runtime=job.runtime, estimate=job.estimate, user=job.user, checkpoint=np.inf,
            shape=Shape(f"{job.processors}-{job.processors}", speedup="amdahl(0.3)"),
        ))
        for time, job in rigid
    ]  # fmt: skip
    rigid = [(time, tt.Job(runtime=job.runtime, estimate=job.estimate, user=job.user, processors=job.processors))
             for time, job in rigid]  # fmt: skip
    budget = Budget(300, period=120, spent=spent)
    plain = tt.run(_machine(base, budget, prices, processors=8), going_on(rigid))
    sized = tt.run(_machine(f"shapes:expand=oldest,base={base}", budget, prices, processors=8), going_on(alone))
    for name in ("start", "end", "state"):
        assert np.array_equal(sized[name], plain[name], equal_nan=True)
    assert sized.notes == plain.notes
    free = tt.run(_machine(base, Budget(1e9), prices, processors=8), going_on(rigid))
    assert spent == "lowest" or not np.array_equal(free["start"], plain["start"], equal_nan=True)


@pytest.mark.compiled
@pytest.mark.parametrize(("spent", "policy", "prices"), in_turn(4, SPENT, POLICIES, [False, True]))
def test_accounts_are_those_of_all_stages(spent: str, policy: str, prices: bool) -> None:
    """At any time, what is left is the amount less the charges of all stages of runs of a period, and those to come.

    This is so in the present period, and in earlier ones in which runs began that go on. What runs have reserved goes
    to their expected ends, with the sizes that they will have.
    """
    period, amount = 150.0, 3000.0
    jobs = [(time, job) for time, job in random_jobs(6, 40) if job.runtime > 0]
    env = simpy.Environment()
    machine = _machine(policy, Budget(amount, period=period, spent=spent), prices).open(env)
    env.process(going_on(jobs)(env, machine))
    seen = earlier = 0
    for now in np.arange(33.3, 1200, 41.0).tolist():
        env.run(until=now)
        result, pool = machine.result(), machine.pool
        runs, arrays = result.history.runs, pool.arrays
        budget, until = pool.limits.spending.arrays(), pool.state.budget_until
        spent_then: Counter[tuple[int, float]] = Counter()
        accounts = {(owner, until - period): owner + 1 for owner in (0, 1, 2)}
        first, last = runs.of_whole()
        rows = {number: row for row, number in enumerate(pool.requests.id.tolist())}
        for k, row in enumerate(runs.row.tolist()):
            size, begin, end, owner = runs.processors[k], runs.start[k], runs.end[k], int(result["user"][row])
            whose = owner, period * (runs.start[first[k]] // period)
            seen += k > first[k]
            if k == last[k] and runs.ended("running")[k]:
                row = rows[result["id"][row]]
                accounts[whose] = int(budget["budget_account"][row])
                end, then = pool.requests.expected_end[row], arrays["shrinks_at"][row]
                if then < end:
                    smaller = arrays["form_sizes"][arrays["shrinks_to"][row]]
                    spent_then[whose] += _charge(smaller, then, end, prices) - _charge(size, then, end, prices)
            spent_then[whose] += _charge(size, begin, end, prices) + 20.0 * (k == last[k])
        earlier += len(accounts) - 3
        assert len(set(accounts.values())) == len(accounts)
        for whose, account in accounts.items():
            assert budget["budget_left"][account] == pytest.approx(amount - spent_then[whose], abs=1e-6)
    assert seen > 2 and earlier > 2


@pytest.mark.compiled
@pytest.mark.parametrize("spent", ["hold", "refuse"])
def test_who_has_a_reservation_keeps_its_size(spent: str) -> None:
    """Whatever the price is, and however little is left: under conservative, sizes that are fixed stay so."""
    jobs = random_jobs(1, 40)
    budget = Budget(2500, period=150, spent=spent)
    result = tt.run(_machine(POLICIES[2], budget, True), going_on(jobs))
    assert (result["state"] == tt.State.REFUSED).any() == (spent == "refuse")
    runs, first = result.history.runs, result.history.runs.run == 1
    for row, size in zip(runs.row[first].tolist(), runs.processors[first].tolist(), strict=True):
        shape = jobs[row][1].shape
        assert shape is None or size >= 8


@pytest.mark.compiled
@pytest.mark.parametrize("policy", ("shapes:size=min,expand=best", *POLICIES[1:]))
def test_who_grows_overdraws_no_budget(policy: str) -> None:
    """Where jobs keep to their limits, and resizes cost nothing, no period is overdrawn, and some are used up."""
    jobs = [
        (
            time,
            tt.Job(
                runtime=job.runtime,
                estimate=job.runtime + 5,
                user=job.user,
                shape="1-16*2 preferred=4 speedup=amdahl(0.2)",
            ),
        )
        for time, job in random_jobs(8, 40)
        if job.runtime > 0
    ]
    result = tt.run(_machine(policy, Budget(2500, period=200), False), going_on(jobs))
    assert result.summary()["overdrawn"] == 0 and result.summary()["budget_left"] < 0.6
    assert (result.runs["how"] == "resized").any()


@pytest.mark.parametrize(("amount", "stages"), [(719, [(0, 100, 4)]), (720, [(0, 90, 8)])])
def test_a_job_grows_only_if_enough_is_left(amount: float, stages: list[Any]) -> None:
    """With half of it serial, it takes 100 s on 4, and 90 s on 8, which are 720 processor-seconds."""
    job = tt.Job(runtime=100, shape="4 8 preferred=4 speedup=amdahl(0.5)", user="ada")
    spec = tt.MachineSpec(8, "shapes:expand=oldest", charge=Charge([Term(3600.0)]), budget=Budget(amount))
    runs = tt.run(spec, going_on([(0.0, job)])).runs
    assert list(zip(runs["start"], runs["end"], runs["processors"], strict=True))[-1:] == stages


@pytest.mark.parametrize(("amount", "ends"), [(589, 100), (590, 95)])
def test_a_run_goes_by_what_is_left_of_the_period_in_which_it_began(amount: float, ends: float) -> None:
    """At 50, growing costs 160 beside the 400 of the first job; of the same 20 s, the second was charged 30, not 40.

    It was still going when these 20 s were over; what a later period has left is of no use, nor is what it spends.
    """
    jobs = [
        (0.0, tt.Job(runtime=100, shape="4 8 preferred=4 speedup=amdahl(0.5)", user="ada")),
        (0.0, tt.Job(runtime=30, estimate=40, user="ada")),
        (0.0, tt.Job(runtime=50, processors=3, user="bob")),
        (30.0, tt.Job(runtime=20, user="ada")),
        (48.0, tt.Job(runtime=1, user="new")),
    ]
    spec = tt.MachineSpec(
        8, "shapes:expand=oldest", charge=Charge([Term(3600.0)]), budget=Budget(amount, period=20, amounts={"new": 0})
    )
    result = tt.run(spec, going_on(jobs))
    assert result["end"].tolist()[:4] == [ends, 30, 50, 50] and result["state"][4] == tt.State.REFUSED


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("spent", "policy", "prices", "period"),
    in_turn(12, SPENT, (*POLICIES, "shapes:size=min,expand=best"), (False, True), (37, None, 150)),
)
def test_a_budget_that_never_binds_changes_no_schedule(
    spent: str, policy: str, prices: bool, period: float | None
) -> None:
    """With more than all jobs cost, in all and in each period, sizes and times are those without a budget."""
    jobs = random_jobs(9, 40)
    spec = _machine(policy, Budget(1e9, period=period, spent=spent), prices)
    own, free = (tt.run(each, going_on(jobs)).runs for each in (spec, replace(spec, budget=None)))
    assert own.to_csv() == free.to_csv() and (own["how"] == "resized").any()


@pytest.mark.compiled
@pytest.mark.parametrize(("spent", "policy"), [("hold", POLICIES[0]), ("refuse", POLICIES[2])])
def test_runs_that_are_cut_go_on_with_accounts_of_earlier_periods(spent: str, policy: str) -> None:
    """In memory, and through a file."""
    spec, jobs = _machine(policy, Budget(1000, period=37, spent=spent), True), going_on(random_jobs(4, 40))
    states: list[tt.MachineState] = []
    whole = tt.run(spec, jobs, taking([90.5, 233.25], states))
    free = tt.run(replace(spec, budget=None), jobs)
    assert not np.array_equal(whole["start"], free["start"], equal_nan=True)
    for each in (states[0], through_a_file(states[1])):
        assert digest(tt.run(spec, jobs, begin=each)) == digest(whole)


@pytest.mark.parametrize(("amount", "size"), [(800, 8), (700, 4), (300, None)])
@pytest.mark.parametrize("spent", ["hold", "refuse"])
def test_a_job_that_costs_too_much_is_smaller(amount: float, size: int | None, spent: str) -> None:
    """On 8 it costs 800 processor-seconds, and 4·100·0.6/0.55 on 4; it is refused if the least size costs too much."""
    job = tt.Job(runtime=100, shape="4 8 speedup=amdahl(0.1)", user="ada")
    spec = tt.MachineSpec(8, "shapes", charge=Charge([Term(3600.0)]), budget=Budget(amount, spent=spent))
    result = tt.run(spec, going_on([(0.0, job)]))
    assert list(result.runs["processors"]) == ([] if size is None else [size])
    assert result["state"][0] == (tt.State.REFUSED if size is None else tt.State.FINISHED)


def test_all_stages_of_a_run_count_for_the_period_in_which_it_began() -> None:
    """And all of them are free if the run ends in a way that is: here its limit was too short."""
    jobs = [(0.0, tt.Job(runtime=300, estimate=200, shape="4 8 preferred=4", user="ada")),
            (0.0, tt.Job(runtime=50, processors=4, user="bob"))]  # fmt: skip
    budget = Budget(4 * 50 + 8 * 75, period=20)
    for free, expected in ((), [800, 200]), (("limit",), [0, 200]):
        charge = Charge([Term(3600.0)], free=free)
        spec = tt.MachineSpec(8, "shapes:expand=oldest", charge=charge, budget=budget)
        result = tt.run(spec, going_on(jobs))
        assert charged(result) == pytest.approx(expected)
        assert len(charge_of_runs(result)) == 3 and result.summary()["overdrawn"] == 0
