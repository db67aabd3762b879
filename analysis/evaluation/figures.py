"""Pictures of how schedules meet expectations: job metrics, box plots over users, heatmaps.

They are those of the expectations paper: Figures 5, 6a and 6b, and 7. Each takes expectations by name of the schedule.
Heatmaps of several schedules have one scale of colours, the same users in the same rows and the same time, so that they
can be compared; below each is the mean use of processors and memory.
"""

from collections.abc import Mapping
from itertools import cycle
from typing import Any

import numpy as np

from thinktime.analysis.expectations.evaluate import Expectations, above_fair_slowdown, measures_of
from thinktime.analysis.expectations.heatmap import Heatmap, heatmap, usage
from thinktime.analysis.pictures.style import BLACK, GREY, PALETTE, Axes, Figure, figure, looks_of, plotting, styled
from thinktime.workloads.units import DAY

Named = Mapping[str, Expectations]
COLUMNS = 900
"""The largest number of cells across a heatmap; more could not be told apart."""
ROW, LETTER = 0.095, 5.4
"""Height of a user's row before the layout takes its part (inches), and of its label (points), which just fits."""
TALLEST = 40.0
"""Inches of a heatmap at most; with more users than fit, rows and labels shrink together."""


def pictures(found: Named) -> dict[str, Figure]:
    """Figures 5 to 7 of some schedules, and a heatmap for each of them, by the name of the file."""
    heatmaps = {f"{name}/heatmap": heatmap_picture({name: jobs}) for name, jobs in found.items()}
    return heatmaps | {
        "figure-5": job_metrics(found),
        "figure-6a": box_plots(found),
        "figure-6b": box_plots(found, "weighted_tardiness"),
        "figure-7": heatmap_picture(found),
    }


def job_metrics(found: Named) -> Figure:
    """Mean wait, response time and bounded slowdown, plain (full bars) and weighted by processors (pale bars)."""
    values = {name: measures_of(jobs) for name, jobs in found.items()}
    with plotting(8.6, 1.6 + 0.34 * len(found), 1, 4, sharey=True) as (picture, panels):
        for axes, name in zip(panels, ("wait", "response time", "slowdown"), strict=False):
            scale, unit = (3600.0, "h") if name != "slowdown" else (1.0, "bounded, 10 s")
            for row, (schedule, look) in enumerate(looks_of(found).items()):
                for at, measure, alpha in ((row - 0.2, name, 1.0), (row + 0.2, f"weighted {name}", 0.4)):
                    value = values[schedule][measure] / scale
                    drawn = axes.barh(at, value, 0.38, color=look.colour, alpha=alpha)
                    axes.bar_label(drawn, [_short(value)], padding=3, fontsize=7)
            axes.set_xlabel(f"mean {name}\n({unit})")
            axes.margins(x=0.22)
            axes.set_xlim(left=0)
            axes.grid(axis="y", visible=False)
        for row, (schedule, look) in enumerate(looks_of(found).items()):
            late = 100 * above_fair_slowdown(found[schedule])
            drawn = panels[3].barh(row, late, 0.5, color=look.colour)
            panels[3].bar_label(drawn, [_short(late)], padding=3, fontsize=7)
        panels[3].set(xlabel="above fair\nslowdown (%)", xlim=(0, 118))
        panels[3].grid(axis="y", visible=False)
        panels[0].set_yticks(range(len(found)), labels=list(found))
        panels[0].set_ylim(len(found) - 0.5, -0.5)
        picture.suptitle("Job metrics: means over jobs, and weighted by processors (pale)", x=0.01, ha="left")
    return picture


