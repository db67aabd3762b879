"""The picture of the study of forecasts."""

from matplotlib.figure import Figure

from thinktime.analysis.now.score_figure import drawn
from thinktime.analysis.studies.now.study import Evidence


def figures(study: Evidence) -> dict[str, Figure]:
    """The picture, by name."""
    return {"calibration": drawn(study.joined("pit"))}
