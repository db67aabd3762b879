"""Frontier's logs: SWF with three fields more, which are GPUs used, a soft limit, and ``frontier:excl:NxT``.

N is the number of nodes. Fields 5 and 8 hold nodes in some records and cores in others, so they are not used; nor is
T. The header must have ``UnixStartTime``, from which field 2 counts.

Source: K. Maheshwari et al., JSSPP 2026, and the reader of ExaDigiT's RAPS.
"""

import re
from collections.abc import Iterator

from thinktime.workloads.names import quoted, shortened
from thinktime.workloads.tables.files import TableFile
from thinktime.workloads.tables.layouts import Opened, of_rows
from thinktime.workloads.tables.mapping import Mapping

FIELDS, PLAIN = 21, 18
COLUMNS = (
    "job", "submit", "start", "end", "limit", "status", "user", "group", "executable", "queue", "partition",
    "nodes",
)  # fmt: skip
_SHAPE = re.compile(r"[^:\s]+:[^:\s]+:(\d{1,9})x\d+")
_START = re.compile(r";\s*UnixStartTime:\s*(\d{1,12})\s*")
_BEHIND = re.compile(rf"\S+ +\S+ +{_SHAPE.pattern}")
CANCELLED = "5"


def is_behind(extra: str | None) -> bool:
    """Whether the text after field 18 is that of Frontier's logs.

    >>> is_behind("32 -1 frontier:excl:4x112"), is_behind("- batch 1:ppn=4")
    (True, False)
    """
    return extra is not None and _BEHIND.fullmatch(extra.strip()) is not None


def frontier(file: TableFile, how: Mapping) -> Opened:
    """One row per record, with Unix times."""
    start = next((int(found[1]) for line in _lines(file) if (found := _START.fullmatch(line))), None)
    first = next((line for line in _lines(file) if line and not line.startswith(";")), "")
    if first and len(first.split()) == PLAIN:
        raise ValueError(f"{shortened(file.name)} has {PLAIN} fields, so it is plain SWF; read it without a preset")
    if start is None:
        raise ValueError(f"{shortened(file.name)} has no UnixStartTime in its header, from which its times count")

    def rows() -> Iterator[tuple[object, ...]]:
        for number, line in enumerate(_lines(file), start=1):
            if not line or line.startswith(";"):
                continue
            words = line.split()
            if len(words) != FIELDS:
                where = f"{shortened(file.name)}, line {number:,}"
                raise ValueError(f"{where}: found {len(words)} fields, expected {FIELDS} as in Frontier's logs")
            try:
                yield _row(words, start)
            except ValueError:
                where = f"{shortened(file.name)}, line {number:,}"
                raise ValueError(f"{where}: fields 2 to 4 must be whole seconds: {quoted(line)}") from None

    return of_rows(COLUMNS, rows)


def _row(words: list[str], start: int) -> tuple[object, ...]:
    submit, wait, runtime = (int(word) for word in words[1:4])
    begun = start + submit + wait if submit >= 0 and wait >= 0 else None
    end = None if begun is None or runtime < 0 else begun + runtime
    ran = not (words[10] == CANCELLED and runtime <= 0)
    shape = _SHAPE.fullmatch(words[20])
    nodes = shape[1] if shape else None
    whose = (_known(words[place]) for place in (8, 10, 11, 12, 13, 14, 15))
    return words[0], start + submit if submit >= 0 else None, begun if ran else None, end, *whose, nodes


def _known(word: str) -> str | None:
    return None if word.startswith("-") else word


def _lines(file: TableFile) -> Iterator[str]:
    with file.open() as lines:
        for line in lines:
            yield line.decode("utf-8", "replace").strip()
