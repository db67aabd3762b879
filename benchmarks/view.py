"""The explorer of 100,000 jobs under one policy and under two: size, time until it is drawn, frames per second.

    python benchmarks/view.py [--jobs N] [--policies easy,conservative] [--logs DIR] [--quick]

The first policy has a page of its own, and all of them have one. The jobs are the first of LANL-CM5 (or of a generated
log, if there is none). A headless Chromium without a graphics card opens each page, draws it in software, and moves it
by a hundredth of the view per frame, at four zooms. *Open* is the time from the request to the first full picture, by
the page's own clock. Processor times of the page's thread are shown beside, since other programs on the same cores
count in the rest.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from logs import folder as logs_folder
from logs import open_log
from targets import line

import thinktime as tt

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tools.docs.browser import Page, browser, program

FRAMES = 60
SHARES = (1.0, 0.1, 0.01, 0.001)
"""The share of the run that is in view."""
MOST_MB, MOST_SECONDS, LEAST_FRAMES = 20.0, 3.0, 20.0
MOVED = """
new Promise(done => {
  const {setTime, content} = thinktime, whole = content.last - content.first, length = %s * whole;
  const moments = [];
  let first = content.first + 0.3 * (whole - length);
  const move = now => {
    moments.push(now);
    if (moments.length > %s) done(1000 * (moments.length - 1) / (moments.at(-1) - moments[0]));
    else {
      first += 0.01 * length;
      setTime(first, first + length);
      requestAnimationFrame(move);
    }
  };
  setTime(first, first + length);
  requestAnimationFrame(move);
})
"""


def opened(page: Page, path: Path) -> float:
    """Open a page, and return when it was drawn (s after the request)."""
    page.open(path)
    page.until("document.documentElement.dataset.ready !== undefined")
    return float(page.ask("document.documentElement.dataset.ready")) / 1000


def processor_time(page: Page) -> float:
    """The processor time of the page's thread so far (s)."""
    found = page.call("Performance.getMetrics")["metrics"]
    return next(float(each["value"]) for each in found if each["name"] == "TaskDuration")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="The explorer of many jobs, in a headless Chromium.")
    parser.add_argument("--jobs", type=int, default=100_000)
    parser.add_argument("--policies", default="easy,conservative")
    parser.add_argument("--logs", metavar="DIR", help="folder of the logs (default: THINKTIME_TRACES)")
    parser.add_argument("--quick", action="store_true", help="2,000 jobs, to test the script")
    given = parser.parse_args()
    if program() is None:
        print("no Chromium is installed here, so nothing is measured")
        return
    trace, processors, real = open_log("LANL-CM5", logs_folder(given.logs))
    jobs = min(given.jobs if not given.quick else 2000, len(trace))
    trace = trace.select(np.arange(len(trace)) < jobs)
    named = {policy: tt.replay(trace, policy, processors, reasons=True) for policy in given.policies.split(",")}
    print(f"{jobs:,} {'real' if real else 'generated'} jobs")
    for many in sorted({1, len(named)}):
        measure(dict(list(named.items())[:many]))


def measure(named: dict[str, tt.Result]) -> None:
    """Make a page, open it, and move it."""
    print(f"\n{' and '.join(named)}")
    begin = time.perf_counter()
    shown = tt.view(named)
    line("making the page", time.perf_counter() - begin, "s")
    with tempfile.TemporaryDirectory() as folder, browser() as page:
        path = shown.write(Path(folder) / "view.html")
        line("size", path.stat().st_size / 1e6, "MB", MOST_MB)
        page.appear("light", 1280)
        page.call("Performance.enable", timeDomain="threadTicks")
        line("open", opened(page, path), "s", MOST_SECONDS)
        line("  processor time of the page's thread", processor_time(page), "s")
        for share in SHARES:
            before = processor_time(page)
            frames = float(page.ask(MOVED % (share, FRAMES)))
            spent = 1000 * (processor_time(page) - before) / FRAMES
            verdict = "met" if frames >= LEAST_FRAMES else "NOT MET"
            what = f"moving {share:.1%} of the run: frames/s"
            print(f"{what:<66}{frames:>8.1f}   target 20: {verdict} ({spent:.0f} ms of processor time per frame)")


if __name__ == "__main__":
    main()
