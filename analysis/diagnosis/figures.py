"""The diagnosis of a log in pictures: submissions around the end of a job, and what foretells the next batch."""

import numpy as np

from thinktime.analysis.diagnosis.diagnose import Diagnosis
from thinktime.analysis.diagnosis.jump import REACH
from thinktime.analysis.pictures.style import GREY, PALE, PALETTE, Figure, FigureBase, figure, styled

GAINS = {"clock_gain": "clock", "job_gain": "run time,\nprocessors", "wait_gain": "wait\nbeyond these"}


def around_end(found: Diagnosis) -> Figure:
    """How often users submit, by minute around the end of a job: the log above its null."""
    with styled():
        picture = figure(7.2, 3.4)
        draw_around_end(picture, found)
    return picture


def draw_around_end(part: FigureBase, found: Diagnosis) -> None:
    """How often users submit, by minute around the end of a job of 20 min and more: the log, and each world."""
    axes = part.subplots()
    minutes = np.arange(-REACH, REACH + 1)
    for place, world in enumerate(found.worlds):
        axes.stairs(world.profile, minutes, color=PALE, label=None if place else "worlds in which nobody reacts")
    if found.worlds:
        axes.stairs(found.null_profile, minutes, color=GREY, linestyle="dashed", label="their mean")
    axes.stairs(found.log.profile, minutes, color=PALETTE[0], linewidth=1.8, label="log")
    axes.axvline(0, color=GREY, linewidth=0.8)
    share = found.log.jump.share.value
    axes.yaxis.set_major_formatter(lambda share, _: f"{100 * share:.3g}%")
    axes.set_title(f"The jump at the end of jobs: {share:.2f}" if np.isfinite(share) else "The end of jobs")
    axes.set(
        xlabel="min after the end of a job of 20 min and more", ylabel="users who submit, per min", xlim=(-REACH, REACH)
    )
    axes.set_ylim(0, 1.5 * float(np.nan_to_num(found.log.profile).max(initial=1e-9)))
    axes.legend(loc="upper left", fontsize="small")


def draw_gains(part: FigureBase, found: Diagnosis) -> None:
    """The gain in log score of the clock, the job and the wait, each with its interval, beside null and placebo."""
    axes = part.subplots()
    sides = {
        "log": (found.value, PALETTE[0], "o"),
        "nobody reacts": (found.null, GREY, "s"),
        "other ends": (found.with_placebo, PALETTE[1], "^"),
    }
    for place, (label, (of, colour, marker)) in enumerate(sides.items()):
        points = [(at, of(name)) for at, name in enumerate(GAINS)]
        known = [(at + 0.2 * (place - 1), each) for at, each in points if np.isfinite(each.value)]
        if known:
            x, values = [at for at, _ in known], [each.value for _, each in known]
            axes.errorbar(
                x, values, np.transpose([each.reach for _, each in known]), fmt=marker, color=colour, label=label
            )
    axes.axhline(0, color=GREY, linewidth=0.8)
    axes.set_xticks(range(len(GAINS)), labels=list(GAINS.values()))
    axes.set(title="What foretells the next batch", ylabel="gain in log score (nats)", xlim=(-0.5, len(GAINS) - 0.5))
    axes.grid(False, axis="x")
    if axes.get_legend_handles_labels()[0]:
        axes.legend(loc="best", fontsize="small")
