"""Reports in a real browser: no complaints, nothing from the network, legible everywhere."""

import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from thinktime.analysis.experiments import Scenario, Sweep, sweep
from thinktime.analysis.reports import report
from tools.docs.browser import Page, browser, program

pytestmark = pytest.mark.skipif(program() is None, reason="no Chromium is installed here")

CONTRAST = """
(() => {
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const light = colour => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3)
      .map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const style = getComputedStyle(document.documentElement);
  const paper = light(style.getPropertyValue('--paper'));
  const ratio = name => {
    const own = light(style.getPropertyValue(name));
    return (Math.max(own, paper) + 0.05) / (Math.min(own, paper) + 0.05);
  };
  const names = ['--ink', '--faint', '--accent', '--good', '--bad', '--maybe'];
  const policies = [0, 1, 2, 3, 4, 5, 7].map(n => '--policy-' + n);
  return Object.fromEntries([...names, ...policies].map(name => [name, ratio(name)]));
})()
"""
CUT = """
[...document.querySelectorAll('table:not(.stack) th, table:not(.stack) td')]
  .filter(cell => cell.checkVisibility() && cell.scrollWidth > cell.clientWidth + 1).map(cell => cell.textContent)
"""
TABLES = """
[...document.querySelectorAll('.scroll')].filter(box => box.checkVisibility()).map(box => {
  const table = box.querySelector('table'), wide = table.offsetWidth > box.clientWidth;
  box.scrollLeft = 60;
  const first = table.querySelector('tbody tr > :first-child').getBoundingClientRect().left;
  const found = {wide, fixed: Math.abs(first - box.getBoundingClientRect().left) < 1, scrolls: box.scrollLeft > 0};
  box.scrollLeft = 0;
  return found;
})
"""
OUTSIDE = """
[...document.querySelectorAll('figure svg')].flatMap(svg => {
  const frame = svg.getBoundingClientRect(), grain = 1;
  return [...svg.querySelectorAll('text')].filter(text => {
    const box = text.getBoundingClientRect();
    return box.left < frame.left - grain || box.right > frame.right + grain
      || box.top < frame.top - grain || box.bottom > frame.bottom + grain;
  }).map(text => text.textContent);
})
"""
OVERLAPS = """
[...document.querySelectorAll('figure svg')].flatMap(svg => {
  const texts = [...svg.querySelectorAll('text')].map(text => [text.textContent, text.getBoundingClientRect()]);
  return texts.flatMap(([one, a], at) => texts.slice(at + 1)
    .filter(([, b]) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 0.15 * Math.min(a.width, b.width)
      && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 0.4 * Math.min(a.height, b.height))
    .map(([other]) => one + ' | ' + other));
})
"""
AXES = """
[...document.querySelectorAll('figure svg [id*="axes_"]')].map(axes => {
  const box = axes.querySelector('[id*="patch_"]').getBoundingClientRect();
  return box.height / axes.closest('svg').getBoundingClientRect().height;
})
"""
WIDTHS = "[document.documentElement.scrollWidth, window.innerWidth]"
FOLDED = "[...document.querySelectorAll('details.table table')].map(table => table.getBoundingClientRect().height)"


LONG = [
    "fcfs",
    "easy:order=fairshare,half_life=7d,reservations=3",
    "slack:heuristic=ast,slack_factor=2.5,delayed=removed,awt=300",
    "ostrich:within=mlpt,corrected=yes,backfilling=easy",
    "conservative:order=wfp3,compress=event",
    "tradeoff:goals=wait+slowdown+deviation,algorithm=lds,limit=20,bound=50h",
]
WIDE = f"""
name = "Six policies with long names"
policies = {LONG}
metrics = ["mean_wait", "mean_bounded_slowdown_10", "mean_user_mean_wait"]
replications = 2
[machine]
processors = 32
[workload]
recipe = "lublin"
jobs = 20
[sweep.grid]
"workload.load" = [0.6, 0.9]
"""


