"""Parse values as Slurm writes them. `Unknown`, `None` and empty strings become None.

Other values that cannot be parsed raise a `ValueError` with what was found and what is expected.
"""

import datetime
import re
from dataclasses import dataclass
from functools import lru_cache

from thinktime.workloads.names import quoted

NONE = frozenset({"", "unknown", "none", "invalid", "not_set", "n/a", "(null)", "none assigned"})
UNLIMITED = frozenset({"unlimited", "partition_limit", "infinite"})
"""Time limits that are missing: there is none, or it is the partition's, which sacct does not list."""

_DAYS = re.compile(r"(\d+)-(\d+)(?::(\d+))?(?::(\d+(?:\.\d+)?))?")
_CLOCK = re.compile(r"(?:(\d+):)?(\d+):(\d+(?:\.\d+)?)")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_MEMORY = re.compile(r"(\d+(?:\.\d+)?)([KMGTPE]?)(?:I?B)?([NC]?)\??", re.IGNORECASE)
_KILO = {"": 0, "K": 0, "M": 1, "G": 2, "T": 3, "P": 4, "E": 5}
LATEST = 253_402_300_800.0
"""The end of the year 9999 (Unix time, s), the last date; also the longest duration."""
MOST = 2**53
"""The largest count: beyond it floats skip whole numbers."""
_JOB = re.compile(r"(\d{1,15}(?:_(?:\d{1,15}|\[[^\]]*\]?))?(?:\+\d{1,15})?)(?:\.(.+))?")

FAILED, COMPLETED, CANCELLED, OPEN = 0, 1, 5, -1
STATES = {
    "COMPLETED": COMPLETED, "CD": COMPLETED,
    "CANCELLED": CANCELLED, "CA": CANCELLED, "REVOKED": CANCELLED, "RV": CANCELLED,
    "FAILED": FAILED, "F": FAILED, "TIMEOUT": FAILED, "TO": FAILED, "DEADLINE": FAILED, "DL": FAILED,
    "NODE_FAIL": FAILED, "NF": FAILED, "BOOT_FAIL": FAILED, "BF": FAILED, "OUT_OF_MEMORY": FAILED, "OOM": FAILED,
    "PREEMPTED": FAILED, "PR": FAILED, "REQUEUED": FAILED, "RQ": FAILED, "LAUNCH_FAILED": FAILED,
    "RECONFIG_FAIL": FAILED, "SPECIAL_EXIT": FAILED, "SE": FAILED,
    "RUNNING": OPEN, "R": OPEN, "PENDING": OPEN, "PD": OPEN, "SUSPENDED": OPEN, "S": OPEN, "RESIZING": OPEN,
    "RS": OPEN, "COMPLETING": OPEN, "CG": OPEN, "CONFIGURING": OPEN, "CF": OPEN, "STOPPED": OPEN, "ST": OPEN,
    "STAGE_OUT": OPEN, "SO": OPEN, "SIGNALING": OPEN, "SI": OPEN, "REQUEUE_HOLD": OPEN, "RH": OPEN,
    "REQUEUE_FED": OPEN, "RF": OPEN, "RESV_DEL_HOLD": OPEN, "RD": OPEN,
    "EXPEDITING": OPEN,
}  # fmt: skip
"""SWF's status for each state; −1 for a job that has not ended."""


@dataclass(frozen=True, slots=True)
class Memory:
    """An amount of memory in KB, per job, node or CPU."""

    amount: float
    per: str
    """`job`, `node` or `cpu`."""


def absent(text: str) -> bool:
    """Whether a text means that there is no value."""
    return text.strip().lower() in NONE


def duration(text: str, plain: float = 1.0) -> float | None:
    """A duration in s: `[D-]HH:MM:SS[.mmm]`, `MM:SS.mmm`, `D-HH[:MM]`, or a number in units of `plain` s.

    >>> duration("1-02:03:04"), duration("02:03.500"), duration("Unknown"), duration("90", plain=60)
    (93784.0, 123.5, None, 5400.0)
    """
    text = text.strip()
    if absent(text) or text.lower() in UNLIMITED:
        return None
    seconds = _seconds(text, plain)
    if seconds > LATEST:
        raise ValueError(f"{quoted(text)} is not a duration of less than 8,000 years")
    return seconds


