"""The style of all pictures, with colours that colour-blind people can tell apart.

The palette is that of M. Okabe and K. Ito (Color Universal Design, 2008). A policy keeps its colour, dashes and marker
in every picture: well-known names have fixed ones, and other names get the remaining ones in the order given. Figures
are made without pyplot, so nothing keeps a figure alive or opens a window.

Ticks of durations are at round ones (5 min, 6 h, 2 d): in even steps on a linear axis, and about a factor of ten apart
on a logarithmic one. matplotlib is imported only where something is drawn, since that takes long.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NewType

from thinktime.workloads.files import whole_or_nothing
from thinktime.workloads.names import quoted
from thinktime.workloads.units import DAY, HOUR, MINUTE, fitting_unit, in_one_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes
    from matplotlib.axis import Axis as Axis
    from matplotlib.figure import Figure as Figure
    from matplotlib.figure import FigureBase as FigureBase
    from matplotlib.lines import Line2D as Line2D
else:
    names = ("Axes", "Axis", "Figure", "FigureBase", "Line2D")
    Axes, Axis, Figure, FigureBase, Line2D = (NewType(name, object) for name in names)

BLACK, GREY, PALE = "#000000", "#767676", "#C8C8C8"
"""Colours of lines and text that belong to no policy."""
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", BLACK, "#8C8300")
"""Okabe and Ito's colours, with olive instead of their yellow, which is hard to see on white."""

DASHES = ("solid", (0, (5, 1.5)), (0, (1.5, 1.2)), (0, (6, 1.5, 1.5, 1.5)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
"""Matplotlib's names of the policies' markers, in the order of the palette."""

SLOTS = {"fcfs": 6, "easy": 0, "conservative": 1, "ostrich": 2, "fairshare": 3, "cplant": 4, "slack": 5, "goal": 7}
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


LAYOUT: str | None = "constrained"
"""Matplotlib's name of the layout of figures."""


def figure(width: float = 7.2, height: float = 4.2) -> Figure:
    """An empty figure (inches) with constrained layout, which notebooks show."""
    from thinktime.analysis.pictures.notebook_figure import Picture

    return Picture(RC, figsize=(width, height), layout=LAYOUT)


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
        name: Look(PALETTE[place], DASHES[turn % len(DASHES)], MARKERS[place]) for name, (turn, place) in places.items()
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
        raise ValueError(f"a picture's name must end with one of {sorted(_METADATA)}, not {quoted(target.name)}")
    with styled(), whole_or_nothing(target) as temporary:
        picture.savefig(temporary, format=kind, metadata=_METADATA[kind])
    return target


_METADATA: dict[str, dict[str, Any]] = {"png": {}, "pdf": {"CreationDate": None}, "svg": {"Date": None}}
"""Metadata that removes the date from a file, by format."""


STEPS = (
    *(n for n in (1, 2, 5, 10, 15, 30)),
    *(n * MINUTE for n in (1, 2, 5, 10, 15, 30)),
    *(n * HOUR for n in (1, 2, 3, 6, 12)),
    *(n * DAY for n in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)),
)
"""Round distances between ticks (s)."""

DECADES = (1, 10, MINUTE, 10 * MINUTE, HOUR, 6 * HOUR, *(n * DAY for n in (1, 10, 100, 1000)))
"""Round ticks of a logarithmic axis (s)."""


def linear_ticks(low: float, high: float, at_most: int = 8) -> list[float]:
    """Multiples of a round step within [low, high]."""
    step = next((step for step in STEPS if (high - low) / step <= at_most), STEPS[-1])
    first = -(-low // step)
    return [float(n * step) for n in range(int(first), int(high // step) + 1)]


def log_ticks(low: float, high: float) -> list[float]:
    """Round durations within [low, high]: a factor of ten apart, or closer if that gives fewer than three."""
    coarse, fine = ([float(tick) for tick in each if low <= tick <= high] for each in (DECADES, STEPS))
    return coarse if len(coarse) >= 3 else fine


def show_log(axis: Axis, ticks: list[float]) -> None:
    """Put only these ticks on an axis, each in its own unit."""
    axis.set_ticks([], minor=True)
    axis.set_ticks(ticks, labels=[in_one_unit(tick) if tick else "0" for tick in ticks])


def show_linear(axis: Axis, low: float, high: float, at_most: int = 8) -> str:
    """Put even ticks on a linear axis in one unit, and return that unit."""
    ticks = linear_ticks(low, high, at_most)
    step = ticks[1] - ticks[0] if len(ticks) > 1 else max(high - low, 1.0)
    size, unit = fitting_unit(step)
    axis.set_ticks(ticks, labels=[f"{tick / size:,.10g}" for tick in ticks])
    return unit
