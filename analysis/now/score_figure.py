"""The picture of a score: the histogram of the PIT values, and how reliable the quantiles are."""

import numpy as np

from thinktime.analysis.now.scoring import Score
from thinktime.analysis.pictures.style import GREY, PALETTE, Figure, figure, styled

BINS = 20


def calibration(found: Score) -> Figure:
    """If forecasts are right, the histogram of PIT values is flat and the curve is the diagonal."""
    pit = found.pit
    with styled():
        picture = figure(7.2, 3.4)
        left, right = picture.subplots(1, 2)
        density = np.histogram(pit, BINS, (0.0, 1.0))[0] * BINS / max(1, len(pit))
        left.stairs(density, np.linspace(0.0, 1.0, BINS + 1), fill=True, color=PALETTE[0])
        left.axhline(1.0, color=GREY, linewidth=0.8)
        left.set(xlabel="share of draws below the true start", ylabel="density", xlim=(0, 1))
        right.plot([0, 1], [0, 1], color=GREY, linewidth=0.8)
        shares = np.append(np.arange(len(pit)) / max(1, len(pit)), 1.0)
        right.step(np.append(np.sort(pit), 1.0), shares, where="post")
        right.set(xlabel="quantile of the forecast", ylabel="share of starts before it", xlim=(0, 1), ylim=(0, 1))
    return picture
