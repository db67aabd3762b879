"""What is wrong with a value, in words, from what Pydantic says of it."""

import re
from collections.abc import Mapping
from typing import Any

from thinktime.workloads.names import key_of, quoted

VERBS = ("must ", "needs ", "need ", "has ", "have ", "cannot ")
"""How messages begin that continue a sentence whose subject is the key."""
_KINDS = {
    "int": "a whole number", "float": "a number", "string": "a text", "bool": "true or false", "tuple": "a list",
    "list": "a list", "dict": "a table", "model": "a table",
}  # fmt: skip
_OF_KIND = re.compile(rf"({'|'.join(_KINDS)})_(?:type|parsing|from_float|attributes_type)")
"""Types of errors for values of the wrong kind."""
_LIMITS = {
    "greater_than_equal": ("ge", "at least"),
    "greater_than": ("gt", "more than"),
    "less_than_equal": ("le", "at most"),
    "less_than": ("lt", "less than"),
}


def what_is_wrong(fault: Mapping[str, Any]) -> str:
    """The message for one of the errors of a ``ValidationError``: ``must be a number, not 'x'``."""
    kind, value, context = fault["type"], fault.get("input"), fault.get("ctx") or {}
    if kind == "literal_error":
        choices = re.findall(r"'([^']*)'", context["expected"])
        return f"cannot be {quoted(value)}; {key_of(str(value), choices, 'the choices')}"
    if kind in _LIMITS:
        name, words = _LIMITS[kind]
        limit = context[name]
        return f"must be {words} {format(limit, ',' if isinstance(limit, int) else 'g')}, not {quoted(value)}"
    if kind == "too_short":
        return "must not be empty"
    if kind in ("value_error", "assertion_error"):
        return str(context.get("error", fault["msg"]))
    if of_kind := _OF_KIND.fullmatch(kind):
        return f"must be {_KINDS[of_kind[1]]}, not {quoted(value)}"
    return f"{fault['msg'][0].lower()}{fault['msg'][1:]}, not {quoted(value)}"
