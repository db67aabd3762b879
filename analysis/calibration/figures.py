"""Fitted users in pictures: what their hazard depends on, with bands, and how held-out residuals are distributed."""

import numpy as np

from thinktime.analysis.calibration.report import WORDS, Curve, curve
from thinktime.analysis.pictures.style import GREY, PALETTE, Axes, Figure, figure, styled
from thinktime.workloads.calibration.effects import REACTING
from thinktime.workloads.calibration.users import Users
from thinktime.workloads.units import DAY, HOUR, MINUTE

SHOWN = ("age", "end", "clock", "response", "queue", "position")
"""The effects that have a panel, if the log asks for them."""
ROUND = (1.0,), (1.0, 2.0, 5.0), (1.0, 1.2, 1.5, 2.0, 3.0, 5.0, 8.0)
"""Digits of ticks, the fewest first."""
TIMES = {MINUTE: "1 min", HOUR: "1 h", DAY: "1 d"}


def of(users: Users) -> dict[str, Figure]:
    """All pictures by name."""
    found = {"effects": effects(users)}
    return found | ({"residuals": residuals(users.residuals)} if len(users.residuals) else {})


def effects(users: Users) -> Figure:
    """The factors by which hazards differ, class by class, with their 95 % intervals."""
    names = [name for name in SHOWN if any(name in each.effects for each in users.classes)]
    columns = min(3, len(names))
    rows = -(-len(names) // columns)
    with styled():
        picture = figure(3.1 * columns + 0.4, 2.5 * rows + 0.6)
        panels = picture.subplots(rows, columns, squeeze=False)
        for place, axes in enumerate(panels.flat):
            if place >= len(names):
                axes.set_visible(False)
                continue
            for number, each in enumerate(users.classes):
                if names[place] in each.effects:
                    who = "may look at results" if each.structure is REACTING else "look at none"
                    count = int((users.class_of == number).sum())
                    _draw(axes, names[place], curve(each, names[place]), PALETTE[number], f"{count} users who {who}")
            axes.set(title=WORDS[names[place]], yscale="log")
            axes.axhline(1.0, color=GREY, linewidth=0.8)
            round_ones = ticks(*axes.get_ylim())
            axes.set_yticks([], minor=True)
            axes.set_yticks(round_ones, labels=[f"{each:g}" for each in round_ones])
        for row in panels:
            row[0].set_ylabel("factor of the hazard")
        shown = dict(pair[::-1] for axes in panels.flat for pair in zip(*axes.get_legend_handles_labels(), strict=True))
        picture.legend(shown.values(), shown.keys(), loc="outside upper left", ncols=2, frameon=False)
    return picture


def ticks(low: float, high: float) -> list[float]:
    """Round factors within [low, high], as few as are three or more."""
    decades = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
    found: list[float] = []
    for digits in ROUND:
        every = (digit * 10.0**decade for decade in decades for digit in digits)
        found = [each for each in every if low <= each <= high]
        if len(found) >= 3:
            break
    return found


def _draw(axes: Axes, effect: str, found: Curve, colour: str, label: str) -> None:
    if effect == "clock":
        hours = np.arange(25)
        for part, style, where in ((slice(0, 24), "solid", label), (slice(24, 48), "dotted", None)):
            value = np.append(found.value[part], found.value[part][-1])
            axes.step(hours, np.maximum(value, 1e-3), where="post", color=colour, linestyle=style, label=where)
        low, high = (np.append(each[:24], each[23]) for each in (found.low, found.high))
        axes.fill_between(hours, np.maximum(low, 1e-3), high, step="post", color=colour, alpha=0.2, linewidth=0)
        axes.set(xlabel="hour (dotted: free days)", xlim=(0, 24), xticks=range(0, 25, 6))
        return
    known = np.isfinite(found.edges)
    places = np.arange(int(known.sum()) + 1)
    value, low, high = (np.append(each[known], each[known][-1]) for each in (found.value, found.low, found.high))
    axes.step(places, np.maximum(value, 1e-3), where="post", color=colour, label=label)
    axes.fill_between(places, np.maximum(low, 1e-3), high, step="post", color=colour, alpha=0.2, linewidth=0)
    edges = found.edges[known]
    if effect in ("age", "end", "response"):
        ticks = [(float(np.interp(time, edges, places[:-1])), text) for time, text in TIMES.items()]
        axes.set_xticks([at for at, _ in ticks], labels=[text for _, text in ticks])
    else:
        axes.set_xticks(places[:-1], labels=[f"{each:g}" for each in edges])
        axes.set_xlabel("from this number on")


def residuals(found: np.ndarray) -> Figure:
    """Quantiles of held-out residuals against those of an exponential distribution."""
    ordered = np.sort(found)
    share = (np.arange(len(ordered)) + 0.5) / max(len(ordered), 1)
    with styled():
        picture = figure(4.2, 4.0)
        axes = picture.subplots()
        expected = -np.log1p(-share)
        most = float(max(expected.max(initial=1.0), 1.0))
        axes.plot([0, most], [0, most], color=GREY, linestyle="dashed", linewidth=0.8, label="if the model holds")
        axes.plot(expected, ordered, color=PALETTE[0], label=f"{len(ordered):,} gaps")
        axes.set(
            xlabel="quantile of the exponential distribution", ylabel="residual", title="Residuals of the last third",
            xlim=(0, most), ylim=(0, most), aspect="equal",
        )  # fmt: skip
        axes.legend(loc="lower right")
    return picture
