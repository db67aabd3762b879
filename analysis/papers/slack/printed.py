"""What the slack paper prints: its tables of sections 5.2 and 5.3, in seconds.

Errors in print: November's low-priority wait of 1882.3 s cannot be, with 4460.2 s for a fifth of the jobs and 4797.7 s
for all; 4882.1 s fits. Section 5.3 says that the preferred jobs wait 2.5 % less and the others 3.9 % more than with
equal priorities; its table says 2.5 % less and 14.4 % more.
"""

import csv
from dataclasses import dataclass
from importlib.resources import files

with files("thinktime.analysis.papers.slack").joinpath("months.csv").open(encoding="utf-8") as file:
    _MONTHS = {month: tuple(map(float, waits)) for month, *waits in list(csv.reader(file))[1:]}
MONTHS = {month: waits[:2] for month, waits in _MONTHS.items()}
"""Mean wait under the conservative and the slack-based scheduler, by month."""
PREFERRED = {month: waits[2:] for month, waits in _MONTHS.items()}
"""Mean wait of all jobs, of the preferred fifth and of the others, by month."""

CONSERVATIVE, SLACK = 2401.44, 2004.46
AWT = 2401.0
"""The average wait time that the paper uses in all months."""


@dataclass(frozen=True, slots=True)
class Heuristic:
    """A row of the paper's last table, s."""

    equal: float
    unequal: float
    loss: float
    high: float
    low: float
    gap: float
    better: float
    """By how much it shortens the conservative scheduler's mean wait, as section 5.2 prints it."""


HEURISTICS = {
    "ast": Heuristic(2004.5, 2226.2, 0.111, 1955.3, 2294.0, 338.7, 0.165),
    "aat": Heuristic(2088.5, 2223.3, 0.109, 1952.6, 2291.1, 338.5, 0.130),
    "dp": Heuristic(2120.0, 2228.5, 0.112, 1962.3, 2295.1, 332.7, 0.117),
    "dc": Heuristic(2179.9, 2250.1, 0.123, 1988.1, 2315.7, 327.6, 0.092),
    "du": Heuristic(2206.0, 2279.8, 0.137, 2048.9, 2337.6, 288.7, 0.081),
}
