"""Behaviours in scenario files: a table per behaviour, in the order in which they are consulted.

    [users.short.behaviours]
    continuation = { away = "8 h" }
    patience = { time = { distribution = "expon", scale = "4 h" } }
    balk = { queue = 20 }
    degrade = { when = { waiting_long = "1 h" } }

The names are those of the classes in `thinktime.users.behaviours` in snake case (`in_flight`); further behaviours of
the same kind are numbered (`delay_2`). ``when`` is one of `{ windows = [["12 h", "16 h"]] }`,
`{ waiting_long = "1 h" }`, `{ crowded = 20 }`, `{ elastic = { signal = "price", elasticity = 0.5 } }` and
`{ dear = { signal = "price", above = 2 } }`. Behaviours that are functions can only be used in scripts. Users of a log
have such tables in `[trace.behaviours]`, or in a file of their own:

    share = 0.5
    seed = 1
    [behaviours.delay]
    when = { windows = [["12 h", "16 h"]] }

The keys of a behaviour are the fields of its class whose types can be read.

A think time may depend on the campaign before it:

    think_time = { reaction = "response_time", base = "10 min", factor = 0.5 }

is base + factor x response time; the reaction may also be to `wait` (until the first job started) or `stretch`. If the
campaign was given up, the time until then is used as its response time.
"""

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from thinktime.models.machine.job_records import CampaignRecord
from thinktime.users import behaviours
from thinktime.users.behaviours import Behaviour
from thinktime.users.log_users import Respondents
from thinktime.users.profiles import Reaction
from thinktime.workloads.generators.quantity_texts import quantity
from thinktime.workloads.names import key_of, quoted
from thinktime.workloads.reading.faults import VERBS
from thinktime.workloads.reading.table import Fault, form_of
from thinktime.workloads.reading.texts import tables_in
from thinktime.workloads.reading.values import number, whole
from thinktime.workloads.units import seconds


def _is_behaviour(thing: Any) -> bool:
    return inspect.isclass(thing) and issubclass(thing, Behaviour) and thing != Behaviour


def _kinds() -> dict[str, type[Behaviour]]:
    """The behaviours that plain values describe, by their names."""
    words = {re.sub(r"(?<!^)(?=[A-Z])", "_", each.__name__).lower(): each for each in CLASSES}
    return {word: each for word, each in words.items() if form_of(each).complete}


CLASSES: list[type[Behaviour]] = sorted(
    filter(_is_behaviour, vars(behaviours).values()), key=lambda each: each.__name__
)
"""All behaviours of the package, by name."""
KINDS = _kinds()
"""Those that files may have, by their names there."""

GIVING_UP = tuple(name for name, kind in KINDS.items() if kind.gives_up)
"""Behaviours that make users give up jobs."""


def gives_up(path: str) -> bool:
    """Whether `path`, the name of a behaviour or the path of a swept key, may lead to one of `GIVING_UP`."""
    words = path.split(".")
    if words[:2] == ["trace", "behaviours"]:
        words = words[2:] or ["renounce"]
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
    form = form_of(KINDS[kind])
    if not isinstance(options, Mapping):
        raise ValueError(f"{name} must be a table of {', '.join(form.keys)}, not {quoted(options)}")
    try:
        behaviour: Behaviour = form.read(options)
        return behaviour
    except Fault as fault:
        where, between = f"{name}.{fault.key}" if fault.key else name, " " if fault.what.startswith(VERBS) else ": "
        raise ValueError(f"{where}{between}{fault.what}") from None


def respondents(path: Path) -> Respondents:
    """The users of a log who respond, by a file; ``ValueError`` names the file, the key and what is wrong."""
    table = tables_in(path.read_text(encoding="utf-8"), f"{path} is not in TOML")
    known = ("behaviours", "share", "seed")
    for key in table:
        if key not in known:
            raise ValueError(f"{path} has no key {quoted(key)}; {key_of(key, known, 'its keys')}")
    if not isinstance(tables := table.pop("behaviours", None), Mapping) or not tables:
        raise ValueError(f"{path} needs a table for each behaviour, such as [behaviours.delay]")
    try:
        seed = whole()(table.pop("seed", 0))
        return Respondents(made(tables), number(table.pop("share", 1.0)), seed)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


EXPERIENCED: dict[str, Callable[[CampaignRecord], float]] = {
    "response_time": lambda last: last.elapsed,
    "wait": lambda last: last.wait,
    "stretch": lambda last: last.elapsed / last.lower_bound if last.lower_bound else np.nan,
}
"""What a user has experienced with a campaign, served or given up."""
REACTIONS = tuple(EXPERIENCED)


@dataclass(frozen=True, slots=True)
class Linear:
    """A think time of ``base + factor * what`` (s), where ``what`` is a measure of the previous campaign."""

    what: str
    base: float
    factor: float

    def __call__(self, last: CampaignRecord, rng: np.random.Generator) -> float:
        """The think time after a campaign (s)."""
        return self.base + self.factor * EXPERIENCED[self.what](last)


def think_time(value: Any) -> Any:
    """A think time: a quantity in seconds, or a `Reaction`."""
    if not isinstance(value, Mapping) or "reaction" not in value:
        return quantity(value, time=True)
    table = dict(value)
    what = table.pop("reaction")
    if not isinstance(what, str) or what not in REACTIONS:
        raise ValueError(f"cannot react to {quoted(what)}; {key_of(str(what), REACTIONS, 'the choices')}")
    base, factor = seconds(table.pop("base", 0.0)), table.pop("factor", None)
    if table:
        strange = next(iter(table))
        raise ValueError(f"has no key {quoted(strange)}; the keys of a reaction are reaction, base, factor")
    if not isinstance(factor, int | float) or isinstance(factor, bool):
        raise ValueError(f"needs factor, a number: think time = base + factor x {what}")
    return Reaction(Linear(what, base, float(factor)))
