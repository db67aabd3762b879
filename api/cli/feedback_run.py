"""The runs of `thinktime feedback` and the files that they write."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thinktime.cli import feedback_report, output_folders, policy_runs
from thinktime.cli.console import json_text
from thinktime.cli.progress import StatusOutput
from thinktime.cli.workload import Workload

if TYPE_CHECKING:
    from thinktime.analysis.modes.mode_comparison import ModeComparison
    from thinktime.models.results.result import Result


def run_and_write(
    workload: Workload,
    choices: Sequence[policy_runs.Choice],
    options: dict[str, Any],
    status: StatusOutput,
    out: Path | None,
) -> ModeComparison:
    """Run the policies in each mode, and move all files into place at the end."""
    if out is None:
        return _run(workload, choices, options, status, None)
    names = output_folders.names([spec for spec, _ in choices])
    with output_folders.staging(out, options["modes"]) as aside:

        def keep(mode: str, policy: str, replication: int, result: Result) -> None:
            if replication:
                return
            folder = aside / mode / names[[spec for spec, _ in choices].index(policy)]
            folder.mkdir(parents=True)
            result.to_csv(folder / "jobs.csv")
            result.to_swf(folder / "schedule.swf")

        found = _run(workload, choices, options, status, keep)
        _write(found, workload, aside)
        output_folders.deliver(aside, out)
    status.say(f"the files are in {out}")
    return found


def _write(found: ModeComparison, workload: Workload, aside: Path) -> None:
    from thinktime.analysis.modes import figures
    from thinktime.analysis.pictures import style

    (aside / "feedback.json").write_text(json_text(feedback_report.as_json(found, workload)) + "\n")
    style.save(figures.slowdown_by_mode(found, Path(workload.path).name), aside / "slowdown-by-mode.png")


def _run(
    workload: Workload,
    choices: Sequence[policy_runs.Choice],
    options: dict[str, Any],
    status: StatusOutput,
    keep: Callable[[str, str, int, Result], None] | None,
) -> ModeComparison:
    from thinktime.analysis.modes.mode_runs import compare_modes

    overrun = options["overrun"]
    policy_runs.check(workload, choices, overrun)
    policy_runs.compile_for(choices, overrun, status, workload.machine(None, overrun).nodes)
    with status.counting("runs") as progress:

        def tell(what: str, done: int, total: int) -> None:
            if progress:
                progress(done, total)

        machine = workload.machine(None, overrun)
        found = compare_modes(
            workload.trace,
            dict(choices),
            processors=machine.processors,
            estimates=machine.estimates,
            nodes=machine.nodes,
            allocator=machine.allocator,
            keep=keep,
            progress=tell,
            **options,
        )
    assert found.source is not None
    return replace(found, source=replace(found.source, whole=workload.report.jobs))
