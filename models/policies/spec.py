"""Policies from text: ``RULE[:key=value,…]``, as the command line and scenario files write them.

``easy:order=lxf,reservations=2`` is ``Easy(order="lxf", reservations=2)``. The name of an order alone
stands for ``none`` with this order: ``fcfs`` is ``none:order=fcfs``. ``FILE.py:NAME`` takes a function or a
class (or a ready object) from a user's script; ``FILE.py:NAME:key=value,…`` passes options to the class. An
order may come from a script as well: ``easy:order=FILE.py:KEY``, or from a function or class that makes one,
``easy:order=FILE.py:FACTORY,hours=12``. Options of an order that keeps accounts stand among
those of the rule: ``easy:order=fairshare,half_life=7d``. Rules with an order take a ``runtime_limit=72h``,
which replays apply. The names of the cplant paper's schedulers stand for compositions, whose options may be
changed: ``cons.72max:decay_origin=6h``.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from thinktime.models.policies.accounts import AccountOrder
from thinktime.models.policies.backfilling import Easy, NoGuarantee, Strict
from thinktime.models.policies.base import Policy, QueuePolicy
from thinktime.models.policies.conservative import Conservative, ConservativeDynamic
from thinktime.models.policies.cplant import SCHEDULERS, CPlant
from thinktime.models.policies.creasy import Creasy
from thinktime.models.policies.faircamp import FairCamp
from thinktime.models.policies.named_orders import ORDERS, as_order
from thinktime.models.policies.order import Order
from thinktime.models.policies.ostrich import OStrich
from thinktime.models.policies.ostrich_slurm import OStrichSlurm
from thinktime.models.policies.recorded import Recorded
from thinktime.models.policies.script import close_to, member
from thinktime.models.policies.script_order import ScriptOrder
from thinktime.models.policies.slack import Slack
from thinktime.models.policies.tradeoff import Tradeoff, TradeoffFs
from thinktime.workloads.units import seconds


@dataclass(frozen=True, slots=True)
class Entry:
    """What the list of policies says of one of them."""

    name: str
    line: str
    source: str
    options: str = ""


_GOAL = "Vasupongayya: goal-oriented policies"

_RULES: dict[str, tuple[Callable[..., Any], Entry]] = {
    entry.name: (factory, entry)
    for factory, entry in (
        (
            Strict,
            Entry(
                "none", "strict order: only the head of the queue may start", "standard in the field", "order"
            ),
        ),
        (
            NoGuarantee,
            Entry(
                "no-guarantee",
                "start whatever fits, in queue order",
                "Leung, Sabin, Sadayappan: CPlant",
                "order",
            ),
        ),
        (
            Easy,
            Entry(
                "easy",
                "aggressive backfilling: the first jobs that cannot start hold reservations",
                "Lifka (JSSPP 1995)",
                "order, reservations=1",
            ),
        ),
        (
            Conservative,
            Entry(
                "conservative",
                "every waiting job holds a reservation, kept and compressed",
                "Mu'alem, Feitelson (TPDS 2001)",
                "order, compress=completion|event|scheduled|none",
            ),
        ),
        (
            ConservativeDynamic,
            Entry(
                "conservative-dynamic",
                "all reservations rebuilt in queue order at every event",
                "Leung, Sabin, Sadayappan: CPlant",
                "order",
            ),
        ),
        (
            OStrich,
            Entry(
                "ostrich",
                "campaigns by completion in a virtual fair-sharing schedule",
                "Emeras, Pinheiro, Rzadca, Trystram (PPAM 2013)",
                "within=lpt|spt|fcfs|mlpt, backfilling=easy|none, threshold=0, shares=USER*WEIGHT+…, "
                "corrected=no|yes, held_back=yes|no",
            ),
        ),
        (
            OStrichSlurm,
            Entry(
                "ostrich-slurm",
                "OStrich as in its SLURM plugin: campaigns by threshold, shares of what is used",
                "Skalski, Rzadca: plugin for SLURM",
                "within, backfilling, threshold=600, shares",
            ),
        ),
        (
            FairCamp,
            Entry(
                "faircamp",
                "campaigns by deadline",
                "Pinheiro, Rzadca, Trystram (HiPC 2012)",
                "within, backfilling, threshold, rho",
            ),
        ),
        (
            CPlant,
            Entry(
                "cplant",
                "start whatever fits, by fairshare; who has waited long joins a starvation queue",
                "Leung, Sabin, Sadayappan: CPlant",
                "order=fairshare, starve=24h, barred=none|heavy, quantile",
            ),
        ),
        (
            Creasy,
            Entry(
                "creasy",
                "EASY, jobs first whose users are about to leave: alpha criticality + wait",
                "Shmueli, Feitelson (TPDS 2009)",
                "alpha=900000, level=0.8, decay=0.05, reservations=1",
            ),
        ),
        (
            Slack,
            Entry(
                "slack",
                "a newcomer may delay others within their slack; the cheapest schedule is chosen",
                "Talby, Feitelson (IPPS 1999)",
                "heuristic=ast|aat|du|dc|dp, slack_factor=3, awt=auto|S, classes=S+…, alpha_u=1, alpha_t=1, alpha_p=1, "
                "alpha_f=1, priorities=FILE, quotas=FILE, every=K, gap=2, permutations=0, tick=no|yes|half, "
                "delayed=shifted|removed, reading=printed|sp-kept|sp-first|absolute|own-price",
            ),
        ),
        (
            Tradeoff,
            Entry(
                "tradeoff",
                "search for the schedule that is best for several goals at once",
                _GOAL,
                "heuristic=lxf|fcfs|fairshare|ORDER, algorithm=dds|lds, goals=wait+slowdown+deviation+stretch, "
                "weights=1+1, comparison=relative|hierarchical|product, bound=dynB|50h, tau=60, limit=1000, "
                "time_limit=SECONDS, lds_order=left|top, prune=no|yes, window=1d",
            ),
        ),
        (
            TradeoffFs,
            Entry(
                "tradeoff-fs",
                "tradeoff that begins its search with who has used least today",
                _GOAL,
                "heuristic=fairshare, and those of tradeoff",
            ),
        ),
        (Recorded, Entry("recorded", "the log's own starts (field 3)", "the log itself")),
    )
}

ALIASES = {"relshare": "easy:order=relshare"}
"""Other names: as the papers call a rule with its order. They come before the orders of the same name."""


def catalogue() -> list[Entry]:
    """Every rule and every order, with a line and a source."""
    orders = [Entry(order.name, order.line, order.source, _options_of(order)) for order in ORDERS.values()]
    named = [Entry(name, text, "Leung, Sabin, Sadayappan: CPlant, V.E") for name, text in SCHEDULERS.items()]
    return [entry for _, entry in _RULES.values()] + named + orders


def _options_of(order: Order) -> str:
    """The options of an order that keeps accounts, with its defaults where they are plain."""
    if not isinstance(order, AccountOrder):
        return ""
    shown = dict.fromkeys(inspect.signature(order.maker).parameters, "") | order.options()
    return ", ".join(f"{key}={value}" if value else key for key, value in shown.items())


def from_spec(text: str) -> Policy:
    """The policy that ``text`` names; ``ValueError`` with one sentence if there is none."""
    try:
        return _parsed(text)
    except ValueError as error:
        raise ValueError(f"policy {text!r}: {error}") from error.__cause__


def as_policy(policy: Any) -> Policy:
    """A policy from what people write where one is wanted: a policy, its text, or a function ``select(view, now)``."""
    if isinstance(policy, str):
        return from_spec(policy)
    if inspect.isclass(policy):
        raise TypeError(f"{policy.__name__} is a class; a policy is an object of it: {policy.__name__}()")
    if callable(getattr(policy, "select", None)):
        return policy  # type: ignore[no-any-return]
    if callable(policy):
        return FunctionPolicy(policy)
    raise TypeError(
        f"{policy!r} is no policy: it is neither text, nor a function of (view, now), nor has it select()"
    )


class FunctionPolicy:
    """A plain function ``select(view, now)`` as a policy."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.select = function

    def __str__(self) -> str:
        return getattr(self.select, "__name__", "function")


