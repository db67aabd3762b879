"""A page of a forecast: the queue with interval bars over time, and the expected use of the machine, in one file.

Once it is known what came, the same page shows that beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import tzinfo
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo, available_timezones

import numpy as np
from markupsafe import Markup

from thinktime.analysis.now.kept import labels
from thinktime.analysis.now.outlook import ARRIVING, Outlook, passed
from thinktime.analysis.now.told import Clocked, between, clock, present, values
from thinktime.analysis.pages.page import rendered
from thinktime.workloads.arrays import Floats
from thinktime.workloads.html import Page
from thinktime.workloads.trace import Trace
from thinktime.workloads.units import counted, in_two_units

MOST = 300
"""So many jobs have a bar; the JSON has all."""
WIDTH, HEIGHT = 480, 120
TICKS = 6


def page(outlook: Outlook, title: str, user: str | None = None) -> Page:
    """The page; ``user``: only the jobs of one."""
    told = values(outlook, user)
    return _rendered(told, outlook, title, None)


class Since(NamedTuple):
    """The span of a forecast, and its clock."""

    time: float
    until: float
    unix_start: float | None
    zone: tzinfo


def came(told: Mapping[str, Any], log: Trace, title: str) -> Page:
    """What was forecast (the object of ``--json``) and what came, as a later log has it."""
    dated = told["unix_start"] is not None and log.unix_start is not None
    ahead = told["unix_start"] - log.unix_start if dated else 0.0
    begun = log.submit + np.nan_to_num(log.wait, nan=0.0).clip(min=0.0) - ahead
    start = dict(zip(labels(log), np.where(log.withdrawn, np.nan, begun).tolist(), strict=True))
    zone = ZoneInfo(told["zone"]) if told["zone"] in available_timezones() else log.zone
    since = Since(told["time"], told["until"], told["unix_start"], zone)
    ran = np.flatnonzero(~log.withdrawn & (log.runtime > 0))
    moments, width = np.array(told["use"]["times"]), log.processors[ran]
    use = passed(begun[ran], width, moments) - passed(begun[ran] + log.runtime[ran], width, moments)
    return _rendered(told, since, title, Came(start, use))


class Came(NamedTuple):
    """What came: when jobs started (s; NaN: taken back), by what users call them, and the processors in use."""

    start: Mapping[str, float]
    use: Floats


def _rendered(told: Mapping[str, Any], since: Clocked, title: str, found: Came | None) -> Page:
    shown = told["jobs"][:MOST]
    near = since if found is not None else _near(since, [job["intervals"]["95%"][1] for job in shown])
    jobs = [_row(job, since, near, found) for job in shown]
    left, count = len(told["jobs"]) - len(jobs), len(told["jobs"])
    axis, bars = (
        [clock(each, time) for time in np.linspace(each.time, each.until, TICKS).tolist()] for each in (since, near)
    )
    wait = ("waited" if found else "waits" if count == 1 else "wait"), "Then it was" if found else "Now it is"
    held = [job["held"] for job in jobs if job["held"] is not None]
    return Page(
        rendered(
            "thinktime.analysis.now",
            title=title,
            facts=f"{wait[1]} {present(since)}. {counted(count, 'job')} {wait[0]}; {told['draws']:,} draws up to "
            f"{clock(since, since.until)}; who comes: {ARRIVING.get(told.get('arrivals', ''), 'unknown')}.",
            jobs=jobs,
            left=f"{counted(left, 'more job')} in the JSON file" if left else "",
            axis=axis,
            bars=bars,
            use=_use(told, since, found),
            processors=told["processors"],
            notes=told["notes"],
            run_times=told["run_times_told"],
            came=None if found is None else f"80 % intervals hold {sum(held)} of {counted(len(held), 'start')}.",
        )
    )


def _near(since: Clocked, highs: Sequence[float | None]) -> Clocked:
    """The part of a span in which the bars are that end in it: they have all of the width."""
    known = [high for high in highs if high is not None]
    last = since.time + 1.05 * (max(known) - since.time) + 60.0 if known else np.inf
    return Since(since.time, min(since.until, last), since.unix_start, since.zone)


def _row(job: Mapping[str, Any], since: Clocked, near: Clocked, found: Came | None) -> dict[str, Any]:
    ends = {share: [np.inf if each is None else each for each in both] for share, both in job["intervals"].items()}
    known = job["taken_back"] < 1.0
    median = np.nan if not known else np.inf if job["median"] is None else job["median"]
    start = np.nan if found is None else found.start.get(job["id"], np.nan)
    (low, high), why = ends["80%"], job["why"].partition(":")[0]
    return {
        "id": job["id"], "user": job["user"] or "", "processors": job["processors"],
        "limit": "none" if job["limit"] is None else in_two_units(job["limit"]),
        "why": f"{why}, {job['ahead']:,} ahead" if job["ahead"] else why,
        "whole": f"{job['why']}; run time from {job['run_time_from']}",
        "median": clock(since, median),
        "told": [f"{share} {between(since, *both)}" for share, both in ends.items()] if known else [],
        "hour": _share(job["starts_within"]["1h"]), "day": _share(job["starts_within"]["24h"]),
        "came": "" if found is None else "–" if np.isnan(start) else clock(since, start),
        "held": None if np.isnan(start) or not known else bool(low <= min(start, since.until + 1) <= high),
        "bar": _bar(near, list(ends.values()) if known else [], median, start),
    }  # fmt: skip


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.0%}"


def _place(since: Clocked, time: float) -> float:
    """Where a time is, from 0 to `WIDTH`."""
    return WIDTH * min(1.0, max(0.0, (time - since.time) / (since.until - since.time)))


def _bar(since: Clocked, ends: Sequence[Sequence[float]], median: float, came: float) -> Markup:
    """Three nested intervals, the median, and what came."""
    parts = []
    for place, (low, high) in sorted(enumerate(ends), reverse=True):
        x, width = _place(since, low), _place(since, high) - _place(since, low)
        parts.append(f'<rect class="share-{place}" x="{x:.1f}" width="{max(width, 1.5):.1f}" y="3" height="10"/>')
    for name, time in (("median", median), ("came", came)):
        if not np.isnan(time):
            x = _place(since, time)
            parts.append(f'<line class="{name}" x1="{x:.1f}" x2="{x:.1f}" y1="1" y2="15"/>')
    return Markup(f'<svg viewBox="0 0 {WIDTH} 16" role="img" preserveAspectRatio="none">{"".join(parts)}</svg>')


def _use(told: Mapping[str, Any], since: Clocked, found: Came | None) -> Markup:
    """The processors in use over time: the median and the middle 80 % of the draws, and what came."""
    use = told["use"]
    x = [_place(since, time) for time in use["times"]]

    def line(values: Sequence[float]) -> list[str]:
        return [f"{a:.1f},{HEIGHT * (1 - b / told['processors']):.1f}" for a, b in zip(x, values, strict=True)]

    band = " ".join([*line(use["high"]), *reversed(line(use["low"]))])
    lines = {"middle": use["median"]} | ({} if found is None else {"came": found.use.tolist()})
    text = "".join(f'<polyline class="{name}" points="{" ".join(line(own))}"/>' for name, own in lines.items())
    band = f'<polygon class="band" points="{band}"/>{text}'
    return Markup(f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" preserveAspectRatio="none">{band}</svg>')
