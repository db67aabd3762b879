"""What the cplant paper prints: its window, and Tables I and II (jobs and processor-hours by width and length)."""

import numpy as np

from thinktime.workloads.trace import Trace

FIRST, LAST = "2002-12-01", "2003-07-14"
"""The first and the last day of the paper's window."""

PROCESSORS = 1024
"""The machine size of the study for the paper's log: our decision, which the study's page explains."""

JOBS = np.array(
    [
        [822, 51, 7, 3, 6, 16],
        [538, 8, 2, 0, 1, 0],
        [1112, 328, 26, 3, 5, 5],
        [1070, 855, 142, 90, 76, 91],
        [1163, 553, 260, 141, 205, 160],
        [1525, 185, 67, 53, 116, 160],
        [1009, 204, 79, 48, 130, 178],
        [566, 109, 49, 24, 53, 76],
        [574, 14, 12, 1, 3, 10],
        [171, 9, 1, 0, 0, 1],
        [69, 1, 0, 0, 0, 0],
    ]
)
"""Table I: widths are rows, lengths are columns (`thinktime.analysis.fairness.size_classes`)."""

HOURS = np.array(
    [
        [75, 118, 70, 62, 259, 2883],
        [102, 21, 53, 0, 68, 0],
        [1300, 3482, 1030, 213, 614, 1310],
        [1382, 16845, 12107, 14118, 18287, 92549],
        [1624, 30697, 45859, 42072, 105884, 207496],
        [7838, 17638, 22031, 28232, 109166, 363944],
        [4670, 35681, 48457, 48493, 251748, 986649],
        [6025, 36458, 53098, 48296, 179321, 796517],
        [15668, 8541, 27041, 5451, 19030, 183949],
        [8442, 11877, 3888, 0, 0, 30761],
        [12195, 3183, 0, 0, 0, 0],
    ]
)
"""Table II."""


def is_papers(trace: Trace) -> bool:
    """Whether this is the paper's log: of CPlant, and with jobs in the paper's window."""
    return "CPlant" in (trace.header.get("Installation") or "") and len(window(trace, FIRST, LAST)) > 0


def window(trace: Trace, first: str, last: str) -> Trace:
    """The jobs submitted from one time to another; a date stands for the whole day, also as the last one."""
    day = len(last) == len("2003-07-14") and last.count("-") == 2
    end = trace.seconds(f"{np.datetime64(last) + 1}") if day else trace.seconds(last)
    return trace.between(first, end)
