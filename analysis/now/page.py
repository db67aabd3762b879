"""A page of a forecast: the queue with interval bars over time, and the expected use of the machine, in one file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from markupsafe import Markup

from thinktime.analysis.now.outlook import SHARES, TODAY, Outlook
from thinktime.analysis.now.told import between, chosen, clock, known_from, present, run_times
from thinktime.analysis.pages.page import rendered
from thinktime.workloads.html import Page
from thinktime.workloads.units import counted, in_two_units

MOST = 300
"""So many jobs have a bar; the JSON has all."""
WIDTH, HEIGHT = 480, 120
TICKS = 6


def page(outlook: Outlook, title: str, user: str | None = None) -> Page:
    """The page; ``user``: only the jobs of one."""
    rows = chosen(outlook, user)
    ends = [outlook.interval(share) for share in SHARES]
    median, one, day = outlook.median(), outlook.share_by(3600.0), outlook.share_by(86_400.0)
    w = outlook.waiting
    jobs = [
        {
            "id": outlook.label(k), "user": "" if w.user[k] is None else w.user[k], "processors": w.processors.item(k),
            "limit": in_two_units(w.limit.item(k)) if np.isfinite(w.limit.item(k)) else "none",
            "why": f"{w.reason[k]}, {w.ahead.item(k):,} ahead" if w.ahead[k] else w.reason[k],
            "known": known_from(outlook, k), "median": clock(outlook, median.item(k)),
            "told": [f"{share:.0%} {between(outlook, low.item(k), high.item(k))}"
                     for share, (low, high) in zip(SHARES, ends, strict=True)],
            "hour": _share(one.item(k)), "day": _share(day.item(k)),
            "bar": _bar(outlook, [(low.item(k), high.item(k)) for low, high in ends], median.item(k)),
        }
        for k in rows[:MOST]
    ]  # fmt: skip
    left = len(rows) - len(jobs)
    axis = [clock(outlook, each) for each in np.linspace(outlook.time, outlook.until, TICKS).tolist()]
    return Page(
        rendered(
            "thinktime.analysis.now",
            title=title,
            facts=f"Now it is {present(outlook)}. {counted(len(w), 'job')} {'waits' if len(w) == 1 else 'wait'}; "
            f"{outlook.draws:,} draws up to {clock(outlook, outlook.until)}.",
            jobs=jobs,
            left=f"{counted(left, 'more job')} in the JSON file" if left else "",
            axis=axis,
            use=_use(outlook),
            processors=outlook.processors,
            notes=outlook.notes,
            run_times=run_times(outlook),
        )
    )


def _share(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.0%}"


def _place(outlook: Outlook, time: float) -> float:
    """Where a time is, from 0 to `WIDTH`."""
    return WIDTH * min(1.0, max(0.0, (time - outlook.time) / (outlook.until - outlook.time)))


def _bar(outlook: Outlook, ends: Sequence[tuple[float, float]], median: float) -> Markup:
    """Three nested intervals, and the median."""
    parts = list(_rectangles(outlook, ends))
    if not np.isnan(median):
        x = _place(outlook, median)
        parts.append(f'<line class="median" x1="{x:.1f}" x2="{x:.1f}" y1="1" y2="15"/>')
    return Markup(f'<svg viewBox="0 0 {WIDTH} 16" role="img" preserveAspectRatio="none">{"".join(parts)}</svg>')


def _rectangles(outlook: Outlook, ends: Sequence[tuple[float, float]]) -> Iterator[str]:
    for place, (low, high) in sorted(enumerate(ends), reverse=True):
        if not (np.isnan(low) or np.isnan(high)):
            x, width = _place(outlook, low), _place(outlook, high) - _place(outlook, low)
            yield f'<rect class="share-{place}" x="{x:.1f}" width="{max(width, 1.5):.1f}" y="3" height="10"/>'


def _use(outlook: Outlook) -> Markup:
    """The processors in use over time: the median and the middle 80 % of the draws."""
    low, middle, high = (np.quantile(outlook.drawings[TODAY].use, share, axis=0) for share in (0.1, 0.5, 0.9))
    x = [_place(outlook, time) for time in outlook.moments.tolist()]

    def line(values: Sequence[float]) -> list[str]:
        return [f"{a:.1f},{HEIGHT * (1 - b / outlook.processors):.1f}" for a, b in zip(x, values, strict=True)]

    band = " ".join([*line(high.tolist()), *reversed(line(low.tolist()))])
    text = (
        f'<polygon class="band" points="{band}"/><polyline class="middle" points="{" ".join(line(middle.tolist()))}"/>'
    )
    return Markup(f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" preserveAspectRatio="none">{text}</svg>')
