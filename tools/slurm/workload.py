"""The jobs of an experiment: one a line of text, or of in.csv.

    A 0 nodes=3 limit=2 sleep=30
    B 5 user=tt2 cpus=4 limit=1 sleep=10 dependency=afterok:@A -- --nice=50
    ! 30 scontrol release @B

First the name and the time of submission (s). ``nodes`` are whole nodes, ``cpus`` may lie anywhere, ``limit`` is in
whole minutes, ``sleep`` in seconds; behind ``--`` are other options of sbatch. A line with ``!`` is a command. ``@A``
stands for the number of job A.
"""

import csv
import random
import re
import shlex
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

COMMAND = "!"
_NAME = re.compile(r"@([A-Za-z0-9]+)")


@dataclass(frozen=True, slots=True)
class Row:
    """One line; what is not given is empty."""

    name: str
    t: int
    user: str = "tt1"
    account: str = ""
    partition: str = ""
    qos: str = ""
    nodes: str = ""
    cpus: str = ""
    limit: str = "1"
    sleep: str = "1"
    dependency: str = ""
    array: str = ""
    extra: str = ""
    """Other options of sbatch; of a command, the command itself."""

    @property
    def is_command(self) -> bool:
        """Whether it is a command and not a job."""
        return self.name.startswith(COMMAND)

    @property
    def options(self) -> dict[str, str]:
        """The other options of sbatch by their names; of a command, its words such as ``duration=1``."""
        pairs = (word.lstrip("-").partition("=") for word in shlex.split(self.extra))
        return {name: value for name, _, value in pairs}

    @property
    def depends(self) -> str:
        """What it waits for, however it was given."""
        return self.dependency or self.options.get("dependency", "")


def numbered(text: str, numbers: dict[str, str]) -> str:
    """A text with the numbers of jobs in place of their names."""
    return _NAME.sub(lambda match: numbers.get(match[1], match[0]), text)


def parse(text: str) -> list[Row]:
    """The rows of a text."""
    return [_row(line.strip()) for line in text.splitlines() if line.strip()]


def _row(line: str) -> Row:
    name, time, rest = line.split(None, 2)
    if name == COMMAND:
        return Row(name, int(time), user="", limit="", sleep="", extra=rest)
    words, _, extra = rest.partition(" -- ")
    given = dict(word.split("=", 1) for word in words.split())
    return Row(name, int(time), **given, extra=extra)


def drawn(seed: int, jobs: int, span: int, ask: str = "nodes", nodes: int = 8, accounts: int = 0) -> list[Row]:
    """Random jobs of six users, submitted within ``span`` s, that ask for whole ``nodes`` or for ``cpus`` anywhere.

    With ``accounts``, users belong to g1, g2, … in turn.
    """
    if ask not in ("nodes", "cpus"):
        raise ValueError(f"ask must be 'nodes' or 'cpus', not {ask!r}")
    stream, found = random.Random(seed), []
    for _ in range(jobs):
        time, limit, user = stream.randrange(span), stream.choice((1, 1, 2, 3, 4, 6)), stream.randrange(6)
        sleep = round(stream.choice((5, 8, 12, 20, 30, 45)) * stream.uniform(0.7, 1.3))
        width = stream.choice((1, 1, 1, 2, 2, 3, 4, nodes // 2, nodes))
        size = {ask: str(width if ask == "nodes" else width * stream.choice((1, 2, 4, 8)))}
        account = f"g{1 + user % accounts}" if accounts else ""
        limits = {"limit": str(limit), "sleep": str(max(2, min(55 * limit, sleep)))}
        found.append(Row("", time, user=f"tt{1 + user}", account=account, **size, **limits))
    found.sort(key=lambda row: row.t)
    return [replace(row, name=f"r{k}") for k, row in enumerate(found)]


def read(path: Path) -> list[Row]:
    """The rows of in.csv."""
    with path.open(newline="", encoding="utf-8") as lines:
        return [Row(**(each | {"t": int(each["t"])})) for each in csv.DictReader(lines)]  # type: ignore[arg-type]


def write(path: Path, rows: Iterable[Row]) -> None:
    """Write a workload as in.csv, a row for each submission."""
    with path.open("w", newline="", encoding="utf-8") as lines:
        writer = csv.DictWriter(lines, [field.name for field in fields(Row)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(row) for row in rows)
