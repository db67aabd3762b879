"""Orders from a user's own script: a key, an order, or a function or class that makes one of its options.

What has to be given two things is a key: a function of (jobs, now). Everything else is a factory, whose
parameters are options in the policy's text; so a factory of two options has a default for one of them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from thinktime.models.policies.accounts import AccountOrder, ComposedOrder
from thinktime.models.policies.order import Order, vector

GIVEN = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


class ScriptOrder:
    """What a script has for an order, under the ``text`` by which it was named: ``FILE.py:NAME``."""

    def __init__(self, text: str, found: Any) -> None:
        path, _, name = text.partition(":")
        if not isinstance(found, Order) and not callable(found):
            raise ValueError(f"{name} of {path} is neither an order, nor a key: a function of (jobs, now)")
        self.text, self.found = text, found

    @property
    def maker(self) -> Callable[..., Order]:
        """A function that makes the order; its parameters are the options that may be given."""
        if isinstance(self.found, Order):
            return lambda: self.found
        options = _options_of(self.found)
        if options is None:
            return lambda: vector(self.found, name=self.text)

        def make(**given: Any) -> Order:
            made = self.found(**given)
            if isinstance(made, AccountOrder) and not isinstance(made, ComposedOrder):
                return made  # it says itself what it is: fairshare with its options
            if isinstance(made, Order):
                return replace(made, name=self.text, settings=given)
            if callable(made):
                return replace(vector(made, name=self.text), settings=given)
            raise ValueError(
                f"{self.text} made {made!r}, but must make an order, or a key: a function of (jobs, now)"
            )

        make.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
        return make


def _options_of(found: Any) -> list[inspect.Parameter] | None:
    """The parameters of a factory; None for a key, which has to be given two things: jobs and a time."""
    try:
        parameters = list(inspect.signature(found).parameters.values())
    except ValueError:  # a function that is not written in Python
        return None
    required = [each for each in parameters if each.default is each.empty and each.kind in GIVEN]
    return None if len(required) == 2 else [each.replace(kind=each.KEYWORD_ONLY) for each in parameters]
