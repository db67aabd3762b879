"""What to suggest for an unknown name: its new name, similar ones, or all of them.

Some names have changed. In columns and metrics only a part did: ``p95_turnaround`` is now ``p95_response_time``,
``mean_flow_time`` is ``mean_campaign_response_time``.
"""

import difflib
import functools
import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

FORMER: Mapping[str, tuple[str, ...]] = {
    "--by": ("--delimitation",),
    "--sessions": ("--delimitation",),
    "--estimates": ("--requested",),
    "--limit": ("--time-limit",),
    "--calibrate": ("--correct",),
    "--kind": ("--picture",),
    "sessions": ("delimitation",),
    "estimates": ("requested",),
    "turnaround": ("response_time",),
    "flow_time": ("campaign_response_time", "response_time"),
    "start": ("unix_start",),
    "comparison": ("compare",),
    "runtimes": ("exact",),
    "perfect": ("exact",),
    "user": ("requested",),
    "tsafrir": ("last-two",),
    "mean_user_response": ("mean_user_response_time",),
    "mean_session_response": ("mean_session_response_time",),
}
"""The new name for each former one; of several, the first that is valid in the context is used."""


MOST = 100
"""How many names errors list."""
SHOWN = 40
"""How many characters of an input errors show."""
LONGEST_NAME = 200
"""How many characters of a name or a path errors show."""


def quoted(value: object) -> str:
    """An input as errors show it: as Python writes it, on one line, and with "…" for the middle of what is long.

    >>> quoted("abc"), quoted("easy:" + "/folder" * 1000 + "/mine.py:P"), len(quoted(10**1000))
    ("'abc'", "'easy:/folder/folde…lder/folder/mine.py:P'", 40)
    """
    if isinstance(value, str):
        text = repr(value if len(value) <= 2 * SHOWN else value[:SHOWN] + value[-SHOWN:])
        quote, inner = text[0], text[1:-1]
        return f"{quote}{_without_middle(inner)}{quote}"
    try:
        return _without_middle(" ".join(repr(value).split()))
    except ValueError:  # Python writes no number of more than 4,300 digits
        return "a number of more than 4,300 digits"


def _without_middle(text: str, most: int = SHOWN) -> str:
    """At most so many characters of a text: the end of a path or a policy says more than its middle."""
    end = most // 2 + 1
    return text if len(text) <= most else f"{text[: most - 1 - end]}…{text[-end:]}"


def shortened(text: object, most: int = LONGEST_NAME) -> str:
    """A name or a path as errors show it, without quotes: on one line, and without the middle of what is long.

    >>> shortened("gpus"), len(shortened("gpus" * 1000))
    ('gpus', 200)
    """
    return _without_middle(" ".join(str(text).split()), most)


def key_of(word: str, choices: Iterable[str], kind: str, most: int = 1) -> str:
    """What to write instead of a wrong word, as the end of a sentence: up to `most` similar words, else all.

    >>> key_of("easi", ["easy", "fcfs"], "the policies"), key_of("x", ["easy", "fcfs"], "the policies")
    ("did you mean 'easy'?", 'the policies are easy, fcfs')
    >>> key_of("p95_turnaround", ["p95_response_time"], "the metrics")
    "it is now called 'p95_response_time'"
    """
    known = list(choices)
    if name := next((each for each in former(word) if each in known), None):
        return f"it is now called {name!r}"
    return did_you_mean(word, known, most) or f"{kind} are {_listed(known) or 'none'}"


def _listed(names: list[str]) -> str:
    """Names in a sentence, cut, and the first of them if there are many."""
    shown = [shortened(name, SHOWN) for name in names[:MOST]]
    return ", ".join([*shown, *([f"… ({len(names):,} in all)"] if len(names) > MOST else [])])


def did_you_mean(word: str, choices: Iterable[str], most: int = 1) -> str:
    """A question that suggests up to `most` words: those that begin with this one, else similar ones; or nothing.

    >>> did_you_mean("lognrm", ["gamma", "lognorm"]), did_you_mean("KTH", ["kth-sp2"]), did_you_mean("x", ["gamma"])
    ("did you mean 'lognorm'?", "did you mean 'kth-sp2'?", '')
    """
    known = {each.lower(): each for each in choices}
    small = word.lower()
    begun = [each for each in known if each.startswith(small)] if len(word) > 2 else []
    close = [known[each] for each in begun[:most] or difflib.get_close_matches(small, known, n=most)]
    return f"did you mean {' or '.join(map(quoted, close))}?" if close else ""


def former(word: str) -> Iterator[str]:
    """Possible new names, if `word` or a part of it is a former name."""
    yield from FORMER.get(word, ())
    for part in ("turnaround", "flow_time"):
        if part in word and part != word:
            yield from (word.replace(part, new) for new in FORMER[part])


def former_arguments(**names: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorate a function to raise a `TypeError` with the new name if an argument has its former name."""

    def decorated(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def called(*args: P.args, **given: P.kwargs) -> R:
            for old in names.keys() & given.keys():
                raise TypeError(f"{function.__name__}() has no argument {old!r}; it is now called {names[old]!r}")
            return function(*args, **given)

        return called

    return decorated


COMMON_ARGUMENTS = {
    "capacity": "processors", "cores": "processors", "cpus": "processors", "procs": "processors",
    "walltime": "estimate", "requested_time": "estimate", "time_limit": "estimate",
    "run_time": "runtime", "duration": "runtime", "scheduler": "policy",
}  # fmt: skip
"""What other tools call an argument, and its name here."""


def explain_arguments(cls: type[R]) -> type[R]:
    """Decorate a class so that a `TypeError` for an unknown argument says what the argument is called here."""
    plain: Any = cls.__init__
    known = [name for name in inspect.signature(plain).parameters if name != "self"]

    @functools.wraps(plain)
    def made(self: Any, *args: Any, **given: Any) -> None:
        try:
            plain(self, *args, **given)
        except TypeError:
            strange = next((name for name in given if name not in known), None)
            if strange is None:
                raise
            raise TypeError(f"{cls.__name__} has no argument {quoted(strange)}; {_argument(strange, known)}") from None

    setattr(cls, "__init__", made)  # noqa: B010
    return cls


def _argument(strange: str, known: Iterable[str]) -> str:
    listed = list(known)
    name = COMMON_ARGUMENTS.get(strange)
    return f"it is called {name!r} here" if name in listed else key_of(strange, listed, "its arguments", 3)


def explain_missing(module: str) -> None:
    """Make a module (its `__name__`) suggest names for missing attributes (PEP 562)."""
    here = sys.modules[module]

    def find(name: str) -> Any:
        raise AttributeError(_missing(module, name, vars(here)), name=name, obj=here)

    vars(here)["__getattr__"] = find


class Explained:
    """A base class that suggests names for missing attributes."""

    __slots__ = ()

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            raise AttributeError(_missing(f"a {type(self).__name__}", name, dir(type(self))), name=name, obj=self)


def _missing(what: str, name: str, known: Iterable[str]) -> str:
    if name.startswith("__"):  # libraries ask whether it is there
        return f"{what} has no attribute {quoted(name)}"
    public = sorted(each for each in known if not each.startswith("_"))
    return f"{what} has no attribute {quoted(name)}; {key_of(name, public, 'its attributes', 3)}"
