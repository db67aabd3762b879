"""The counterparts of the cplant paper's Figures 3 to 13."""

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

import thinktime as tt
from thinktime.analysis.papers.cplant.printed import WIDTHS
from thinktime.analysis.papers.cplant.study import BASELINE, NAMES, Evidence, spread
from thinktime.analysis.pictures import style

MINOR, CONSERVATIVE = NAMES[:5], (BASELINE, *NAMES[5:])


def figures(study: Evidence) -> dict[str, Figure]:
    """All pictures, by the name of the file."""
    hours = "mean miss of the fair start time [h]", "mean response time [h]"
    pictures = {
        "figure-04": _scatter(
            study.trace.runtime, study.trace.processors, "run time", "processors", "Processors and run times"
        ),
        "figure-05": estimates_and_runtimes(study),
        "figure-06": by_width(study, MINOR, "miss_by_width", hours[0]),
        "figure-07": by_width(study, MINOR, "response_time_by_width", hours[1]),
        "figure-08": bars(study, "percent_unfair", 1.0, "unfair jobs [%]"),
        "figure-09": bars(study, "average_miss_time", tt.HOUR, hours[0]),
        "figure-10": by_width(study, CONSERVATIVE, "miss_by_width", hours[0]),
        "figure-11": bars(study, "average_response_time", tt.HOUR, hours[1]),
        "figure-12": by_width(study, CONSERVATIVE, "response_time_by_width", hours[1]),
        "figure-13": bars(study, "loss_of_capacity", 0.01, "loss of capacity [%]"),
    }
    if study.decays:
        pictures["decays"] = by_decay(study)
    if len(study.outcomes[BASELINE].weekly):
        pictures = {"figure-03": load(study)} | pictures
    return pictures


def load(study: Evidence) -> Figure:
    """Offered load and utilization by week of the window, under the original scheduler."""
    edges, offered = study.offered()
    week = np.arange(len(offered)) + 1
    with style.plotting(7.2, 3.4) as (picture, axes):
        axes.bar(week, 100 * offered, 0.8, color=style.PALETTE[5], label="offered")
        axes.step(
            [*(week - 0.5), week[-1] + 0.5],
            100 * np.append(study.outcomes[BASELINE].weekly, study.outcomes[BASELINE].weekly[-1]),
            where="post", color=style.PALETTE[1], label=f"in use under {BASELINE}",
        )  # fmt: skip
        axes.axhline(100, color=style.GREY, linewidth=0.9)
        axes.set_xlabel(f"week of the window ({(edges[-1] - edges[0]) / tt.WEEK:.0f} weeks)")
        axes.set_ylabel(f"share of {study.processors:,} processors [%]")
        axes.set(title="Offered load and utilization by week", xlim=(0.3, len(offered) + 0.7))
        picture.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return picture


def estimates_and_runtimes(study: Evidence) -> Figure:
    """Every job's estimate against its run time; on the line they are the same."""
    picture = _scatter(study.trace.runtime, study.trace.estimate, "run time", "estimate", "Estimates and run times")
    with style.styled():
        axes = picture.axes[0]
        ends = 1, max(study.trace.runtime.max(), study.trace.estimate.max())
        axes.plot(ends, ends, color=style.GREY, linewidth=0.9)
        style.show_log(axes.yaxis, [tick for tick in style.DECADES if tick <= ends[1]])
    return picture


def by_width(study: Evidence, names: Sequence[str], values: str, label: str) -> Figure:
    """A mean by class of widths, side by side for some schedulers; linear up to 1 h, logarithmic above."""
    with style.plotting(7.2, 3.6) as (picture, axes):
        place = np.arange(len(WIDTHS))
        step = 0.84 / len(names)
        for i, (name, look) in enumerate(style.looks_of(names).items()):
            shown = getattr(study.outcomes[name], values) / tt.HOUR
            axes.bar(place + (i - (len(names) - 1) / 2) * step, shown, step, color=look.colour, label=name)
        axes.set_xticks(place, [each.replace("-", "\N{EN DASH}") for each in WIDTHS], fontsize=8)
        axes.set_yscale("symlog", linthresh=1.0)
        ticks = [tick for tick in (0, 1, 3, 10, 30, 100, 300, 1000) if tick <= max(axes.get_ylim())]
        axes.set_yticks(ticks, [str(tick) for tick in ticks])
        axes.set_yticks([], minor=True)
        axes.set(xlabel="processors", ylabel=label)
        axes.grid(visible=False, axis="x")
        axes.set_title("By width of the job (linear up to 1 h, logarithmic above)")
        picture.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return picture


