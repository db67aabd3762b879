"""Accounting logs of Torque: ``date;E;id;key=value key=value``, where E is the record of a job's end.

Source of the format: the Torque administrator's guide, appendix on accounting records.
"""

from collections.abc import Iterator

from thinktime.workloads.names import shortened
from thinktime.workloads.tables.files import TableFile
from thinktime.workloads.tables.layouts import Opened, of_rows
from thinktime.workloads.tables.mapping import Mapping


def torque(file: TableFile, how: Mapping) -> Opened:
    """The jobs that ended, with the keys that the mapping names and ``id``."""
    keys = list(dict.fromkeys(name for rule in how.columns.values() for name in rule.names))
    with file.open() as first:
        begin = next((line for line in first if line.strip()), b"")
    if begin.count(b";") < 3:
        raise ValueError(f"{shortened(file.name)} is no log of Torque: its lines are not date;type;id;key=value …")

    def rows() -> Iterator[list[str | None]]:
        with file.open() as lines:
            for line in lines:
                _, kind, rest = [*line.split(b";", 2), b"", b""][:3]
                if kind != b"E":
                    continue
                job, _, message = rest.decode("utf-8", "replace").partition(";")
                known = dict(word.split("=", 1) for word in message.split() if "=" in word)
                known["id"] = job
                yield [known.get(key) for key in keys]

    return of_rows(keys, rows)
