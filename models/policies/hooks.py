"""Which hooks a policy has: they are looked up once, here, and everybody else is given them."""

from collections.abc import Callable, Iterable
from copy import deepcopy
from types import MethodType
from typing import Any

from thinktime.models.jobs.view import View
from thinktime.models.orders.accounts import Accounts, accounts_of
from thinktime.models.orders.order import Order
from thinktime.models.policies.base import ATTRIBUTES, HOOKS
from thinktime.models.policies.entry import Entry, entry_of, is_trusted
from thinktime.workloads.arrays import Rows
from thinktime.workloads.names import key_of

RowsHook = Callable[[View, Rows, float], None]


class Hooks:
    """The hooks of a policy as bound methods, None for those that it does not have, and its attributes.

    Where it depends on options whether a policy has a hook, the object has None in the place of the method.
    """

    check: Callable[[Any], None] | None
    rehearse: Callable[[Callable[[Any], Any]], Any] | None
    on_calendar: Callable[[Any], None] | None
    on_end: RowsHook | None
    on_interrupt: RowsHook | None
    on_requeue: RowsHook | None
    on_resizing: RowsHook | None
    on_resize: RowsHook | None
    on_change: Callable[[View, float], None] | None
    on_estimate: Callable[[View, Rows, float], Iterable[float]] | None
    on_revise: RowsHook | None
    on_clock: Callable[[View, float], None] | None
    on_withdraw: RowsHook | None
    on_bar: RowsHook | None
    on_put_off: RowsHook | None
    on_submit: RowsHook | None
    select: Callable[[View, float], Any]
    on_start: RowsHook | None
    reshape: Callable[[View, float], Iterable[Any]] | None
    next_clock: Callable[[float], float | None] | None
    predict: Callable[[View, int], float] | None
    replan: Callable[[View], None] | None
    notes: Callable[[int], list[str]] | None
    copy: Callable[[], Any] | None
    may_hear_late: bool
    as_recorded: bool
    runtime_limit: float
    deferral: Any
    resizes: bool
    knows_interruptions: bool
    needs_rehearsal: bool
    overrun_note: str

    def __init__(self, policy: Any) -> None:
        self.policy = policy
        self.entry: Entry | None = entry_of(type(policy))
        """What the package knows of the policy, if it is one of its own."""
        self.trusted = is_trusted(policy)
        for name in HOOKS:
            setattr(self, name, self._bound(policy, name))
        for name, usual in ATTRIBUTES.items():
            setattr(self, name, getattr(policy, name, usual))
        order = getattr(policy, "order", None)
        self.order: Order | None = order if isinstance(order, Order) else None
        self.accounts: Accounts | None = accounts_of(policy)

    def own_copy(self) -> Any:
        """The policy for one machine alone: what its ``copy()`` gives, else a deep copy."""
        own = deepcopy(self.policy) if self.copy is None else self.copy()
        accounts = accounts_of(own)
        if accounts is not None and accounts is self.accounts:
            own.order = own.order.copy()  # accounts are never shared
        return own

    def _bound(self, policy: Any, name: str) -> Any:
        method = getattr(policy, name, None)
        function = getattr(method, "__func__", None)
        if function is HOOKS[name]:
            return None
        inner = getattr(function, "__wrapped__", None)
        if inner is not None and self.entry is not None:
            return MethodType(inner, policy)  # the machine needs no `entry._from_outside`
        return method


def said_of(policy: Any, name: str) -> Any:
    """One attribute of a policy, with the value for a policy that does not say."""
    return getattr(policy, name, ATTRIBUTES[name])


def can_select(policy: Any) -> bool:
    """Whether an object has a method `select` of its own, which makes it a policy."""
    method = getattr(policy, "select", None)
    return callable(method) and getattr(method, "__func__", None) is not HOOKS["select"]


def refuse_unknown_hooks(policy: Any) -> None:
    """``ValueError`` for a method ``on_…`` that is no hook: no machine would ever call it."""
    for name in () if is_trusted(policy) else dir(policy):
        if name.startswith("on_") and name not in HOOKS and callable(getattr(policy, name)):
            known = key_of(name, [hook for hook in HOOKS if hook.startswith("on_")], "the hooks")
            raise ValueError(f"a {type(policy).__name__} has a method {name}(), which no machine calls; {known}")
