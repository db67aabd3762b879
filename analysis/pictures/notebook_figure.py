"""The class of all our figures, which notebooks show without a matplotlib backend."""

from io import BytesIO
from typing import Any

from matplotlib import style
from matplotlib.figure import Figure

DPI = 150
"""Dots per inch of a picture in a notebook, shown at `SHOWN` per inch, so that it is sharp on dense screens."""
SHOWN = 96


class Picture(Figure):
    """A figure with its own rich output.

    Notebooks show a plain figure only if pyplot has set up a backend, which we do not need. If there is one
    (``%matplotlib inline``), its formatter takes precedence, so a picture is shown once in either case. ``settings``
    are the matplotlib settings under which the figure is drawn.
    """

    def __init__(self, settings: dict[str, Any], **given: Any) -> None:
        super().__init__(**given)
        self.settings = settings

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        file = BytesIO()
        with style.context(self.settings, after_reset=True):
            self.savefig(file, format="png", dpi=DPI)
        width, height = (round(SHOWN * inches) for inches in self.get_size_inches())
        return file.getvalue(), {"width": width, "height": height}