def _parsed(text: str) -> Policy:
    head, _, tail = text.strip().partition(":")
    if head.endswith(".py"):
        return _users_policy(head, tail)
    if head in ALIASES:
        return _parsed(f"{ALIASES[head]},{tail}" if tail else ALIASES[head])
    if head in ORDERS:
        if tail:
            raise ValueError(f"an order alone takes no options; write none:order={head}")
        return Strict(order=head)
    if head in SCHEDULERS:
        head, _, named = SCHEDULERS[head].partition(":")
        return _built(_RULES[head][0], _options(named) | _options(tail))
    if head not in _RULES:
        raise ValueError(f"there is no policy {head!r}{close_to(head, [*_RULES, *SCHEDULERS, *ORDERS])}")
    return _built(_RULES[head][0], _options(tail))


def _options(tail: str) -> dict[str, Any]:
    """``key=value`` pairs; numbers become numbers."""
    options: dict[str, Any] = {}
    for part in tail.split(",") if tail else ():
        key, equals, value = part.partition("=")
        if not equals or not key or not value:
            raise ValueError(f"{part!r} is not an option; options are key=value, separated by commas")
        if key in options:
            raise ValueError(f"the option {key!r} stands twice")
        options[key.replace("-", "_")] = _order(value) if key == "order" else _value(value)
    return options


