"""The picture of the study of incentives."""

from matplotlib.figure import Figure

from thinktime.analysis.pictures.style import GREY, PALETTE, plotting
from thinktime.analysis.studies.incentives.findings import percent
from thinktime.analysis.studies.incentives.runs import MODES, Answer
from thinktime.analysis.studies.incentives.study import Evidence


def figures(study: Evidence) -> dict[str, Figure]:
    """The picture, by name."""
    return {"carbon-and-work": carbon_and_work(study)}


def carbon_and_work(study: Evidence) -> Figure:
    """Carbon per work and work done against EASY: the open loop hides what users do not get done."""
    held = study.of("held")
    with plotting(6.4, 3.8, 1, 1) as (picture, axes):
        axes.axhline(0, color=GREY, linewidth=0.8)
        axes.axvline(0, color=GREY, linewidth=0.8)
        for policy in dict.fromkeys(key[0] for key in held if key[0].startswith("carbon")):
            ends = [changes(held[policy, mode], study.nobody(mode)) for mode in MODES]
            axes.plot(*zip(*ends, strict=True), color=GREY, linewidth=0.8, zorder=1)
            for (x, y), colour, marker in zip(ends, PALETTE, "os", strict=False):
                axes.plot(x, y, marker, color=colour)
            name = policy.removeprefix("carbon:rule=").replace(",wait=", ", ")
            axes.annotate(name, ends[-1], xytext=(6, -3), textcoords="offset points", fontsize=8)
        for mode, colour, marker in zip(MODES, PALETTE, "os", strict=False):
            axes.plot([], [], marker, color=colour, label=mode)
        axes.margins(x=0.2)
        axes.set(xlabel="carbon per work against EASY, %", ylabel="work done against EASY, %")
        axes.set_title("Jobs held back for less carbon")
        axes.legend(frameon=False)
    return picture


def changes(answer: Answer, usual: Answer) -> tuple[float, float]:
    """Carbon per work, and work, against another run, %."""
    return percent(answer.carbon / answer.work, usual.carbon / usual.work), percent(answer.work, usual.work)
