"""Orders by name, those of the package and those of a user's script, and how the text of an order becomes an `Order`.

Symbols: r estimate [s], n processors, w wait so far [s], s submit time [s], at least 1. The orders that keep accounts,
`fairshare` and `relshare`, have files of their own.
"""

import functools
import inspect
from collections.abc import Callable
from dataclasses import replace
from itertools import starmap
from typing import Any

import numpy as np

from thinktime.models.engine.codes.queue_orders import LXF, UNICEF, WFP3
from thinktime.models.jobs.view import Columns
from thinktime.models.orders.accounts import AccountOrder, ComposedOrder, composed_of
from thinktime.models.orders.fairshare import fairshare
from thinktime.models.orders.multifactor import is_weighted, multifactor, weighted, weights_of
from thinktime.models.orders.order import Aged, Key, Order, scalar, vector
from thinktime.models.orders.relshare import relshare
from thinktime.models.orders.scripts import member
from thinktime.workloads.names import key_of, quoted

__all__ = ["FCFS", "ORDERS", "Key", "Order", "as_order", "composed", "scalar", "vector"]


_TANG = "Tang, Lan, Desai, Buettner: Fault-aware, utility-based job scheduling on Blue Gene/P systems (Cluster 2009)"
_GOAL = "Vasupongayya: goal-oriented policies"
_FIELD = "standard in the field"

_LEARNT = [
    ("f1", "log10(r) n", lambda j: np.log10(j.estimate) * j.processors, 870.0),
    ("f2", "sqrt(r) n", lambda j: np.sqrt(j.estimate) * j.processors, 25_600.0),
    ("f3", "r n", lambda j: j.estimate * j.processors, 6_860_000.0),
    ("f4", "r sqrt(n)", lambda j: j.estimate * np.sqrt(j.processors), 530_000.0),
]


def _learnt(name: str, text: str, part: Callable[[Columns], Any], weight: float) -> Order:
    """The part of the job's size plus the weight times the logarithm of the submission; smallest first."""
    return Order(
        name,
        lambda jobs, now: part(jobs) + weight * np.log10(np.maximum(jobs.submit, 1.0)),
        line=f"smallest {text} + {weight:,.0f} log10(s)",
        source="Carastan-Santos, de Camargo: Obtaining dynamic scheduling policies with simulation and machine "
        "learning (SC 2017)",
        dated=True,
    )


FCFS = Order("fcfs", None, line="first come, first served: by submit time", source=_FIELD)

ORDERS: dict[str, Order] = {
    order.name: replace(order, timeless=True) if order.key is not None and not order.dynamic else order
    for order in (
        FCFS,
        Order("sjf", lambda j, now: j.estimate, line="shortest job first: r", source=_FIELD),
        Order("ljf", lambda j, now: -j.estimate, line="longest job first: -r", source=_FIELD),
        Order("smallest", lambda j, now: j.processors, line="fewest processors first: n", source=_FIELD),
        Order("largest", lambda j, now: -j.processors, line="most processors first: -n", source=_FIELD),
        Order("lxf", Aged(LXF), True, "largest expansion factor first: (w + r) / r", _GOAL),
        Order("wfp3", Aged(WFP3), True, "largest (w / r)^3 n first", _TANG),
        Order("unicef", Aged(UNICEF), True, "largest w / (log2(n) r) first; serial jobs before all", _TANG),
        *starmap(_learnt, _LEARNT),
        fairshare(),
        relshare(),
        multifactor(),
    )
}
"""The orders of the package by name."""


WITH_OPTIONS: dict[str, Callable[..., Order]] = {
    "fairshare": fairshare, "relshare": relshare, "multifactor": multifactor,
}  # fmt: skip
GIVEN = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def as_order(order: "str | Order | Key") -> Order:
    """An order from its text, itself, or a user's key for columns (taken as dynamic)."""
    if isinstance(order, Order):
        return order
    return vector(order) if callable(order) else order_maker(order)()


def order_maker(text: str) -> Callable[..., Order]:
    """What makes the order that a text names; its parameters are the options that may be given.

    The text is the name of an order of the package, a weighted sum of factors (`multifactor`), or ``FILE.py:NAME`` of
    a user's script.
    """
    path, _, name = str(text).partition(":")
    if path.endswith(".py"):
        return _script_maker(text, member(path, name))
    if isinstance(text, str) and text not in ORDERS and is_weighted(text):
        weights_of(text)
        return functools.partial(weighted, text)
    if not isinstance(text, str) or text not in ORDERS:
        raise ValueError(f"there is no order {quoted(text)}; {key_of(str(text), ORDERS, 'the orders')}")
    return WITH_OPTIONS.get(text, ORDERS[text].copy)


def _script_maker(text: str, found: Any) -> Callable[..., Order]:
    """The same for what a script has: an order, a key, or a function or class that makes one of its options.

    What has to be given two things is a key: a function of (jobs, now). Everything else is a factory, so a factory of
    two options has a default for one of them.
    """
    if isinstance(found, Order):
        return lambda: found
    if not callable(found):
        path, _, name = text.partition(":")
        raise ValueError(f"{name} of {path} is neither an order, nor a key: a function of (jobs, now)")
    options = _options_of(found)
    if options is None:
        return lambda: vector(found, name=text)

    def make(**given: Any) -> Order:
        made = found(**given)
        if isinstance(made, AccountOrder) and not isinstance(made, ComposedOrder):
            return made  # it says itself what it is: fairshare with its options
        if not isinstance(made, Order) and not callable(made):
            raise ValueError(f"{text} made {quoted(made)}, but must make an order, or a key: a function of (jobs, now)")
        return replace(as_order(made), name=text, settings=given)

    make.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
    return make


def _options_of(found: Callable[..., Any]) -> list[inspect.Parameter] | None:
    """The parameters of a factory; None for a key, which has to be given two things: jobs and a time."""
    try:
        parameters = list(inspect.signature(found).parameters.values())
    except ValueError:  # a function that is not written in Python
        return None
    required = [each for each in parameters if each.default is each.empty and each.kind in GIVEN]
    return None if len(required) == 2 else [each.replace(kind=each.KEYWORD_ONLY) for each in parameters]


def composed(key: Callable[..., Any], *orders: "str | Order | Key", name: str = "") -> Order:
    """An order from the keys of others: ``composed(lambda jobs, now, used: used * jobs.estimate, "fairshare")``.

    ``key(jobs, now, …)`` is given the keys of every one of ``orders`` as arrays, one number for each job (of ``fcfs``:
    the submissions), and gives one number for each job. Orders that keep accounts, such as ``fairshare`` with any
    options, are kept for the rule that has the composed order; under EASY, `relshare` does not count the reserved job.
    """
    if not orders:
        raise ValueError("composed() needs at least one order besides the key, such as 'fairshare'")
    return composed_of(key, [as_order(each) for each in orders], name or getattr(key, "__name__", "composed"))
