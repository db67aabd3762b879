"""What the cplant paper prints: its window, and Tables I and II (jobs and processor-hours by width and length).

Widths: 1, 2, 3-4, 5-8, …, 257-512, 513 and more. Lengths are half open: [0, 1 h), [1 h, 8 h), [8 h, 16 h),
[16 h, 24 h), [1 d, 2 d), 2 d and more (the paper does not say to which class a boundary belongs).
"""

from importlib.resources import files

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

import thinktime as tt

WIDTHS = ("1", "2", "3-4", "5-8", "9-16", "17-32", "33-64", "65-128", "129-256", "257-512", "513+")
LENGTHS = ("0-60 mins", "1-8 hrs", "8-16 hrs", "16-24 hrs", "1-2 days", "2+ days")
_WIDEST = np.array([1, 2, 4, 8, 16, 32, 64, 128, 256, 512])
_SHORTER = np.array([1, 8, 16, 24, 48]) * tt.HOUR


def width_classes(processors: npt.ArrayLike) -> NDArray[np.int64]:
    """The index in `WIDTHS` of each number of processors."""
    return np.searchsorted(_WIDEST, np.asarray(processors), side="left").astype(np.int64)


def length_classes(runtime: npt.ArrayLike) -> NDArray[np.int64]:
    """The index in `LENGTHS` of each run time (s)."""
    return np.searchsorted(_SHORTER, np.asarray(runtime), side="right").astype(np.int64)


def mean_by_width(values: NDArray[np.float64], processors: npt.ArrayLike) -> NDArray[np.float64]:
    """The mean of each class of widths; NaN for an empty class. NaN values are ignored."""
    known = ~np.isnan(values)
    classes = width_classes(processors)[known]
    sums = np.bincount(classes, values[known], len(WIDTHS))
    jobs = np.bincount(classes, minlength=len(WIDTHS))
    means: NDArray[np.float64] = np.divide(sums, jobs, out=np.full(len(WIDTHS), np.nan), where=jobs > 0)
    return means


def tables(trace: tt.Trace) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Jobs, and processor-hours, by width (rows) and length (columns)."""
    cell = width_classes(trace.processors) * len(LENGTHS) + length_classes(trace.runtime)
    shape, size = (len(WIDTHS), len(LENGTHS)), len(WIDTHS) * len(LENGTHS)
    hours: NDArray[np.float64] = np.bincount(cell, trace.processors * trace.runtime / tt.HOUR, size).astype(np.float64)
    return np.bincount(cell, minlength=size).reshape(shape).astype(np.int64), hours.reshape(shape)


FIRST, LAST = "2002-12-01", "2003-07-14"
"""The first and the last day of the paper's window."""

PROCESSORS = 1024
"""The machine size of the study for the paper's log: our decision, which the study's page explains."""

JOBS, HOURS = (
    np.loadtxt(str(files("thinktime.analysis.papers.cplant").joinpath(f"table-{n}.csv")), int, delimiter=",")
    for n in (1, 2)
)
"""Tables I and II: `WIDTHS` are rows, `LENGTHS` are columns."""


def is_papers(trace: tt.Trace) -> bool:
    """Whether this is the paper's log: of CPlant, and with jobs in the paper's window."""
    return "CPlant" in (trace.header.get("Installation") or "") and len(window(trace, FIRST, LAST)) > 0


def window(trace: tt.Trace, first: str, last: str) -> tt.Trace:
    """The jobs submitted from one time to another; a date stands for the whole day, also as the last one."""
    day = len(last) == len("2003-07-14") and last.count("-") == 2
    end = trace.seconds(f"{np.datetime64(last) + 1}") if day else trace.seconds(last)
    return trace.between(first, end)
