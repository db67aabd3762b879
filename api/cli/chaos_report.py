"""What is told of what shaking does to the numbers of a replay."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from thinktime.analysis.json_values import attributes, or_none, without_nan
from thinktime.cli.layout import duration, number, titled

if TYPE_CHECKING:
    from rich.table import Table

    from thinktime.analysis.chaos import Chaos

SHOWN = ("mean_wait", "mean_bounded_slowdown_10")
COLUMNS = ("wait\nlog", "\nshaken", "\nfloor", "slowdown\nlog", "\nshaken", "\nfloor")
PLUS_MINUS = "\N{PLUS-MINUS SIGN}"
MINUS = "\N{MINUS SIGN}"


def page(found: Chaos) -> Iterator[Table | str]:
    """Each policy's numbers, and the differences from the first, with their floors."""
    yield ""
    yield _policies(found)
    if len(found.values) > 1:
        yield _differences(found)
    yield (
        f"Shaken {found.logs} times: run times and times between submissions moved by up to {100 * found.share:g} %; "
        f"floor: standard deviation over these replays; {PLUS_MINUS}: 95 % of the mean difference (t, the same shaken "
        "logs under both policies); one sign: replays in which it has the sign of the mean."
    )


def values(found: Chaos) -> dict[str, Any]:
    """The same as plain values, for all metrics; differences are from the first policy."""
    from thinktime.analysis.chaos import METRICS

    first, *others = found.values
    names = ("logged", "mean", "floor", "low", "high")
    policies = {
        policy: {metric: attributes(found.floor(policy, metric), *names) for metric in METRICS}
        for policy in found.values
    }
    differences = []
    for policy in others:
        for metric in METRICS:
            floor, difference = found.difference(policy, first, metric)
            interval = attributes(difference.interval, "mean", "low", "high")
            row = {"first": policy, "second": first, "metric": metric, **attributes(floor, "logged", "floor")}
            differences.append(row | {"difference": interval, "significant": difference.significant()})
    shaken: dict[str, Any] = without_nan({"policies": policies, "differences": differences})
    return {"logs": found.logs, "share": found.share, **shaken}


def _policies(found: Chaos) -> Table:
    table = titled("Shaken", "policy", *COLUMNS)
    for policy in found.values:
        wait, slow = (found.floor(policy, metric) for metric in SHOWN)
        waits = (duration(or_none(each)) for each in (wait.logged, wait.mean, wait.floor))
        table.add_row(policy, *waits, *(number(or_none(each), 1) for each in (slow.logged, slow.mean, slow.floor)))
    return table


def _differences(found: Chaos) -> Table:
    first, *others = found.values
    table = titled(f"Slowdown less that of {first}", "policy", "log", "shaken", "floor", "one sign")
    for policy in others:
        floor, difference = found.difference(policy, first, SHOWN[1])
        interval = difference.interval
        signs = (found.values[policy][SHOWN[1]] > found.values[first][SHOWN[1]]) == (interval.mean > 0)
        shaken = f"{_signed(interval.mean)} {PLUS_MINUS} {number(interval.half, 1)}"
        table.add_row(policy, _signed(floor.logged), shaken, number(floor.floor, 1), f"{signs.sum()} of {found.logs}")
    return table


def _signed(value: float) -> str:
    return f"{value:+,.1f}".replace("-", MINUS)
