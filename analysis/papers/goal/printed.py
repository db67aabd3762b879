"""What the goal paper prints: Tables I to III (node-hours, nodes and hours; waits are seconds here).

User 113 of Table III is under-share by 303.2 node-hours under Tradeoff-fs in the text, by 302.2 in the table.
"""

from importlib.resources import files

import thinktime as tt
from thinktime.analysis.papers.goal.runs import MonthlyWorkload, Spread
from thinktime.analysis.papers.goal.who_suffers import Case

POLICIES = ("easy", "easy:order=lxf", "relshare", "tradeoff-fs")
"""Those of Tables II and III, in the order of their columns."""

MEASURES = {"dev": 1.0, "max_wait": tt.HOUR, "mean_wait": tt.HOUR, "slowdown": 1.0}
"""Those of Tables II and III, in their order, with the unit in which the paper prints them."""


def _workload(line: str) -> MonthlyWorkload:
    month, demand, users, jobs, *numbers = line.split()
    spreads = [Spread(*map(float, numbers[at : at + 3])) for at in range(0, len(numbers), 3)]
    return MonthlyWorkload(month, float(demand), int(users), int(jobs), *spreads)


def _case(line: str) -> Case:
    user, month, *numbers = line.split()
    values = {}
    for at, (measure, unit) in enumerate(MEASURES.items()):
        row = [float(number) * unit for number in numbers[4 * at : 4 * at + 4]]
        values[measure] = dict(zip(POLICIES, row, strict=True))
    return Case(int(user), month, values)


def _table(number: int) -> list[str]:
    file = files("thinktime.analysis.papers.goal").joinpath(f"table-{number}.txt")
    return [line for line in file.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]


WORKLOADS = [_workload(line) for line in _table(1)]
SUFFERERS, GAINERS = ([_case(line) for line in _table(number)] for number in (2, 3))
"""Tables I to III, in this order."""
