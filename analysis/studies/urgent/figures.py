"""The picture of the study of urgent jobs."""

import math

from matplotlib.figure import Figure

import thinktime as tt
from thinktime.analysis.pictures.style import GREY, PALETTE, plotting
from thinktime.analysis.studies.urgent.study import Evidence


def figures(study: Evidence) -> dict[str, Figure]:
    """The picture, by name."""
    return {"checkpoint-intervals": checkpoint_intervals(study)}


def checkpoint_intervals(study: Evidence) -> Figure:
    """The waste over the interval between checkpoints; dotted lines are Daly's intervals."""
    tried = [interval for kind, interval in study.intervals if kind and interval < math.inf]
    with plotting(6.4, 3.8, 1, 1) as (picture, axes):
        for preempted, colour, label in ((False, GREY, "failures"), (True, PALETTE[1], "failures and preemption")):
            waste = [100 * study.waste(preempted, interval) for interval in tried]
            axes.plot([each / tt.MINUTE for each in tried], waste, marker="o", color=colour, label=label)
            daly = study.formulas(preempted)[1] / tt.MINUTE
            axes.axvline(daly, color=colour, linestyle=":", label=f"Daly's interval: {daly:.0f} min")
        axes.set(xscale="log", xlabel="work between checkpoints (minutes)", ylabel="% of used processor time", ylim=0)
        ticks = [each / tt.MINUTE for each in tried]
        axes.set_xticks(ticks, labels=[f"{each:g}" for each in ticks], minor=False)
        axes.minorticks_off()
        axes.set_title("Lost work, checkpoints and restarts")
        picture.legend(loc="outside lower center", ncols=2)
    return picture