def _value(text: str) -> Any:
    """An integer or a float if it reads as one, a list where it holds ``+`` between words, else the text."""
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            pass
    return text.split("+") if "+" in text else text


def _order(value: str) -> Any:
    """An order by its name; one of a script's is made when all options are known."""
    path, _, name = value.partition(":")
    if path.endswith(".py"):
        return ScriptOrder(value, member(path, name))
    if value not in ORDERS:
        raise ValueError(f"there is no order {value!r}{close_to(value, ORDERS)}")
    return ORDERS[value].copy()


def _built(factory: Callable[..., Any], options: dict[str, Any]) -> Policy:
    allowed = dict(inspect.signature(factory).parameters)
    limits = inspect.isclass(factory) and issubclass(factory, QueuePolicy) and "order" in allowed
    limit = options.pop("runtime_limit", None) if limits else None
    order = _order_of(options, allowed)
    of_order = {} if order is None else inspect.signature(order.maker).parameters
    for key in options:
        if key not in allowed and key not in of_order:
            known = ", ".join([*allowed, *of_order, *(["runtime_limit"] if limits else [])]) or "none"
            raise ValueError(f"there is no option {key!r}; its options are: {known}")
    taken = {key: options[key] for key in options if key not in allowed}
    try:
        if order is not None and (taken or isinstance(order, ScriptOrder)):
            slot = "order" if "order" in allowed else "heuristic"
            options = {key: options[key] for key in options if key not in taken} | {
                slot: order.maker(**taken)
            }
        policy: Any = factory(**options)
        if limit is not None:
            policy.runtime_limit = _limit(limit)
    except ValueError:
        raise
    except Exception as error:
        raise ValueError(f"{factory.__name__} cannot be made: {type(error).__name__}: {error}") from error
    built: Policy = policy
    return built


def _limit(text: Any) -> float:
    try:
        limit = seconds(text)
    except ValueError as error:
        raise ValueError(f"runtime_limit: {error}") from None
    if limit < 1:
        raise ValueError(f"runtime_limit is {text!r}, but must be at least 1 s")
    return limit


def _order_of(
    options: dict[str, Any], allowed: dict[str, inspect.Parameter]
) -> AccountOrder | ScriptOrder | None:
    """The order, given or by default, whose options may stand among those of the rule."""
    if "heuristic" in allowed and isinstance(given := options.get("heuristic"), str):
        return _order(given) if given.partition(":")[0].endswith(".py") else None
    if "order" not in allowed:
        return None
    order = options.get("order", allowed["order"].default)
    order = as_order(order) if isinstance(order, str) else order
    return order if isinstance(order, AccountOrder | ScriptOrder) else None


def _users_policy(path: str, rest: str) -> Policy:
    name, _, tail = rest.partition(":")
    found = member(path, name)
    if inspect.isclass(found):
        found = _built(found, _options(tail))
    elif tail:
        raise ValueError(f"{name} is not a class, so it takes no options")
    try:
        return as_policy(found)
    except TypeError as error:
        raise ValueError(f"{name} of {path}: {error}") from None
