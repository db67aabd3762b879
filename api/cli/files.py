"""The files of a replay: a table, a schedule and pictures per policy, and pictures that compare policies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from thinktime.cli.output_folders import folder_name
from thinktime.cli.policy_runs import PolicyRun

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from thinktime.models.results.result import Result

Window = tuple[float, float]
"""From and to (s)."""


def write_run(run: PolicyRun, aside: Path, window: Window | None = None) -> None:
    """Write the folder of one policy; its Gantt chart shows `window`, by default the busiest one."""
    from thinktime.analysis import pictures

    folder = aside / folder_name(run.spec)
    folder.mkdir()
    run.result.to_csv(folder / "jobs.csv")
    run.result.to_swf(folder / "schedule.swf")
    draw(folder / "utilization-and-queue.png", lambda: pictures.utilization_and_queue(run.result))
    draw(folder / "wait-by-width.png", lambda: pictures.wait_by_width(labelled([run])))
    draw(folder / "gantt.png", lambda: pictures.gantt(run.result, *(window or ())))


def gantt_window(runs: Sequence[PolicyRun]) -> Window | None:
    """The window that all Gantt charts show, so that they can be compared: the busiest of the first policy.

    A policy under which no job ran has none; the next policy is used instead.
    """
    from thinktime.analysis.pictures.gantt import busy_window

    for run in runs:
        with suppress(ValueError):
            return busy_window(run.result)
    return None


def write_across(runs: Sequence[PolicyRun], aside: Path) -> None:
    """Write the pictures that compare the policies."""
    from thinktime.analysis import pictures

    draw(aside / "bounded-slowdown.png", lambda: pictures.slowdown_distribution(labelled(runs)))
    draw(aside / "wait-by-width.png", lambda: pictures.wait_by_width(labelled(runs)))


def labelled(runs: Sequence[PolicyRun]) -> dict[str, Result]:
    """The results by policy, under the texts as given."""
    return {run.spec: run.result for run in runs}


def draw(path: Path, picture: Callable[[], Figure]) -> None:
    """Draw a picture and write it."""
    from thinktime.analysis.pictures import style

    style.save(picture(), path)
