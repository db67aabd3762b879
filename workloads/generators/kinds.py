"""The kinds that a recipe may name: for each slot of a recipe, the words and what they make."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from thinktime.workloads.generators.arrivals import Poisson, Renewal, Weibull
from thinktime.workloads.generators.bmodel import BModel
from thinktime.workloads.generators.campaign_jobs import Campaigns
from thinktime.workloads.generators.cycles import Cycle, daily, weekly
from thinktime.workloads.generators.estimate_models import Exact, Factor, Histogram, Tsafrir
from thinktime.workloads.generators.flurries import Flurry
from thinktime.workloads.generators.job_streams import Stream
from thinktime.workloads.generators.lublin import Lublin, LublinArrivals
from thinktime.workloads.generators.mmpp import MMPP2
from thinktime.workloads.generators.owners import Everybody, Zipf
from thinktime.workloads.generators.quantities import (
    LONG,
    SHORT,
    Geometric,
    OneOf,
    Quantiles,
    Truncated,
    Uniform,
)
from thinktime.workloads.generators.recipe import Extent, Recipe
from thinktime.workloads.generators.runtimes import HyperGamma
from thinktime.workloads.generators.sizes import PowersOfTwo, TwoStage
from thinktime.workloads.generators.user_classes import Band, Mix, UserClass
from thinktime.workloads.hours import WorkingHours

Maker = Callable[..., Any]

QUANTITIES: Mapping[str, Maker] = {
    "uniform": Uniform,
    "geometric": Geometric,
    "values": OneOf,
    "quantiles": Quantiles,
    "truncated": Truncated,
    "short": lambda: SHORT,
    "long": lambda: LONG,
}
ARRIVALS: Mapping[str, Maker] = {
    "poisson": Poisson,
    "mmpp": MMPP2,
    "weibull": Weibull,
    "b-model": BModel,
    "renewal": Renewal,
    "lublin": LublinArrivals,
}

KINDS: Mapping[str, Mapping[str, Maker]] = {
    "recipe": {"recipe": Recipe},
    "model": {"stream": Stream, "lublin": Lublin, "campaigns": Campaigns, "mix": Mix},
    "stream": {"stream": Stream},
    "arrivals": ARRIVALS,
    "sizes": {"two-stage": TwoStage, "powers-of-two": PowersOfTwo, **QUANTITIES},
    "runtimes": {"hyper-gamma": HyperGamma, **QUANTITIES},
    "quantity": QUANTITIES,
    "estimates": {"exact": Exact, "factor": Factor, "tsafrir": Tsafrir, "histogram": Histogram},
    "users": {"uniform": Everybody, "zipf": Zipf},
    "cycle": {"weights": Cycle, "daily": daily, "weekly": weekly},
    "flurries": {"flurry": Flurry},
    "classes": {"class": UserClass},
    "bands": {"band": Band},
    "hours": {"hours": WorkingHours},
    "extent": {"extent": Extent},
}
"""What each slot may hold (see `quantities.slot`). The first one is used if a recipe gives no kind and the slot
has no default."""

SEVERAL = ("flurries", "classes", "bands")
"""The slots that hold a list of pieces."""

PLAIN = ("recipe", "stream", "flurries", "classes", "bands", "hours", "extent")
"""The slots whose kind need not be given, as there is only one."""

DRAWN = ("sizes", "runtimes", "quantity")
"""The slots that also accept a number or a distribution of scipy.stats."""


def name_of(place: str, piece: object) -> str | None:
    """The word for a piece in a slot, if it has one."""
    words = (word for word, maker in KINDS[place].items() if maker is type(piece))
    return next(words, None)
