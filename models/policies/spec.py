"""Policies from text: ``RULE[:key=value,…]``, as the command line and scenario files write them.

``easy:order=lxf,reservations=2`` is ``Easy(order="lxf", reservations=2)``. The name of an order alone
stands for ``none`` with this order: ``fcfs`` is ``none:order=fcfs``. ``FILE.py:NAME`` takes a function or a
class (or a ready object) from a user's script; ``FILE.py:NAME:key=value,…`` passes options to the class. An
order may come from a script as well: ``easy:order=FILE.py:KEY``, or from a function or class that makes one,
``easy:order=FILE.py:FACTORY,hours=12``. Options of an order are written among those of the rule:
``easy:order=fairshare,half_life=7d``. Rules with an order take a ``runtime_limit=72h``. The names of the cplant
paper's schedulers stand for such texts, whose options may be changed: ``cons.72max:decay_origin=6h``.
``carbon:rule=threshold,wait=12h,base=easy:order=lxf`` holds jobs back around the policy that stands behind ``base=``;
``shapes:expand=oldest,shrink=latest,base=easy`` chooses sizes around it.
"""

import inspect
from collections.abc import Callable, Mapping
from copy import copy
from functools import lru_cache
from typing import Any

from thinktime.models.orders.named_orders import ORDERS, order_maker
from thinktime.models.orders.order import Order
from thinktime.models.orders.scripts import member
from thinktime.models.policies.backfilling import Easy, NoGuarantee, Strict
from thinktime.models.policies.base import Policy
from thinktime.models.policies.carbon import NAME, deferral_of, deferral_options
from thinktime.models.policies.conservative import Conservative, ConservativeDynamic
from thinktime.models.policies.cplant.policy import SCHEDULERS, CPlant
from thinktime.models.policies.creasy import Creasy
from thinktime.models.policies.entry import Entry, ReadyPolicy, entry_of
from thinktime.models.policies.hooks import can_select, refuse_unknown_hooks, said_of
from thinktime.models.policies.ostrich.faircamp import FairCamp
from thinktime.models.policies.ostrich.ostrich import OStrich, OStrichSlurm
from thinktime.models.policies.recorded import Recorded
from thinktime.models.policies.search.tradeoff import Tradeoff, TradeoffFs
from thinktime.models.policies.shapes.policy import USUAL, Shapes
from thinktime.models.policies.slack import Slack
from thinktime.models.policies.slurm.policy import Slurm
from thinktime.workloads.names import key_of, quoted
from thinktime.workloads.units import seconds

RULES: dict[str, type[ReadyPolicy]] = {
    kind.rule: kind
    for kind in (
        Strict, NoGuarantee, Easy, Conservative, ConservativeDynamic, Slurm, OStrich, OStrichSlurm, FairCamp, CPlant,
        Creasy, Slack, Tradeoff, TradeoffFs, Recorded, Shapes,
    )
}  # fmt: skip
"""The policies of the package by name. The entry above each class says the rest."""

ALIASES = {"relshare": "easy:order=relshare"}
"""Other names: what the papers call a rule with its order. They take precedence over orders of the same name."""


def catalogue() -> list[Entry]:
    """Every rule and every order, with a line and a source."""
    rules = [entry for kind in RULES.values() if (entry := entry_of(kind))]
    named = [Entry(name, text, "Leung, Sabin, Sadayappan: CPlant, V.E") for name, text in SCHEDULERS.items()]
    orders = [Entry(order.name, order.line, order.source, _options_of(order)) for order in ORDERS.values()]
    return rules + named + orders


def around() -> Entry:
    """What holds jobs back around a rule, and is none itself."""
    line = "Hold each job back, up to wait, for less carbon or a lower price, around the policy base"
    return Entry(NAME, line, "Hanafy et al. 2024 (GAIA)", deferral_options())


def _options_of(order: Order) -> str:
    """The options of an order, with its defaults where they are plain."""
    shown = dict.fromkeys(inspect.signature(order_maker(order.name)).parameters, "") | order.options()
    return ", ".join(f"{key}={value}" if value else key for key, value in shown.items())


def from_spec(text: str) -> Policy:
    """The policy that ``text`` names; ``ValueError`` with one sentence if there is none."""
    try:
        return _parsed(text)
    except ValueError as error:
        raise ValueError(f"policy {quoted(text)}: {error}") from error.__cause__


def as_policy(policy: Any) -> Policy:
    """A policy from what people write where one is wanted: a policy, its text, or a function ``select(view, now)``."""
    if isinstance(policy, str):
        return from_spec(policy)
    if inspect.isclass(policy):
        raise TypeError(f"{policy.__name__} is a class; a policy is an object of it: {policy.__name__}()")
    if can_select(policy):
        refuse_unknown_hooks(policy)
        return policy
    if callable(policy):
        return FunctionPolicy(policy)
    raise TypeError(
        f"{quoted(policy)} is no policy: it is neither text, nor a function of (view, now), nor has it select()"
    )