def _seconds(text: str, plain: float) -> float:
    if match := _DAYS.fullmatch(text):
        days, hours, minutes, seconds = (float(part or 0) for part in match.groups())
        return 86_400 * days + 3_600 * hours + 60 * minutes + seconds
    if match := _CLOCK.fullmatch(text):
        hours, minutes, seconds = (float(part or 0) for part in match.groups())
        return 3_600 * hours + 60 * minutes + seconds
    if _NUMBER.fullmatch(text):
        return float(text) * plain
    raise ValueError(f"{quoted(text)} is not a duration such as 1-02:03:04")


def count(text: str) -> int | None:
    """A whole number, which Slurm may abbreviate (`1K` is 1,000 CPUs); 0 means none, as in a job that never ran.

    >>> count("64"), count("0"), count("2K")
    (64, None, 2000)
    """
    text = text.strip()
    if absent(text):
        return None
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([KMG]?)", text, re.IGNORECASE)
    if not match:
        raise ValueError(f"{quoted(text)} is not a number")
    number = float(match[1]) * 1000 ** ("", "K", "M", "G").index(match[2].upper())
    if number > MOST:
        raise ValueError(f"{quoted(text)} is not a number of at most 2^53")
    return round(number) or None


def memory(text: str, plain: str = "M") -> Memory | None:
    """An amount of memory: `4000M`, `2.5Gn` (per node), `4Gc` (per CPU); `plain` is the default unit.

    >>> memory("4Gc"), memory("1024", plain="K"), memory("0n")
    (Memory(amount=4194304.0, per='cpu'), Memory(amount=1024.0, per='job'), None)
    """
    text = text.strip()
    if absent(text):
        return None
    match = _MEMORY.fullmatch(text)
    if not match:
        raise ValueError(f"{quoted(text)} is not an amount of memory such as 4000M")
    unit = match[2].upper() or plain
    amount = float(match[1]) * (1024 ** _KILO[unit] if unit != "B" else 1 / 1024)
    return Memory(amount, {"N": "node", "C": "cpu", "": "job"}[match[3].upper()]) if amount else None


def tres(text: str) -> dict[str, str]:
    """Trackable resources, such as `cpu=4,mem=16G,node=1,gres/gpu=2`, by name."""
    pairs = (item.partition("=") for item in text.split(",") if "=" in item)
    return {name.strip().lower(): value.strip() for name, _, value in pairs}


def state(text: str) -> str:
    """The name of a state: `CANCELLED` for `CANCELLED by 1000` and for the truncated `CANCELLED+`."""
    first = text.split()[0] if text.split() else ""
    return first.upper().rstrip("+")


def job_and_step(text: str) -> tuple[str, str | None]:
    """A job's number as Slurm writes it, and the name of the step if the line is that of a step.

    >>> job_and_step("123_4.batch"), job_and_step("123+1"), job_and_step("9.0")
    (('123_4', 'batch'), ('123+1', None), ('9', '0'))
    """
    match = _JOB.fullmatch(text.strip())
    if not match:
        raise ValueError(f"{quoted(text)} is not a job number such as 123, 123_4 or 123.batch")
    return match[1], match[2]


class SiteClock:
    """From the local times of a site to Unix times (s).

    When clocks are set back in autumn, an hour repeats and its times are ambiguous: `moments` returns both, in
    order. A plain number (`SLURM_TIME_FORMAT=%s`) is a Unix time, and an offset in the text is respected.
    """

    def __init__(self, zone: datetime.tzinfo) -> None:
        self.zone = zone
        self.local = False
        """Whether a time was local, so that the zone mattered."""
        self.moments = lru_cache(maxsize=65_536)(self._moments)

    def _moments(self, text: str) -> tuple[float, ...]:
        """The Unix times that a text may mean: none, one, or two."""
        text = text.strip()
        if absent(text):
            return ()
        if _NUMBER.fullmatch(text):
            if float(text) >= LATEST:
                raise ValueError(f"{quoted(text)} is not a time before the year 10000")
            return (float(text),)
        try:
            local = datetime.datetime.fromisoformat(text)
        except ValueError:
            raise ValueError(f"{quoted(text)} is not a time such as 2024-05-31T08:30:00") from None
        if local.tzinfo is not None:
            return (local.timestamp(),)
        self.local = True
        both = (local.replace(tzinfo=self.zone, fold=fold).timestamp() for fold in (0, 1))
        return tuple(dict.fromkeys(both))