def box_plots(found: Named, measure: str = "veet") -> Figure:
    """Users by ``veet`` (Figure 6a) or ``weighted_tardiness`` (6b, logarithmic above a second): a box per schedule.

    Boxes from the lower to the upper quartile, whiskers to the last user within 1.5 of their length, dots beyond.
    """
    tables = [jobs.users()[measure].to_numpy(dtype=float) for jobs in found.values()]
    with plotting(max(4.2, 1.5 + 1.15 * len(found)), 3.8) as (picture, axes):
        boxes = axes.boxplot(
            tables, widths=0.55, patch_artist=True, medianprops={"color": BLACK, "linewidth": 1.6},
            flierprops={"marker": ".", "markersize": 4, "markeredgecolor": GREY},
        )  # fmt: skip
        for box, look in zip(boxes["boxes"], looks_of(found).values(), strict=True):
            box.set(facecolor=look.colour, alpha=0.55)
        axes.set_xticks(range(1, len(found) + 1), labels=[name.replace(":", ":\n", 1) for name in found])
        axes.grid(axis="x", visible=False)
        people = sorted({len(table) for table in tables})
        who = f"{people[-1]} users" if len(people) == 1 else f"up to {people[-1]} users"
        if measure == "veet":
            axes.set(ylim=(-3, 103), ylabel="violated EETs of a user, %")
            axes.set_title(f"Users by the share of their violated EETs ({who})")
        else:
            axes.set_yscale("symlog", linthresh=1.0, linscale=0.35)
            axes.set_ylim(bottom=0)
            axes.set_ylabel("weighted tardiness, processor-seconds (log)")
            axes.set_title(f"Users by their weighted tardiness ({who})")
    return picture


def heatmap_picture(found: Named, **options: Any) -> Figure:
    """Figure 7: violated EETs, users × time, with the use of the machine's resources below; one scale for all.

    Options are those of `heatmap`. Users stand in the order of their work, the busiest on top, each with a label.
    """
    users = list(dict.fromkeys(user for jobs in found.values() for user in jobs.users().index))
    since = min(float(jobs.submit.min()) for jobs in found.values())
    until = max(float(jobs.end.max()) for jobs in found.values())
    shown = {
        name: heatmap(jobs, users=users, since=since, until=until, most=COLUMNS, **options)
        for name, jobs in found.items()
    }
    most = max(int(each.counts.max(initial=0)) for each in shown.values())
    tall = min(max(ROW * len(users), 0.9), TALLEST)
    with styled():
        picture = figure(7.6, 0.7 + (tall + 1.05) * len(found))
        rows = picture.subplots(2 * len(found), 1, sharex=True, squeeze=False, height_ratios=[tall, 0.62] * len(found))[
            :, 0
        ]
        for i, (name, each) in enumerate(shown.items()):
            mesh = _draw_cells(rows[2 * i], each, name, users, most)
            _draw_usage(rows[2 * i + 1], found[name], each)
        rows[-1].set_xlabel("days since the first submission")
        bar = picture.colorbar(mesh, ax=list(rows), fraction=0.03, pad=0.01, aspect=40)
        bar.set_label("violated EETs at a time (largest in a cell)")
        bar.outline.set_visible(False)
    return picture


def _draw_cells(axes: Axes, shown: Heatmap, name: str, users: list[str], most: int) -> Any:
    from matplotlib import colormaps
    from matplotlib.colors import ListedColormap, LogNorm

    counts = np.ma.masked_equal(shown.counts, 0)
    # Dark for many; the palest colours, which could not be told from white, are left out.
    colours = ListedColormap(colormaps["inferno_r"](np.linspace(0.12, 1.0, 256)))
    mesh = axes.pcolormesh(
        (shown.edges - shown.start) / DAY, np.arange(len(users) + 1), counts, cmap=colours,
        norm=LogNorm(1, max(most, 2)), rasterized=True,
    )  # fmt: skip
    axes.set_ylim(len(users), 0)
    letter = LETTER * min(1.0, TALLEST / (ROW * len(users)))
    axes.set_yticks(np.arange(len(users)) + 0.5, labels=users, fontsize=letter)
    axes.tick_params(axis="y", length=1.5)
    axes.grid(visible=False)
    axes.set(ylabel="user", title=name)
    return mesh


def _draw_usage(axes: Axes, jobs: Expectations, shown: Heatmap) -> None:
    middle = (shown.edges[:-1] - shown.start) / DAY
    for (resource, used), colour in zip(usage(jobs, shown.edges).items(), cycle(PALETTE), strict=False):
        total = jobs.machine.get(resource)
        part = 100 * used / (total or max(float(used.max(initial=0.0)), 1.0))
        label = resource if total else f"{resource} (of the most used)"
        if resource == "processors":
            axes.fill_between(middle, part, step="post", color=colour, alpha=0.35, linewidth=0, label=label)
        else:
            axes.step(middle, part, where="post", color=colour, linewidth=0.8, label=label)
    axes.set(ylim=(0, 105), ylabel="use, %")
    axes.legend(loc="upper left", fontsize=6.5, ncols=2, borderaxespad=0.1, frameon=True, framealpha=0.8)


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
