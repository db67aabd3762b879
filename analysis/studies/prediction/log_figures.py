"""Pictures of real logs: the jump at the end of jobs, and the gain of the wait beside its null."""

from collections.abc import Mapping

import numpy as np
from matplotlib.figure import Figure

from thinktime.analysis.pictures.style import GREY, PALETTE, plotting
from thinktime.analysis.studies.prediction.logs import Diagnosed


def jumps(logs: Mapping[str, Diagnosed]) -> Figure:
    """How often users submit, by minute around the end of a job: each log above its null."""
    rows, columns = -(-len(logs) // 3), min(len(logs), 3)
    with plotting(2.9 * columns + 0.8, 2.2 * rows + 0.8, rows, columns, squeeze=False, sharex=True) as (picture, axes):
        for axis in axes.ravel()[len(logs) :]:
            axis.set_visible(False)
        for axis, (name, each) in zip(axes.ravel(), logs.items(), strict=False):
            reach = len(each.around_end) // 2
            minutes, first = np.arange(-reach, reach + 1), axis is axes.flat[0]
            axis.stairs(each.around_end_null, minutes, color=GREY, label="if nobody reacted" if first else None)
            axis.stairs(each.around_end, minutes, color=PALETTE[0], linewidth=1.8, label="log" if first else None)
            axis.axvline(0, color=GREY, linewidth=0.8)
            axis.set_title(f"{name}: {each.log['jump'].value:.2f}", fontsize="small")
            axis.set_ylim(bottom=0)
            axis.yaxis.set_major_formatter(lambda share, _: f"{100 * share:.3g}%")
        picture.supxlabel("min after the end of a job of 20 min and more", fontsize="small")
        picture.supylabel("users who submit, per min", fontsize="small")
        picture.legend(loc="outside lower center", ncols=2)
    return picture


def waits(logs: Mapping[str, Diagnosed]) -> Figure:
    """The gain of the wait beyond user, hour, run time and processors, beside null and placebo."""
    with plotting(7.2, 0.55 * len(logs) + 1.6) as (picture, axes):
        sides = {"log": ("o", PALETTE[0]), "null": ("s", GREY), "placebo": ("^", PALETTE[1])}
        for place, (side, (marker, colour)) in enumerate(sides.items()):
            found = [getattr(each, side)["wait_gain"] for each in logs.values()]
            y, values = np.arange(len(logs)) + 0.2 * (place - 1), [each.value for each in found]
            axes.errorbar(
                values, y, xerr=np.transpose([each.reach for each in found]), fmt=marker, color=colour, label=side
            )
        axes.axvline(0, color=GREY, linewidth=0.8)
        axes.set_yticks(range(len(logs)), labels=list(logs))
        axes.invert_yaxis()
        axes.set(title="What the wait says of the next batch", xlabel="gain in log score (nats per batch)")
        picture.legend(loc="outside lower center", ncols=3)
    return picture
