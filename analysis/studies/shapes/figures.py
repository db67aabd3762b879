"""The picture of the study of shapes."""

from typing import Any

from matplotlib.figure import Figure

import thinktime as tt
from thinktime.analysis.pictures.style import GREY, PALETTE, plotting
from thinktime.analysis.studies.shapes.study import Evidence

LINES = ("--", "-", ":")
HIGHEST = 60
"""Of waits against those of rigid jobs, %; what is above is not shown."""


def figures(study: Evidence) -> dict[str, Figure]:
    """The picture, by name."""
    return {"waits": waits(study)}


def waits(study: Evidence) -> Figure:
    """For each log the mean wait against rigid jobs, by share and mode; and response times, by who chooses sizes."""
    logs = list(study.jobs)
    with plotting(3.1 * (len(logs) + 1) + 0.6, 4.2, 1, len(logs) + 1) as (picture, axes):
        for each, log in zip(axes[:-1], logs, strict=True):
            _waits_of(study, log, each)
        axes[0].set_ylabel("mean wait against rigid jobs, %")
        _choices(study, axes[-1])
        dashes = zip(study.modes, LINES, strict=False)
        keys = [axes[0].plot([], [], line, color=GREY, label=mode)[0] for mode, line in dashes]
        lines = [line for line in axes[0].lines if line.get_label() in study.strategies]
        picture.legend(
            handles=[*lines, *keys], loc="outside lower center", ncols=3 * len(axes), frameon=False, fontsize=8
        )
        axes[-1].legend(frameon=False, fontsize=7)
    return picture


def _waits_of(study: Evidence, log: str, axes: Any) -> None:
    shares = (0.0, *study.shares)
    axes.axhline(0, color=GREY, linewidth=0.8)
    for strategy, colour in zip(study.strategies, PALETTE, strict=False):
        for mode, line in zip(study.modes, LINES, strict=False):
            changes = [study.change("wait", log, strategy, share, mode) if share else 0.0 for share in shares]
            label = strategy if mode == "users" else None
            axes.plot([100 * share for share in shares], changes, line, color=colour, linewidth=1.2, label=label)
    axes.set(ylim=(-105, HIGHEST), xlabel="malleable jobs, %", title=log)


def _choices(study: Evidence, axes: Any) -> None:
    for who, colour in zip(study.choices, (GREY, *PALETTE), strict=False):
        hours = [study.chosen_by(who, load).response / tt.HOUR for load in study.loads]
        axes.plot(study.loads, hours, "o-", color=colour, markersize=4, linewidth=1.2, label=who)
    axes.set(xlabel="load, in that of the log", ylabel="mean response time, h", title="Who chooses (moldable)")
