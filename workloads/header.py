"""The header of an SWF log: comment lines, some with a label, such as `; MaxProcs: 128`.

Labels may repeat (`Note`, `Queue`, `Partition`), a value may continue in indented comment lines, and anything else
after a semicolon is a free comment. A `Header` keeps every line unchanged, so a log that is read and written again
keeps its header byte for byte.

Source: SWF 2.2, https://www.cs.huji.ac.il/labs/parallel/workload/swf.html, and the archive's logs, which have
`;Label:value`, 'N/A', and text after numbers ("338 (batch partition; 512 total)").
"""

import re
from collections.abc import Iterable, Sequence

from thinktime.workloads.names import quoted

"""How many characters of a file a message quotes."""

_NUMBERS = (
    "MaxJobs", "MaxRecords", "UnixStartTime", "TimeZone", "MaxNodes", "MaxProcs", "MaxRuntime", "MaxMemory",
)  # fmt: skip
LABELS = {
    label: int if label in _NUMBERS else str
    for label in (
        "Version", "Computer", "Installation", "Acknowledge", "Information", "Conversion", "MaxJobs",
        "MaxRecords", "Preemption", "UnixStartTime", "TimeZone", "TimeZoneString", "StartTime", "EndTime",
        "MaxNodes", "MaxProcs", "MaxRuntime", "MaxMemory", "AllowOveruse", "MaxQueues", "Queues", "Queue",
        "MaxPartitions", "Partitions", "Partition", "Note",
    )
}  # fmt: skip
"""The labels that SWF 2.2 defines, and the types of their values. Other labels are kept as well."""

LARGEST = 2**53
"""The largest number of a header, as doubles skip whole numbers beyond it."""

_SPELLING = {label.lower(): label for label in LABELS}
_LABELLED = re.compile(r"\s*;(\s*)([A-Za-z]\w*)\s*:(?!//)(.*)", re.DOTALL)
_CONTINUED = re.compile(r"\s*;(?:\t| {2})\s*(\S.*)", re.DOTALL)
_WHOLE = re.compile(r"\s*(-?\d{1,3}(?:,\d{3})+(?!\d)|-?\d+)")
_LINE_END = re.compile(r"\r\n|\r|\n")
_INDENT = ";       "


