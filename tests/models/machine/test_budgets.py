"""Budgets are kept: nobody is charged more than there is, and jobs for which too little is left wait or are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import simpy
from hypothesis import given
from hypothesis import strategies as st

import thinktime as tt
from thinktime.models.results.bill import charged
from thinktime.models.site.budget import SPENT, Budget
from thinktime.models.site.charge import Charge, Term
from thinktime.models.state import State

SECONDS = Charge([Term(3600.0)], unit="processor-seconds")


def replayed(jobs: dict[str, list[int]], budget: Budget, charge: Charge = SECONDS, **more: Any) -> tt.Result:
    spec = tt.MachineSpec(8, "fcfs", charge=charge, budget=budget, **more)
    return tt.run(spec, tt.sources.log(tt.Trace(jobs)))


FOUR = {
    "submit": [0, 10, 20, 130], "runtime": [30, 10, 50, 10], "requested_time": [40, 40, 60, 40],
    "allocated": [1, 1, 1, 1], "user": [1, 1, 1, 1],
}  # fmt: skip


@pytest.mark.parametrize(
    ("spent", "starts"), [("hold", [0, 10, 100, 130]), ("refuse", [0, 10, np.nan, 130]), ("credit", [0, 10, 20, 130])]
)
def test_a_budget_that_is_used_up(spent: str, starts: list[float]) -> None:
    """Of 105 in each 100 s, the first job reserves 40, the second has spent 10, so that the third with 60 is late.

    The next period has 105 again: 60 for the third, unless it has run before, and 40 for the fourth.
    """
    result = replayed(FOUR, Budget(105, period=100, spent=spent))
    assert np.array_equal(result["start"], starts, equal_nan=True)


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
    """Unless on credit, no owner is charged more in a period than there is; jobs are refused for nothing else."""
    submit, runtime, more, processors, user = (list(each) for each in zip(*sorted(jobs), strict=True))
    columns = {
        "submit": submit, "runtime": runtime, "allocated": processors, "user": user,
        "requested_time": [r + m for r, m in zip(runtime, more, strict=True)],
    }  # fmt: skip
    result = replayed(columns, Budget(amount, period=period, spent=spent))
    refused = result["state"] == State.REFUSED
    since, numbers = result["eligible"], result.summary()
    if spent != "credit":
        assert numbers["overdrawn"] == 0
        for owner in (0, 1):
            for number in range(60):
                own = (result["user"] == owner) & ~refused
                own &= (np.nan_to_num(since) // (period or np.inf)) == number
                assert charged(result)[own].sum() <= amount + 1e-9
    else:
        assert not refused.any() and (since == result["submit"]).all()
    wanted = np.array(processors) * np.array(columns["requested_time"])
    assert refused[wanted > amount].all() or spent == "credit"
    if spent == "hold" and period is not None:
        assert not refused[wanted <= amount].any()
    if spent == "refuse":
        assert (since == result["submit"])[~refused].all()


def test_a_budget_needs_a_charge() -> None:
    """A budget is in the unit of a charge, so there must be one."""
    with pytest.raises(ValueError, match="a budget needs a charge"):
        tt.run(tt.MachineSpec(8, budget=Budget(10)), tt.sources.log(tt.Trace(FOUR)))


def test_what_a_budget_cannot_be_combined_with() -> None:
    """A run that begins from a state does not know what was spent, and recorded starts can be held back by nobody."""
    log, budget = tt.Trace(FOUR | {"wait": [0, 0, 0, 0]}), Budget(10)
    spec = tt.MachineSpec(8, "fcfs", charge=SECONDS, budget=budget)
    state = spec.open(simpy.Environment()).state()
    with pytest.raises(ValueError, match="a run that begins from a state cannot be combined with a budget"):
        tt.run(tt.MachineSpec(begin=state), tt.sources.log(log))
    recorded = tt.MachineSpec(8, "recorded", charge=SECONDS, budget=budget)
    held = tt.MachineSpec(8, "carbon:base=recorded", signals={"price": tt.Signal([0], [1])})
    for each in (recorded, held):
        with pytest.raises(ValueError, match="recorded cannot be combined with jobs that are held back"):
            tt.run(each, tt.sources.log(log))


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