def bars(study: Evidence, number: str, unit: float, label: str) -> Figure:
    """One number of all nine schedulers; thin lines: from the least to the largest over all origins of the decay."""
    with style.plotting(7.2, 3.4) as (picture, axes):
        values = [getattr(study.outcomes[name].numbers, number) / unit for name in NAMES]
        colours = [style.PALETTE[0] if name in MINOR else style.PALETTE[4] for name in NAMES]
        axes.bar(range(len(NAMES)), values, 0.7, color=colours)
        if len(study.shifts) > 1:
            low, high = np.array([spread([nine[name] for nine in study.shifts.values()], number) for name in NAMES]).T
            axes.vlines(range(len(NAMES)), low / unit, high / unit, color="black", linewidth=1.2)
        axes.axhline(values[0], color=style.GREY, linewidth=0.8, linestyle="dashed")
        axes.set_xticks(range(len(NAMES)), [_label(name) for name in NAMES])
        axes.set_ylabel(label)
        axes.grid(visible=False, axis="x")
        several = f"; lines: {len(study.shifts)} origins of the decay" if len(study.shifts) > 1 else ""
        axes.set_title(f"All nine schedulers{several}")
    return picture


def by_decay(study: Evidence) -> Figure:
    """Unfair jobs and miss times of all nine schedulers under each decay of usage.

    Dots are means over a decay's runs, lines go from the least to the largest.
    """
    several = {"halved every 24 h": list(study.shifts.values())} | study.decays
    step = 0.72 / len(several)
    with style.plotting(7.6, 5.2, 2, 1, sharex=True) as (picture, panels):
        for axes, (number, unit, label) in zip(
            panels,
            (("percent_unfair", 1.0, "unfair jobs [%]"), ("average_miss_time", tt.HOUR, "mean miss [h]")),
            strict=True,
        ):
            for i, (name, nines) in enumerate(several.items()):
                place = np.arange(len(NAMES)) + (i - (len(several) - 1) / 2) * step
                values = np.array([[getattr(nine[each].numbers, number) for each in NAMES] for nine in nines])
                values /= unit
                axes.vlines(place, values.min(axis=0), values.max(axis=0), color=style.PALETTE[i], linewidth=1.4)
                axes.plot(
                    place, values.mean(axis=0), style.MARKERS[i], color=style.PALETTE[i], markersize=4.5, label=name
                )
            axes.set_ylim(bottom=0)
            axes.set_ylabel(label)
            axes.grid(visible=False, axis="x")
        panels[0].set_title("Nine schedulers under four decays of usage (dots: means; lines: range of the runs)")
        panels[1].set_xticks(range(len(NAMES)), [_label(name) for name in NAMES])
        picture.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return picture


def _scatter(x: object, y: object, x_label: str, y_label: str, title: str) -> Figure:
    with style.plotting(7.2, 4.2) as (picture, axes):
        dots = {"color": style.PALETTE[0], "markersize": 2.5, "alpha": 0.25, "rasterized": True}
        axes.plot(np.maximum(np.asarray(x), 1.0), np.asarray(y), ".", **dots)
        axes.set(xscale="log", yscale="log")
        style.show_log(axes.xaxis, [tick for tick in style.DECADES if tick <= np.max(np.asarray(x))])
        axes.set(xlabel=f"{x_label} (0 s shown as 1 s)", ylabel=y_label, title=title)
    return picture


def _label(name: str) -> str:
    return name.replace(".", "\n")