class Header:
    """The comment lines of a log, in order. Immutable: `set` returns a new header.

    `header["MaxProcs"]` is the text of the first such label (or a KeyError), `header.get` has a default instead,
    and `header.all("Note")` returns every value. Typed properties are None if the value is missing or unusable.
    """

    __slots__ = ("_entries", "_values", "lines")

    lines: tuple[str, ...]

    def __init__(self, lines: Iterable[str] = ()) -> None:
        self.lines = tuple(_as_comment(line) for text in lines for line in _LINE_END.split(text))
        self._entries = tuple(_entries(self.lines))
        self._values: dict[str, list[str]] = {}
        for name, value, _ in self._entries:
            self._values.setdefault(name, []).append(value)

    @classmethod
    def build(cls, **labels: object) -> "Header":
        """Make a header from labels, in this order; a list repeats its label.

        >>> Header.build(Version="2.2", MaxProcs=128, Note=["made by hand"])["MaxProcs"]
        '128'
        """
        return cls(line for label, value in labels.items() for line in _written(label, value))

    def set(self, label: str, value: object) -> "Header":
        """A header in which `label` has this value (a list: these values) instead of its old ones."""
        spelling = _spelled(label)
        spans = [span for name, _, span in self._entries if name == spelling]
        gone = {row for span in spans for row in span}
        at = spans[0][0] if spans else len(self.lines)
        before = [line for row, line in enumerate(self.lines) if row < at and row not in gone]
        after = [line for row, line in enumerate(self.lines) if row >= at and row not in gone]
        return Header([*before, *_written(spelling, value), *after])

    def __getitem__(self, label: str) -> str:
        values = self.all(label)
        if not values:
            raise KeyError(label)
        return values[0]

    def __contains__(self, label: object) -> bool:
        return isinstance(label, str) and bool(self.all(label))

    def get(self, label: str, default: str | None = None) -> str | None:
        """The first value of a label, else `default`."""
        values = self.all(label)
        return values[0] if values else default

    def all(self, label: str) -> tuple[str, ...]:
        """Every value of a label, in order; continuation lines are joined by line breaks."""
        return tuple(self._values.get(_spelled(label), ()))

    def row(self, label: str) -> int:
        """The line of the header (from 0) with the first such label, or a KeyError."""
        spelling = _spelled(label)
        for name, _, rows in self._entries:
            if name == spelling:
                return rows[0]
        raise KeyError(label)

    @property
    def labels(self) -> tuple[str, ...]:
        """The distinct labels, in order of their first line."""
        return tuple(self._values)

    def __eq__(self, other: object) -> bool:
        return self.lines == other.lines if isinstance(other, Header) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.lines)

    def __len__(self) -> int:
        return len(self.lines)

    def __repr__(self) -> str:
        return f"<Header: {len(self.lines)} lines, {len(self.labels)} labels>"

    def number(self, label: str) -> int | None:
        """The whole number at the beginning of a label's value; None if there is none ('N/A', no such label).

        Raises ``ValueError`` for a number beyond 2⁵³.
        """
        match = _WHOLE.match(self.get(label) or "")
        if not match:
            return None
        digits = match[1].replace(",", "")
        if len(digits) > len(str(LARGEST)) + 1 or abs(int(digits)) > LARGEST:
            raise ValueError(f"{_spelled(label)} is {quoted(digits)}, but must be a whole number up to {LARGEST:,}")
        return int(digits)

    def _count(self, label: str) -> int | None:
        number = self.number(label)
        return number if number is not None and number > 0 else None

    @property
    def max_nodes(self) -> int | None:
        """The number of nodes of the machine."""
        return self._count("MaxNodes")

    @property
    def max_procs(self) -> int | None:
        """The number of processors of the machine."""
        return self._count("MaxProcs")

    @property
    def unix_start_time(self) -> int | None:
        """The Unix time (s since 1970, UTC) of t = 0."""
        number = self.number("UnixStartTime")
        return number if number is not None and number >= 0 else None

    @property
    def time_zone(self) -> int | None:
        """The offset from UTC in s (deprecated in SWF, since it ignores daylight saving time)."""
        return self.number("TimeZone")

    @property
    def time_zone_string(self) -> str | None:
        """The name of the time zone, such as Europe/Stockholm."""
        return self.get("TimeZoneString") or None


_Entry = tuple[str, str, tuple[int, ...]]


def _entries(lines: Sequence[str]) -> list[_Entry]:
    found: list[tuple[str, list[str], list[int]]] = []
    open_value = False
    for row, line in enumerate(lines):
        labelled, continued = _labelled(line), _CONTINUED.match(line)
        if labelled:
            label, value = labelled
            found.append((label, [value], [row]))
        elif open_value and continued:
            found[-1][1].append(continued[1].strip())
            found[-1][2].append(row)
        open_value = labelled is not None or (open_value and continued is not None)
    return [(label, "\n".join(values), tuple(rows)) for label, values, rows in found]


def _labelled(line: str) -> tuple[str, str] | None:
    match = _LABELLED.match(line)
    if not match:
        return None
    indent, label, value = match.groups()
    # Unless SWF defines the label, an indented or lower-case one ("see: …") continues the value above.
    if label.lower() not in _SPELLING and (len(indent.expandtabs()) > 1 or label[0].islower()):
        return None
    return _spelled(label), value.strip()


def _spelled(label: str) -> str:
    return _SPELLING.get(label.lower(), label)


def _written(label: str, value: object) -> list[str]:
    if not re.fullmatch(r"[A-Za-z]\w*", label):
        raise ValueError(f"a header label must be one word of letters and digits, not {quoted(label)}")
    values = value if isinstance(value, list | tuple) else [value]
    texts = [_LINE_END.split(str(each)) for each in values]
    return [line for text in texts for line in (f"; {label}: {text[0]}", *(_INDENT + more for more in text[1:]))]


def _as_comment(line: str) -> str:
    return line if line.lstrip(" \t\v\f").startswith(";") else f"; {line}"
