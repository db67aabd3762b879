"""Pictures of campaigns: the virtual and the real schedule, the stretches, and the worst by profile.

These are the ostrich paper's Figures 4, 3a and 3b. A paper's printed numbers are hollow diamonds beside ours.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from thinktime.analysis import stretch
from thinktime.analysis.pictures.gantt import USERS_SHOWN, draw_boxes
from thinktime.analysis.pictures.style import GREY, PALE, PALETTE, Axes, Figure, looks_of, plotting, show_linear
from thinktime.models.results import placement
from thinktime.models.results.result import Result
from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.names import quoted
from thinktime.workloads.units import Duration, as_seconds

Estimate = tuple[float, float]
"""A mean and the half width of its interval (NaN for none)."""

Rectangle = tuple[int, float, float, float, float]
"""A campaign, from and to (s), from and to processor."""

NAMED = 30
"""Up to this many campaigns are numbered in the picture of both schedules, if there is room."""

DIAMOND: dict[str, Any] = {"marker": "D", "linestyle": "none", "markersize": 6}
DIAMOND |= {"markerfacecolor": "white", "markeredgecolor": GREY}
"""The marker of a paper's number."""

LAST = 20
"""Stretches above this are in one bin."""


class Boxes(NamedTuple):
    """Rectangles over time (s) and processors, each of one campaign (its index in `campaign_columns`)."""

    campaign: Whole
    left: Floats
    right: Floats
    low: Floats
    high: Floats


def virtual_and_real(
    result: Result,
    start: Duration | None = None,
    end: Duration | None = None,
    shares: Mapping[Any, float] | None = None,
) -> Figure:
    """The virtual fair-sharing schedule above the real one: time (x), processors (y), a colour per user.

    In the upper panel, every active user has a band as high as the user's share of the processors; in the lower one,
    jobs are placed as in `gantt`. A user's campaigns alternate between dark and pale, and are numbered if few. Without
    `start` and `end` (s) everything is drawn.
    """
    start, end = as_seconds("start", start), as_seconds("end", end)
    columns = stretch.campaign_columns(result)
    virtual, real = bands(result, shares), placed(result)
    window = _window(virtual, real, start, end)
    order = _order(columns)
    with plotting(7.2, 5.4, 2, 1, sharex=True, sharey=True) as (picture, (above, below)):
        for axes, boxes in ((above, virtual), (below, real)):
            shown = _within(boxes, *window)
            axes.set_xlim(*window)
            draw_boxes(axes, *shown[1:], [_shade(*order[c]) for c in shown.campaign.tolist()], rim=0.5)
            if len(order) <= NAMED:
                _name(axes, shown, order, window)
        _label_schedules(above, below, result, window)
        picture.legend(handles=_users(result, columns, order), loc="outside right upper", title="user")
    return picture


def bands(result: Result, shares: Mapping[Any, float] | None = None) -> Boxes:
    """The virtual schedule as rectangles: the bands of active users are stacked, with the first user on top."""
    virtual = stretch.virtual_schedule(result, shares)
    order = _order(stretch.campaign_columns(result))
    boxes = []
    for left, right in zip(virtual.active.times[:-1], virtual.active.times[1:], strict=True):
        active = np.flatnonzero((virtual.start <= left) & (virtual.end >= right))
        active = active[np.argsort([-order[i][0] for i in active.tolist()], kind="stable")]
        tops = np.cumsum(virtual.share[active]) * (result.processors / max(virtual.share[active].sum(), 1e-12))
        lows = np.concatenate([[0.0], tops[:-1]])[: len(tops)]
        boxes += [
            (i, float(left), float(right), low, top)
            for i, low, top in zip(active.tolist(), lows.tolist(), tops.tolist(), strict=True)
        ]
    rows = _merged(boxes)
    table = np.array(rows, dtype=np.float64).reshape(-1, 5)
    return Boxes(table[:, 0].astype(np.int64), *table[:, 1:].T)


def placed(result: Result) -> Boxes:
    """The jobs as rectangles, on reconstructed processors unless they are known."""
    spans, blocks = placement.placed(result)
    columns = stretch.campaign_columns(result)
    of_job = np.searchsorted(columns.number, stretch.campaign_numbers(result))
    at = blocks.row
    low = blocks.low.astype(np.float64)
    return Boxes(of_job[spans.row[at]], spans.begin[at], spans.end[at], low, low + blocks.height)


def _merged(rows: Sequence[Rectangle]) -> list[Rectangle]:
    """Merge adjacent rectangles of the same height, such as those split by events of other users."""
    growing: dict[tuple[int, float, float], Rectangle] = {}
    merged = []
    for campaign, left, right, low, high in rows:
        key = (campaign, low, high)
        before = growing.get(key)
        if before is not None and before[2] == left:
            left = before[1]
        elif before is not None:
            merged.append(before)
        growing[key] = (campaign, left, right, low, high)
    return [*merged, *growing.values()]


