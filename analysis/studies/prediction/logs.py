"""One-step prediction on real logs: what their users really react to, beside worlds in which nobody reacts.

The worlds of this study rank the modes *given* a family of users. Which family is real, only logs can say: how many
users submit when a result arrives, whether the clock moves them, and what the wait says of their next batch beyond all
else (`thinktime.analysis.diagnosis`). Of the wait, only what exceeds the null is reaction, so both are always shown.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import thinktime as tt
from thinktime.analysis.diagnosis import NUMBERS, QUICK, diagnose
from thinktime.analysis.statistics import Estimate
from thinktime.analysis.study import NONE, Table

SHOWN = {"jump": ("jump", 2), "clock_gain": ("clock\n(nats)", 3), "wait_gain": ("wait\n(nats)", 3)}
"""The headings and decimals of what the table shows."""


@dataclass(frozen=True, slots=True)
class Diagnosed:
    """The diagnosis of one log: each number with its interval, in the log and where nobody reacts."""

    log: Mapping[str, Estimate]
    """By the names of `NUMBERS`."""
    null: Mapping[str, Estimate]
    """In worlds of users who look at no result."""
    placebo: Mapping[str, Estimate]
    """With ends that nobody saw."""
    scored: int
    """How many gaps between batches were scored."""
    around_end: tuple[float, ...]
    """How often users submit, by minute around the end of a job."""
    around_end_null: tuple[float, ...]
    sentence: str
    """Which mode to trust."""

    def as_object(self) -> dict[str, Any]:
        """The numbers by name, those of null and placebo with that behind it, and all intervals."""
        sides = {"": self.log, "_null": self.null, "_placebo": self.placebo}
        values = {name + side: each for side, of in sides.items() for name, each in of.items()}
        intervals = {name: [each.low, each.high] for name, each in values.items() if each.low == each.low}
        numbers = {name: each.value for name, each in values.items()}
        return numbers | {"scored": self.scored, "intervals": intervals, "sentence": self.sentence}


@dataclass(frozen=True, slots=True)
class Run:
    """A log to diagnose."""

    log: tt.Trace
    seed: int
    quick: bool = False

    def perform(self) -> Diagnosed:
        """Diagnose the log, and keep the numbers that the study shows."""
        found = diagnose(self.log, seed=self.seed, **(QUICK if self.quick else {}))
        return Diagnosed(
            log={name: found.value(name) for name in NUMBERS},
            null={name: found.null(name) for name in NUMBERS},
            placebo={name: found.with_placebo(name) for name in NUMBERS},
            scored=found.log.gains.scored,
            around_end=tuple(found.log.profile.tolist()),
            around_end_null=tuple(found.null_profile.tolist()),
            sentence=found.trust.sentence,
        )


def name_of(path: str) -> str:
    """What a log is called: its file without suffixes.

    >>> name_of("logs/KTH-SP2-1996-2.1-cln.swf.gz")
    'KTH-SP2-1996-2.1-cln'
    """
    return Path(path).name.removesuffix(".gz").removesuffix(".swf")


def table(logs: Mapping[str, Mapping[str, Any]]) -> Table:
    """What logs say of their users, from their objects: three rows for each."""
    shown = Table("What real logs say of their users", "log", *(heading for heading, _ in SHOWN.values()), whole=True)
    shown.numbers("gaps")
    for name, each in logs.items():
        shown.row(name, *_cells(each, ""), f"{each['scored']:,}")
        shown.row("  if nobody reacted", *_cells(each, "_null"))
        shown.row("  with ends nobody saw", *_cells(each, "_placebo"))
    return shown


def _cells(numbers: Mapping[str, Any], side: str) -> list[str]:
    return [_interval(numbers, name + side, digits) for name, (_, digits) in SHOWN.items()]


def _interval(numbers: Mapping[str, Any], name: str, digits: int) -> str:
    value, ends = numbers[name], numbers["intervals"].get(name)
    if value != value:
        return NONE
    return f"{value:.{digits}f}" + ("" if ends is None else f" [{ends[0]:.{digits}f}, {ends[1]:.{digits}f}]")
