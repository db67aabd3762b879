"""Tables that sacctmgr and sshare print with ``-P``: columns by the headings in the first line, separated by ``|``.

The columns of versions differ, so a column is known by its heading alone: ``Def QOS`` is ``defqos``. Lines that begin
with ``#`` are comments.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from thinktime.models.site import effects
from thinktime.models.site.slurm.notes import Notes
from thinktime.workloads.names import did_you_mean, quoted
from thinktime.workloads.text_files import text_of

AS_MODELLED = {"limitfactor": ("1.000000", "0.000000")}
"""Values of columns that are not modelled which change nothing."""


@dataclass(frozen=True, slots=True)
class Row:
    """The cells of a row by the names of the columns, with blanks in front as they are."""

    where: str
    cells: dict[str, str]

    def __getitem__(self, name: str) -> str:
        return self.cells.get(name, "").strip()


def table(path: Path, needed: Sequence[str], command: str) -> list[Row]:
    """The rows of a table; ``ValueError`` if a column is missing that is needed."""
    numbered = enumerate(text_of(path).splitlines(), start=1)
    lines = [(number, line) for number, line in numbered if line.strip() and not line.startswith("#")]
    if not lines:
        raise ValueError(f"{path} is empty; it should be the output of '{command}'")
    (first, heading), *rows = lines
    columns = [name.strip().lower().replace(" ", "") for name in heading.split("|")]
    for name in needed:
        if name not in columns:
            hint = did_you_mean(name, columns) or f"make it with '{command}'"
            raise ValueError(f"{path}, line {first}: there is no column {quoted(name)} in this heading; {hint}")
    return [_row(path, number, line, columns) for number, line in rows]


def unused(rows: Sequence[Row], known: Sequence[str], notes: Notes) -> None:
    """Note columns that are not known and not empty, each where its first value is, with the reason if there is one."""
    noted = set()
    for row in rows:
        for name, cell in row.cells.items():
            if name not in known and name not in noted and cell.strip():
                if cell.strip() in AS_MODELLED.get(name, ()):
                    continue
                noted.add(name)
                column = f"column {quoted(name)} ({cell.strip()[:40]})"
                if reason := effects.reason("associations and QOS", name):
                    notes.refuse(row.where, column, reason)
                else:
                    notes.add(row.where, f"{column} is not known")


def _row(path: Path, number: int, line: str, columns: list[str]) -> Row:
    cells = line.split("|")
    if len(cells) == len(columns) + 1 and not cells[-1].strip():
        cells.pop()  # -p instead of -P ends lines with a separator
    if len(cells) != len(columns):
        raise ValueError(f"{path}, line {number}: {len(cells)} cells, but {len(columns)} columns in the heading")
    return Row(f"{path.name}, line {number}", dict(zip(columns, cells, strict=True)))


def pairs(text: str, separator: str = ":") -> Iterator[tuple[str, str]]:
    """The pairs of a line such as ``Fairshare=1:QOS='a,b'``, in which values may be quoted."""
    rest = text
    while rest:
        key, _, rest = rest.partition("=")
        if rest.startswith("'"):
            value, _, rest = rest[1:].partition("'")
            rest = rest.removeprefix(separator)
        else:
            value, _, rest = rest.partition(separator)
        yield key.strip().lower(), value
