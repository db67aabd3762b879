"""The inputs of `thinktime expectations`: a log, a machine (perhaps of nodes), and a capacity rule."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from thinktime.cli.inputs import MOST_PROCESSORS, whole
from thinktime.cli.policy_runs import replayed
from thinktime.cli.progress import StatusOutput
from thinktime.cli.workload import Choice
from thinktime.workloads.names import quoted, shortened

if TYPE_CHECKING:
    from thinktime.analysis.expectations.capacity import Capacity
    from thinktime.analysis.expectations.evaluated_site import Site
    from thinktime.models.results.result import Result

MOST_MEMORY = 2**62 - 1
"""The largest memory that may be given as a capacity (bytes)."""


Named = Iterator[tuple[str, "Result"]]
"""Schedules, each with its name."""


def results(site: Site, choices: Sequence[Choice], recorded: bool, overrun: str, status: StatusOutput) -> Named:
    """The recorded schedule, if wanted, then that of each policy."""
    if recorded:
        yield "recorded", site.recorded()
    for choice in choices:
        yield choice[0], replayed(site, choice, overrun, status).result


def capacity_of(rule: str, of_users: list[str], shares: list[str], fairshare: bool) -> Capacity:
    """The capacity rule given by the options."""
    from thinktime.analysis.expectations.capacity import Capacity

    given = {user: _units("--capacity-of", text) for user, text in (_pair("--capacity-of", each) for each in of_users)}
    weights = {user: _weight(text) for user, text in (_pair("--share", each) for each in shares)}
    if weights and rule != "shares":
        raise ValueError(f"--share needs --capacity shares, not --capacity {shortened(rule)}")
    if rule in ("active", "users", "shares"):
        return Capacity(rule, None, given, weights, fairshare)
    if not re.match(r"\d", rule):
        raise ValueError(
            "--capacity must be active, users, shares or N[,MEMORY][,NAME=K], such as 8,64gb,gpus=1, not "
            f"{quoted(rule)}"
        )
    return Capacity("constant", _units("--capacity", rule), given, weights, fairshare)


def _pair(option: str, text: str) -> tuple[Any, str]:
    user, equals, value = text.partition("=")
    if not equals or not user or not value:
        raise ValueError(f"{option} must be USER=VALUE, not {quoted(text)}")
    return (int(user) if re.fullmatch(r"-?\d+", user) else user), value


def _units(option: str, text: str) -> dict[str, int]:
    """Amounts by resource.

    >>> _units("--capacity", "8,64gb,gpus=1")
    {'processors': 8, 'memory': 68719476736, 'gpus': 1}
    """
    processors, *more = text.split(",")
    found = {"processors": whole(option, processors, MOST_PROCESSORS)}
    for part in more:
        name, equals, amount = part.partition("=")
        key, value = (name, whole(option, amount)) if equals else ("memory", _bytes(option, part))
        if not key or key in found:
            raise ValueError(f"{option} {quoted(text)}: each resource must be named once, as in 8,64gb,gpus=1")
        found[key] = value
    return found


def _bytes(option: str, text: str) -> int:
    from thinktime.workloads.node_requests import amount

    try:
        number = amount("memory", text)
    except ValueError:
        number = 0
    if not 0 < number <= MOST_MEMORY:
        raise ValueError(
            f"{option}: memory must be bytes, or a number with kb, mb, gb or tb, below 2^62 bytes, not {quoted(text)}"
        )
    return number


def _weight(text: str) -> float:
    try:
        weight = float(text)
    except ValueError:
        weight = 0.0
    if not 0 < weight < float("inf"):
        raise ValueError(f"--share: a share must be a number above 0, not {quoted(text)}")
    return weight
