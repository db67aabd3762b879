"""The picture of the study of the shaken self-test."""

import numpy as np
from matplotlib.figure import Figure

from thinktime.analysis.pictures.style import GREY, PALETTE, plotting
from thinktime.analysis.studies.self_test.study import Evidence


def figures(study: Evidence) -> dict[str, Figure]:
    """The picture, by name."""
    return {"self-test": ratios(study)}


def ratios(study: Evidence) -> Figure:
    """The ratio of each way to replay the log; a dot for each time that it was shaken."""
    ways = list(study.answers)
    with plotting(6.4, 1.2 + 0.24 * len(ways), 1, 1) as (picture, axes):
        for place, way in enumerate(ways):
            found = study.ratios(way)
            axes.plot(found, np.full(len(found), -place), ".", color=PALETTE[0], alpha=0.5)
            axes.plot(study.ratio(way), -place, "d", color=PALETTE[1])
        axes.axvline(1, color=GREY, linewidth=0.8)
        axes.set_yticks([-place for place in range(len(ways))], labels=ways)
        axes.set(xlabel="mean wait, shaken over unshaken")
        axes.set_title(study.source)
        axes.grid(False, axis="y")
    return picture
