"""Synthetic workloads, from parts that serve both generated logs and users in the loop.

`generate(recipe, jobs=…, users=…, processors=…, seed=…)` returns a `Trace`. A `Recipe` is built in Python, read
from TOML (`read_recipe`) or chosen by name (`preset`).

* `arrivals`: Poisson, Weibull, any renewal process; `mmpp`, `bmodel`: bursts; `cycles`: on top of them
* `shapes` (sizes and run times), `estimate_models` (with `tsafrir`), `owners` (and flurries): the properties of jobs
* `lublin`: the Lublin–Feitelson model
* `campaign_jobs` (with `nominal`): the campaign users of the ostrich paper; `classes`: classes of users
* `load`: the offered load; `quantities`: random numbers
* `streams`, `recipe`, `generate`; `recipe_text`, `tables`: recipes as text
"""

from thinktime.workloads.generators.arrivals import Arrivals, Poisson, Renewal, Weibull
from thinktime.workloads.generators.bmodel import BModel
from thinktime.workloads.generators.campaign_jobs import Campaigns, UserPlan
from thinktime.workloads.generators.cycles import Cycle, daily, weekly
from thinktime.workloads.generators.estimate_models import Exact, Factor, Histogram, Tsafrir
from thinktime.workloads.generators.generate import generate, plans_of, recipe_of
from thinktime.workloads.generators.job_streams import Stream
from thinktime.workloads.generators.like import Likeness, like
from thinktime.workloads.generators.lublin import Lublin, LublinArrivals
from thinktime.workloads.generators.mmpp import MMPP2
from thinktime.workloads.generators.owners import Everybody, Flurry, Zipf
from thinktime.workloads.generators.quantities import (
    LONG,
    SHORT,
    Geometric,
    OneOf,
    Piece,
    Quantiles,
    Quantity,
    Truncated,
    Uniform,
    sample,
)
from thinktime.workloads.generators.recipe import Extent, Recipe
from thinktime.workloads.generators.recipe_text import PRESETS, preset
from thinktime.workloads.generators.recipe_text import read_file as read_recipe
from thinktime.workloads.generators.shapes import HyperGamma, PowersOfTwo, TwoStage
from thinktime.workloads.generators.user_classes import Mix, UserClass
from thinktime.workloads.lazy import import_on_demand
from thinktime.workloads.offered_load import LoadReport, offered_load, scale_to_load

__all__ = [
    "LONG", "PRESETS", "SHORT", "Arrivals", "BModel", "Campaigns", "Cycle", "Everybody", "Exact", "Extent",
    "Factor", "Flurry", "Geometric", "Histogram", "HyperGamma", "Likeness", "LoadReport", "Lublin",
    "LublinArrivals", "MMPP2", "Mix", "OneOf", "Piece", "Poisson", "PowersOfTwo", "Quantiles", "Quantity",
    "Recipe", "Renewal", "Stream", "Truncated", "Tsafrir", "TwoStage", "Uniform", "UserClass", "UserPlan",
    "Weibull", "Zipf", "daily", "generate", "like", "offered_load", "plans_of", "preset", "read_recipe",
    "recipe_of", "sample", "scale_to_load", "weekly",
]  # fmt: skip

import_on_demand(__name__)
