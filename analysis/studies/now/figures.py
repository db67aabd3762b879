"""The picture of the study of forecasts."""

import numpy as np
from matplotlib.figure import Figure

from thinktime.analysis.pictures.style import GREY, PALETTE, plotting
from thinktime.analysis.studies.now.study import Evidence

BINS = 10


def figures(study: Evidence) -> dict[str, Figure]:
    """The picture, by name."""
    return {"logs": calibration(study)} if study.of_logs else {"worlds": calibration(study)}


def calibration(study: Evidence) -> Figure:
    """The shares of draws below the true start, of each log or family: flat histograms if forecasts are right."""
    names = [name for name in study.families if len(study.joined("pit", name))]
    with plotting(2.2 * len(names) + 0.4, 2.6, 1, len(names)) as (picture, axes):
        for place, name in zip(np.ravel(axes), names, strict=True):
            pit = study.joined("pit", name)
            density = np.histogram(pit, BINS, (0.0, 1.0))[0] * BINS / len(pit)
            place.stairs(density, np.linspace(0.0, 1.0, BINS + 1), fill=True, color=PALETTE[0])
            place.axhline(1.0, color=GREY)
            place.set(title=name, xlim=(0, 1), ylim=0)
        np.ravel(axes)[0].set_ylabel("density")
        picture.supxlabel("share of draws below the true start", fontsize="medium")
    return picture
