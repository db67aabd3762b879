"""The flow of users between gain and loss, from one mode to the next, as bands.

Each panel is a policy. A column is a mode, divided into the shares of users who gain (above), stay the same, and lose
(below). A band is made of users with one verdict in the open loop, whose colour it has, and with the same verdicts in
the two modes that it joins. The first and the last column are the open loop and feedback on another shaken copy of the
log: bands that cross there are chance.
"""

from collections.abc import Iterator

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from thinktime.analysis.pictures.style import BLACK, PALE, PALETTE, plotting
from thinktime.analysis.studies.feedback.flows import VERDICTS, again, paths
from thinktime.analysis.studies.feedback.runs import BASE, POLICIES
from thinktime.analysis.studies.feedback.study import Evidence

COLUMNS = ("open", "partly-open", "clock", "reacting", "feedback")
"""The modes between the other shaken copies of the log."""
COLOURS = (PALETTE[0], PALE, PALETTE[1])
WIDTH, GAP = 0.12, 0.03
"""Of a column, where the distance of two is 1; between the verdicts, as a share of users."""
READABLE = 0.08
"""The share of users from which on there is room for its number."""
PAPER = {"boxstyle": "round,pad=0.1", "facecolor": "white", "edgecolor": "none", "alpha": 0.8}
"""Behind numbers."""


def users_flow(study: Evidence) -> Figure:
    """A panel for each policy but EASY, on the log itself."""
    names = [policy for policy in POLICIES if policy != BASE]
    with plotting(10.0, 6.4, 2, 3, sharex=True, sharey=True) as (picture, panels):
        for axes, policy in zip(panels.flat, names, strict=True):
            of = study.responses[None]
            through = [again(of["open"]), *(of[mode] for mode in COLUMNS), again(of["feedback"])]
            draw(axes, paths(through, policy), where=1)
            axes.set_title(policy)
            labels = ["open,\nother shake", *COLUMNS, "feedback,\nother shake"]
            axes.set_xticks(range(len(labels)), labels=labels, rotation=40, ha="right", fontsize="small")
            axes.set_xlim(-0.3, len(labels) - 0.7)
        for axes in panels[:, 0]:
            axes.set_ylabel("users")
        picture.suptitle(
            f"Users who gain (above) and lose (below) against {BASE} in the same mode; colours: in the open loop"
        )
    return picture


def draw(axes: Axes, shares: NDArray[np.float64], where: int) -> None:
    """Draw shares of users by their verdicts in each column; the column ``where`` gives the colours."""
    columns = shares.ndim
    for column in range(columns):
        _column(axes, column, shares.sum(axis=tuple(set(range(columns)) - {column})))
    for column in range(columns - 1):
        _bands(axes, column, shares, where)
    axes.set_ylim(-0.01, 1 + 2 * GAP + 0.01)
    axes.set_yticks([])
    axes.grid(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(False)


def _column(axes: Axes, column: int, shares: NDArray[np.float64]) -> None:
    for verdict, (low, share) in enumerate(zip(floors(shares), shares.tolist(), strict=True)):
        if share == 0:
            continue
        axes.bar(column, share, WIDTH, low, color=COLOURS[verdict], edgecolor=BLACK, linewidth=0.5, zorder=3)
        if share >= READABLE:
            axes.text(column, low + share / 2, f"{100 * share:.0f}", ha="center", va="center", fontsize=6, bbox=PAPER)


def floors(shares: NDArray[np.float64]) -> list[float]:
    """Where each verdict's part of a column begins: those who lose below, those who gain above."""
    same, lose = float(shares[1]), float(shares[2])
    return [lose + same + 2 * GAP, lose + GAP, 0.0]


def _bands(axes: Axes, column: int, shares: NDArray[np.float64], where: int) -> None:
    """From one column to the next; in each, bands lie in the order of the column that they come from or go to."""
    rest = tuple(set(range(shares.ndim)) - {column, column + 1, where})
    here, there = (floors(shares.sum(axis=tuple(set(range(shares.ndim)) - {column + side}))) for side in (0, 1))
    left, right = {}, {}
    joined = shares.sum(axis=rest)
    bands = {key: float(joined[_place(key, column, where)]) for key in _keys(column, where)}
    for key in sorted(bands, key=lambda key: (-key[0], -key[1], -key[2])):
        left[key] = here[key[0]]
        here[key[0]] += bands[key]
    for key in sorted(bands, key=lambda key: (-key[1], -key[0], -key[2])):
        right[key] = there[key[1]]
        there[key[1]] += bands[key]
    for key, share in bands.items():
        if share > 0:
            _band(axes, column, left[key], right[key], share, COLOURS[key[2]])


Key = tuple[int, int, int]
"""The verdicts of a band: in the column on the left, on the right, and in that of the colours."""


def _keys(column: int, where: int) -> Iterator[Key]:
    for here in range(len(VERDICTS)):
        for there in range(len(VERDICTS)):
            known = {column: here, column + 1: there}.get(where)
            yield from ((here, there, each) for each in ([known] if known is not None else range(len(VERDICTS))))


def _place(key: Key, column: int, where: int) -> tuple[int, ...]:
    """The place of a band in an array whose axes are its columns, in order."""
    verdicts = {column: key[0], column + 1: key[1], where: key[2]}
    return tuple(verdicts[each] for each in sorted(verdicts))


def _band(axes: Axes, column: int, left: float, right: float, share: float, colour: str) -> None:
    t = np.linspace(0, 1, 30)
    low = left + (right - left) * t * t * (3 - 2 * t)
    x = column + WIDTH / 2 + (1 - WIDTH) * t
    axes.fill_between(x, low, low + share, color=colour, alpha=0.55, linewidth=0, zorder=1)
