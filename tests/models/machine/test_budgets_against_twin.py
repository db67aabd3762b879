"""With budgets, every start is that of a brute-force machine that adds up all accounts anew."""

import random
from typing import Any

import pytest

import thinktime as tt
from tests.how_many import few_or_many
from tests.models.machine.budgets_twin import Task, Twin
from thinktime.models.site.budget import SPENT, Budget
from thinktime.models.site.charge import Charge, Term
from thinktime.models.state import State

RULES = ("none", "easy", "conservative", "conservative-dynamic")
OWNERS = {1: "a", 2: "b"}


def drawn(seed: int) -> tuple[list[Task], dict[str, Any]]:
    """Jobs of two owners, and all that the twin is told."""
    luck, tasks, submit = random.Random(seed), [], 0
    for number in range(1, luck.choice([4, 8, 14]) + 1):
        submit += luck.choice([0, 0, 1, 3, 7])
        runtime = luck.randint(1, 9)
        estimate = max(1, runtime + luck.choice([-2, 0, 0, 3, 9]))
        tasks.append(Task(number, submit, luck.choice([1, 1, 2, 3, 4]), runtime, estimate, luck.choice("ab")))
    prices = luck.choice([(1,), (1,), (1, 1, 1, 3, 3, 2, 2, 2, 2, 5), (0,) * 4 + (2,) * 7])
    return tasks, {
        "rule": luck.choice(RULES),
        "order": luck.choice(["fcfs", "sjf"]),
        "spent": luck.choice(SPENT),
        "amounts": {owner: luck.choice([luck.randint(5, 40), luck.randint(40, 90)]) for owner in "ab"},
        "period": luck.choice([None, 7, 20, 50]),
        "prices": prices,
    }


def replayed(tasks: list[Task], of: str, told: dict[str, Any]) -> tt.Result:
    """The same on a machine, whose budgets are those of users or of accounts."""
    columns = {name: [getattr(each, name) for each in tasks] for name in ("id", "submit", "runtime")}
    columns |= {"requested_time": [each.estimate for each in tasks], "allocated": [each.processors for each in tasks]}
    column, codes = {"user": "user", "account": "group"}[of], {name: code for code, name in OWNERS.items()}
    columns[column] = [codes[each.owner] for each in tasks]
    prices = told["prices"]
    signal = tt.Signal(list(range(len(prices))), prices, "price", end=len(prices))
    amounts = {owner: amount for owner, amount in told["amounts"].items() if owner in {each.owner for each in tasks}}
    spec = tt.MachineSpec(
        4,
        f"{told['rule']}:order={told['order']}",
        signals=[signal],
        charge=Charge([Term(3600.0, tariff="price" if len(prices) > 1 else None)]),
        budget=Budget(0, of, told["period"], told["spent"], amounts),
    )
    return tt.run(spec, tt.sources.log(tt.Trace(columns, names={column: OWNERS})))


@pytest.mark.compiled
@pytest.mark.parametrize("cases", few_or_many(range(50), range(50, 4000)))
def test_every_start_is_the_twins(cases: range) -> None:
    """Under four rules, two orders, all that may happen to jobs, periods or none, owners, and prices that vary."""
    stops = openings = 0
    for seed in cases:
        (tasks, told), of = drawn(seed), ("user", "account")[seed % 2]
        twin = Twin(4, tasks, **told)
        expected = [(repr(float(each.start)), each.state == "refused") for each in twin.run()]
        result = replayed(tasks, of, told)
        found = zip(map(repr, result["start"].tolist()), (result["state"] == State.REFUSED).tolist(), strict=True)
        assert list(found) == expected, (seed, told)
        stops, openings = stops + twin.stops, openings + twin.openings
    assert stops > len(cases) / 20 and openings > len(cases) / 20
