"""The style of all pictures, with colours that colour-blind people can tell apart.

The palette is that of M. Okabe and K. Ito (Color Universal Design, 2008). A policy keeps its colour, dashes and marker
in every picture: well-known names have fixed ones, and other names get the remaining ones in the order given. Figures
are made without pyplot, so nothing keeps a figure alive or opens a window.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from thinktime.analysis.pictures.matplotlib_types import Figure
from thinktime.models.results.batsim_export import whole_or_nothing

BLACK, GREY, PALE = "#000000", "#767676", "#C8C8C8"
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", BLACK, "#8C8300")
"""Okabe and Ito's colours, with olive instead of their yellow, which is hard to see on white."""

DASHES = ("solid", (0, (5, 1.5)), (0, (1.5, 1.2)), (0, (6, 1.5, 1.5, 1.5)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")

SLOTS = {
    "fcfs": 6,
    "easy": 0,
    "conservative": 1,
    "ostrich": 2,
    "fairshare": 3,
    "cplant": 4,
    "slack": 5,
    "goal": 7,
}
"""Fixed indices in the palette for well-known policies."""

RC: dict[str, Any] = {
    "font.size": 9.0,
    "axes.titlesize": 10.0,
    "axes.titlelocation": "left",
    "figure.titlesize": 11.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#E4E4E4",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "lines.linewidth": 1.4,
    "savefig.dpi": 150,
    "svg.hashsalt": "thinktime",
    "pdf.fonttype": 42,
}
"""Matplotlib settings that differ from the defaults."""


class Look(NamedTuple):
    """How one policy is drawn."""

    colour: str
    dashes: Any
    marker: str

    @property
    def line(self) -> dict[str, Any]:
        """The arguments of matplotlib for a line with markers."""
        return {"color": self.colour, "linestyle": self.dashes, "marker": self.marker}


@contextmanager
def styled() -> Iterator[None]:
    """Use matplotlib's defaults with `RC` on top, and restore the user's settings afterwards."""
    from matplotlib import style

    with style.context(RC, after_reset=True):
        yield


def figure(width: float = 7.2, height: float = 4.2) -> Figure:
    """An empty figure (inches) with constrained layout, which notebooks show."""
    from thinktime.analysis.pictures.notebook_figure import Picture

    return Picture(RC, figsize=(width, height), layout="constrained")


@contextmanager
def plotting(width: float, height: float, *grid: int, **options: Any) -> Iterator[tuple[Figure, Any]]:
    """A figure (inches) and its axes, which are those of ``Figure.subplots``, to draw in this style."""
    with styled():
        picture = figure(width, height)
        yield picture, picture.subplots(*grid, **options)


def looks_of(policies: Iterable[str]) -> dict[str, Look]:
    """The looks of the policies in one picture, all distinct for up to four times the palette's size."""
    names = list(dict.fromkeys(policies))
    known = {name: SLOTS[name.lower()] for name in names if name.lower() in SLOTS}
    free = (slot for slot in count() if slot not in set(known.values()))
    places = {name: divmod(known[name] if name in known else next(free), len(PALETTE)) for name in names}
    return {
        name: Look(PALETTE[place], DASHES[turn % len(DASHES)], MARKERS[place])
        for name, (turn, place) in places.items()
    }


def colour_of(policy: str, policies: Sequence[str] = ()) -> str:
    """The colour of a policy in pictures of `policies`; well-known policies always have the same."""
    return looks_of([*policies, policy])[policy].colour


def save(picture: Figure, path: str | Path) -> Path:
    """Write a figure in the format of the suffix (.png at 150 dpi, .pdf, .svg), whole or not at all.

    The same figure gives the same bytes on every run: no dates or random names are written.
    """
    target = Path(path)
    kind = target.suffix.lower().removeprefix(".")
    if kind not in _METADATA:
        raise ValueError(f"a picture's name must end with one of {sorted(_METADATA)}, not {target.name!r}")
    with styled(), whole_or_nothing(target) as temporary:
        picture.savefig(temporary, format=kind, metadata=_METADATA[kind])
    return target


_METADATA: dict[str, dict[str, Any]] = {"png": {}, "pdf": {"CreationDate": None}, "svg": {"Date": None}}
"""Metadata that removes the date from a file, by format."""
