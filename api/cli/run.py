"""`thinktime run`: all runs of a scenario, on this computer or a cluster, into a folder that can be resumed."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thinktime.cli import inputs
from thinktime.cli.cluster import executor_at
from thinktime.cli.console import tell
from thinktime.cli.layout import counted, duration, number
from thinktime.cli.options import Json, MaxSize, Quiet, argument, option, output
from thinktime.cli.progress import StatusOutput, standing_bar
from thinktime.workloads.names import shortened

if TYPE_CHECKING:
    from thinktime.analysis.experiments import Scenario, Sweep

FAILED = 1
"""The exit status if some runs failed."""


def run(
    scenario: Annotated[str, argument("SCENARIO.toml", "What to run; 'thinktime new' writes one.")],
    out: Annotated[
        Path | None, output("DIR", "Folder of the results; an unfinished sweep is resumed.", shown="SCENARIO-results")
    ] = None,
    workers: Annotated[str | None, option("N", "Processes on this computer.", shown="one per core")] = None,
    dask: Annotated[
        str | None, option("ADDRESS", "Run on the Dask scheduler at this address, or in this scheduler file.")
    ] = None,
    max_size: MaxSize = None,
    settings: Annotated[
        list[str] | None, option("KEY=VALUE", 'Set a key of the scenario, such as horizon="2 d"; repeat it.', "--set")
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Run a scenario: every point of its sweep, under every policy, with every seed."""
    if workers is not None and dask is not None:
        raise ValueError("--workers sets processes on this computer, --dask a cluster; give one of them")
    wanted = None if workers is None else inputs.whole("--workers", workers)
    chosen = read(scenario, settings or [], max_size)
    folder = out or Path(f"{Path(scenario).stem}-results")
    found = _swept(chosen, folder, wanted, dask, StatusOutput(quiet))
    from thinktime.analysis.experiments.scenario_sources import notes_of
    from thinktime.cli import sweep_table

    tell(sweep_table.report(found, notes_of(chosen)), json)
    tell_failures(found)


def tell_failures(found: Sweep, kept: bool = True) -> None:
    """Say which runs failed, if any, and end with the status for it; `kept` says that their folder stays."""
    failed = found.failed
    if len(failed):
        first = failed.iloc[0]
        more = f"; the same command tries again, and `thinktime report {found.folder}` shows the tracebacks"
        typer.echo(
            f"thinktime: {counted(len(failed), 'run')} failed, such as {first['key']!r}: {first['error']}"
            f"{more if kept else ''}",
            err=True,
        )
        raise typer.Exit(FAILED)


def read(path: str, settings: list[str], max_size: str | None = None) -> Scenario:
    """Read a scenario and apply `--set` and `--max-size`."""
    from thinktime.analysis.experiments import Scenario

    scenario = Scenario.read(path)
    if max_size is not None and scenario.trace is None:
        raise ValueError(f"--max-size applies to logs, but {shortened(path)} has no [trace]")
    if not settings and max_size is None:
        return scenario
    from thinktime.workloads.reading.texts import put

    tables: dict[str, Any] = scenario.content()
    for setting in settings:
        key, value = inputs.setting(setting, 'horizon="2 d"')
        tables = put(tables, key.split("."), value)
    if max_size is not None:
        tables = put(tables, ["trace", "max_size"], inputs.file_size(max_size))
    return Scenario.from_tables(tables, f"{path} with --set", scenario.folder)


def _swept(scenario: Scenario, folder: Path, workers: int | None, dask: str | None, status: StatusOutput) -> Sweep:
    from thinktime.analysis.experiments.plan import count

    begin = time.perf_counter()
    found = swept(scenario, folder, workers, dask, status)
    took = duration(time.perf_counter() - begin)
    status.say(f"{number(len(found))} of {counted(count(scenario), 'run')} finished in {took}; results in {folder}")
    return found


def swept(scenario: Scenario, folder: Path, workers: int | None, dask: str | None, status: StatusOutput) -> Sweep:
    """The results of all runs of a scenario, with their progress."""
    from thinktime.analysis.experiments import sweep

    try:
        with _notes(), executor_at(dask) as (executor, at_once), standing_bar(status, scenario.name) as progress:
            return sweep(scenario, folder, processes=workers or at_once, executor=executor, progress=progress)
    except (FileExistsError, NotADirectoryError):
        raise ValueError(f"--out {shortened(folder)}: a file is in the way where a folder is needed") from None
    except OSError as error:
        if error.filename is None or not str(error.filename).startswith(str(folder)):
            raise
        reason = (error.strerror or "refused").lower()
        raise ValueError(f"--out {shortened(folder)}: cannot write there ({reason}); give another folder") from None
    except KeyboardInterrupt:
        status.say(f"finished runs are in {folder}; the same command resumes from there")
        raise


@contextmanager
def _notes() -> Iterator[None]:
    """Print the warning about changed results as a plain line, even with --quiet."""
    from thinktime.analysis.experiments.integrity import ChangedResults

    with warnings.catch_warnings():
        show = warnings.showwarning

        def tell(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
            if issubclass(category, ChangedResults):
                typer.echo(f"thinktime: {message}", err=True)
            else:
                show(message, category, *where, **more)

        warnings.simplefilter("always", ChangedResults)
        warnings.showwarning = tell
        yield
