"""The page of results, parsed: its content is that of the results, whatever their names are."""

import builtins
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thinktime as tt
from thinktime.analysis import series
from thinktime.analysis.view import plots
from thinktime.analysis.view.content import NO_USER, compact, content
from thinktime.analysis.view.packed import packed, unpacked
from thinktime.analysis.view.page import view
from thinktime.models.results import placement
from thinktime.models.results.node_record import record_of
from thinktime.models.results.result import Result
from thinktime.workloads.arrays import AnyArray
from thinktime.workloads.html import Page

from .conftest import ODD
from .parsed import Elements, content_of, times

CSP = "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:"


@pytest.fixture(scope="module")
def log() -> tt.Trace:
    """Forty jobs of three users, in whole and broken seconds."""
    rng = np.random.default_rng(5)
    columns: dict[str, Any] = {"submit": np.sort(rng.integers(0, 4000, 40)) / 8, "runtime": rng.integers(1, 60, 40)}
    return tt.Trace({**columns, "allocated": rng.integers(1, 9, 40), "user": rng.integers(1, 4, 40)})


@pytest.fixture(scope="module")
def results(log: tt.Trace) -> dict[str, Result]:
    """The same log under two policies."""
    return {name: tt.replay(log, name, 8, reasons=True) for name in ("easy", "fcfs")}


def test_the_page_has_the_results(results: dict[str, Result]) -> None:
    """Every column, step and rectangle in the page equals that of the result."""
    found = content_of(view(results).html)
    assert [each["name"] for each in found["policies"]] == ["easy", "fcfs"]
    assert found["alike"] == "id"
    for own, result in zip(found["policies"], results.values(), strict=True):
        for name in ("submit", "start", "end", "estimate"):
            np.testing.assert_array_equal(times(own["jobs"][name]), result[name])
        for name in ("id", "processors", "campaign", "state"):
            np.testing.assert_array_equal(own["jobs"][name], result[name])
        users = np.array(found["users"])[own["jobs"]["user"]]
        assert users.tolist() == [str(label) for label in result.labels("user")]
        for name, steps in (("use", series.processors_in_use), ("queue", series.processors_queued)):
            at = np.arange(-1.0, 700.0, 0.125)
            expected = steps(result).at(at)
            place = np.searchsorted(times(own[name]["time"]), at, side="right")
            np.testing.assert_array_equal(np.append(0, own[name]["value"])[place], expected)
        spans, blocks = placement.placed(result)
        drawn = sorted(zip(*(own["boxes"][name].tolist() for name in ("row", "low", "height")), strict=True))
        assert drawn == sorted(
            zip(spans.row[blocks.row].tolist(), blocks.low.tolist(), blocks.height.tolist(), strict=True)
        )
        np.testing.assert_array_equal(times(own["boxes"]["begin"]), result["start"][own["boxes"]["row"]])
        np.testing.assert_array_equal(times(own["boxes"]["end"]), result["end"][own["boxes"]["row"]])


def test_odd_names_and_states_are_texts(odd: Result) -> None:
    """A name with tags in it makes no element, nothing comes from outside, and every state is there."""
    page = view({"a <b> & 'c'": odd}, title="<i>odd</i>").html
    elements = Elements(page)
    assert "alert" not in "".join(text for name, text in elements.texts.items() if name != "parts")
    assert sum(tag == "script" for tag, _ in elements.tags) == 4
    assert "<i>odd" not in page and "&lt;i&gt;odd&lt;/i&gt;" in page
    assert not [
        value
        for _, own in elements.tags
        for name, value in own.items()
        if name in ("src", "href") and value != "data:,"
    ]
    assert [own["content"] for _, own in elements.tags if own.get("http-equiv")] == [CSP]
    found = content_of(page)
    assert found["users"] == [ODD[0], ODD[1] and "7", ODD[2], NO_USER]
    assert found["policies"][0]["name"] == "a <b> & 'c'"
    jobs = found["policies"][0]["jobs"]
    assert [found["states"][each] for each in jobs["state"]] == odd.jobs["state"].tolist()
    np.testing.assert_array_equal(times(jobs["end"]), odd["end"])


