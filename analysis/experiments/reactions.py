"""Behaviours in scenario files: a table per behaviour, in the order in which they are consulted.

    [users.short.behaviours]
    continuation = { away = "8 h" }
    patience = { time = { distribution = "expon", scale = "4 h" } }
    balk = { queue = 20 }
    degrade = { when = { waiting_long = "1 h" } }

The names are those of the classes in `thinktime.users.behaviours` in snake case (`in_flight`); further behaviours of
the same kind are numbered (`delay_2`). ``when`` is one of `{ windows = [["12 h", "16 h"]] }`,
`{ waiting_long = "1 h" }` and `{ crowded = 20 }`. Behaviours that are functions can only be used in scripts.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from thinktime.analysis.experiments import quantity_texts
from thinktime.users import behaviours
from thinktime.users.behaviours import Behaviour
from thinktime.workloads.names import key_of, quoted
from thinktime.workloads.units import seconds

Reader = Callable[[Any], Any]


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"must be a number, not {quoted(value)}")
    return value


def _time(value: Any) -> Any:
    return quantity_texts.quantity(value, time=True)


def _windows(value: Any) -> behaviours.Windows:
    if not isinstance(value, list | tuple) or not all(
        isinstance(each, list | tuple) and len(each) == 2 for each in value
    ):
        raise ValueError(f"must be a list of pairs of times, [[from, to], …], not {quoted(value)}")
    return behaviours.Windows(value)


def _names(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(each, str) for each in value):
        raise ValueError(f"must be a list of names, not {quoted(value)}")
    return tuple(value)


CONDITIONS: dict[str, Reader] = {
    "windows": _windows,
    "waiting_long": behaviours.waiting_long,
    "crowded": lambda value: behaviours.crowded(_number(value)),
}


def _condition(value: Any) -> Any:
    if not isinstance(value, Mapping) or len(value) != 1:
        raise ValueError(f"must be a table with one of {', '.join(CONDITIONS)}, not {quoted(value)}")
    [(kind, what)] = value.items()
    if kind not in CONDITIONS:
        raise ValueError(f"has no condition {quoted(kind)}; {key_of(kind, CONDITIONS, 'the conditions')}")
    return CONDITIONS[kind](what)


_CONTINUATION: dict[str, Reader] = {"level": _number, "decay": _number, "away": _time, "late": _time}
_THINKING: dict[str, Reader] = {"slope": _number, "offset": seconds, "spread": quantity_texts.quantity}
KINDS: dict[str, tuple[Callable[..., Behaviour], dict[str, Reader]]] = {
    "continuation": (behaviours.Continuation, _CONTINUATION),
    "linear_thinking": (behaviours.LinearThinking, _THINKING),
    "mornings": (behaviours.Mornings, {"share": _number, "late": _time}),
    "rhythm": (behaviours.Rhythm, {"origin": seconds}),
    "patience": (behaviours.Patience, {"time": _time}),
    "balk": (behaviours.Balk, {"queue": _number, "backlog": seconds, "wait": seconds}),
    "delay": (behaviours.Delay, {"when": _condition, "by": _time, "times": _number}),
    "degrade": (behaviours.Degrade, {"when": _condition}),
    "reconfigure": (behaviours.Reconfigure, {"when": _condition}),
    "renounce": (behaviours.Renounce, {"when": _condition}),
    "estimate": (behaviours.Estimate, {"raised": _number, "lowered": _number}),
    "come_back": (behaviours.ComeBack, {"after": _time, "times": _number}),
    "split": (behaviours.Split, {"parts": _number, "least": seconds}),
    "choose": (behaviours.Choose, {"queues": _names, "partitions": _names}),
    "shorten": (behaviours.Shorten, {"margin": quantity_texts.quantity, "gain": seconds}),
    "in_flight": (behaviours.InFlight, {"jobs": _number}),
    "discouraged": (behaviours.Discouraged, {"after": _number}),
    "contentment": (behaviours.Contentment, {"complaints": _number, "away": _time}),
}


GIVING_UP = ("patience", "balk", "renounce", "discouraged", "come_back")
"""Behaviours that make users give up jobs."""


def gives_up(path: str) -> bool:
    """Whether `path`, the name of a behaviour or the path of a swept key, may lead to one of `GIVING_UP`."""
    words = path.split(".")
    if words[0] == "users" and len(words) > 1:
        if len(words) < 4:
            return words[2:] in ([], ["behaviours"])
        words = words[3:] if words[2] == "behaviours" else [""]
    name = words[0]
    return re.sub(r"_\d+$", "", name) in GIVING_UP


def made(tables: Mapping[str, Any]) -> tuple[Behaviour, ...]:
    """The behaviours described by a file's tables; ``ValueError`` names the key and what is wrong."""
    return tuple(_one(name, options) for name, options in tables.items())


def _one(name: str, options: Any) -> Behaviour:
    kind = re.sub(r"_\d+$", "", name)
    if kind not in KINDS:
        raise ValueError(f"there is no behaviour {quoted(name)}; {key_of(kind, KINDS, 'the behaviours')}")
    maker, readers = KINDS[kind]
    if not isinstance(options, Mapping):
        raise ValueError(f"{name} must be a table of {', '.join(readers)}, not {quoted(options)}")
    given = {}
    for key, value in options.items():
        if key not in readers:
            raise ValueError(f"{name} has no key {quoted(key)}; {key_of(key, readers, 'its keys')}")
        try:
            given[key] = readers[key](value)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{name}.{key} {error}") from None
    try:
        return maker(**given)
    except TypeError:
        missing = {"patience": "time", "in_flight": "jobs", "come_back": "after"}.get(kind, "when")
        raise ValueError(f"{name} needs {missing}") from None
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
