"""The terms of the glossary: the tables of docs/glossary.md, and the metrics, which say themselves what they are."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from thinktime.analysis.experiments.metrics import CATALOGUES
from thinktime.analysis.modes.user_measures import MODES
from thinktime.models.results.metric import Known, Measure

PAGE = Path(__file__).parents[2] / "docs" / "glossary.md"
STATISTIC = r"(?:mean|median|min|max|std|total|p\d+)_"


@dataclass(frozen=True, slots=True)
class Term:
    """A row of a table of terms: the term, its names, its meaning with the formula, its unit and its source."""

    term: str
    names: tuple[str, ...]
    meaning: str
    unit: str
    source: str

    @property
    def said(self) -> str:
        """The term and its meaning, as a cell of a table: a row of the glossary may have several names."""
        return f"*{self.term}*: {self.meaning}"


@cache
def parts() -> tuple[str, str]:
    """The terms, and the former names."""
    written = re.sub(r"^```.*?^```$", "", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    terms, former, _ = re.split(r"^## (?:Former names|Options)$", written, flags=re.MULTILINE)
    return terms, former


def rows(text: str) -> list[list[str]]:
    """The cells of the tables in a text, without heads."""
    lines = [line.split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return [cells for cells in lines if cells[0] not in ("| term", "| before")]


def of_metric(each: Known) -> Term:
    """The row of a metric; one with a threshold has the name of a varying part as well."""
    varies = isinstance(each, Measure) and bool(each.thresholds)
    return Term(each.term, (f"{each.name}_T",) * varies + (each.name,), each.formula, each.unit, each.source)


def metrics() -> list[Term]:
    """The rows of all metrics."""
    return [of_metric(each) for catalogue in (*CATALOGUES, MODES) for each in catalogue]


def terms() -> list[Term]:
    """All terms, in the order of the page; metrics come last."""
    return [*_on_page(), *metrics()]


@cache
def _on_page() -> list[Term]:
    return [
        Term(
            cells[0].removeprefix("| "),
            tuple(re.findall(r"`([^`]+)`", cells[1])),
            *(cell.removesuffix(" |").strip(" |") for cell in cells[2:5]),
        )
        for cells in rows(parts()[0])
    ]


def term_of(name: str) -> Term | None:
    """The term that has a name: as it stands, behind a statistic, or with its varying part; None if there is none."""
    of = {each: term for term in terms() for each in term.names}
    return next((of[each] for each in _forms(name) if each in of), None)


def known(name: str) -> bool:
    """Whether the glossary has a name: in a row, or elsewhere among its terms."""
    said = set(re.findall(r"`([^`]+)`", parts()[0])) | {each for term in metrics() for each in term.names}
    return any(each in said for each in _forms(name))


def _forms(name: str) -> tuple[str, str, str]:
    stem = re.sub(rf"^(?:{STATISTIC})+(?:user_)?(?:{STATISTIC})?", "", name)
    return name, stem, re.sub(r"_\d+$", "_T", stem)