@pytest.fixture(scope="module")
def page(simulated: Sweep, known: Sweep, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """A browser in which both reports have been looked at."""
    folder = tmp_path_factory.mktemp("pages")
    with browser() as opened:
        opened.appear("light", 1100)
        opened.open(report(known, folder / "known.html"))
        opened.open(report(simulated, folder / "simulated.html"))
        yield opened


def colours(png: bytes) -> tuple[tuple[int, ...], int]:
    """The colour that most of a picture has, and how many there are."""
    image = Image.open(io.BytesIO(png)).convert("RGB")
    pixels = np.asarray(image.resize((image.width // 2, image.height // 2), Image.Resampling.NEAREST))
    counts = np.bincount(pixels.reshape(-1, 3).astype(np.int64) @ [65536, 256, 1], minlength=2**24)
    most = int(counts.argmax())
    return (most >> 16, most >> 8 & 255, most & 255), int((counts > 0).sum())


def test_no_complaints_and_no_requests(page: Page) -> None:
    """The browser's console stays empty, and nothing but the two files is requested."""
    assert page.complaints == []
    assert [Path(address).name for address in page.requests] == ["known.html", "simulated.html"]
    assert all(address.startswith("file:") for address in page.requests)


@pytest.mark.parametrize(("scheme", "paper"), [("light", (255, 255, 255)), ("dark", (20, 23, 27))])
def test_light_and_dark(page: Page, scheme: str, paper: tuple[int, ...]) -> None:
    """The page follows the colour scheme with the contrast of WCAG AA, and policies can be seen."""
    page.appear(scheme, 1100)
    most, different = colours(page.screenshot())
    assert most == paper and different > 50
    contrast = page.ask(CONTRAST)
    for name, ratio in contrast.items():
        assert ratio >= (2.0 if name.startswith("--policy") else 4.5), f"{name}: {ratio:.2f}"


def test_a_phone_need_not_scroll_sideways(page: Page) -> None:
    """At 360 pixels the page is as wide as the screen; wide tables scroll by themselves."""
    page.appear("light", 360, phone=True)
    whole, screen = page.ask(WIDTHS)
    assert whole <= screen == 360
    most, different = colours(page.screenshot())
    assert most == (255, 255, 255) and different > 50


def test_drawings_are_drawn(page: Page) -> None:
    """Every drawing has a size and its texts lie inside."""
    page.appear("light", 1100)
    sizes = page.ask("[...document.querySelectorAll('figure svg')].map(s => [s.clientWidth, s.clientHeight])")
    assert len(sizes) == 6 and all(width > 300 and height > 100 for width, height in sizes)
    assert "mean wait" in page.ask("document.querySelector('figure svg').textContent")


def test_on_paper_everything_is_unfolded(page: Page) -> None:
    """Printed, the page is on white paper, in light colours even in dark mode, with the folded tables open."""
    page.appear("dark", 1100)
    page.call("Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    assert page.ask("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    heights = page.ask(FOLDED)
    assert heights and all(height > 30 for height in heights)
    printed = page.pdf()
    page.call("Emulation.setEmulatedMedia", media="")
    assert printed.startswith(b"%PDF") and len(printed) > 20_000


@pytest.fixture(scope="module", params=["points", "one point"])
def wide(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of six policies with long names and many metrics, at two points or at one."""
    folder = tmp_path_factory.mktemp("wide")
    scenario = WIDE if request.param == "points" else WIDE.partition("[sweep.grid]")[0]
    made = sweep(Scenario.from_text(scenario, folder=folder), folder / "out", processes=1)
    return report(made, folder / "wide.html")


@pytest.mark.parametrize(
    ("scheme", "width"),
    [
        ("light", 1280),
        ("dark", 360),
        pytest.param("light", 360, marks=pytest.mark.thorough),
        pytest.param("dark", 1280, marks=pytest.mark.thorough),
    ],
)
def test_six_policies_with_long_names(page: Page, wide: Path, scheme: str, width: int) -> None:
    """With six long names no cell is cut, wide tables scroll, and no text hides another."""
    page.appear(scheme, width, phone=width < 500)
    page.open(wide)
    page.complaints.clear()
    page.ask("document.querySelectorAll('details').forEach(each => each.open = true)")
    whole, screen = page.ask(WIDTHS)
    assert whole <= screen == width
    assert page.ask(CUT) == []
    tables = page.ask(TABLES)
    assert len(tables) > 2 and all(each["fixed"] and each["scrolls"] for each in tables if each["wide"])
    assert page.ask(OUTSIDE) == [] and page.ask(OVERLAPS) == []
    assert all(share > 0.2 for share in page.ask(AXES))
    legend = page.ask("[...document.querySelectorAll('figure svg')].map(svg => svg.textContent.replace(/\\s/g, ''))")
    assert all(name in each for name in LONG for each in legend)
