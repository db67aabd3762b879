"""The logs of the benchmarks: real ones if available, else generated ones of the same shape.

Real logs are searched for in the given folder, else in ``THINKTIME_TRACES``, else in a folder ``traces`` in a folder
beside the repository. A generated log has the number of jobs, the processors, the load and roughly the run times of
the real one, but not its patterns. Numbers measured on it must say so.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from thinktime.workloads import Trace, read_swf

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, slots=True)
class Shape:
    """The main characteristics of a log."""

    file: str
    jobs: int
    processors: int
    load: float
    """Work submitted over the capacity of the machine, a fraction."""
    widest: int
    """Widths are powers of two up to this one."""
    median_runtime: float
    """The median of the log-normal run times (s)."""


LOGS = {
    "LANL-CM5": Shape("LANL-CM5-1994-4.1-cln", 122_057, 1_024, 0.75, 512, 250.0),
    "KTH": Shape("KTH-SP2-1996-2.1-cln", 28_475, 100, 0.70, 64, 850.0),
    "CTC": Shape("CTC-SP2-1996-3.1-cln", 77_222, 338, 0.83, 128, 950.0),
    "CEA-Curie": Shape("CEA-Curie-2011-2.1-cln", 298_092, 93_312, 0.60, 8_192, 500.0),
    "SDSC-SP2": Shape("SDSC-SP2-1998-4.2-cln", 54_034, 128, 0.83, 64, 550.0),
}


def folder(given: str | None) -> Path:
    """The folder that may have the real logs."""
    beside = next(iter(sorted(ROOT.parent.glob("*/traces"))), ROOT / "traces")
    return Path(given or os.environ.get("THINKTIME_TRACES") or beside)


def open_log(name: str, logs: Path) -> tuple[Trace, int, bool]:
    """The jobs, the processors of the machine, and whether the log is real."""
    shape = LOGS[name]
    path = logs / f"{shape.file}.swf.gz"
    if path.exists():
        return read_swf(path), shape.processors, True
    return generated(shape), shape.processors, False


def generated(shape: Shape, seed: int = 1) -> Trace:
    """A log of this shape: Poisson arrivals, widths 2^k, log-normal run times, round overestimates."""
    rng = np.random.default_rng(seed)
    jobs = shape.jobs
    width = 2 ** rng.integers(0, int(np.log2(shape.widest)) + 1, jobs)
    runtime = np.ceil(rng.lognormal(np.log(shape.median_runtime), 1.8, jobs)).clip(1, 86_400)
    estimate = np.ceil(runtime * rng.uniform(1, 6, jobs) / 600) * 600
    gaps = rng.exponential(1.0, jobs)
    span = float(runtime @ width) / (shape.load * shape.processors)
    return Trace(
        {
            "submit": np.floor(np.cumsum(gaps) * span / gaps.sum()),
            "runtime": runtime,
            "requested_processors": width,
            "requested_time": estimate,
        }
    )
