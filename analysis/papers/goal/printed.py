"""What the goal paper prints: Tables I to III (node-hours, nodes and hours; waits are seconds here).

User 113 of Table III is under-share by 303.2 node-hours under Tradeoff-fs in the text, by 302.2 in the table.
"""

from thinktime.analysis.papers.goal.runs import MonthlyWorkload, Spread
from thinktime.analysis.papers.goal.who_suffers import Case
from thinktime.workloads.units import HOUR

POLICIES = ("easy", "easy:order=lxf", "relshare", "tradeoff-fs")
"""Those of Tables II and III, in the order of their columns."""

MEASURES = {"dev": 1.0, "max_wait": HOUR, "mean_wait": HOUR, "slowdown": 1.0}
"""Those of Tables II and III, in their order, with the unit in which the paper prints them."""

_TABLE_I = """
2003-06 0.82 73 2191  30 8 659  1034.7 24 24071  34.5 0.8 960  12.1 4 128  1.4 0.2 12
2003-07 0.89 68 1400  20.6 8 145  1247.4 145.7 16719  60.6 1.3 1536  23.5 8 128  1.9 0.18 12
2003-08 0.79 73 3221  44.1 8 1873  1031.6 120 14346  23.4 0 1536  7.3 1 128  1.1 0 12
2003-09 0.72 74 3057  41.3 15 703  895.5 72.5 18499  21.7 0.1 912  9.1 1 128  1.4 0.03 12
2003-10 0.71 75 4149  55.3 15 1151  899.5 114.7 8060  16.3 0.4 912  5 1 128  2 0.13 12
2003-11 0.73 81 3443  42.5 17 665  827.1 27.6 10183  19.5 0.7 1536  6 1 128  2.5 0.15 12
2003-12 0.74 61 3521  57.7 14 635  1159.3 23.2 17776  20.1 1.1 1152  5.6 1 128  3.6 0.33 24
2004-01 0.73 53 3156  59.5 17 679  1313.6 317.4 10340  22.1 5.1 1920  10.7 2 128  4.5 1.1 24
2004-02 0.74 73 3969  54.4 28 541  900.3 93.3 8931  16.6 0.3 1824  5 2 128  3.1 0.11 24
2004-03 0.75 70 3466  49.5 15.5 1234  1018 46.1 12892  20.6 0 1832.8  5.8 1 128  2.4 0 24
"""
# Month, demand, users, jobs; then mean, median and maximum of jobs per user, node-hours per user, and node-hours,
# nodes and hours of a job.

_TABLE_II = """
8   2003-07  -2907.8 -1606.5 -7245 -1396  82.8 26.6 280.7 61  21.1 4.6 80.7 10.1  168.1 34.7 907.2 89.6
21  2003-07  -1706 -1611.1 -667.8 -2311.1  65.6 63.5 109.5 68.4  11.4 6.3 11.9 6.7  126.6 28.9 103.8 35.6
24  2003-07  -1787.6 -894.3 -4592.9 -767.9  114.8 30.7 283.8 33.2  26.1 8.8 73.3 10.7  459.5 122.4 2033.2 181.2
49  2003-07  1532 -1373 68.6 190  66.2 179.8 163.5 84  11.5 16 23.7 8  106.7 42.6 108.4 14.7
71  2003-07  6585.3 3803.6 4582.9 3712.5  105.1 143.5 211.2 125.2  29.1 27.7 31.8 22  148.2 45.8 94.1 103.6
"""
# User, month; then deviation, maximum wait, mean wait and mean bounded slowdown, each under the four policies.

_TABLE_III = """
70  2003-07  -1040.8 -581.3 423.5 -89.2  49 60 20.1 34  25.7 17.4 8.9 12  54.1 25.8 28.8 31.4
113 2003-08  -1178.6 -351.6 -411.5 -302.2  35.6 28.7 30.6 29.8  19.2 11.4 12.4 10.8  59.9 15.9 61.4 18.1
103 2003-11  -355.1 -483 424.8 -38.1  33.9 32.4 20.5 38.8  8.9 2.9 1.1 1.6  141.7 27.8 2.8 7
"""


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


WORKLOADS = [_workload(line) for line in _TABLE_I.strip().splitlines()]
"""Table I."""

SUFFERERS = [_case(line) for line in _TABLE_II.strip().splitlines()]
"""Table II."""

GAINERS = [_case(line) for line in _TABLE_III.strip().splitlines()]
"""Table III."""
