"""Build the parts of a recipe from nested tables (of a TOML file or a command line).

Every part of a recipe has a slot that defines what it may be (`KINDS`). Errors name the place, what is wrong, and
what would be right.
"""

from collections.abc import Callable, Mapping
from dataclasses import Field, is_dataclass
from typing import Any

from thinktime.workloads.generators.arrivals import Poisson, Renewal, Weibull
from thinktime.workloads.generators.bmodel import BModel
from thinktime.workloads.generators.campaign_jobs import Campaigns
from thinktime.workloads.generators.cycles import Cycle, daily, weekly
from thinktime.workloads.generators.estimate_models import Exact, Factor, Histogram, Tsafrir
from thinktime.workloads.generators.job_streams import Stream
from thinktime.workloads.generators.lublin import Lublin, LublinArrivals
from thinktime.workloads.generators.mmpp import MMPP2
from thinktime.workloads.generators.owners import Everybody, Flurry, Zipf
from thinktime.workloads.generators.quantities import (
    LONG,
    SHORT,
    Geometric,
    OneOf,
    Quantiles,
    Truncated,
    Uniform,
    with_seconds,
)
from thinktime.workloads.generators.recipe import Extent, Recipe
from thinktime.workloads.generators.shapes import HyperGamma, PowersOfTwo, TwoStage
from thinktime.workloads.generators.user_classes import Band, Mix, UserClass
from thinktime.workloads.hours import WorkingHours
from thinktime.workloads.names import did_you_mean, key_of, quoted
from thinktime.workloads.reading.faults import VERBS
from thinktime.workloads.reading.table import Codec, Fault, Form, form_of

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
    "time": QUANTITIES,
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

TIMES = ("runtimes", "time")
"""The slots whose numbers are in s, or texts such as "2 h"."""

DRAWN = ("sizes", "quantity", *TIMES)
"""The slots that also accept a number or a distribution of scipy.stats."""


HERE = "PLACE"
"""What stands in a fault for the path of the part."""


def name_of(place: str, piece: object) -> str | None:
    """The word for a piece in a slot, if it has one."""
    words = (word for word, maker in KINDS[place].items() if maker is type(piece))
    return next(words, None)


def read(slot: str, value: Any, where: str = "") -> Any:
    """The part that a value describes; ``ValueError`` begins with ``where`` and the place in it."""
    try:
        return build(slot, value)
    except Fault as fault:
        place = ".".join(fault.place).replace(". ", " ")
        at = ", ".join(part for part in (where, place and f"[{place}]") if part)
        between = " " if fault.what.startswith(VERBS) else ": "
        what = fault.what.replace(f"[[{HERE}]]", f"[[{place}]]")
        raise ValueError(f"{at}{between}{what}" if at else what) from None


def build(slot: str, value: Any, default: Any = None) -> Any:
    """Make the part that `value` describes; `default` is the part it replaces. Raises a `Fault`."""
    if slot in SEVERAL:
        if not isinstance(value, list):
            raise Fault(f"must be tables, [[{HERE}]], not {quoted(value)}")
        return tuple(_numbered(slot, each, place) for place, each in enumerate(value, start=1))
    if slot in TIMES:
        try:
            value = with_seconds(value)
        except ValueError as error:
            raise Fault(str(error)) from None
    if isinstance(value, str):
        value = {"kind": value}
    if slot in DRAWN and isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, Mapping):
        raise Fault(f"must be a table or the name of a kind, not {quoted(value)}")
    if slot in DRAWN and "distribution" in value:
        return _frozen(dict(value))
    return _piece(slot, dict(value), default)


def _numbered(slot: str, value: Any, place: int) -> Any:
    try:
        if not isinstance(value, Mapping):
            raise Fault(f"must be a table, not {quoted(value)}")
        return _piece(slot, dict(value), None)
    except Fault as fault:
        raise fault.within(f" {place}") from None


def _piece(slot: str, table: dict[str, Any], default: Any) -> Any:
    maker, base = _maker(slot, table.pop("kind", None), default)
    if not is_dataclass(maker):
        if table:
            raise Fault(f"has no key {quoted(next(iter(table)))}; the keys are none")
        return maker()
    form = form_of(maker, _Parts)
    before = {name: getattr(base, name) for name in form.keys} if base is not None else {}
    return form.made(before | form.values(before | table, (base, table)))


class _Parts(Form):
    """The keys of a part of a recipe: fields with a slot hold parts, all others are checked by the part itself."""

    listed = "the keys"

    def reader(self, field: Field[Any], hint: Any) -> Codec:
        """How a field is read, over the one that the base of its table has."""
        slot = field.metadata.get("slot")
        if slot is None:
            return Codec(lambda value: tuple(value) if isinstance(value, list) else value)

        def read(value: Any, of: tuple[Any, Mapping[str, Any]]) -> Any:
            base, table = of
            if field.name not in table:
                return value
            default = field.metadata.get("default")
            if default is None:
                default = getattr(base, field.name, None) if base is not None else field.default
            return build(slot, value, default)

        return Codec(read, with_base=True)


def _maker(slot: str, kind: Any, default: Any) -> tuple[Maker, Any]:
    """The class of the part, and the default part that supplies missing values."""
    kinds = KINDS[slot]
    if kind is None:
        if default is not None and type(default) in kinds.values():
            return type(default), default
        if slot not in (*PLAIN, "cycle", "model"):
            raise Fault(f"needs a kind, one of {', '.join(kinds)}")
        return next(iter(kinds.values())), None
    if not isinstance(kind, str) or kind not in kinds:
        raise Fault(f"has no kind {quoted(kind)}; {key_of(str(kind), kinds, 'the kinds')}")
    maker = kinds[kind]
    return maker, default if type(default) is maker else None


def _frozen(table: dict[str, Any]) -> Any:
    from scipy import stats

    name = table.pop("distribution")
    family = getattr(stats, str(name), None)
    if not isinstance(family, stats.rv_continuous | stats.rv_discrete):
        known = [each for each in dir(stats) if hasattr(getattr(stats, each), "rvs")]
        near = did_you_mean(str(name), known)
        raise Fault(f"needs a distribution of scipy.stats, not {quoted(name)}{near and f'; {near}'}")
    try:
        frozen = family(**table)
        if frozen.support()[0] != frozen.support()[0]:
            raise ValueError("invalid parameters")
        return frozen
    except (TypeError, ValueError) as error:
        shapes = f"{family.shapes}, " if family.shapes else ""
        wanted = f"{name} takes {shapes}loc and scale"
        raise Fault(f"cannot be {name} with {quoted(table)} ({error}); {wanted}") from None
