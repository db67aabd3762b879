"""Comparisons as a table: to look at, and in Markdown between two marks of a page."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from thinktime.workloads.files import whole_or_nothing
from tools.slurm.comparison import Comparison
from tools.slurm.experiments import Experiment
from tools.slurm.model import WITHIN

BEGIN, END = "<!-- make slurm: begin -->", "<!-- make slurm: end -->"
COLUMNS = (
    "experiment", "starts", "same s", f"within {WITHIN} s", "nodes", "neither", "seconds", "priorities", "use",
    "fair shares",
)  # fmt: skip


def cells(name: str, found: Comparison) -> list[str]:
    """A row of the table."""
    counted = (found.nodes, found.others, found.seconds, found.priorities, found.usage, found.shares)
    return [name, str(found.starts), str(found.within(0)), str(found.within(WITHIN)), *map(str, counted)]


def table(found: Mapping[Experiment, Comparison]) -> str:
    """The table for a terminal, with what differs below."""
    lines = [list(COLUMNS), *(cells(which.name, each) for which, each in found.items())]
    widths = [max(len(line[k]) for line in lines) for k in range(len(COLUMNS))]
    rows = [aligned(line, widths) for line in lines]
    return "\n".join([*rows, *_different(found)])


def markdown(found: Mapping[Experiment, Comparison]) -> str:
    """The same for a page, with what few experiments have in the last column."""
    last = COLUMNS.index("nodes") + 1
    rows = [
        f"|{'|'.join(COLUMNS[:last])}|beside that|",
        "|---|" + "--:|" * (last - 1) + "---|",
        *(f"|{'|'.join(cells(which.name, each)[:last])}|{_beside(each)}|" for which, each in found.items()),
    ]
    different = [f"* {line}" for line in _different(found)]
    return "\n".join([*rows, *([""] if different else []), *different]) + "\n"


def _beside(found: Comparison) -> str:
    counted = {"neither": found.others, "priorities": found.priorities, "use": found.usage, "shares": found.shares}
    return ", ".join(f"{name} {each}" for name, each in counted.items() if each.of)


def into_page(page: Path, text: str) -> None:
    """Put a text between the marks of a page; ``ValueError`` if it has none."""
    before, _, after = _parts(page)
    with whole_or_nothing(page) as temporary:
        temporary.write_text(f"{before}{BEGIN}\n{text}{END}{after}", encoding="utf-8")


def of_page(page: Path) -> str:
    """What stands between the marks of a page; ``ValueError`` if it has none."""
    return _parts(page)[1]


def _parts(page: Path) -> tuple[str, str, str]:
    before, begin, rest = page.read_text(encoding="utf-8").partition(f"{BEGIN}\n")
    inside, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{page} has no lines {BEGIN} and {END}, between which the table belongs")
    return before, inside, after


def aligned(line: Sequence[str], widths: Sequence[int]) -> str:
    """A line of a table for a terminal: the first cell to the left, the others to the right."""
    first, *others = (
        cell.ljust(width) if k == 0 else cell.rjust(width)
        for k, (cell, width) in enumerate(zip(line, widths, strict=True))
    )
    return "  ".join([first, *others])


def _different(found: Mapping[Experiment, Comparison]) -> list[str]:
    return [f"{which.name}: {'; '.join(each.differ)}" for which, each in found.items() if each.differ]
