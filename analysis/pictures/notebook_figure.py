"""The figures of all pictures: matplotlib's, which notebooks show without a backend of their own."""

from __future__ import annotations

from io import BytesIO
from typing import Any

from matplotlib import style
from matplotlib.figure import Figure

DPI = 150
"""Dots per inch of a picture in a notebook, which gives it the size of `SHOWN` per inch: sharp on fine screens."""
SHOWN = 96


class Picture(Figure):
    """A figure that is its own rich output.

    A plain figure is shown by notebooks only after pyplot has set up a backend, which our pictures do without. Where
    one is set up (``%matplotlib inline``), its formatter goes first, so a picture is shown once either way.
    ``settings`` are those of matplotlib under which it is drawn.
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
