"""What the package knows of its own policies: an entry for each, which stands above its class.

Only classes that are entered here are trusted with the machine's own columns. Entries are found by the exact class, so
a class that a user derives from one of these does not inherit its entry. It is a policy from outside: it gets
read-only columns, and its calls of inherited hooks, or of the hooks of a ready policy that it keeps, go through
`_from_outside`.
"""

import functools
import inspect
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from thinktime.models.engine.rules import Rule
from thinktime.models.engine.structure import to_copy
from thinktime.models.jobs.view import View
from thinktime.models.policies.base import HOOKS, Policy
from thinktime.models.state import Reason

P = TypeVar("P", bound="ReadyPolicy")
WITH_VIEW = [name for name, hook in HOOKS.items() if "view" in inspect.signature(hook).parameters]


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the catalogue (``name``, ``line``, ``source``, ``options``), and what the machine needs to know.

    ``takes_part`` says that the policy can be given a part of the queue (`View.only`).
    """

    name: str
    line: str
    source: str
    options: str = ""
    takes_part: bool = False


class ReadyPolicy(Policy):
    """Base of the policies of the package: they have a text, which says all that sets one apart from others."""

    rule = ""

    order_option = "order"
    """The option that takes an order."""

    own_orders: tuple[str, ...] = ()
    """Names of orders that the policy reads itself, since it means something else by them."""

    compiles = False
    """Whether compiled code can do whole instants under the policy (`thinktime.models.engine.leap`)."""

    reason = Reason.POLICY
    """Why a job waits that has room (`thinktime.models.state`)."""

    heeds_limits = True
    """Whether jobs that it starts are within the limits of users and accounts."""

    told = False
    """Whether a policy from outside has told this one of submissions."""

    def options(self) -> dict[str, Any]:
        """What sets this policy apart from others of its rule, as its text on the command line would say it."""
        return {}

    def prepare(self, users: list[Any], processors: int) -> None:
        """Before `as_rule`: the labels of the users so far, by code, and the processors of the machine."""

    def as_rule(self, rows: int, jobs: int) -> Rule:
        """What the engine remembers of the policy, with room for so many rows and so many waiting and running jobs."""
        raise NotImplementedError(f"the engine does not know the rule {self.rule}")

    def copy(self) -> Any:
        """A deep copy, made quickly: a forecast begins with one."""
        twin = object.__new__(type(self))
        memo: dict[int, Any] = {id(self): twin}
        for name, value in to_copy(vars(self)).items():
            own = value.copy() if isinstance(value, np.ndarray) else deepcopy(value, memo)
            setattr(twin, name, own)
        return twin

    def __getstate__(self) -> dict[str, Any]:
        return to_copy(vars(self))

    def answers(self) -> bool:
        """A pass could not go on: true if it has asked and is answered now, else `as_rule` gives it more room."""
        return False

    def __str__(self) -> str:
        options = ",".join(f"{key}={value}" for key, value in self.options().items())
        text = f"{self.rule}:{options}" if options else self.rule
        return text if self.deferral is None else str(self.deferral.around(text))

    def __repr__(self) -> str:
        return f"<policy {self}>"


_ENTRIES: dict[type, Entry] = {}
_TRUSTED: set[type] = set()


def listed(line: str, source: str, options: str = "", **needs: Any) -> Callable[[type[P]], type[P]]:
    """A class decorator: enter a policy of the package. ``needs`` are the other fields of its `Entry`."""

    def enter(kind: type[P]) -> type[P]:
        entry = _ENTRIES[trusted(kind)] = Entry(kind.rule, line, source, options, **needs)
        for name in WITH_VIEW:
            hook = getattr(kind, name)
            if hook is not getattr(Policy, name):
                setattr(kind, name, _from_outside(inspect.unwrap(hook), entry))
        return kind

    return enter


def trusted(kind: type[P]) -> type[P]:
    """A class decorator: a policy of the package that gets the machine's own columns."""
    _TRUSTED.add(kind)
    return kind


def is_trusted(policy: Any) -> bool:
    """Whether a policy is one of the package itself, not merely derived from one."""
    return type(policy) in _TRUSTED


def entry_of(kind: type) -> Entry | None:
    """The entry of a class; None for one from outside."""
    return _ENTRIES.get(kind)


def _from_outside(hook: Callable[..., Any], entry: Entry) -> Callable[..., Any]:
    """A hook as a policy from outside calls it, because it is derived from this one or keeps one.

    The hook gets the machine's own columns.
    """

    @functools.wraps(hook)
    def called(self: ReadyPolicy, view: View, *given: Any) -> Any:
        if not view.outside:
            return hook(self, view, *given)
        self.told = self.told or hook.__name__ == "on_submit"
        if not entry.takes_part and (len(view.left_out) or (len(view.waiting) and not self.told)):
            raise ValueError(
                f"policy {entry.name} plans for the whole queue, so it cannot be given a part of it (View.only), and "
                "a policy that keeps it has to pass on every hook"
            )
        return hook(self, view.trusted(), *given)

    return called
