"""Embed a figure in a page as inline SVG with the page's colours.

Colours of the style become CSS variables, so one drawing is legible on light and dark backgrounds, and a policy has
the same variable in every picture. Text stays text. Identifiers are made unique within the page.
"""

import io
import re
from dataclasses import dataclass

from markupsafe import escape

from thinktime.analysis.experiments.comparisons import Comparisons
from thinktime.analysis.named_table import fold
from thinktime.analysis.pictures.style import BLACK, GREY, PALE, PALETTE, RC, Axes, Figure, figure, styled

VARIABLES = {
    "#ffffff": "--paper",
    GREY.lower(): "--faint",
    PALE.lower(): "--line",
    str(RC["grid.color"]).lower(): "--grid",
    BLACK.lower(): "--ink",
} | {colour.lower(): f"--policy-{place}" for place, colour in enumerate(PALETTE) if colour != BLACK}
"""The CSS variable of each colour of the style."""

_SPACES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}\b")
_IDENTIFIER = re.compile(r'(\bid="|url\(#|href="#)')
_SIZE = re.compile(r'<svg [^>]*?viewBox="([^"]*)"[^>]*>')


def inline_svg(picture: Figure, name: str, title: str, description: str) -> str:
    """The figure as an `svg` element with a title and a description for screen readers.

    `name` is one word, unique within the page.
    """
    from matplotlib import rc_context

    text = io.StringIO()
    with styled(), rc_context({"svg.fonttype": "none"}):
        picture.savefig(text, format="svg", metadata={"Date": None}, transparent=True)
    drawn = text.getvalue()
    drawn = drawn[drawn.index("<svg") :]
    for part in ("metadata", "style"):
        drawn = re.sub(rf"<{part}\b.*?</{part}>", "", drawn, flags=re.DOTALL)
    drawn = re.sub(r"<defs>\s*</defs>\s*", "", drawn)
    drawn = re.sub(r"<!--.*?-->\s*", "", drawn, flags=re.DOTALL)
    drawn = _IDENTIFIER.sub(rf"\g<1>{name}-", drawn)
    drawn = _COLOUR.sub(_variable, drawn)
    drawn = re.sub(r"font(-family)?: ([^;\"]*?)'?(DejaVu Sans|sans-serif)[^;\"]*", _font, drawn)
    box = _SIZE.search(drawn)
    assert box is not None
    labels = f'role="img" aria-labelledby="{name}-title {name}-description"'
    opening = f'<svg {_SPACES} viewBox="{box[1]}" {labels}>'
    told = f'<title id="{name}-title">{escape(title)}</title><desc id="{name}-description">{escape(description)}</desc>'
    return drawn.replace(box[0], opening + told, 1).strip()


def _variable(found: re.Match[str]) -> str:
    name = VARIABLES.get(found[0].lower())
    return f"var({name})" if name else found[0]


def _font(found: re.Match[str]) -> str:
    return f"font{found[1] or ''}: {found[2]}inherit" if found[1] else f"font: {found[2]}sans-serif"


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
