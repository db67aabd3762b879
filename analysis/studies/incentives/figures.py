"""The pictures of the study of incentives."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

import thinktime as tt
from thinktime.analysis.pictures import power_over_time, who_pays, work_by_hour
from thinktime.analysis.pictures.style import GREY, PALETTE, plotting
from thinktime.analysis.studies.incentives.findings import percent
from thinktime.analysis.studies.incentives.runs import MODES, Answer
from thinktime.analysis.studies.incentives.study import Evidence
from thinktime.models.site.charge import Term

CAPPED = 0.7
"""A cap, as a part of the most power that the machine draws without one."""
SHOWN = 14 * tt.DAY
"""How much of a log the picture of power shows."""
CHARGES = {"hours": "processor-hour", "energy": "kWh", "carbon": "kg"}
ALONG = 40
"""Points of a line that names do not touch."""
NEAR = 6
"""How near to one of them a name may be, in pixels."""
PLACES = (("left", 6, 0), ("left", 3, -9), ("left", 3, 9), ("right", -6, 0), ("right", -3, -9), ("center", 0, -11))
"""How a name is aligned, and how far it is from its point, in points: the first one that will do is best."""


def figures(study: Evidence) -> dict[str, Figure]:
    """The pictures, by name."""
    found = {"carbon-and-work": carbon_and_work(study)}
    if study.pictured:
        results = {name: run.result() for name, run in study.pictured.items()}
        usual, *answered = results
        found["power"] = power(study, results)
        found["work-by-hour"] = work_by_hour(
            {"nobody answers": results[usual]} | {n: results[n] for n in answered[:-1]}
        )
        found["who-pays"] = charges(results[usual])
    return found


def power(study: Evidence, results: dict[str, tt.Result]) -> Figure:
    """The power of two weeks under EASY, below a cap, and with jobs that are held back for less carbon."""
    usual, *_, held = results
    cap = CAPPED * results[usual].summary()["peak_power"]
    below = replace(study.pictured[usual], cap=cap).result()
    middle = float(np.median(results[usual]["submit"]) // tt.DAY * tt.DAY)
    name = held.removeprefix("carbon:rule=").replace(",wait=", ", ")
    shown = {f"{usual} below a cap": below, usual: results[usual], name: results[held]}
    return power_over_time(shown, start=middle, end=middle + SHOWN)


def charges(result: tt.Result) -> Figure:
    """Who pays how much of the same revenue."""
    terms = {name: tt.Charge([Term(1.0, per)]) for name, per in CHARGES.items()}
    return who_pays({name: replace(result, charge=charge) for name, charge in terms.items()})


def carbon_and_work(study: Evidence) -> Figure:
    """Carbon per work and work done against EASY: the open loop hides what users do not get done."""
    held = study.of("held")
    with plotting(6.4, 3.8, 1, 1) as (picture, axes):
        points: list[list[float]] = []
        names: list[tuple[str, tuple[float, float]]] = []
        axes.axhline(0, color=GREY, linewidth=0.8)
        axes.axvline(0, color=GREY, linewidth=0.8)
        for policy in dict.fromkeys(key[0] for key in held if key[0].startswith("carbon")):
            ends = [changes(held[policy, mode], study.unasked(mode)) for mode in MODES]
            axes.plot(*zip(*ends, strict=True), color=GREY, linewidth=0.8, zorder=1)
            for (x, y), colour, marker in zip(ends, PALETTE, "os", strict=False):
                axes.plot(x, y, marker, color=colour)
            points += np.linspace(np.array(ends[0]), np.array(ends[1]), ALONG).tolist()
            names.append((policy.removeprefix("carbon:rule=").replace(",wait=", ", "), ends[-1]))
        for mode, colour, marker in zip(MODES, PALETTE, "os", strict=False):
            axes.plot([], [], marker, color=colour, label=mode)
        axes.margins(x=0.2)
        axes.set(xlabel="carbon per work against EASY, %", ylabel="work done against EASY, %")
        axes.set_title("Jobs held back for less carbon")
        axes.legend(frameon=False)
        name_apart(picture, axes, names, points)
    return picture


def name_apart(
    picture: Figure, axes: Axes, names: Sequence[tuple[str, tuple[float, float]]], points: Sequence[Sequence[float]]
) -> None:
    """Write names beside points where they touch none of some points, no other name, and no edge, if they can."""
    picture.draw_without_rendering()
    canvas: Any = FigureCanvasAgg(picture)
    renderer = canvas.get_renderer()
    legend = axes.get_legend()
    taken = [Bbox.from_bounds(x - NEAR, y - NEAR, 2 * NEAR, 2 * NEAR) for x, y in axes.transData.transform(points)]
    taken += [] if legend is None else [legend.get_window_extent(renderer)]
    edge = axes.get_window_extent(renderer).x1
    for name, point in names:
        made = [
            axes.annotate(name, point, (x, y), textcoords="offset points", fontsize=8, ha=side, va="center")
            for side, x, y in PLACES
        ]
        boxes = [each.get_window_extent(renderer) for each in made]
        worth = [sum(box.overlaps(other) for other in taken) + 100 * (box.x1 > edge) for box in boxes]
        chosen = worth.index(min(worth))
        taken.append(boxes[chosen])
        for place, each in enumerate(made):
            if place != chosen:
                each.remove()
        made[chosen].set_in_layout(False)


def changes(answer: Answer, usual: Answer) -> tuple[float, float]:
    """Carbon per work, and work, against another run, %."""
    return percent(answer.carbon / answer.work, usual.carbon / usual.work), percent(answer.work, usual.work)
