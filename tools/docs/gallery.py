"""The gallery: every picture of the pages, the section that shows it, and the lines that drew it."""

import ast
import inspect
import pkgutil
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeGuard

DOCS = Path(__file__).parents[2] / "docs"
PICTURES = "thinktime.analysis.pictures"
EXPECTATIONS = "thinktime.analysis.evaluation"
STUDIES = {
    "calibrated": "thinktime.analysis.studies.calibrated.figures",
    "cplant": "thinktime.analysis.papers.cplant.figures",
    "expectations": "thinktime.analysis.papers.expectations.figures",
    "feedback": "thinktime.analysis.studies.feedback.figures",
    "goal": "thinktime.analysis.papers.goal.figures",
    "incentives": "thinktime.analysis.studies.incentives.figures",
    "now": "thinktime.analysis.studies.now.figures",
    "prediction": "thinktime.analysis.studies.prediction.figures",
    "self-test": "thinktime.analysis.studies.self_test.figures",
    "shapes": "thinktime.analysis.studies.shapes.figures",
    "slack": "thinktime.analysis.papers.slack.figures",
    "urgent": "thinktime.analysis.studies.urgent.figures",
}
DRAWN_BY = {
    "cplant-load": "load",
    "cplant-loss": "bars",
    "cplant-miss": "bars",
    "cplant-response-time": "bars",
    "cplant-unfair": "bars",
    "cplant-width": "by_width",
    "demo-users": f"{PICTURES}.user_comparison_chart",
    "expectations-figure-5": f"{EXPECTATIONS}.job_metrics",
    "expectations-figure-6a": f"{EXPECTATIONS}.box_plots",
    "expectations-figure-6b": f"{EXPECTATIONS}.box_plots",
    "expectations-figure-7": f"{EXPECTATIONS}.heatmap_picture",
    "given-up-users": f"{PICTURES}.user_comparison_chart",
    "incentives-who-pays": f"{PICTURES}.who_pays",
    "incentives-work-by-hour": f"{PICTURES}.work_by_hour",
    "load-and-slowdown": f"{PICTURES}.difference_heatmap",
    "ostrich-figure-3a": f"{PICTURES}.stretch_histogram",
    "ostrich-figure-3b": f"{PICTURES}.worst_stretches",
    "ostrich-figure-4": f"{PICTURES}.virtual_and_real",
    "ostrich-stretches": f"{PICTURES}.stretch_histogram",
    "report": "thinktime.analysis.reports.report",
    "wait-curves": f"{PICTURES}.wait_curves",
    "self-test-ctc": "ratios",
    "self-test-kth": "ratios",
    "trace-compare": "thinktime.analysis.trace.likeness_figure.comparison_sheet",
    "trace-inter-arrival": "thinktime.analysis.trace.figures.inter_arrival_times",
    "view-dark": "thinktime.analysis.view.page.view",
    "view-phone": "thinktime.analysis.view.page.view",
    "view-policies": "thinktime.analysis.view.page.view",
    "view-users": "thinktime.analysis.view.page.view",
    "sundays": "thinktime.analysis.pictures.gantt:gantt",
    "tutorial-gantt": "thinktime.analysis.pictures.gantt:gantt",
}
"""The functions that drew pictures, of the study's own figures if a name has no dot; nothing: the page's own lines.

A picture of a study that is not here has the name under which the study's `figures` lists it.
"""

_PICTURE = re.compile(r"!\[(?P<alt>[^\]]+)\]\((?P<path>[^)]+\.png)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_CODE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Shown:
    """A picture on a page: its file, what it shows, the page (below docs/, README.md above), and the section."""

    file: Path
    alt: str
    page: str
    title: str
    heading: str

    @property
    def link(self) -> str:
        """The section as a link of a page that lies in docs/."""
        anchor = re.sub(r"[^\w\- ]", "", self.heading.lower()).replace(" ", "-")
        return f"[{self.title}: {self.heading}]({self.page}#{anchor})"

    @property
    def lines(self) -> str:
        """The lines that drew it; nothing if they stand on the page."""
        name = DRAWN_BY.get(self.file.stem)
        for study, figures in STUDIES.items():
            if self.file.stem.startswith(f"{study}-") and (name is None or "." not in name):
                name = f"{figures}.{name or _listed(figures, self.file.stem, self.file.stem.removeprefix(f'{study}-'))}"
        return inspect.getsource(pkgutil.resolve_name(name)) if name else ""


def _listed(figures: str, *names: str) -> str:
    """The function that a study's `figures` calls for the picture of that name; `figures` itself if it does not say."""
    tree = ast.parse(inspect.getsource(pkgutil.resolve_name(f"{figures}.figures")))
    pairs = [
        pair
        for node in ast.walk(tree)
        if isinstance(node, ast.Dict)
        for pair in zip(node.keys, node.values, strict=True)
    ]
    pairs += [(node.targets[0].slice, node.value) for node in ast.walk(tree) if _puts(node)]
    for key, value in pairs:
        if isinstance(key, ast.Constant) and key.value in names and isinstance(value, ast.Call):
            return ast.unparse(value.func)
    return "figures"


def _puts(node: ast.AST) -> TypeGuard[Any]:
    """Whether a statement puts something under a name."""
    return isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript)


def shown() -> Iterator[Shown]:
    """Every picture, where it is shown first; those of the studies come last."""
    there: set[Path] = set()
    for page in (
        DOCS.parent / "README.md",
        *sorted(DOCS.rglob("*.md"), key=lambda page: ("studies" in page.parts, page)),
    ):
        text = _CODE.sub(lambda code: "\n" * code[0].count("\n"), page.read_text(encoding="utf-8"))
        headings = [(found.start(), found[1]) for found in _HEADING.finditer(text)]
        for found in _PICTURE.finditer(text):
            file = (page.parent / found["path"]).resolve()
            if file not in there:
                there.add(file)
                above = [heading for start, heading in headings if start < found.start()]
                place = page.relative_to(DOCS).as_posix() if page.is_relative_to(DOCS) else "../README.md"
                yield Shown(file, " ".join(found["alt"].split()), place, headings[0][1], above[-1])


def markdown() -> str:
    """A card for each picture."""
    return "\n".join(["::::::{grid} 1 1 2 2", ":gutter: 3\n", *map(_card, shown()), "::::::\n"])


def _card(picture: Shown) -> str:
    lines = f"::::{{dropdown}} The lines that drew it\n```python\n{picture.lines}```\n::::\n" if picture.lines else ""
    path = picture.file.relative_to(DOCS).as_posix()
    said = f"{picture.alt}.\n\nMade in {picture.link}.\n\n{lines}"
    return f":::::{{grid-item-card}}\n![{picture.alt}]({path})\n\n{said}:::::\n"