def _window(virtual: Boxes, real: Boxes, start: float | None, end: float | None) -> tuple[float, float]:
    if not len(real.left):
        raise ValueError("a picture of schedules needs a job that ran for some time")
    first = min(virtual.left.min(), real.left.min()) if start is None else start
    last = max(virtual.right.max(), real.right.max()) if end is None else end
    if not last > first:
        raise ValueError(f"the window of a picture must end after it starts, not {quoted((first, last))}")
    return float(first), float(last)


def _within(boxes: Boxes, first: float, last: float) -> Boxes:
    """The rectangles within the window, clipped to it."""
    shown = (boxes.left < last) & (boxes.right > first)
    left, right = np.maximum(boxes.left, first), np.minimum(boxes.right, last)
    return Boxes(boxes.campaign[shown], left[shown], right[shown], boxes.low[shown], boxes.high[shown])


def _order(columns: stretch.CampaignColumns) -> list[tuple[int, int]]:
    """Each campaign's user, in order of appearance, and its place among the user's campaigns."""
    users: dict[int, int] = {}
    counts: dict[int, int] = {}
    order = [(0, 0)] * len(columns.number)
    for i in np.lexsort((columns.first_id, columns.submit)).tolist():
        user = columns.user.item(i)
        order[i] = (users.setdefault(user, len(users)), counts.get(user, 0))
        counts[user] = order[i][1] + 1
    return order


def _shade(user: int, index: int) -> Any:
    """The user's colour, paler for every second campaign."""
    from matplotlib.colors import to_rgb

    colour = np.array(to_rgb(PALETTE[user] if user < USERS_SHOWN else PALE))
    return tuple(colour + (1 - colour) * (0.45 if index % 2 else 0.0))


def _name(axes: Axes, boxes: Boxes, order: list[tuple[int, int]], window: tuple[float, float]) -> None:
    """Write each campaign's number (among its user's) into the largest of its rectangles."""
    areas = (boxes.right - boxes.left) * (boxes.high - boxes.low)
    for campaign in np.unique(boxes.campaign).tolist():
        own = np.flatnonzero(boxes.campaign == campaign)
        at = own[np.argmax(areas[own])]
        if boxes.right[at] - boxes.left[at] < (window[1] - window[0]) / 40:
            continue
        x, y = (boxes.left[at] + boxes.right[at]) / 2, (boxes.low[at] + boxes.high[at]) / 2
        text = str(order[campaign][1] + 1)
        ink = "black" if order[campaign][1] % 2 or order[campaign][0] >= USERS_SHOWN else "white"
        axes.text(x, y, text, ha="center", va="center", color=ink, fontsize="small", fontweight="bold")


def _label_schedules(above: Axes, below: Axes, result: Result, window: tuple[float, float]) -> None:
    from matplotlib.ticker import MaxNLocator

    above.set_title("Virtual schedule: every active user has a share")
    below.set_title(f"Real schedule under {result.policy}")
    for axes, ylabel in ((above, "processors"), (below, "processors (reconstructed)")):
        axes.set(ylim=(0, result.processors), ylabel=ylabel)
        axes.grid(False)
        axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    below.set_xlabel(f"time ({show_linear(below.xaxis, *window, at_most=16)})")


def _users(result: Result, columns: stretch.CampaignColumns, order: list[tuple[int, int]]) -> list[Any]:
    from matplotlib.patches import Patch

    names = [*result.names["user"], "no user"]
    label = {user: str(names[code]) for (user, _), code in zip(order, columns.user.tolist(), strict=True)}
    handles = [Patch(color=_shade(user, 0), label=label[user]) for user in sorted(label)[:USERS_SHOWN]]
    others = len(label) - USERS_SHOWN
    return [*handles, *([Patch(color=PALE, label=f"{others} others")] if others > 0 else [])]


def stretch_histogram(stretches: Mapping[str, Floats], printed: Mapping[str, float] | None = None) -> Figure:
    """The share of the campaigns by stretch, for each policy: bins of 1 up to 20, and one for all above.

    `printed` has, by policy, a paper's share above 20 (a fraction). Campaigns without a stretch (NaN: given up,
    unfinished, or without work) are left out; the legend has their number.
    """
    if not stretches:
        raise ValueError("a picture needs the stretches of at least one policy")
    width = 0.84 / len(stretches)
    with plotting(7.2, 4.0) as (picture, axes):
        for at, (policy, look) in enumerate(looks_of(stretches).items()):
            share = binned(stretches[policy])
            shift = (at - (len(stretches) - 1) / 2) * width
            x = np.arange(1, LAST + 1) + 0.5 + shift
            x[-1] += 0.5
            label = f"{policy} (n={_counted(stretches[policy])})"
            axes.bar(x, 100 * share, width * 0.94, color=look.colour, label=label)
            if printed and policy in printed:
                _mark(axes, x[-1], 100 * printed[policy], f"{100 * printed[policy]:.1f}")
        _label_histogram(axes, bool(printed))
        picture.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return picture


