"""Host lists: names of nodes in Slurm's short form, such as ``n[1-4,7],gpu[01-03]``.

A range keeps the zeros in front: ``n[08-10]`` is n08, n09, n10. Several brackets multiply: ``r[1-2]n[1-2]`` is r1n1,
r1n2, r2n1, r2n2.
"""

import itertools
import re
from collections.abc import Iterator, Sequence

from thinktime.workloads.names import quoted, shortened

_WORD = re.compile(r"(?:[^\s,\[\]]|\[[^\[\]]*\])+")
_PART = re.compile(r"\[([^\[\]]*)\]|([^\[\]]+)")
_RANGE = re.compile(r"(\d+)(?:-(\d+))?")
_NUMBERED = re.compile(r"(.*?)(\d+)")
MOST = 1_000_000
"""The largest number of names; a longer list is a mistake."""


def expand(text: str) -> tuple[str, ...]:
    """The names of a host list, in its order; ``ValueError`` if it is none.

    >>> expand("n[1-3,7],login"), expand("r[1-2]n[08-09]")
    (('n1', 'n2', 'n3', 'n7', 'login'), ('r1n08', 'r1n09', 'r2n08', 'r2n09'))
    """
    text = text.strip()
    words = _WORD.findall(text)
    if ",".join(words) != text:
        raise ValueError(f"{quoted(text)} is no list of nodes such as n[1-4,7]")
    every = itertools.chain.from_iterable(map(_names, words))
    names = tuple(itertools.islice(every, MOST + 1))
    if len(names) > MOST:
        raise ValueError(f"{quoted(text)} has more than {MOST:,} nodes")
    return names


def compress(names: Sequence[str]) -> str:
    """The names as a host list, in their order.

    >>> compress(["n1", "n2", "n3", "n7", "login", "g08", "g09", "g10"])
    'n[1-3,7],login,g[08-10]'
    """
    found = []
    for (prefix, numbered), runs in itertools.groupby(_runs(names), key=lambda run: (run[0], bool(run[1]))):
        ranges = [first if first == last else f"{first}-{last}" for _, first, last in runs]
        if not numbered:
            found += [prefix] * len(ranges)
        elif len(ranges) == 1 and "-" not in ranges[0]:
            found.append(prefix + ranges[0])
        else:
            found.append(f"{prefix}[{','.join(ranges)}]")
    return ",".join(found)


def _names(word: str) -> Iterator[str]:
    parts = [_choices(inside, word) if inside or not plain else [plain] for inside, plain in _PART.findall(word)]
    return ("".join(each) for each in itertools.product(*parts))


def _choices(inside: str, word: str) -> list[str]:
    """What a bracket stands for."""
    found = []
    for each in inside.split(","):
        match = _RANGE.fullmatch(each.strip())
        if not match:
            raise ValueError(f"{quoted(word)}: {quoted(each)} is neither a number nor a range such as 1-4")
        first, last = int(match[1]), int(match[2] or match[1])
        if not 0 <= last - first < MOST:
            raise ValueError(f"{quoted(word)}: the range {shortened(each, 40)} must go up, to at most {MOST:,} nodes")
        found += [str(number).zfill(len(match[1])) for number in range(first, last + 1)]
    return found


def _runs(names: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Runs of consecutive names: prefix, first and last number as texts; both empty for a name without number."""
    run: tuple[str, str, str] | None = None
    for name in names:
        match = _NUMBERED.fullmatch(name)
        prefix, number = (match[1], match[2]) if match else (name, "")
        if run is not None and number and run[0] == prefix and run[2] and _next(run) == number:
            run = (prefix, run[1], number)
            continue
        if run is not None:
            yield run
        run = (prefix, number, number)
    if run is not None:
        yield run


def _next(run: tuple[str, str, str]) -> str:
    """The number after a run, with as many digits as its first."""
    return str(int(run[2]) + 1).zfill(len(run[1]))