class FunctionPolicy(Policy):
    """A plain function ``select(view, now)`` as a policy."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.select = function  # type: ignore[method-assign]

    def copy(self) -> "FunctionPolicy":
        """The same: a function has no state to copy."""
        return self

    def __str__(self) -> str:
        name = getattr(self.select, "__name__", "function")
        return name if self.deferral is None else str(self.deferral.around(name))


def _parsed(text: str) -> Policy:
    head, _, tail = text.strip().partition(":")
    if head.endswith(".py"):
        policy: Policy = made_of_script(head, tail, as_policy)
        return policy
    if head == NAME:
        return _deferred(tail)
    if head == Shapes.rule:
        return _shaped(tail)
    if head in ALIASES:
        return _parsed(f"{ALIASES[head]},{tail}" if tail else ALIASES[head])
    if head in ORDERS:
        if tail:
            raise ValueError(f"an order alone takes no options; write none:order={head}")
        return Strict(order=head)
    if head in SCHEDULERS:
        head, _, named = SCHEDULERS[head].partition(":")
        return _built(RULES[head], _options(named) | _options(tail))
    if head not in RULES:
        raise ValueError(
            f"there is no policy {quoted(head)}; {key_of(head, [*RULES, NAME, *SCHEDULERS, *ORDERS], 'the policies')}"
        )
    return _built(RULES[head], _options(tail))


def _deferred(tail: str) -> Policy:
    """A policy with jobs held back: all that stands behind ``base=`` is the policy around which they are."""
    own, based, base = f",{tail}".partition(",base=")
    policy = copy(_parsed(base if based else "easy"))
    if said_of(policy, "deferral") is not None:
        raise ValueError(f"{NAME} holds jobs back once; give another base")
    policy.deferral = deferral_of(_options(own.removeprefix(",")))
    return policy


def _shaped(tail: str) -> Policy:
    """Sizes around a policy: all that stands behind ``base=``."""
    own, based, base = f",{tail}".partition(",base=")
    options = _options(own.removeprefix(","))
    try:
        middle = {"base": _parsed(base)} if based else {}
    except ValueError:
        behind = [each for each in base.split(",")[1:] if each.partition("=")[0] in USUAL]
        if not behind:
            raise
        raise ValueError(f"what stands behind base= is the policy in the middle; write {behind[0]} before it") from None
    return _built(Shapes, options | middle)


def _options(tail: str) -> dict[str, Any]:
    """``key=value`` pairs; numbers become numbers, and an order keeps its text."""
    options: dict[str, Any] = {}
    for part in tail.split(",") if tail else ():
        key, equals, value = part.partition("=")
        if not equals or not key or not value:
            raise ValueError(f"{quoted(part)} is not an option; options are key=value, separated by commas")
        if key in options:
            raise ValueError(f"the option {quoted(key)} is given twice")
        options[key.replace("-", "_")] = value if key == "order" else _value(value)
    return options


def _value(text: str) -> Any:
    """An integer or a float if it reads as one, a list where it holds ``+`` between words, else the text."""
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            pass
    return text.split("+") if "+" in text else text


@lru_cache(maxsize=64)
def _parameters(kind: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    return inspect.signature(kind).parameters


def _built(kind: Callable[..., Any], options: dict[str, Any]) -> Policy:
    """A policy from its options, some of which may be those of its order."""
    allowed = _parameters(kind)
    slot = getattr(kind, "order_option", "order")
    limits = "order" in allowed and hasattr(kind, "runtime_limit")
    limit = options.pop("runtime_limit", None) if limits else None
    order = options.get(slot, allowed[slot].default) if slot in allowed else None
    own_orders = getattr(kind, "own_orders", ())
    maker = order_maker(order) if isinstance(order, str) and order not in own_orders else None
    of_order = inspect.signature(maker).parameters if maker else {}
    for key in options:
        if key not in allowed and key not in of_order:
            known = ", ".join([*allowed, *of_order, *(["runtime_limit"] if limits else [])]) or "none"
            raise ValueError(f"there is no option {quoted(key)}; its options are: {known}")
    taken = {key: options[key] for key in options if key not in allowed}
    own = {key: options[key] for key in options if key in allowed}
    try:
        if maker and (slot in own or taken):
            own[slot] = maker(**taken)
        policy: Policy = kind(**own)
        if limit is not None:
            policy.runtime_limit = _limit(limit)
    except ValueError:
        raise
    except Exception as error:
        raise ValueError(f"{kind.__name__} cannot be made: {type(error).__name__}: {error}") from error
    return policy


def _limit(text: Any) -> float:
    try:
        limit = seconds(text)
    except ValueError as error:
        raise ValueError(f"runtime_limit: {error}") from None
    if limit < 1:
        raise ValueError(f"runtime_limit is {quoted(text)}, but must be at least 1 s")
    return limit


def made_of_script(path: str, rest: str, accepted: Callable[[Any], Any]) -> Any:
    """What a script has, as ``accepted`` takes it; ``rest`` is its name, and the options if it is a class."""
    name, _, tail = rest.partition(":")
    found = member(path, name)
    if inspect.isclass(found):
        found = _built(found, _options(tail))
    elif tail:
        raise ValueError(f"{name} is not a class, so it takes no options")
    try:
        return accepted(found)
    except TypeError as error:
        raise ValueError(f"{name} of {path}: {error}") from None
