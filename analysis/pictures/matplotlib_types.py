"""The types of matplotlib in annotations: it is imported only where something is drawn, since that takes long."""

from typing import TYPE_CHECKING, NewType

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes
    from matplotlib.axis import Axis as Axis
    from matplotlib.figure import Figure as Figure
    from matplotlib.figure import FigureBase as FigureBase
    from matplotlib.lines import Line2D as Line2D
else:
    names = ("Axes", "Axis", "Figure", "FigureBase", "Line2D")
    Axes, Axis, Figure, FigureBase, Line2D = (NewType(name, object) for name in names)
