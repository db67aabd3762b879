"""The pictures of the feedback study; that of the users is in `flow_figure`."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from thinktime.analysis.pictures.style import GREY, Look, figure, looks_of, plotting, styled
from thinktime.analysis.studies.feedback.findings import SATURATED
from thinktime.analysis.studies.feedback.flow_figure import users_flow
from thinktime.analysis.studies.feedback.runs import BASE, MODES, POLICIES, Level
from thinktime.analysis.studies.feedback.study import Evidence

SHOWN = ("open", "partly-open", "feedback")
"""The modes whose queues are drawn."""


def figures(study: Evidence) -> dict[str, Figure]:
    """All pictures, by name; queues over the load only where there is more than the log itself."""
    found = {"slowdown-by-mode": slowdown_by_mode(study), "users-flow": users_flow(study)}
    if len(study.levels) > 1:
        found["backlog-by-load"] = backlog_by_load(study)
    return found


def looks() -> dict[str, Look]:
    """The looks of the study's policies: well-known ones have their own colours under any name."""
    of = looks_of([spec.partition(":")[0] if ":" not in spec else name for name, spec in POLICIES.items()])
    return dict(zip(POLICIES, of.values(), strict=True))


def slowdown_by_mode(study: Evidence) -> Figure:
    """A panel per level: the slowdown of each policy over that of EASY in each mode; bars are 95 % intervals."""
    with styled():
        picture = figure(3.0 + 2.4 * len(study.levels), 4.2)
        panels = picture.subplots(1, len(study.levels), sharey=True, squeeze=False)[0]
        shifts = np.linspace(-0.24, 0.24, len(POLICIES))
        for axes, level in zip(panels, study.levels, strict=True):
            for shift, (policy, look) in zip(shifts, looks().items(), strict=True):
                _marks(axes, study, level, policy, look, float(shift))
            axes.set(title="the log itself" if level is None else f"{level:g} users per user", yscale="log")
            axes.yaxis.set_major_formatter("{x:,g}")
            axes.set_xticks(range(len(MODES)), labels=MODES, rotation=40, ha="right", fontsize="small")
            axes.set_xlim(-0.5, len(MODES) - 0.5)
            axes.grid(False, axis="x")
        panels[0].set_ylabel(f"mean bounded slowdown,\nover that of {BASE} in the same mode")
        _legend(picture, panels[0])
    return picture


def backlog_by_load(study: Evidence) -> Figure:
    """The work that waits, over the level of load, in three modes: where the queue runs away."""
    loads = [level for level in study.levels if level is not None]
    with plotting(9.6, 3.8, 1, len(SHOWN), sharey=True) as (picture, panels):
        for axes, mode in zip(panels, SHOWN, strict=True):
            for policy, look in looks().items():
                values = [study.levels[level].mean(mode, policy, "mean_backlog") for level in loads]
                axes.plot(loads, values, **look.line, label=policy)
            axes.axhline(SATURATED, color=GREY, linewidth=0.8, zorder=0)
            axes.set(title=mode, yscale="log")
            axes.yaxis.set_major_formatter("{x:,g}")
            axes.set(xticks=loads, xlabel="users per user of the log")
        panels[0].set_ylabel("work in the queue, mean\n(hours of the whole machine)")
        _legend(picture, panels[0])
    return picture


def _marks(axes: Axes, study: Evidence, level: Level, policy: str, look: Look, shift: float) -> None:
    """A mark for each mode, without a line: modes have no order."""
    factors = [study.factor(level, mode, policy) for mode in MODES]
    values = np.array([each.value for each in factors])
    ends: Any = np.nan_to_num(
        [
            [each.value - max(each.low, each.value / 30), min(each.high, each.value * 30) - each.value]
            for each in factors
        ]
    ).T
    places = np.arange(len(MODES)) + shift
    axes.errorbar(
        places, values, ends, color=look.colour, marker=look.marker, linestyle="none", markersize=4, capsize=1.5,
        elinewidth=0.8, label=policy,
    )  # fmt: skip


def _legend(picture: Figure, axes: Axes) -> None:
    handles, labels = axes.get_legend_handles_labels()
    picture.legend(handles, labels, loc="outside right upper")
