"""The gallery: every picture of the pages, the section that shows it, and the lines that drew it."""

from __future__ import annotations

import inspect
import pkgutil
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
PICTURES = "thinktime.analysis.pictures"
STUDIES = {
    "cplant": "thinktime.analysis.papers.cplant.figures",
    "expectations": "thinktime.analysis.papers.expectations.figures",
    "feedback": "thinktime.analysis.studies.feedback.figures",
    "goal": "thinktime.analysis.papers.goal.figures",
    "prediction": "thinktime.analysis.studies.prediction.figures",
    "self-test": "thinktime.analysis.studies.self_test.figures",
    "slack": "thinktime.analysis.papers.slack.figures",
    "urgent": "thinktime.analysis.studies.urgent.figures",
}
DRAWN_BY = {
    "behaviours-saturation": "",
    "cplant-decays": "by_decay",
    "cplant-load": "load",
    "cplant-loss": "bars",
    "cplant-miss": "bars",
    "cplant-response-time": "bars",
    "cplant-unfair": "bars",
    "cplant-width": "by_width",
    "demo-users": f"{PICTURES}.user_comparison_chart",
    "expectations-figure-5": "job_metrics",
    "expectations-figure-6a": "box_plots",
    "expectations-figure-6b": "box_plots",
    "expectations-figure-7": "heatmap_picture",
    "expectations-machine-size": "by_load",
    "feedback-backlog-by-load": "backlog_by_load",
    "feedback-slowdown-by-mode": "slowdown_by_mode",
    "feedback-users-who-gain": "users_who_gain",
    "given-up-users": f"{PICTURES}.user_comparison_chart",
    "goal-figure-1": "_by_month",
    "goal-figure-2": "_by_month",
    "goal-figure-4": "_jobs_of",
    "goal-figure-5": "_hours_of",
    "load-and-slowdown": f"{PICTURES}.difference_heatmap",
    "ostrich-figure-3a": f"{PICTURES}.stretch_histogram",
    "ostrich-figure-3b": f"{PICTURES}.worst_stretches",
    "ostrich-figure-4": f"{PICTURES}.virtual_and_real",
    "ostrich-stretches": f"{PICTURES}.stretch_histogram",
    "prediction-morning": "morning",
    "prediction-predicted-and-true": "scatter",
    "prediction-typical-factors": "heatmap",
    "report": "thinktime.analysis.reports.report",
    "response-times": f"{PICTURES}.response_time_curves",
    "self-test-kth": "ratios",
    "slack-gap": "gap_picture",
    "slack-heuristics": "heuristics_picture",
    "slack-months": "months_picture",
    "trace-arrivals": "thinktime.analysis.trace.figures.arrivals_by_hour",
    "trace-compare": "thinktime.analysis.trace.likeness_figure.comparison_sheet",
    "trace-inter-arrival": "thinktime.analysis.trace.figures.inter_arrival_times",
    "trace-run-times": "thinktime.analysis.trace.figures.run_times",
    "trace-users": "thinktime.analysis.trace.figures.user_activity",
    "tutorial-gantt": f"{PICTURES}.gantt",
    "urgent-checkpoint-intervals": "checkpoint_intervals",
}
"""The function that drew each picture, of the study's own figures if it has no dot; nothing: the page's own lines."""

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
        name = DRAWN_BY[self.file.stem]
        study = next((each for each in STUDIES if self.file.stem.startswith(f"{each}-")), "")
        return (
            inspect.getsource(pkgutil.resolve_name(name if "." in name else f"{STUDIES[study]}.{name}")) if name else ""
        )


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
