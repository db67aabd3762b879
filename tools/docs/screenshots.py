"""Pictures of the explorer, taken in a headless Chromium: docs/images/view-*.png.

    THINKTIME_TRACES=DIR .venv/bin/python -m tools.docs.screenshots [NAME …]

The results are those of docs/how-to/view.md. Pictures of a log that is not there are left as they are.
"""

import io
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tools.docs.browser import Page, browser

DOCS = Path(__file__).parents[2] / "docs"
LOG = "KTH-SP2-1996-2.1-cln.swf.gz"
COLOURS = 256
"""Of a picture, so that it is small."""
WAITED, AHEAD = 1075, 1053
"""A job of that log, and the head of the queue when it was last passed over."""
ROW = "thinktime.shown()[0].jobs.id.indexOf(%d)"
PLACE = """
(row => {
  const [{boxes}] = thinktime.shown(), plot = thinktime.models["boxes-a"], {start, end} = thinktime.time;
  const at = boxes.row.indexOf(row), x = (boxes.begin[at] + boxes.end[at]) / 2;
  const y = boxes.low[at] + boxes.height[at] / 2;
  return [
    (plot.min_border_left + ((x - start) / (end - start)) * plot.inner_width) / plot.outer_width,
    (plot.min_border_top + (1 - y / plot.y_range.end) * plot.inner_height) / plot.outer_height,
  ];
})(%s)
"""
"""The middle of a job, as shares of its panel."""


def users(page: Page, folder: Path) -> None:
    """Two groups of users under two policies, and what is said of a campaign."""
    explorer(page, folder / "office-results", "light", 1250, 1460)
    page.ask("thinktime.setTime(0, 86400)")
    hover(page, "lanes", 0.44, 0.66)


def policies(page: Page, folder: Path, scheme: str = "light") -> None:
    """Two policies on the jobs of a log: one that waited is chosen, and hover tells of it."""
    explorer(page, folder / "month", scheme, 1250, 1000)
    page.ask("thinktime.showPolicies(1, 0); thinktime.setTime(16.9 * 86400, 18.7 * 86400)")
    page.ask(f"thinktime.choose(thinktime.shown()[0], {ROW % WAITED})")
    x, y = page.ask(PLACE % (ROW % AHEAD))
    hover(page, "boxes-a", x, y)


def phone(page: Page, folder: Path) -> None:
    """The same on a phone."""
    explorer(page, folder / "month", "light", 390, 844)


PICTURES: dict[str, Callable[[Page, Path], None]] = {
    "view-users": users,
    "view-policies": policies,
    "view-dark": lambda page, folder: policies(page, folder, "dark"),
    "view-phone": phone,
}


def explorer(page: Page, results: Path, scheme: str, width: int, height: int) -> None:
    """Open the explorer of some results, which are made if they are not there yet."""
    if not results.exists():
        RESULTS[results.name](results.parent)
        thinktime(results.parent, "view", results.name)
    page.appear(scheme, width, height)
    page.open(results / "view.html")
    page.until("document.documentElement.dataset.ready !== undefined")


def office(folder: Path) -> None:
    """The experiment of the page."""
    text = (DOCS / "how-to/view.md").read_text(encoding="utf-8")
    found = re.search(r"```toml\n(# office.toml\n.*?)```", text, re.DOTALL)
    assert found is not None
    (folder / "office.toml").write_text(found[1], encoding="utf-8")
    thinktime(folder, "run", "office.toml", "--workers", "1", "--quiet")


def month(folder: Path) -> None:
    """The replay of the page."""
    log = Path(os.environ["THINKTIME_TRACES"]) / LOG
    options = ("--to", "2000000", "--policy", "fcfs", "--policy", "easy", "--out", "month", "--quiet")
    thinktime(folder, "replay", str(log), *options)


RESULTS = {"office-results": office, "month": month}


def thinktime(folder: Path, *words: str) -> None:
    """Run a command of the package in a folder."""
    subprocess.run([sys.executable, "-m", "thinktime", *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def hover(page: Page, panel: str, x: float, y: float) -> None:
    """Let the pointer rest on a panel."""
    for shift in (0.0, 0.001):
        page.mouse(panel, x + shift, y, "mouseMoved")
        time.sleep(0.5)


def small(png: bytes) -> bytes:
    """The same picture in fewer colours."""
    from PIL import Image

    made = io.BytesIO()
    drawn = Image.open(io.BytesIO(png)).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    drawn.save(made, "png", optimize=True)
    return made.getvalue()


def main(names: list[str]) -> None:
    """Take the pictures with these names, or all."""
    with tempfile.TemporaryDirectory() as folder, browser() as page:
        for name in names or PICTURES:
            try:
                PICTURES[name](page, Path(folder))
            except KeyError as missing:
                print(f"{name} needs {missing}")
                continue
            time.sleep(0.5)
            png = small(page.screenshot(whole=False))
            (DOCS / "images" / f"{name}.png").write_bytes(png)
            print(f"docs/images/{name}.png: {len(png) / 1000:.0f} kB")


if __name__ == "__main__":
    main(sys.argv[1:])
