"""What accounts, users and QOS had used at a snapshot, what fair shares they had, and when priorities last changed.

`scontrol show assoc_mgr` has usage to hundredths; sshare has it in whole numbers, and fair shares to six digits.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from math import ceil
from pathlib import Path

from thinktime.models.site.slurm.values import MB
from thinktime.models.site.usage import Usage
from thinktime.models.snapshot.clock import Clock
from thinktime.models.snapshot.records import READ, REPAIRED, UNKNOWN, Record, Report, pairs, table
from thinktime.workloads.names import shortened
from thinktime.workloads.text_files import text_of
from thinktime.workloads.units import MINUTE

Key = tuple[str, str | None, str | None]
"""An association: account, user (None: the account itself), partition (None: all)."""
ASSOCIATIONS, SHARES, PRIORITIES, NORMAL = "assoc_mgr.txt", "sshare.psv", "sprio.txt", "sprio_norm.txt"
_USED = re.compile(r"([\w/:.-]+)=(?:N|\d+)\((\d+)\)")
NEAR = 0.05
"""An account has used nothing by itself if its usage differs by so little from that of all below it, for each."""


@dataclass(slots=True)
class Used:
    """Usage (billing times seconds) of associations with all below them, fair shares, and seconds of each resource."""

    amounts: dict[Key, float] = field(default_factory=dict)
    shares: dict[Key, float] = field(default_factory=dict)
    seconds: dict[Key | str, dict[str, float]] = field(default_factory=dict)
    """Seconds of resources that associations, and QOS by their names, have used."""

    def usage(self) -> tuple[Usage, ...]:
        """As a site has it: those in single partitions are added to those in all."""
        found: dict[tuple[str, str | None], float] = {}
        for (account, user, _), amount in self.amounts.items():
            found[account, user] = found.get((account, user), 0.0) + amount
        return tuple(Usage(account, user, amount) for (account, user), amount in found.items() if amount)


def read_used(folder: Path, report: Report) -> Used:
    """The decayed use of associations, from the tables in a folder."""
    found = Used()
    if (folder / ASSOCIATIONS).exists():
        _read_associations(folder / ASSOCIATIONS, found)
    if (folder / SHARES).exists():
        for row in table(folder / SHARES, ("account", "user", "rawusage", "fairshare"), "sshare -a -l -P"):
            key = row["account"].lower(), row["user"] or None, row["partition"] or None
            if not (folder / ASSOCIATIONS).exists():
                found.amounts[key] = row.number("rawusage")
            if row["user"] and row["fairshare"]:
                found.shares[key] = row.number("fairshare")
    if not (folder / ASSOCIATIONS).exists():
        what = f"usage is in whole numbers, since {ASSOCIATIONS} is missing"
        report.add(REPAIRED if found.amounts else UNKNOWN, what if found.amounts else "what accounts have used")
    if not found.shares:
        report.add(UNKNOWN, f"fair shares of the last tick, since {SHARES} is missing: they are computed")
    report.add(READ, "usages of accounts and users", "", len(found.amounts))
    return found


def _read_associations(path: Path, found: Used) -> None:
    for number, line in enumerate(text_of(path).splitlines(), start=1):
        if not line.startswith(("ClusterName=", "QOS=")):
            continue
        record = Record(f"{path.name}, line {number}", pairs(line.partition(" Account Limits=")[0]))
        if "usageraw/norm/efctv" not in record and "usageraw" not in record:
            raise ValueError(f"{record.where}: there is no usage; the file is cut off, or of another command")
        resources = {name: MINUTE * float(used) for name, used in _USED.findall(record["grptresmins"])}
        resources |= {"mem": MB * resources["mem"]} if "mem" in resources else {}
        if wall := re.search(r"\(([\d.]+)\)", record["grpwall"]):
            resources["seconds"] = MINUTE * float(wall[1])
        if "usageraw" in record:
            found.seconds[record["qos"].partition("(")[0].lower()] = resources
            continue
        user = record["username"].partition("(")[0] or None
        key = record["account"].lower(), user, record["partition"] or None
        given = Record(record.where, {"usage": record["usageraw/norm/efctv"].split("/")[0]})
        amount = given.number("usage")
        if abs(amount - resources.get("cpu", -MINUTE)) < MINUTE:  # told in whole minutes
            resources["cpu"] = amount
        found.amounts[key], found.seconds[key] = amount, resources


# -- when priorities change -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Told:
    """What sprio says of a job in a partition: its priority, and its points by factor."""

    label: str
    partition: str
    priority: float
    points: Mapping[str, float]
    where: str


def read_priorities(path: Path) -> list[Told]:
    """What `sprio -l` says of each waiting job; nothing if there is no such file."""
    if not path.exists():
        return []
    lines = text_of(path).splitlines()
    if not lines:
        raise ValueError(f"{path.name} is empty; it should be the output of 'sprio -l'")
    heads = [name.upper() for name in lines[0].split()]
    for name in ("JOBID", "PRIORITY"):
        if name not in heads:
            raise ValueError(f"{path.name}, line 1: there is no column {name} in this heading; make it with 'sprio -l'")
    factors = {name: place for place, name in enumerate(heads) if place > heads.index("PRIORITY")}
    found = []
    for number, line in enumerate(lines[1:], start=2):
        cells, where = line.split(), f"{path.name}, line {number}"
        if not cells:
            continue
        try:
            priority = float(cells[heads.index("PRIORITY")])
            points = {name: float(cells[k]) for name, k in factors.items() if k < len(cells) and name != "TRES"}
        except (ValueError, IndexError):
            raise ValueError(f"{where}: this is no line of 'sprio -l': {shortened(line.strip(), 40)!r}") from None
        partition = cells[heads.index("PARTITION")] if "PARTITION" in heads[: heads.index("PRIORITY")] else ""
        found.append(Told(cells[0], partition, priority, points, where))
    return found


def last_tick(
    folder: Path, ages: Mapping[str, float], clock: Clock, time: float, rules: object, report: Report
) -> float:
    """When priorities last changed (Unix time, s), a full second.

    sprio says how many points each job has for its age, which is its age at that time: the time that is within the
    rounding of most jobs. ``ages`` are the times since which the jobs' ages count, by their labels.
    """
    weight, longest, period = (float(getattr(rules, name)) for name in ("age", "max_age", "calc_period"))
    exact = read_priorities(folder / NORMAL)
    told = exact or read_priorities(folder / PRIORITIES)
    spans = []
    for each in told:
        since, points = ages.get(each.label), each.points.get("AGE", 0.0)
        if since is None or not points or not (exact or weight):
            continue
        unit = longest if exact else longest / weight
        half = 5e-8 * longest if exact else unit / 2
        if points * unit + 2 * half < longest:  # else it may be older
            spans.append((since + points * unit - half, since + points * unit + half))
    best = _most_common([span for span in spans if time - period < span[1] and span[0] <= time])
    if best is not None:
        earliest, latest, agreeing = best
        tick = float(ceil(earliest)) if latest - earliest <= 1 else round((earliest + latest) / 2)
        tick = max(min(tick, time), time - period)
        what = f"the last change of priorities, by the ages of {agreeing} of {len(spans)} jobs"
        report.add(READ, what if latest - earliest <= 1 else f"{what}, known to {latest - earliest:,.0f} s")
        return tick
    boot = _boot_time(folder)
    report.add(UNKNOWN, "when priorities last changed: taken as whole periods after the scheduler's start")
    return time - (time - boot) % period


def _most_common(spans: list[tuple[float, float]]) -> tuple[float, float, int] | None:
    """The interval that lies in the most spans, and in how many."""
    steps = sorted([*((begin, 1) for begin, _ in spans), *((end, -1) for _, end in spans)])
    if not steps:
        return None
    level, best = 0, (0.0, 0.0, 0)
    for (at, step), (after, _) in pairwise([*steps, (steps[-1][0], 0)]):
        level += step
        if level > best[2]:
            best = at, after, level
    return best


def _boot_time(folder: Path) -> float:
    path = folder / "config.txt"
    found = re.search(r"BOOT_TIME\s*= (\d+)", text_of(path)) if path.exists() else None
    return float(found[1]) if found else 0.0
