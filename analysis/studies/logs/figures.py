"""The picture of the study of logs: what may have changed, over the years."""

import numpy as np
from matplotlib.figure import Figure

from thinktime.analysis.calibration.figures import ticks
from thinktime.analysis.pictures.style import GREY, PALETTE, plotting
from thinktime.analysis.studies.logs.runs import Row
from thinktime.analysis.studies.logs.study import Evidence

SHOWN = {"jump": "jump", "over_placebo": "over the placebo", "clock_gain": "clock (nats)", "self_test": "self-test"}
FITTED = {"outstanding": "while a batch is out", "after_end": "after an end"}
"""Factors of hazards of fitted users."""


def figures(study: Evidence) -> dict[str, Figure]:
    """The picture, by name; none if no log says when it was."""
    rows = [row for row in study.whole().values() if row.measured and row.years[0]]
    return {"logs": over_years(rows)} if rows else {}


def over_years(rows: list[Row]) -> Figure:
    """Each number of each log with its interval, at the middle of its years; grey: if nobody reacted."""
    with plotting(7.0, 6.6, 3, 2) as (picture, axes):
        for place, (name, words) in zip(np.ravel(axes), (SHOWN | FITTED).items(), strict=True):
            for row in rows:
                estimate = getattr(row.reactions if name in FITTED else row, name)
                place.plot([row.middle] * 2, [estimate.low, estimate.high], color=PALETTE[0], alpha=0.5)
                place.plot(row.middle, estimate.value, "o", color=PALETTE[0])
                if name == "jump":
                    place.plot(row.middle, row.null, "_", color=GREY)
            if name in FITTED:
                place.axhline(1.0, color=GREY, linewidth=0.8)
                place.set(yscale="log")
                low, high = place.get_ylim()
                round_ones = ticks(low, high)
                place.set_yticks([], minor=True)
                place.set_yticks(round_ones, labels=[f"{each:g}" for each in round_ones])
            place.set(ylabel=words)
        picture.suptitle("What logs say of their users, over the years")
    return picture
