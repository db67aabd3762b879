"""The page: one self-contained HTML file, with Bokeh's script, the content, and the script that shows it.

The template engine escapes all texts, and the content is JSON in which no tag can occur. The page asks nothing of a
network, and says so to the browser (its Content-Security-Policy).
"""

import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from markupsafe import Markup

from thinktime.analysis.pages.page import rendered
from thinktime.analysis.view import plots
from thinktime.analysis.view.content import content
from thinktime.analysis.view.packed import packed
from thinktime.models.results.result import Result
from thinktime.workloads.html import Page
from thinktime.workloads.units import counted, in_two_units

SCRIPTS = (
    "words", "data", "detail", "steps", "colours", "rectangles", "lighter", "describe", "panels", "controls", "start",
)  # fmt: skip
"""The parts of the script, in order."""
NAME = "view.html"

Results = Result | Mapping[str, Result]


def view(results: Results, title: str | None = None) -> Page:
    """A page to look into a result, or into several by name: processors, queue, jobs and users over one axis of time.

    A notebook shows it, and ``view(result).write("view.html")`` makes a file. The second and further results are other
    policies with the same jobs or users. It needs Bokeh, ``pip install 'thinktime[view]'``.
    ``ValueError`` if there is no result.

    >>> import thinktime as tt
    >>> log = tt.Trace({"submit": [0, 0], "runtime": [10, 20], "allocated": [2, 1]})
    >>> page = tt.view(tt.replay(log, "easy", 2), title="Two jobs")
    >>> "Two jobs" in page.html
    True
    """
    plots.need_bokeh()
    named = {results.policy: results} if isinstance(results, Result) else dict(results)
    if not named:
        raise ValueError("a page needs at least one result")
    shown, names = content(named), list(named)
    made, (tree, columns) = plots.document(shown), packed(shown)
    parts = {
        "document": made.to_json(deferred=False),
        "roots": {root.name: root.id for root in made.roots},
        "content": tree,
    }
    script = files("thinktime.analysis.view").joinpath("script")
    texts = (script.joinpath(f"{part}.js").read_text(encoding="utf-8") for part in SCRIPTS)
    return Page(
        rendered(
            "thinktime.analysis.view",
            title=title or f"Jobs and users under {_listed(names)}",
            parts=as_json(parts),
            columns=Markup(columns),
            script=Markup('"use strict";\n{\n' + "\n".join(texts) + "}\n"),
            bokeh=Markup(plots.script()),
            names=names,
            table=[_row(name, result) for name, result in named.items()],
            unit=shown["policies"][0]["unit"]["name"],
            panels=plots.panels(shown),
            reasons=any(each["reasons"] for each in shown["policies"]),
        )
    )


def as_json(value: Any) -> Markup:
    """JSON for a script element, in which no tag can begin.

    >>> "</script>" in as_json({"name": "</script>"})
    False
    """
    text = json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")
    return Markup(text)


def _listed(names: list[str]) -> str:
    """Names in a sentence.

    >>> _listed(["a"]), _listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _row(name: str, result: Result) -> list[str]:
    summary = result.summary()
    waits = (summary["mean_wait"], summary["p95_wait"])
    use = summary["utilization"]
    known = ["–" if value is None or value != value else in_two_units(value) for value in waits]
    share = "–" if use is None or use != use else f"{100 * use:.1f} %"
    return [name, result.policy, f"{len(result):,}", counted(result.processors, "processor"), *known, share]
