"""Reservations to come, and nodes that are down or drained, as windows of a machine.

A reservation is for the jobs that ask for it, and with the flag MAGNETIC for all jobs of its users, and of those of its
accounts; jobs that run when it begins run on. Nodes that are down
or drained are so until further notice, since it is unknown when they come back.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import inf
from pathlib import Path

from thinktime.models.site.site import Site
from thinktime.models.snapshot.clock import Clock
from thinktime.models.snapshot.records import IGNORED, READ, UNKNOWN, Record, Report, records
from thinktime.workloads.changes.windows import Window
from thinktime.workloads.host_lists import expand

RESERVATIONS = "reservations.txt"
NOT_MODELLED = frozenset({"FLEX", "PURGE_COMP", "DAILY", "WEEKLY", "HOURLY", "WEEKDAY", "WEEKEND"})
"""Flags of reservations."""
AWAY = re.compile(r"DOWN|DRAIN|FAIL|NOT_RESPONDING|REBOOT")
"""States of nodes on which nothing starts."""
SAVING = re.compile(r"POWERED_DOWN|POWERING|POWER_DOWN|[~#%]$")


Members = Mapping[str, Sequence[int]]
"""The machine's numbers of the jobs that ask for each reservation, by its name."""


def windows_of(
    folder: Path, site: Site, clock: Clock, times: tuple[float, float], members: Members, report: Report
) -> tuple[Window, ...]:
    """The windows of a machine that goes on from a second; each node is in one at a time.

    ``times`` are the Unix time of second 0, and that second.
    """
    taken: list[Window] = []
    for window in [*_away(folder, site, times[1], report), *_reservations(folder, site, clock, times, members, report)]:
        at_once = {name for each in taken if _overlap(each, window) for name in nodes_of(each)}
        own = tuple(name for name in nodes_of(window) if name not in at_once)
        if len(own) < len(nodes_of(window)):
            report.add(IGNORED, "reservations on nodes that are down, or reserved otherwise: the others count")
        if own:
            taken.append(replace(window, processors=own))
    return tuple(taken)


def nodes_of(window: Window) -> tuple[str, ...]:
    """The names of the nodes that a window of a snapshot takes."""
    assert isinstance(window.processors, tuple)
    return window.processors


def _overlap(one: Window, other: Window) -> bool:
    return one.start < other.end and other.start < one.end


def _away(folder: Path, site: Site, time: float, report: Report) -> Iterator[Window]:
    found = []
    for record in records(folder / "nodes.txt", "scontrol -o show node", "NodeName"):
        state = record["state"].upper()
        if SAVING.search(state):
            report.add(IGNORED, "nodes in power saving: taken as ready", record.where)
        elif AWAY.search(state):
            report.add(READ, "nodes that are down or drained: until further notice", record.where)
            found += [name for name in expand(record["nodename"]) if name in site.nodes.numbers]
    if found:
        yield Window(time + 1, inf, tuple(found), rule="wait")


def begins(folder: Path, clock: Clock) -> dict[str, float]:
    """When each reservation that is not over begins, or has begun (Unix time, s), by its name."""
    path = folder / RESERVATIONS
    told = records(path, "scontrol -o show reservation", "ReservationName") if path.exists() else []
    found = {record["reservationname"]: clock.time(record, "starttime") for record in told}
    return {name: start for name, start in found.items() if start is not None}


def _reservations(
    folder: Path, site: Site, clock: Clock, times: tuple[float, float], members: Members, report: Report
) -> Iterator[Window]:
    zero, time = times
    path = folder / RESERVATIONS
    if not path.exists():
        report.add(UNKNOWN, f"reservations, since {RESERVATIONS} is missing")
        return
    for record in records(path, "scontrol -o show reservation", "ReservationName"):
        start, end = clock.time(record, "starttime"), clock.time(record, "endtime")
        if start is None or end is None or end <= max(start, zero + time + 1):
            continue
        names = [name for name in expand(record["nodes"]) if name in site.nodes.numbers] if record["nodes"] else []
        if not names:
            report.add(IGNORED, "reservations of no nodes (licences, burst buffers)", record.where)
            continue
        cores = record.whole("corecnt")
        if cores and cores < sum(site.nodes.capacity[site.nodes.numbers[name], 0] for name in names):
            report.add(IGNORED, "reservations of some cores of their nodes: the whole nodes are reserved", record.where)
        flags = set(record["flags"].upper().split(","))
        for flag in sorted(flags & NOT_MODELLED):
            report.add(IGNORED, f"reservations with the flag {flag}: once, and as they stand", record.where)
        users = tuple(dict.fromkeys(_users(record, site))) if "MAGNETIC" in flags else ()
        jobs, begin = tuple(members.get(record["reservationname"], ())), max(start - zero, time + 1)
        report.add(READ, "reservations", record.where)
        yield Window(begin, end - zero, tuple(dict.fromkeys(names)), users=users, jobs=jobs, rule="wait")


def _users(record: Record, site: Site) -> Iterator[str]:
    """Who may use a reservation, but for root, who has no jobs."""
    listed = [name for name in record["users"].split(",") if name and name != "root"]
    accounts = [name.lower() for name in record["accounts"].split(",") if name]
    if any(name.startswith("-") for name in (*listed, *accounts)):
        barred = {name[1:] for name in (*listed, *accounts) if name[0] == "-"}
        own = (each for each in site.accounts.users if each.account not in barred)
        yield from (each.user for each in own if each.user and each.user not in barred)
        return
    yield from listed
    yield from (each.user for each in site.accounts.users if each.user and each.account in accounts)
