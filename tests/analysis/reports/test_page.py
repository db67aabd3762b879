"""The page: valid, whole, escaped, and the same every time."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from thinktime.analysis.experiments import Sweep
from thinktime.analysis.reports import report, write_pictures
from thinktime.analysis.reports.page import html


@pytest.fixture(scope="module")
def page(simulated: Sweep) -> str:
    return html(simulated)


@pytest.fixture(scope="module")
def known_page(known: Sweep) -> str:
    return html(known)


def tree(text: str) -> ET.Element:
    """The page as XML: every element closed, every text escaped, no attribute twice."""
    assert text.startswith("<!DOCTYPE html>\n")
    return ET.fromstring(text.removeprefix("<!DOCTYPE html>\n"))


def elements(root: ET.Element, name: str) -> list[ET.Element]:
    return [each for each in root.iter() if each.tag.rpartition("}")[2] == name]


def test_it_is_well_formed_and_names_are_unique(page: str) -> None:
    """The page is well-formed, and no identifier appears twice."""
    names = [each.get("id") for each in tree(page).iter() if each.get("id")]
    assert len(names) == len(set(names)) > 50
    targets = set(re.findall(r'(?:href="|url\()#([^")]+)', page))
    assert targets <= set(names)


def test_it_needs_nothing_else(page: str) -> None:
    """The page has no scripts and no outside addresses, and its policy forbids them."""
    root = tree(page)
    assert not elements(root, "script") and not elements(root, "img") and not elements(root, "iframe")
    assert set(re.findall(r"https?://[^\"' )<]+", page)) <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }
    assert "default-src 'none'" in page and "@import" not in page


def test_sections_and_headings(page: str) -> None:
    """The page has one h1, labelled sections, and tables with scoped heads."""
    root = tree(page)
    assert len(elements(root, "h1")) == 1 and len(elements(root, "main")) == 1
    ids = {each.get("id") for each in root.iter()}
    sections = elements(root, "section")
    assert [each.get("id") for each in sections] == ["differences", "pictures", "tables", "pitfalls", "run"]
    assert all(each.get("aria-labelledby") in ids for each in sections)
    for table in elements(root, "table"):
        assert all(head.get("scope") for head in elements(table, "th"))


def test_drawings_tell_what_they_show(page: str) -> None:
    """Every drawing has a title, a description and a caption."""
    for figure in elements(tree(page), "figure"):
        (drawing,) = elements(figure, "svg")
        labels = drawing.get("aria-labelledby", "").split()
        told = {each.get("id"): each.text for each in drawing.iter()}
        assert drawing.get("role") == "img" and all(told[label] for label in labels) and len(labels) == 2
        assert elements(figure, "figcaption")


def test_colours_are_the_pages(page: str) -> None:
    """Drawings take their colours from the page, so that dark mode reaches them."""
    drawings = "".join(re.findall(r"<svg.*?</svg>", page, re.DOTALL))
    assert not re.findall(r"#[0-9a-fA-F]{6}\b", drawings)
    used = set(re.findall(r"var\((--[a-z0-9-]+)\)", page))
    light, dark, printed = (set(re.findall(r"(--[a-z0-9-]+):", part)) for part in palettes(page))
    assert used <= light and light == dark == printed


def palettes(page: str) -> list[str]:
    """The variables of the style, for light, dark and paper."""
    return re.findall(r":root \{(.*?)\}", page, re.DOTALL)


def test_texts_are_escaped(known_page: str, page: str) -> None:
    """Names, descriptions, errors and tracebacks are shown as text."""
    assert "Lublin's model &lt;b&gt;at two loads" in page.replace("&#39;", "'")
    text = known_page
    root = tree(text)
    assert "<script" not in text and "&lt;script&gt;" in text
    (failed,) = [each for each in elements(root, "section") if each.get("id") == "failed"]
    told = "".join(failed.itertext())
    assert "<script>alert('& luck')</script>" in told and "Traceback" in told and "1 run failed and is not" in told


def test_numbers_in_tables(known_page: str) -> None:
    """Tables give mean, half width, marks and difference in the metric's unit."""
    told = [" ".join("".join(row.itertext()).split()) for row in elements(tree(known_page), "tr")]
    (wait,) = [row for row in told if row.startswith("mean wait (h)")]
    assert "15.8 ± 3.0" in wait and "***" in wait and "−2.58 ± 0.30 (−16 %)" in wait
    assert any("lower by 16 % ***" in row for row in told)


def test_directions_over_several_points(swept) -> None:
    """The page says at how many points a policy is lower or higher, and by how much."""
    text = """
policies = ["fcfs", "easy"]
metrics = ["mean_wait", "utilization"]
replications = 5
[model]
function = "model.py:numbers"
[sweep.grid]
"model.factor" = [1, 2, 3]
"""
    rows = [["".join(cell.itertext()) for cell in row] for row in elements(tree(html(swept(text))), "tr")]
    assert ["mean wait", "lower at 3 of 3 (−16 %)"] in rows and ["utilization", "–"] in rows


def test_the_same_folder_gives_the_same_bytes(simulated: Sweep, page: str) -> None:
    """The same folder gives the same page, byte for byte."""
    assert html(Sweep(simulated.folder)) == page


def test_files(known: Sweep, tmp_path: Path) -> None:
    """Page and pictures go where they are asked to, and an unknown format is refused."""
    assert report(known.folder, tmp_path / "mine.html") == tmp_path / "mine.html"
    paths = write_pictures(known, tmp_path / "pictures", ["png", "svg"])
    assert {path.suffix for path in paths} == {".png", ".svg"} and len(paths) == 2 * len({path.stem for path in paths})
    assert (tmp_path / "pictures" / "metric-1.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(ValueError, match="not as 'gif'"):
        write_pictures(known, tmp_path, ["gif"])


def test_the_explorer_is_linked_where_it_lies_beside(known: Sweep, known_page: str, tmp_path: Path) -> None:
    """A page of `thinktime view` in the folder of the report has a link; none has none."""
    (tmp_path / "view.html").write_text("")
    link = '<a href="view.html">Look into the runs</a>'
    assert link in report(known, tmp_path / "r.html").read_text()
    assert link not in known_page


def test_a_folder_without_results(tmp_path: Path) -> None:
    """Another folder is an error that says what makes one."""
    with pytest.raises(ValueError, match="not a folder of results"):
        report(tmp_path)


def test_odd_sweeps(swept) -> None:
    """A sweep of one policy, one run or no finished run has a page that says so."""
    text = 'policies = ["conservative"]\nmetrics = ["score"]\n[model]\nfunction = "model.py:numbers"'
    empty = html(swept(text))
    assert "5 runs failed and are not" in empty and "There is nothing to draw" in empty
    tree(empty)


def test_a_single_run(swept) -> None:
    """A single run has numbers and no word of significance."""
    text = 'policies = ["fcfs"]\nmetrics = ["score"]\nreplications = 1\n[model]\nfunction = "model.py:numbers"'
    page = html(swept(text))
    tree(page)
    assert "there is nothing to compare" in page and "Numbers of single runs" in page