def test_an_empty_result_has_a_page(empty: Result) -> None:
    """No job was submitted, or none ever ran."""
    found = content_of(view(empty).html)
    assert found["users"] == [] and len(found["policies"][0]["jobs"]["id"]) == 0 and found["busy"] is None
    never = {"submit": [0.0, 3.0], "start": [np.nan] * 2, "end": [np.nan, 5.0], "processors": [1, 1]}
    policy = content({"x": Result.from_columns(never, 4, now=9.0)})["policies"][0]
    assert len(policy["boxes"]["row"]) == 0 and times(policy["queue"]["time"]).tolist() == [0.0, 3.0, 5.0, 9.0]


def test_machines_that_change_show_their_windows_and_runs() -> None:
    """Outages lie where they were, windows at the top, and each run of a job is a rectangle."""
    changes = tt.Changes(windows=[tt.Window(20, 30, 1)], outages=tt.Outages.of([(5, 8, [0])]))
    spec = tt.MachineSpec(2, "easy", changes=changes)
    jobs = tt.Trace({"submit": [0, 1], "runtime": [10, 4], "allocated": [1, 1]})
    policy = content({"easy": tt.run(spec, tt.sources.log(jobs))})["policies"][0]
    closed = policy["closed"]
    rows = list(
        zip(*(closed[name].tolist() for name in ("begin", "end", "low", "height")), closed["what"], strict=True)
    )
    assert rows[0] == (5, 8, 0, 1, "down")
    assert rows[1:] in ([], [(20, 30, 1, 1, "maintenance")])
    assert policy["jobs"]["runs"].tolist() == [2, 1] and policy["boxes"]["row"].tolist().count(0) == 2


def test_jobs_are_on_their_nodes() -> None:
    """Whole nodes in a row are one rectangle; jobs that share nodes lie above each other."""
    columns = {"submit": [0.0, 0.0, 5.0], "start": [0.0, 0.0, 5.0], "end": [5.0, 9.0, 9.0], "processors": [2, 1, 1]}
    plain = Result.from_columns(columns, 3)
    alone = content({"x": replace(plain, nodes=record_of(("a", "b", "c"), [[0, 1], [2], [0]]))})["policies"][0]
    assert alone["unit"] == {"name": "nodes", "count": 3}
    assert list(zip(alone["boxes"]["low"].tolist(), alone["boxes"]["height"].tolist(), strict=True)) == [
        (0, 2),
        (2, 1),
        (0, 1),
    ]
    shared = content({"x": replace(plain, nodes=record_of(("a",), [[0], [0], [0]]))})["policies"][0]["boxes"]
    assert shared["low"].tolist() == [0.0, 0.5, 0.0] and shared["height"].tolist() == [0.5] * 3


def test_jobs_are_matched_by_order_where_numbers_differ(odd: Result) -> None:
    """Users who react submit the same jobs under other numbers."""
    other = replace(odd, columns={**odd.columns, "id": odd["id"][::-1]})
    assert content({"a": odd, "b": odd})["alike"] == "id"
    assert content({"a": odd, "b": other})["alike"] == "order"


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1.0, np.nan], np.int32), ([0.5, 1.0], np.float64), ([np.inf], np.float64), ([2.0**31], np.float64),
        ([], np.int32),
    ],
)  # fmt: skip
def test_small_types_lose_nothing(values: list[float], kind: type) -> None:
    """Times are whole numbers where they all are."""
    column = np.array(values)
    assert compact(column).dtype == kind
    np.testing.assert_array_equal(times(compact(column)), column)
    for whole in ([0, 255], [-1, 3], [-40000], [2**40], [-(2**31)]):
        np.testing.assert_array_equal(compact(np.array(whole)), whole)


