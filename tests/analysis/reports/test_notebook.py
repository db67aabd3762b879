"""What notebooks show: escaped, without colours, and in a real notebook."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from thinktime.analysis.experiments import Sweep, comparisons, sweep_results
from thinktime.analysis.modes.mode_runs import compare_modes
from thinktime.analysis.pictures import style
from thinktime.analysis.reports import checklist, compared
from thinktime.analysis.statistics import compare
from thinktime.models.results.result import Result
from thinktime.users.office_log import made_up_log
from thinktime.workloads import CleaningReport
from thinktime.workloads.html import paragraph, table


def tree(text: str) -> ET.Element:
    return ET.fromstring(f"<body>{text}</body>")


def rows(text: str) -> list[list[str]]:
    """The cells of all rows."""
    return [["".join(cell.itertext()) for cell in row] for row in tree(text).iter("tr")]


def test_tables_are_escaped() -> None:
    """Whatever a cell, a head or a paragraph holds is shown as text."""
    text = table(["<i>", "&"], [["a<b>", '"1"'], ["x", 2.5]]) + paragraph("1 < 2")
    assert rows(text) == [["<i>", "&"], ["a<b>", '"1"'], ["x", "2.5"]]
    assert "<b>" not in text and "<i>" not in text and "1 &lt; 2" in text


def test_a_result_shows_its_summary() -> None:
    """A result shows counts, statistics and the numbers of the whole run."""
    result = Result.from_columns(
        {"submit": [0, 0], "start": [0, 10], "end": [10, 30], "processors": [4, 4]}, 4, policy="<mine>"
    )
    found = rows(result._repr_html_())
    assert found[0][:3] == ["jobs", "finished", "killed"] and found[1][:3] == ["2", "2", "0"]
    assert found[2] == ["", "mean", "median", "p95", "p99", "max"] and found[3][:2] == ["wait (s)", "5.0000"]
    assert ["utilization", "1.0000"] in found and "&lt;mine&gt; on 4 processors" in result._repr_html_()


def test_a_sweep_shows_means_and_marks(known: Sweep, simulated: Sweep) -> None:
    """A sweep without parameters has metrics as rows, else points and policies."""
    found = rows(known._repr_html_())
    assert found[0] == ["metric", "fcfs", "easy", "sjf"] and found[1][0] == "mean wait (h)"
    assert found[1][1] == "15.8 ± 3.0" and found[1][2].endswith(" ***")
    table_ = rows(simulated._repr_html_())
    assert table_[0][:3] == ["workload.load", "policy", "mean wait (h)"] or table_[0][:2] == ["workload.load", "policy"]
    assert len(table_) == 7 and table_[1][:2] == ["0.6", "fcfs"] and "4 replications" in simulated._repr_html_()
    assert compared(known)._repr_html_() in known._repr_html_()


def test_large_sweeps_show_means_of_their_first_rows(simulated: Sweep, monkeypatch: pytest.MonkeyPatch) -> None:
    """A large sweep shows means of its first rows, untested, and says what is left out."""
    monkeypatch.setattr(sweep_results, "MOST_RUNS", 5)
    for module in (sweep_results, comparisons):
        monkeypatch.setattr(module, "MOST_ROWS", 4)
    text = simulated._repr_html_()
    assert len(rows(text)) == 5 and "2 more rows." in text and "±" not in text


def test_an_empty_sweep(swept) -> None:
    """A sweep of which every run failed shows the numbers of runs alone."""
    found = swept('policies = ["conservative"]\nmetrics = ["score"]\n[model]\nfunction = "model.py:numbers"')
    assert "0 runs finished, 5 failed" in found._repr_html_() and "<table" not in found._repr_html_()


def test_a_family_of_comparisons() -> None:
    """A comparison shows differences, both p-values, marks and what was tested."""
    found = compare({"a": [3.0, 4, 6], "b": [1.0, 1, 2], "c": [3.1, 3.9, 6]}, "a")
    text = found._repr_html_()
    assert (
        [row[0] for row in rows(text)] == ["", "b − a", "c − a"]
        and "Holm" in text
        and "* p < 0.05" in "".join(tree(text).itertext())
    )


def test_no_colours(known: Sweep, simulated: Sweep) -> None:
    """Tables have no colours, so that light and dark themes both work."""
    for text in (known._repr_html_(), simulated._repr_html_(), table(["a"], [[1]])):
        assert not re.search(r"color|background|#[0-9a-f]{3}", text)
        tree(text)


PICTURE = """
from thinktime.analysis.pictures.gantt import gantt
from thinktime.models.results.result import Result
jobs = {"submit": [0, 0], "start": [0, 10], "end": [10, 30], "processors": [4, 4]}
picture = gantt(Result.from_columns(jobs, 4))
"""


def shown_by(*cells: str) -> list[list[dict[str, str]]]:
    """What the cells of a real notebook display: a list of outputs for each, by mime type."""
    pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    from nbclient import NotebookClient

    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    folder = {"metadata": {"path": str(Path.cwd())}}
    NotebookClient(book, timeout=120, kernel_name="python3", resources=folder).execute()
    return [[output["data"] for output in cell.outputs if "data" in output] for cell in book.cells]


SHOWN = ("picture", "display(picture); None", "other = picture")
SETTINGS = {
    "": "image/png",
    "import matplotlib.pyplot as plt; plt.figure(); plt.close()": "image/png",
    "%matplotlib inline": "image/png",
    "%matplotlib inline\n%config InlineBackend.figure_formats = ['svg']": "image/svg+xml",
}
"""What a notebook may set before it shows a picture, and what is shown then."""


def test_in_a_shell(known: Sweep) -> None:
    """IPython shows a sweep, its checklist and its table as HTML, and a picture as one image."""
    shell = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell()
    kinds = [
        set(shell.display_formatter.format(each)[0]) - {"text/plain"}
        for each in (known, checklist(known), known.table.head(2), style.figure())
    ]
    assert kinds == [{"text/html"}] * 3 + [{"image/png"}]


@pytest.mark.thorough
def test_in_a_notebook(known: Sweep) -> None:
    """An opened sweep is its table; with any backend a picture is one image, as the last value and by display."""
    source = (
        "from thinktime.analysis.experiments import Sweep\n"
        f"sweep = Sweep({str(known.folder)!r})\n"
        "from thinktime.analysis.reports import checklist\n"
        "display(sweep); display(checklist(sweep)); sweep.table.head(2)"
    )
    sweeps, *pictures = shown_by(source, *(cell for setting in SETTINGS for cell in (setting, PICTURE, *SHOWN)))
    shown = [output["text/html"] for output in sweeps]
    assert len(shown) == 3
    assert "15.8 ± 3.0" in shown[0] and "pitfalls avoided" in shown[1] and "mean_wait" in shown[2]
    for kind, cells in zip(SETTINGS.values(), (pictures[k : k + 5] for k in range(0, 20, 5)), strict=True):
        *_, value, displayed, silent = cells
        for outputs in (value, displayed):
            assert [kind in each for each in outputs] == [True]
            assert len(outputs[0][kind]) > 2000
        assert silent == []


def test_every_picture_is_one_that_notebooks_show() -> None:
    """No module makes a plain figure of matplotlib."""
    folder = Path(sweep_results.__file__).resolve().parents[1]
    makers = [path.name for path in folder.rglob("*.py") if re.search(r"\bFigure\(", path.read_text())]
    assert makers == []
    assert style.figure()._repr_png_()[1] == {"width": 691, "height": 403}


def test_a_cleaning_report_is_a_table() -> None:
    """A cleaning report shows what was dropped first, escaped, or a sentence where there is nothing."""
    report = CleaningReport("log.swf", 12, 10)
    report.add("noted", "odd", 3)
    report.add("dropped", "no <b>", 2, 1_007)
    text = report._repr_html_()
    assert rows(text) == [
        ["action", "reason", "lines", "first line"],
        ["dropped", "no <b>", "2", "1,007"],
        ["noted", "odd", "3", ""],
    ]
    assert "log.swf: 10 jobs from 12 lines" in "".join(tree(text).itertext()) and "<b>" not in text
    assert "<table" not in CleaningReport("log.swf", 1, 1)._repr_html_()


def test_a_comparison_of_modes_is_a_table() -> None:
    """A comparison of modes has a row per mode and policy, and the rankings."""
    log = made_up_log(weeks=1, users=8)
    text = compare_modes(log, {"fcfs": "fcfs", "<easy>": "easy"}, processors=20)._repr_html_()
    assert [row[:2] for row in rows(text)[1:]] == [
        [mode, policy] for mode in ("open", "feedback") for policy in ("fcfs", "<easy>")
    ]
    words = "".join(tree(text).itertext())
    assert "open: " in words and "feedback: " in words and "<easy>" in words
