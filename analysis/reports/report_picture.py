"""What all figures of a report share: their width, their legend, and the text around them."""

from dataclasses import dataclass

from thinktime.analysis.experiments.comparisons import Comparisons
from thinktime.analysis.folding import fold
from thinktime.analysis.pictures.matplotlib_types import Axes, Figure
from thinktime.analysis.pictures.style import GREY, figure

WIDTH = 5.4
"""In inches, narrow enough for a phone."""
LEGEND_WIDTH = 60
"""Characters per line of a legend."""
LINE = 0.19
"""The height of a line of a legend, inches."""


@dataclass(frozen=True, slots=True)
class ReportPicture:
    """A figure with its name, title and caption."""

    name: str
    """One word, for a file name."""
    title: str
    caption: str
    figure: Figure


def blank(comparisons: Comparisons, height: float) -> Figure:
    """A figure of this height (inches), plus that of the legend, so that the axes keep their size."""
    labels = [fold(each, LEGEND_WIDTH) for each in comparisons.policies]
    lines = sum(label.count("\n") + 1 for label in labels)
    return figure(WIDTH, height + LINE * max(-(-lines // legend_columns(comparisons)) - 1, 0))


def legend_columns(comparisons: Comparisons) -> int:
    """The number of columns of a legend."""
    longest = max(map(len, comparisons.policies))
    return max(1, min(len(comparisons.policies), LEGEND_WIDTH // (longest + 8)))


def legend(picture: Figure, axes: Axes, comparisons: Comparisons) -> None:
    """One legend below all axes, if there are several policies."""
    if len(comparisons.policies) > 1:
        handles, labels = axes.get_legend_handles_labels()
        names = [fold(label, LEGEND_WIDTH) for label in labels]
        picture.legend(handles, names, loc="outside lower center", ncols=legend_columns(comparisons))


def note(axes: Axes, x: float, row: float, text: str, size: str = "medium") -> None:
    """A grey text in a row of dots, at a fraction `x` of the width."""
    across = axes.get_yaxis_transform()
    axes.text(x, row, text, transform=across, va="center", color=GREY, fontsize=size)