def test_a_page_is_a_file_and_a_frame(odd: Result, tmp_path: Path) -> None:
    """A notebook has the page in a frame; a file is whole or not there."""
    page = odd.view()
    assert isinstance(page, Page) and "Jobs and users under easy" in page.html
    assert page._repr_html_().startswith('<iframe srcdoc="&lt;!DOCTYPE html&gt;')
    assert page.write(tmp_path / "x.html").read_text() == page.html
    assert [file.name for file in tmp_path.iterdir()] == ["x.html"]
    with pytest.raises(ValueError, match=r"must end with \.html, not 'x\.txt'"):
        page.write(tmp_path / "x.txt")
    assert re.fullmatch(r"<page of [\d,]+ characters>", repr(page))


def test_without_bokeh_one_sentence_says_how_to_get_it(odd: Result, monkeypatch: pytest.MonkeyPatch) -> None:
    """The package works without it."""
    given = builtins.__import__

    def refuse(name: str, *rest: Any, **more: Any) -> Any:
        if name.split(".")[0] == "bokeh":
            raise ImportError(name)
        return given(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(ValueError, match=re.escape(plots.MISSING)):
        odd.view()


def test_nothing_is_no_page() -> None:
    """A page needs a result."""
    with pytest.raises(ValueError, match="at least one result"):
        view({})


COLUMNS = [
    np.array([], np.int32), np.array([3, 3, 7, 2**31 - 1], np.int32), np.array([-(2**31), 5, -1], np.int32),
    np.array([-300, 0, 300], np.int16), np.array([255, 0, 255], np.uint8), np.array([0, 255], np.uint8),
    np.array([0.1, np.nan, np.inf, -0.0]),
]  # fmt: skip


@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: f"{column.dtype}-{len(column)}")
def test_columns_are_the_same_to_the_last_bit(column: AnyArray) -> None:
    """Whatever the numbers are, growing or not."""
    tree, block = packed({"a": [{"b": column}], "numbers of": 3})
    found = unpacked(json.loads(json.dumps(tree)), block)
    assert found["numbers of"] == 3
    assert found["a"][0]["b"].dtype == column.dtype
    assert found["a"][0]["b"].tobytes() == column.tobytes()


def test_the_same_content_gives_the_same_text() -> None:
    """No clock and no name is in it."""
    assert packed({"a": np.arange(5)}) == packed({"a": np.arange(5)})


def test_power_is_shown_where_it_is_known(odd: Result) -> None:
    """Steps of power at the meter, of its cap with a mark for none, and of a signal; otherwise no panel."""
    without = view(odd).html
    assert 'id="power"' not in without and "power" not in content_of(without)["policies"][0]
    window = tt.Window(50, 60, kind="cap", watts=500)
    log = tt.Trace({"submit": [0, 10], "runtime": [20, 90], "allocated": [2, 1]})
    spec = tt.MachineSpec(4, power=tt.Power(idle=10, job=50), changes=tt.Changes(windows=[window]))
    for signals, panels in (
        ({}, {"power"}),
        ({"tax": tt.Signal([0, 30], [1.0, 2.0], after="hold")}, {"power", "signal"}),
    ):
        page = view(tt.run(replace(spec, signals=signals), tt.sources.log(log))).html
        found = content_of(page)["policies"][0]
        steps = [dict(zip(found[each]["time"].tolist(), found[each]["value"].tolist(), strict=True))
                 for each in ("power", "cap")]  # fmt: skip
        assert steps == [{0: 140, 10: 190, 20: 90, 100: 0}, {0: -1, 50: 500, 60: -1, 100: 0}]
        assert {each for each in ("power", "signal") if f'<div id="{each}"' in page} == panels
    assert found["signal"]["value"].tolist() == [1, 2, 0] and (found["signal"]["begin"], found["signal"]["end"]) == (
        0,
        100,
    )
