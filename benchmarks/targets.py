"""What the benchmarks print of a number, and how they measure memory."""

from __future__ import annotations

import resource
from pathlib import Path


def line(what: str, value: float, unit: str, limit: float | None = None) -> None:
    """Print a number, and whether it meets its target."""
    told = "" if limit is None else f"   target {limit:g} {unit}: {'met' if value <= limit else 'NOT MET'}"
    print(f"{what:<66}{value:>8.2f} {unit}{told}", flush=True)


def peak() -> float:
    """The peak memory of this process since it started its program (MB).

    ``ru_maxrss`` is not used where the system says more: it begins with that of the process that started this one.
    """
    status = Path("/proc/self/status")
    if status.exists():
        (kilobytes,) = (row.split()[1] for row in status.read_text().splitlines() if row.startswith("VmHWM"))
        return int(kilobytes) * 1024 / 1e6
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
