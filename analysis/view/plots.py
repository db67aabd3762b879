"""The panels of the page, drawn by Bokeh: empty but for axes, one time axis for all; the page's script fills them.

Bokeh is the extra ``view``. What is in view changes with every movement, so the sources of all glyphs start empty.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from thinktime.workloads.units import DAY, HOUR

if TYPE_CHECKING:
    from bokeh.document import Document
    from bokeh.models import ColumnDataSource, Range1d

MISSING = "thinktime view needs Bokeh, which draws the page: pip install 'thinktime[view]'"
HEIGHTS = {"use": 130, "queue": 120, "boxes-a": 280, "boxes-b": 280, "power": 110, "signal": 100, "lanes": 360}
"""The panels from the top, with their heights (CSS pixels); the second of jobs is for a second policy.

Power and a signal are there if some result has them."""
SELDOM = ("power", "signal")
LEFT, RIGHT = 78, 14
"""The same room beside all frames, so that one time is in one place (CSS pixels)."""
SHORT, LETTERS, LETTER = 11, 18, 6
"""Names of more letters than the first need more room on the left, up to the second; the room for a letter."""
COMPARED = "dashed"
"""The dashes of the second policy."""
QUADS = ("left", "right", "bottom", "top", "fill")


def need_bokeh() -> None:
    """Raise ``ValueError`` if Bokeh is not installed."""
    try:
        import bokeh  # noqa: F401
    except ImportError:
        raise ValueError(MISSING) from None


def document(content: Mapping[str, Any]) -> Document:
    """The panels; without colours, which the page gives them."""
    from bokeh.document import Document
    from bokeh.models import Range1d

    first, last = float(content["first"]), float(content["last"])
    last = last if last > first else first + 1.0
    time = Range1d(start=first, end=last, name="time", min_interval=1e-3)
    names = [name for name in HEIGHTS if name in panels(content)]
    made = Document(title="thinktime")
    for name in names:
        made.add_root(_panel(name, time, content))
    return made


def panels(content: Mapping[str, Any]) -> set[str]:
    """The panels that there are for some content."""
    policies = content["policies"]
    found = {name for name in HEIGHTS if name not in SELDOM or any(name in each for each in policies)}
    return found - (set() if len(policies) > 1 else {"boxes-b"})


def script() -> str:
    """Bokeh's own script, from the package that is installed."""
    from bokeh.resources import Resources

    return "\n".join(Resources(mode="inline", components=["bokeh"], log_level="warn").js_raw)


def _panel(name: str, time: Range1d, content: Mapping[str, Any]) -> Any:
    from bokeh.models import BasicTicker, CustomJSTickFormatter, Range1d, WheelZoomTool
    from bokeh.plotting import figure

    policies = content["policies"]
    heights = {"use": max(each["processors"] for each in policies), "queue": 1, "power": 1, "signal": 1, "lanes": 1}
    top = heights.get(name, max(each["unit"]["count"] for each in policies))
    low, high = (-12, 0) if name == "lanes" else (0, top)
    range_of_y = Range1d(start=low, end=high, name=f"{name}-range")
    plot: Any = figure(
        name=name, height=HEIGHTS[name], sizing_mode="stretch_width", x_range=time, y_range=range_of_y,
        tools="xpan,xwheel_zoom", toolbar_location=None, min_border_left=_left(content),
        min_border_right=RIGHT, min_border_top=4, background_fill_color=None, border_fill_color=None,
        output_backend="canvas", lod_threshold=None,
    )  # fmt: skip
    plot.toolbar.active_scroll = next(tool for tool in plot.tools if isinstance(tool, WheelZoomTool))
    plot.xaxis.ticker = _time_ticker()
    plot.xaxis.formatter = CustomJSTickFormatter(code="return thinktime.timeTick(tick, ticks)")
    plot.xgrid.ticker = plot.xaxis.ticker
    plot.axis.minor_tick_line_color = None
    plot.yaxis.axis_label_text_font_style = "normal"
    plot.yaxis.ticker = BasicTicker(desired_num_ticks=4, num_minor_ticks=0)
    plot.yaxis.formatter = CustomJSTickFormatter(code="return thinktime.countTick(tick)")
    _GLYPHS["boxes" if name.startswith("boxes") else name](plot, name, content)
    return plot


def _left(content: Mapping[str, Any]) -> int:
    """The room on the left, for the names of users."""
    longest = max((len(name) + len("user ") * name.isdecimal() for name in content["users"]), default=0)
    return LEFT + LETTER * max(0, min(longest, LETTERS) - SHORT)


def _time_ticker() -> Any:
    """Ticks at whole seconds, minutes, hours and days, which start at t = 0."""
    from bokeh.models import AdaptiveTicker, CompositeTicker

    parts = (
        (10, (1, 2, 5), 0.0, 0.5),
        (60, (1, 2, 5, 10, 15, 30), 1.0, HOUR / 2.0),
        (24, (1, 2, 3, 6, 12), float(HOUR), DAY / 2.0),
        (10, (1, 2, 5), float(DAY), None),
    )
    tickers = [
        AdaptiveTicker(
            base=base, mantissas=list(steps), min_interval=low, max_interval=high, num_minor_ticks=0,
            desired_num_ticks=8,
        )
        for base, steps, low, high in parts
    ]  # fmt: skip
    return CompositeTicker(tickers=tickers, desired_num_ticks=8, num_minor_ticks=0)


