"""`thinktime replay`: replay a log under one policy after another and compare the results."""

import sys
from collections.abc import Sequence
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from typing import Annotated

import typer

from thinktime.cli import errors, files, output_folders, policy_runs, replay_report
from thinktime.cli.console import json_text, stdout
from thinktime.cli.options import (
    OVERRUNS,
    Estimates,
    Json,
    Machines,
    MaxSize,
    Overrun,
    Policies,
    Processors,
    Quiet,
    Since,
    Until,
    argument,
    flag,
    option,
)
from thinktime.cli.progress import StatusOutput
from thinktime.cli.workload import Workload, load


def replay(
    trace: Annotated[str, argument("TRACE", "A log in SWF: .swf or .swf.gz.")],
    processors: Processors = None,
    machines: Machines = None,
    policy: Policies = None,
    overrun: Overrun = "kill",
    since: Since = None,
    until: Until = None,
    dependencies: Annotated[
        bool, flag("--dependencies", "Jobs wait for the jobs named in fields 17 and 18.")
    ] = False,
    estimates: Estimates = "requested",
    max_size: MaxSize = None,
    out: Annotated[
        Path | None, option("DIR", "Write jobs.csv, schedule.swf and pictures, one folder per policy.")
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Replay a log under one or more policies and compare them."""
    errors.choice("--overrun", overrun, OVERRUNS)
    # A user's own policy may print; that must not mix with the JSON object.
    with redirect_stdout(sys.stderr) if json else nullcontext():
        choices = policy_runs.chosen(policy or policy_runs.DEFAULT_POLICIES)
        workload = load(trace, processors, since, until, dependencies, estimates, machines, max_size)
        done = run_and_write(workload, choices, overrun, StatusOutput(quiet), out)
    if json:
        typer.echo(json_text(replay_report.as_json(workload, done)))
    else:
        replay_report.print_table(workload, done, stdout())


def run_and_write(
    workload: Workload,
    choices: Sequence[policy_runs.Choice],
    overrun: str,
    status: StatusOutput,
    out: Path | None,
) -> list[policy_runs.PolicyRun]:
    """Replay the log, moving each policy's files into place as soon as they are complete."""
    if out is None:
        return policy_runs.run_all(workload, choices, overrun, status)
    with output_folders.staging(out, output_folders.names([spec for spec, _ in choices])) as aside:
        done = policy_runs.run_all(workload, choices, overrun, status)
        window = files.gantt_window(done)
        for run in done:
            files.write_run(run, aside, window)
            output_folders.deliver(aside, out)
        files.write_across(done, aside)
        output_folders.deliver(aside, out)
    status.say(f"the files are in {out}")
    return done
