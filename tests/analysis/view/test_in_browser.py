"""The page in a real browser: what it says of jobs, users and times, and how it is moved."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from thinktime.analysis.view.page import view
from thinktime.models.machine.power import Power
from thinktime.models.results.result import Result
from thinktime.workloads.signals.signal import Signal
from tools.docs.browser import Page, browser, program

from .conftest import NAMES, ODD, ROWS

pytestmark = pytest.mark.skipif(program() is None, reason="no Chromium is installed here")

READY = "document.documentElement.dataset.ready !== undefined"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """A page of a result, and of the same jobs two seconds later."""
    columns = {name: np.array([row[k] for row in ROWS]) for k, name in enumerate(NAMES)}
    first = Result.from_columns(columns, 4, names={"user": ODD}, policy="easy", now=100.0)
    first = with_power(replace(first, unix_start=0.0, zone="UTC"))
    moved = {name: columns[name] + 2.0 for name in ("submit", "start", "end")}
    other = Result.from_columns(
        {**columns, **moved, "start": columns["start"] + 4.0}, 4, names={"user": ODD}, now=104.0
    )
    path = view({"easy": first, "<later>": other}).write(tmp_path_factory.mktemp("view") / "view.html")
    with browser() as opened:
        opened.appear("light", 1200)
        opened.open(path)
        opened.until(READY)
        yield opened


def with_power(result: Result) -> Result:
    """The same on processors of 10 W, of which each draws 90 W more for a job, below a cap, with a bonus."""
    bonus = Signal([0, 50], [0.2, -0.1], "bonus", "points", after="end", end=80)
    columns = result.columns | {"power": np.full(len(result), 90.0)}
    return replace(result, columns=columns, machine_power=Power(idle=10, cap=1500), signals={"bonus": bonus})


def complaints(page: Page) -> list[str]:
    """What the browser complained about; that Bokeh says how much it says is none."""
    return [each for each in page.complaints if "setting log level" not in each]


def lines(page: Page, panel: str, x: float, y: float) -> Any:
    """What is said at a place of a panel."""
    return page.ask(f"thinktime.linesAt({json.dumps(panel)}, {x}, {y})")


def press(page: Page, key: str) -> None:
    """Press a key in the charts."""
    event = f"new KeyboardEvent('keydown', {{key: {json.dumps(key)}, bubbles: true}})"
    page.ask(f"void document.getElementById('panels').dispatchEvent({event})")


def text(page: Page, name: str) -> str:
    """The text of an element."""
    return str(page.ask(f"document.getElementById({json.dumps(name)}).innerText"))


def frames(page: Page) -> None:
    """Wait until what has changed is drawn."""
    page.ask("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def test_it_opens_without_complaints_and_without_a_network(page: Page) -> None:
    """Names with tags in them are texts, and nothing is asked of anybody."""
    assert complaints(page) == []
    assert [each for each in page.requests if not each.startswith(("file:", "data:"))] == []
    assert page.ask("[...document.querySelectorAll('#users label')].map(each => each.textContent.trim())") == [
        ODD[0], "user 7", ODD[2], "no user",
    ]  # fmt: skip


def test_what_is_said_of_a_job(page: Page) -> None:
    """Who, what, when, why it waited, and what became of it under the other policy."""
    assert lines(page, "boxes-a", 20, 0.5) == [
        f"Job 2 of user {ODD[0]}, campaign 0",
        "2 processors asked for 20s; killed",
        "Submitted 0s (1 Jan 1970, 00:00)",
        "Started 10s, after 10s of waiting",
        "Ended 30s, 20s after its start",
        "Fewer processors were free than it asked for during all of its wait. "
        "When it was last passed over, there was no room for it.",
        f"It started when job 1 of user {ODD[0]} ended (3 processors)",
        "Under <later> it waited 12s, 2s more; it was submitted 2s later",
    ]
    assert lines(page, "boxes-a", 40, 0.5) is None


def test_what_is_said_of_users_and_times(page: Page) -> None:
    """A lane is divided between the two policies; between campaigns a user thinks."""
    assert lines(page, "lanes", 35, -0.2) == [
        f"Campaign 0, 2 jobs, of user {ODD[0]}",
        "Submitted 0s (1 Jan 1970, 00:00)",
        "First start after 0s",
        "All over 30s, 30s after the submission",
        "Next submission 45s, after 15s of thinking",
        "Now thinking, or away",
        "Under easy",
    ]
    assert lines(page, "lanes", 1, -0.8)[-1] == "Under <later>"
    assert lines(page, "use", 7, 0) == [
        "7s (1 Jan 1970, 00:00)",
        "easy: 4 of 4 processors in use, 3 asked for in the queue",
        "<later>: 3 of 4 processors in use, 3 asked for in the queue",
    ]


def test_what_is_said_and_drawn_of_power(page: Page) -> None:
    """Four processors in use draw 400 W; the other result knows no power; a signal may be negative, and end."""
    assert lines(page, "power", 7, 0) == [
        "7s (1 Jan 1970, 00:00)", "easy: 400 W of 1.5 kW", "bonus: 0.2 points",
    ]  # fmt: skip
    assert lines(page, "signal", 60, 0)[1:] == ["easy: 130 W of 1.5 kW", "bonus: -0.1 points"]
    assert lines(page, "power", 90, 0)[1:] == ["easy: 130 W of 1.5 kW"]
    assert text(page, "power-lines").splitlines() == ["easy", "cap", "below: bonus (points)"]
    page.ask("thinktime.setTime(0, 100)")
    frames(page)
    heights = page.ask(
        "(({power, signal}) => [power, signal].flatMap(({y_range: y}) => [y.start, y.end]))(thinktime.models)"
    )
    assert heights == pytest.approx([0, 2000, -0.1, 0.2])
    drawn = page.ask("Array.from(thinktime.state.renderers['signal-line'].data_source.data.x)")
    assert (drawn[0], drawn[-1]) == (0, 80)


def test_keys_choose_zoom_and_align(page: Page) -> None:
    """Without a mouse: the next job, zoom on it, the second policy moved to it, and back."""
    press(page, "0")
    press(page, "n")
    assert text(page, "chosen").startswith("Job 1 of ")
    press(page, "Enter")
    assert page.ask("[thinktime.time.start, thinktime.time.end]") == [-5, 15]
    press(page, "a")
    assert text(page, "apart") == "<later> is shown 2s earlier than it was."
    assert page.ask("thinktime.content.policies[1].shift") == -2
    press(page, "a")
    press(page, "ArrowRight")
    assert page.ask("[thinktime.time.start, thinktime.time.end]") == [-1, 19]
    press(page, "s")
    assert page.ask("thinktime.shown().map(each => each.name)") == ["<later>", "easy"]
    press(page, "s")
    press(page, "Escape")
    assert text(page, "chosen").startswith("No job is chosen")


def test_what_is_drawn_of_processors_has_a_legend(page: Page) -> None:
    """Both policies, one of them dashed, the range of many steps in a pixel, and the size of the machine."""
    assert text(page, "lines").splitlines() == [
        "easy", "<later>", "in use; zoomed out, from the least to the most", "all 4 processors",
    ]  # fmt: skip
    styles = page.ask(
        "[...document.querySelectorAll('#lines .swatch')].map(each => getComputedStyle(each).borderTopStyle)"
    )
    assert styles[:2] == ["solid", "dashed"]
    page.ask("thinktime.showPolicies(0, null)")
    assert text(page, "lines").splitlines()[0] == "easy" and len(text(page, "lines").splitlines()) == 3
    page.ask("thinktime.showPolicies(0, 1)")


def test_keys_work_without_focus(page: Page) -> None:
    """As soon as the page is open; but a text that is typed is a text, and a button is pressed."""
    page.ask("document.activeElement.blur(); thinktime.setTime(0, 80)")
    assert page.ask("document.activeElement === document.body")
    page.key("+", "+")
    assert page.ask("[thinktime.time.start, thinktime.time.end]") == [15, 65]
    page.key("n", "n")
    assert text(page, "chosen").startswith("Job ")
    chosen = text(page, "chosen")
    page.ask("document.getElementById('filter').focus()")
    page.key("n", "n")
    assert page.ask("document.getElementById('filter').value") == "n" and text(page, "chosen") == chosen
    page.ask("document.getElementById('filter').value = ''")
    page.ask("document.getElementById('filter').dispatchEvent(new Event('input'))")
    page.ask("document.getElementById('filter').blur()")
    page.key("Escape")
    assert text(page, "chosen").startswith("No job is chosen")


def test_the_keyboard_gets_to_the_charts_and_one_sees_it(page: Page) -> None:
    """Tab comes to the charts, which have a rim then, and keys move them."""
    page.ask("thinktime.setTime(0, 80); document.getElementById('busy').focus()")
    for _ in range(3):
        page.key("Tab")
        if page.ask("document.activeElement.id") == "panels":
            break
    assert page.ask("document.activeElement.matches('#panels:focus-visible')")
    assert page.ask("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.key("+", "+")
    assert page.ask("[thinktime.time.start, thinktime.time.end]") == [15, 65]


def test_the_mouse_moves_zooms_chooses_and_picks(page: Page) -> None:
    """A drag moves the time, the wheel zooms around the pointer, a click chooses, a box picks a user."""
    page.ask("thinktime.setTime(0, 80)")
    page.mouse("boxes-a", 0.6, 0.5, "mouseMoved", "mousePressed")
    page.mouse("boxes-a", 0.5, 0.5, "mouseMoved", button="left", buttons=1)
    page.mouse("boxes-a", 0.4, 0.5, "mouseMoved", button="left", buttons=1)
    page.mouse("boxes-a", 0.4, 0.5, "mouseReleased")
    first, last = page.ask("[thinktime.time.start, thinktime.time.end]")
    assert first > 5 and last - first == pytest.approx(80)
    page.mouse("boxes-a", 0.5, 0.5, "mouseWheel", deltaX=0, deltaY=-100)
    page.until("thinktime.time.end - thinktime.time.start < 79")
    page.ask("thinktime.setTime(0, 40)")
    frames(page)
    page.mouse("boxes-a", 0.6, 0.8, "mouseMoved", "mousePressed", "mouseReleased")
    frames(page)
    assert text(page, "chosen").startswith("Job 2 of ")
    assert page.ask("getComputedStyle(document.getElementById('panels')).getPropertyValue('--cursor')").endswith("px")
    page.ask("document.querySelectorAll('#users input')[1].click()")
    assert page.ask("thinktime.state.picked") == [1]
    page.ask("document.getElementById('nobody').click()")
    assert page.ask("thinktime.state.picked") == []


def test_light_and_dark(page: Page) -> None:
    """The page follows the system, until the button says otherwise; charts as well as texts."""
    used = "document.getElementById('scheme').ariaPressed, getComputedStyle(document.body).backgroundColor"
    line = "thinktime.state.renderers['use-a'].glyph.line_color.value"
    drawn = f"thinktime.models.use.below[0].major_label_text_color, {line}"
    light = ["false", "rgb(255, 255, 255)", "#1b1f24", "#0072b2"]
    dark = ["true", "rgb(20, 23, 27)", "#e7e9ec", "#3f9fe0"]
    assert page.ask(f"[{used}, {drawn}]") == light
    page.ask("document.getElementById('scheme').click()")
    assert page.ask(f"[{used}, {drawn}]") == dark
    page.ask("document.getElementById('scheme').click()")
    assert page.ask(f"[{used}, {drawn}]") == light


def test_picked_users_have_the_lanes(page: Page) -> None:
    """The others are grey, and the next job is one of theirs."""
    page.ask("thinktime.pick([2])")
    assert page.ask("thinktime.timeTick(90061) + ' ' + thinktime.laneTick(-0.5)") == f"1d 1h 1m 1s {ODD[2][:17]}…"
    press(page, "0")
    press(page, "n")
    assert text(page, "chosen").startswith("Job 4 of ")
    assert text(page, "colours").splitlines() == [ODD[2], "3 others"]
    page.ask("thinktime.pick([])")


@pytest.mark.parametrize("width", [360, 1500])
def test_nothing_is_cut_off(page: Page, width: int, tmp_path: Path) -> None:
    """On a phone and on a wide screen, the page is as wide as the screen and its panels are drawn."""
    page.appear("light", width)
    page.until("thinktime.models.use.inner_width <= window.innerWidth && thinktime.models.use.inner_width >= 100")
    assert page.ask("document.documentElement.scrollWidth <= window.innerWidth")
    shown = "[...document.querySelectorAll('.panel')].filter(each => each.checkVisibility())"
    assert page.ask(f"{shown}.length === 7 && {shown}.every(each => each.offsetHeight > 90)")
    named = "each => each.labels?.length || each.textContent.trim() || each.ariaLabel"
    assert page.ask(f"[...document.querySelectorAll('button, input, select')].every({named})")


def test_many_rectangles_become_an_image(page: Page, tmp_path: Path) -> None:
    """With more jobs in view than can be drawn one by one, the picture has the colours of their users."""
    count = 1300
    begin = np.arange(count, dtype=float)
    columns = {"submit": begin, "start": begin, "end": begin + 1, "processors": np.full(count, 2), "user": begin % 2}
    columns["submit"] = np.where(begin == 5, 2.0, begin)
    many = Result.from_columns(columns, 2, names={"user": ["a", "b"]}, policy="easy:order=fcfs,reservations=1")
    page.open(view({"x": many}).write(tmp_path / "many.html"))
    page.until(READY)
    image = "thinktime.state.renderers['boxes-a-image'].data_source.data.image"
    assert page.ask("thinktime.state.merged['boxes-a']") is True
    shades = page.ask(f"[...new Set({image}[0])].map(each => each.toString(16))")
    assert len(shades) > 0 and all(shade.startswith("f") for shade in shades)
    page.ask("thinktime.setTime(10, 20.5)")
    frames(page)
    assert page.ask(f"[thinktime.state.merged['boxes-a'], {image}.length]") == [False, 0]
    assert page.ask("thinktime.state.renderers['boxes-a-quads'].data_source.data.left.length") == 11
    assert lines(page, "boxes-a", 5.5, 0.5)[6] == (
        "It was then first in the queue itself; "
        "its shadow time, when running jobs leave it room by their estimates, was 5s"
    )
    window = "{begin: [3], end: [4], low: [0], height: [1], what: ['maintenance']}"
    page.ask(f"void Object.assign(thinktime.content.policies[0].closed, {window})")
    assert lines(page, "boxes-a", 5.5, 0.5)[7] == "During its wait: maintenance 3s to 4s"
    assert complaints(page) == []


def test_what_is_said_of_a_job_that_changes_its_size(page: Page, resized: Result, tmp_path: Path) -> None:
    """Its sizes, its stages and what they were for, and who shrank for whom; resizes are drawn, and have a legend."""
    page.open(view({"shapes": resized}).write(tmp_path / "shapes.html"))
    page.until(READY)
    page.ask("thinktime.setTime(0, 60)")
    assert lines(page, "boxes-a", 5, 0.5) == [
        "Job 1 of user ada",
        "4 processors asked for 1m 40s; finished",
        "Submitted 0s",
        "Started 0s, after 0s of waiting",
        "Ended 1m, 1m after its start",
        "It may have 2-8 processors, is malleable, and has the speed-up linear; it shrinks after a notice of 5s",
        "It had 8 processors for 25s, 4 processors for 20s, 8 processors for 15s",
        "It shrank to 4 at 25s, and job 2 of user bob started; grew to 8 at 45s, when job 2 of user bob gave some back",
        "It started at once.",
    ]
    assert lines(page, "boxes-a", 30, 6)[-1] == "It started when job 1 of user ada shrank by 4 processors"
    frames(page)
    drawn = "thinktime.state.renderers['boxes-a-resized'].data_source.data"
    assert page.ask(f"[{drawn}.x, {drawn}.low, {drawn}.high].map(each => Array.from(each))") == [
        [25, 25, 45], [0, 4, 0], [4, 8, 4],
    ]  # fmt: skip
    assert page.ask("thinktime.state.renderers['boxes-a-interrupted'].visible") is False
    assert "resized" in text(page, "colours")
    assert complaints(page) == []
