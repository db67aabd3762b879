"""Predicted against true mean waits, over worlds and cases."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from thinktime.analysis.pictures.style import GREY, PALETTE, figure, styled
from thinktime.analysis.studies.calibrated.runs import MODES
from thinktime.analysis.studies.calibrated.study import KNOWN, UNKNOWN, Evidence
from thinktime.analysis.studies.prediction.cases import SAME
from thinktime.analysis.studies.prediction.runs import TRUTH


def figures(found: Evidence) -> dict[str, Figure]:
    """One picture, with a panel for each mode; none without worlds."""
    if not found.worlds:
        return {}
    with styled():
        picture = figure(9.6, 2.9)
        panels = picture.subplots(1, len(MODES), sharex=True, sharey=True)
        for axes, mode in zip(panels, MODES, strict=True):
            for names, colour, label in ((KNOWN, PALETTE[0], "known"), (UNKNOWN, PALETTE[1], "nobody fitted to")):
                _points(axes, found, names, mode, colour, label)
            axes.plot([1, 1e6], [1, 1e6], color=GREY, linewidth=0.8)
            axes.set(title=mode, xscale="log", yscale="log", xlim=(1, 1e6), ylim=(1, 1e6), xlabel="true mean wait (s)")
        panels[0].set_ylabel("predicted (s)")
        panels[-1].legend(loc="lower right", fontsize="x-small", title="families", title_fontsize="x-small")
    return {"predicted-and-true": picture}


def _points(axes: Axes, found: Evidence, names: tuple[str, ...], mode: str, colour: str, label: str) -> None:
    points = np.array(
        [
            (modes[TRUTH][0], modes[mode][0])
            for (family, _, _), answer in found.worlds.items()
            if family in names
            for case, modes in answer.found.items()
            if case != SAME
        ]
    ).reshape(-1, 2)
    axes.plot(*points.T, ".", color=colour, markersize=2.5, label=label)
