"""Number users, accounts, partitions, …: SWF has numbers only, so their names go to a side file.

Numbers begin at 1, in order of first submission. The side file is a CSV table with the columns `kind` (user,
account, executable, qos, partition, job), `number` and `name`. It identifies people: keep it with the site's own
records, and share the log without it.
"""

import csv
import io
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from thinktime.workloads.columns import LabelNames
from thinktime.workloads.files import csv_text, written
from thinktime.workloads.names import key_of, quoted
from thinktime.workloads.text_files import text_of
from thinktime.workloads.trace import Trace

HEAD = ["kind", "number", "name"]
KINDS = ("user", "account", "executable", "qos", "partition", "job")


@dataclass(slots=True)
class Names:
    """The names behind the numbers, by kind; the first has number 1."""

    by_kind: dict[str, list[str]] = field(default_factory=dict)
    jobs: dict[int, str] = field(default_factory=dict)
    """Slurm's name of a job by its number in the log, only where they differ."""

    def number(self, kind: str, texts: Sequence[str]) -> list[int]:
        """Number these names in order; an empty one is −1."""
        known = {name: place for place, name in enumerate(self.by_kind.get(kind, []), start=1)}
        numbers = [known.setdefault(text, len(known) + 1) if text else -1 for text in texts]
        self.by_kind[kind] = list(known)
        return numbers

    def to_csv(self) -> str:
        """The text of the side file."""
        known = [[kind, n, name] for kind, names in self.by_kind.items() for n, name in enumerate(names, start=1)]
        return csv_text([HEAD, *known, *(["job", number, name] for number, name in self.jobs.items())])


def write_names(names: LabelNames, path: Path) -> None:
    """Write the side file of a log whose numbers have these names, by column (as `read_names` returns them)."""
    kinds = {"user": "user", "group": "account", "queue": "qos", "partition": "partition"}
    kinds |= {"executable": "executable", "id": "job"}
    known = [[kind, *each] for column, kind in kinds.items() for each in sorted(names.get(column, {}).items())]
    with written(path) as file:
        file.write(csv_text([HEAD, *known]).encode())


def beside(log: str | os.PathLike[str]) -> Path:
    """The side file of a log.

    >>> beside("a/site.swf.gz").name
    'site.names.csv'
    """
    path = Path(log)
    return path.with_name(path.name.removesuffix(".gz").removesuffix(".swf") + ".names.csv")


def unnamed(log: str | os.PathLike[str]) -> str:
    """A note on a log without names, at a site whose users have some."""
    return f"numbers of users and accounts are looked up as they are: there is no {beside(log)}"


def read_names(path: str | os.PathLike[str]) -> LabelNames:
    """What the numbers in a log's columns stand for; ``ValueError`` names the line of a side file that is wrong.

    A job's account is its ``group``, and its QOS its ``queue``; in a log without QOS, queues are partitions. Names of
    programs and jobs (``executable``, ``id``) are there if there are any.
    """
    found: dict[str, dict[int, str]] = {kind: {} for kind in KINDS}
    text = text_of(Path(path))
    try:
        for kind, number, name in _lines(text):
            if found[kind].setdefault(number, name) != name:
                raise ValueError(f"{kind} {number} is {quoted(found[kind][number])} and {quoted(name)}")
    except csv.Error:
        raise ValueError(f"{path} is no CSV table with the columns {', '.join(HEAD)}") from None
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    columns = {"user": "user", "group": "account", "queue": "qos" if found["qos"] else "partition"}
    more = {name: kind for name, kind in (("executable", "executable"), ("id", "job")) if found[kind]}
    return {name: found[kind] for name, kind in (columns | {"partition": "partition"} | more).items()}


def with_names(trace: Trace, log: str | os.PathLike[str], names: str | os.PathLike[str] | None = None) -> Trace:
    """The jobs of a log with the names of its side file: the given one, else the one beside it if there is one."""
    file = beside(log) if names is None else Path(names)
    return trace if names is None and not file.is_file() else trace.with_names(read_names(file))


def _lines(text: str) -> Iterator[tuple[str, int, str]]:
    table = csv.reader(io.StringIO(text, newline=""))
    if (head := next(table, [])) != HEAD:
        raise ValueError(f"line 1 must be {','.join(HEAD)}, not {quoted(','.join(head))}")
    for row in table:
        where = f"line {table.line_num}"
        if len(row) != len(HEAD):
            raise ValueError(f"{where} must have a kind, a number and a name, not {quoted(','.join(row))}")
        kind, number, name = row
        if kind not in KINDS:
            raise ValueError(f"{where}: there is no kind {quoted(kind)}; {key_of(kind, KINDS, 'the kinds')}")
        if not number.removeprefix("-").isdecimal():
            raise ValueError(f"{where}: the number must be a whole one, not {quoted(number)}")
        yield kind, int(number), name