def _source(name: str, *columns: str) -> ColumnDataSource:
    from bokeh.models import ColumnDataSource

    return ColumnDataSource({column: [] for column in columns}, name=name)


def _steps(plot: Any, name: str, content: Mapping[str, Any]) -> None:
    """A step function of each of two policies: means, with the range from least to most behind them."""
    for slot in "ba":
        dashed = {} if slot == "a" else {"line_dash": COMPARED}
        band, line = _source(f"{name}-{slot}-band", "x", "low", "high"), _source(f"{name}-{slot}", "x", "y")
        plot.varea("x", "low", "high", source=band, fill_alpha=0.25)
        plot.line("x", "y", source=line, line_width=1.4, **dashed)


def _use(plot: Any, name: str, content: Mapping[str, Any]) -> None:
    from bokeh.models.annotations import Span

    out = _source("out", "x", "low", "high")
    plot.varea("x", "low", "high", source=out, fill_alpha=0.0, hatch_pattern="/", hatch_alpha=0.8)
    _steps(plot, name, content)
    for size in sorted({each["processors"] for each in content["policies"]}):
        plot.add_layout(Span(dimension="width", location=size, line_width=1))
    plot.y_range.end = 1.05 * float(plot.y_range.end)
    plot.xaxis.visible = False
    plot.yaxis.axis_label = "processors"


def _queue(plot: Any, name: str, content: Mapping[str, Any]) -> None:
    _steps(plot, name, content)
    plot.xaxis.visible = False
    plot.yaxis.axis_label = "processors"


def _power(plot: Any, name: str, content: Mapping[str, Any]) -> None:
    from bokeh.models import CustomJSTickFormatter

    _steps(plot, name, content)
    plot.line("x", "y", source=_source("power-cap", "x", "y"), line_width=1.4, line_dash="dotted")
    plot.xaxis.visible = False
    plot.yaxis.formatter = CustomJSTickFormatter(code="return thinktime.powerTick(tick)")
    plot.yaxis.axis_label = "power"


def _signal(plot: Any, name: str, content: Mapping[str, Any]) -> None:
    from bokeh.models import CustomJSTickFormatter

    plot.varea("x", "low", "high", source=_source("signal-band", "x", "low", "high"), fill_alpha=0.25)
    plot.line("x", "y", source=_source("signal-line", "x", "y"), line_width=1.4)
    plot.xaxis.visible = False
    plot.yaxis.formatter = CustomJSTickFormatter(code="return thinktime.signalTick(tick)")
    plot.yaxis.axis_label = next(each["signal"]["unit"] for each in content["policies"] if "signal" in each)


def _rectangles(plot: Any, name: str, *, rim: str | None) -> None:
    """The same rectangles in two ways: few as quads, many as one image of a pixel per place on the screen."""
    from bokeh.models import ColumnDataSource

    pixel = np.zeros((1, 1), np.uint32)
    image = ColumnDataSource({"image": [pixel], "x": [0.0], "y": [0.0], "dw": [1.0], "dh": [1.0]}, name=f"{name}-image")
    plot.image_rgba("image", "x", "y", "dw", "dh", source=image)
    quads = _source(f"{name}-quads", *QUADS)
    plot.quad(
        left="left", right="right", bottom="bottom", top="top", source=quads, fill_color="fill",
        line_color=rim, line_width=0.6,
    )  # fmt: skip


def _boxes(plot: Any, name: str, content: Mapping[str, Any]) -> None:
    closed = _source(f"{name}-closed", *QUADS[:4])
    _rectangles(plot, name, rim="white")
    plot.quad(
        left="left", right="right", bottom="bottom", top="top", source=closed, fill_alpha=0.15, line_alpha=0.5,
        hatch_pattern="/", hatch_alpha=0.7,
    )  # fmt: skip
    for how, width, dashes in (("resized", 1.2, "dashed"), ("interrupted", 2.4, "solid")):
        source = _source(f"{name}-{how}", "x", "low", "high")
        plot.segment("x", "low", "x", "high", source=source, line_width=width, line_dash=dashes)
    _mark(plot, name)
    plot.yaxis.axis_label = content["policies"][0]["unit"]["name"]
    if name == "boxes-b":
        plot.visible = False
        plot.xaxis.visible = False  # labels take most of the time of a frame, and the lanes below have them


def _lanes(plot: Any, name: str, content: Mapping[str, Any]) -> None:
    from bokeh.models import CustomJSTickFormatter, FixedTicker

    _rectangles(plot, name, rim=None)
    _mark(plot, name)
    plot.yaxis.ticker = FixedTicker(ticks=[])
    plot.yaxis.formatter = CustomJSTickFormatter(code="return thinktime.laneTick(tick)")
    plot.yaxis.major_tick_line_color = None
    plot.ygrid.visible = False


def _mark(plot: Any, name: str) -> None:
    """What is chosen: its wait as a line, itself with a rim."""
    wait, own = _source(f"{name}-wait", "x0", "x1", "y"), _source(f"{name}-chosen", *QUADS[:4])
    plot.segment("x0", "y", "x1", "y", source=wait, line_width=2, line_dash="dotted")
    plot.quad(
        left="left", right="right", bottom="bottom", top="top", source=own, fill_color=None, line_width=2.5,
    )  # fmt: skip


_GLYPHS = {"use": _use, "queue": _queue, "boxes": _boxes, "power": _power, "signal": _signal, "lanes": _lanes}