def _counted(stretches: Floats) -> str:
    known = int(np.count_nonzero(~np.isnan(stretches)))
    return f"{known:,}" if known == len(stretches) else f"{known:,} of {len(stretches):,}"


def binned(stretches: Floats) -> Floats:
    """The share of the campaigns in [1, 2), [2, 3), … [19, 20], and above 20."""
    known = stretches[~np.isnan(stretches)]
    above = known > LAST
    inside = np.clip(known[~above], 1, LAST)
    counts = np.histogram(inside, bins=np.arange(1, LAST + 1))[0]
    return np.append(counts, above.sum()) / max(len(known), 1)


def _mark(axes: Axes, x: float, y: float, text: str) -> None:
    axes.plot(x, y, zorder=5, **DIAMOND)
    axes.annotate(text, (x, y), xytext=(6, 0), textcoords="offset points", va="center", fontsize="small", color=GREY)


def _label_histogram(axes: Axes, marked: bool) -> None:
    ticks = [*range(1, LAST, 2), LAST + 1]
    axes.set_xticks([*ticks[:-1], LAST + 1], labels=[*map(str, ticks[:-1]), f"> {LAST}"])
    axes.axvline(LAST + 0.25, color=PALE, linewidth=0.8, linestyle=(0, (4, 3)))
    axes.grid(False, axis="x")
    axes.set_xlim(0.8, LAST + 2.2)
    axes.set_ylim(0, axes.get_ylim()[1] * 1.08)
    axes.set(xlabel="stretch of the campaign (times its lower bound)", ylabel="campaigns (%)")
    axes.set_title("Stretches of all campaigns, in bins of 1")
    if marked:
        axes.plot([], [], label="printed in the paper", **DIAMOND)


def worst_stretches(
    maxima: Mapping[str, Mapping[str, Estimate]], printed: Mapping[str, Mapping[str, float | str]] | None = None
) -> Figure:
    """The mean over users of their maximum stretch, by profile and policy, on a logarithmic axis.

    `maxima[policy][profile]` is a mean with the half width of its interval, and `printed[policy][profile]` a paper's
    number, or a string such as "> 50" for a bound. A bar without an interval is hollow.
    """
    if not maxima:
        raise ValueError("a picture needs the maxima of at least one policy")
    profiles = list(next(iter(maxima.values())))
    width = 0.7 / len(maxima)
    with plotting(5.4, 4.0) as (picture, axes):
        for at, (policy, look) in enumerate(looks_of(maxima).items()):
            x = np.arange(len(profiles)) + (at - (len(maxima) - 1) / 2) * width
            mean, half = np.array([maxima[policy][profile] for profile in profiles], dtype=np.float64).T
            filled = ["none" if each != each else look.colour for each in half.tolist()]
            axes.bar(x, mean, width * 0.92, color=filled, edgecolor=look.colour, bottom=0)
            axes.bar([np.nan], [np.nan], color=look.colour, label=policy)  # for the legend
            axes.errorbar(x, mean, half, fmt="none", ecolor=GREY, capsize=3, zorder=4)
            _write_means(axes, x.tolist(), mean.tolist())
            for centre, profile in zip(x.tolist(), profiles, strict=True):
                _mark_printed(axes, centre, width, (printed or {}).get(policy, {}).get(profile))
        _label_worst(axes, profiles, bool(printed))
        picture.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return picture


def _write_means(axes: Axes, x: list[float], mean: list[float]) -> None:
    for at, value in zip(x, mean, strict=True):
        if value == value:
            axes.annotate(
                f"{value:.1f}", (at, 1), xytext=(0, 5), textcoords="offset points", ha="center", va="bottom",
                color="white", fontweight="bold",
            )  # fmt: skip


def _mark_printed(axes: Axes, x: float, width: float, value: float | str | None) -> None:
    """Mark a paper's number at the right edge of the bar, with an upward arrow for a bound."""
    if value is None:
        return
    number = float(value.lstrip("> ")) if isinstance(value, str) else value
    at = x + width * 0.3
    if isinstance(value, str):
        axes.annotate("", (at, number * 1.5), (at, number), arrowprops={"arrowstyle": "->", "color": GREY}, zorder=5)
    axes.plot(at, number, zorder=6, **DIAMOND)


def _label_worst(axes: Axes, profiles: list[str], marked: bool) -> None:
    from matplotlib.ticker import LogLocator, NullLocator

    axes.set_yscale("log")
    axes.set_ylim(1, axes.get_ylim()[1] * 1.3)
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter("{x:,g}")
    axes.yaxis.set_minor_locator(NullLocator())
    axes.set_xticks(range(len(profiles)), labels=[f"{profile} users" for profile in profiles])
    axes.grid(False, axis="x")
    axes.set_ylabel("mean over users of the maximum stretch")
    axes.set_title("The worst campaign of a user, by profile")
    if marked:
        axes.plot([], [], label="printed in the paper", **DIAMOND)
