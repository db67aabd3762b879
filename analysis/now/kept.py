"""The draws of a forecast in a file, so that it can be scored when it is known what came."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from thinktime.analysis.now.outlook import Outlook
from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.names import shortened
from thinktime.workloads.trace import Trace

VERSION = 1
ARRAYS = (
    "version",
    "time",
    "until",
    "unix",
    "label",
    "submit",
    "processors",
    "limit",
    "starts",
    "by_limits",
    "promised",
)


@dataclass(frozen=True, eq=False)
class Kept:
    """What is scored of a forecast: times in s by the clock of the history, and draws as in `Outlook`."""

    time: float
    until: float
    unix: float
    """The Unix time of the forecast; NaN: unknown."""
    label: NDArray[np.str_]
    """What users call each waiting job."""
    submit: Floats
    processors: Whole
    limit: Floats
    starts: Floats
    """A row for each draw."""
    by_limits: Floats
    promised: Floats
    """What the site's own scheduler says; NaN: nothing."""

    @classmethod
    def of(cls, outlook: Outlook, now: float | None = None) -> Kept:
        """That of a forecast, made at ``now`` by the clock of the history (default: the same)."""
        ahead = 0.0 if now is None else now - outlook.time
        w, unix = outlook.waiting, outlook.unix_start
        promised = outlook.promised if len(outlook.promised) else np.full(len(w), np.nan)
        return cls(
            outlook.time + ahead, outlook.until + ahead, np.nan if unix is None else unix + outlook.time,
            np.array([outlook.label(k) for k in range(len(w))], np.str_),
            w.submit + ahead, w.processors, w.limit, outlook.starts + ahead, w.by_limits + ahead, promised + ahead,
        )  # fmt: skip

    def moved(self, by: float) -> Kept:
        """The same by a clock that is so much ahead (s)."""
        times = ("time", "until", "submit", "starts", "by_limits", "promised")
        return Kept(**{name: value + by if name in times else value for name, value in vars(self).items()})


def labels(log: Trace) -> list[str]:
    """What users call the jobs of a log."""
    names = log.names.get("id", {})
    return [names.get(number, str(number)) for number in log.id.tolist()]


def keep(outlook: Outlook, path: Path, now: float | None = None) -> None:
    """Write the draws of a forecast."""
    np.savez_compressed(path, version=VERSION, **vars(Kept.of(outlook, now)))


def kept(folder: Path) -> Kept:
    """The draws in a folder of ``thinktime now --out``; ``ValueError`` if there are none, or they are damaged."""
    path = folder / "starts.npz"
    if not path.is_file():
        raise ValueError(f"{shortened(folder)} has no starts.npz; it must be a folder of 'thinktime now --out'")
    try:
        with np.load(path, allow_pickle=False) as file:
            found: dict[str, Any] = {name: file[name] for name in ARRAYS}
    except (OSError, ValueError, KeyError, EOFError, BadZipFile, zlib.error) as error:
        raise ValueError(f"{shortened(path)} is damaged, or no file of a forecast") from error
    if int(found.pop("version")) != VERSION:
        raise ValueError(f"{shortened(path)} is of another version of thinktime")
    jobs = len(found["label"])
    if found["starts"].ndim != 2 or any(found[name].shape[-1:] != (jobs,) for name in ARRAYS[4:]):
        raise ValueError(f"{shortened(path)} is damaged: its columns have different lengths")
    return Kept(**found | {name: float(found[name]) for name in ("time", "until", "unix")})


def forecast_in(folder: Path) -> dict[str, Any]:
    """The object of ``--json`` in a folder of ``thinktime now --out``; ``ValueError`` if it is damaged."""
    path = folder / "now.json"
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if {"jobs", "use", "time", "until", "unix_start", "zone", "run_times_told"} <= found.keys():
            return found
    except (OSError, ValueError, AttributeError) as error:
        raise ValueError(f"{shortened(path)} is damaged, or no file of a forecast") from error
    raise ValueError(f"{shortened(path)} is of another version of thinktime")
