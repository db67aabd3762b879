"""Axes for pictures of a trace: durations and shares on logarithmic axes, short numbers, empty panels."""

from thinktime.analysis.pictures.style import DECADES, GREY, Axes, log_ticks, show_log

PERCENT = "{x:.0%}"
"""The label format of an axis of shares."""


def shares_on_log(axes: Axes) -> None:
    """Label a logarithmic axis of shares in per cent."""
    from matplotlib.ticker import NullLocator

    axes.yaxis.set_major_formatter(lambda share, _: f"{100 * share:.6g}%")
    axes.yaxis.set_minor_locator(NullLocator())


def durations_on_log(axes: Axes) -> None:
    """Label a logarithmic x axis with round durations, and with fractions of a second if it has any."""
    low, high = axes.get_xlim()
    small = [10.0**k for k in range(-3, 0) if low <= 10.0**k]
    show_log(axes.xaxis, [*(small if low < DECADES[0] else []), *log_ticks(low, high)])


def nothing(axes: Axes, why: str) -> None:
    """Write into an empty panel why it is empty."""
    axes.set(xticks=[], yticks=[])
    axes.text(0.5, 0.5, why, transform=axes.transAxes, ha="center", va="center", color=GREY)


def few_ticks(axes: Axes, most: float) -> None:
    """Put about two ticks at round numbers on an x axis from 0, with `short` labels."""
    from matplotlib.ticker import MaxNLocator

    axes.set_xlim(0, (most or 1.0) * 1.08)
    axes.xaxis.set_major_locator(MaxNLocator(2, steps=[1, 2, 5, 10]))
    axes.xaxis.set_major_formatter(lambda x, _: short(x))


def short(number: float) -> str:
    """Abbreviate a number.

    >>> short(250), short(1500), short(4e7)
    ('250', '1.5k', '40M')
    """
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= size:
            return f"{number / size:.4g}{letter}"
    return f"{number:.4g}"


def scientific(number: float) -> str:
    """Format a number, with a power of ten if it is long.

    >>> scientific(2.01e9), scientific(400)
    ('2.01 × 10⁹', '400')
    """
    if number < 1e5:
        return f"{number:,.0f}"
    digits, exponent = f"{number:.2e}".split("e")
    raised = str(int(exponent)).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{digits} × 10{raised}"
