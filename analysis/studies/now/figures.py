"""The picture of the study of forecasts."""

import numpy as np
from matplotlib.figure import Figure

from thinktime.analysis.pictures.style import GREY, PALETTE, plotting
from thinktime.analysis.studies.now.study import Evidence

BINS = 10


def figures(study: Evidence) -> dict[str, Figure]:
    """The picture, by name."""
    return {"calibration": calibration(study)}


def calibration(study: Evidence) -> Figure:
    """The histogram of the shares of draws below the true start: flat if forecasts are right."""
    pit = study.joined("pit")
    with plotting(5.0, 3.2, 1, 1) as (picture, axes):
        density = np.histogram(pit, BINS, (0.0, 1.0))[0] * BINS / len(pit)
        axes.stairs(density, np.linspace(0.0, 1.0, BINS + 1), fill=True, color=PALETTE[0])
        axes.axhline(1.0, color=GREY)
        axes.set(xlabel="share of draws below the true start", ylabel="density", xlim=(0, 1), ylim=0)
    return picture
