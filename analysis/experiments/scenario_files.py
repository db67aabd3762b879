"""The files that a scenario names: its log, the descriptions of its machine, and what is beside them."""

import os
from pathlib import Path

from thinktime.analysis.experiments.scenario import Scenario
from thinktime.models.machine.changing import tables
from thinktime.workloads import conditions
from thinktime.workloads.archive import SUFFIX
from thinktime.workloads.read_log import LogName, log_name
from thinktime.workloads.sacct.name_file import beside


def log_of(scenario: Scenario) -> Path:
    """The file of the scenario's log; if there is none, the ``ValueError`` lists the places searched."""
    assert scenario.trace is not None
    preset, path = log_name(scenario.trace.file)
    name = Path(path).expanduser()
    whole = preset is not None or name.name.endswith((".swf", ".gz", ".parquet"))
    names = [name] if whole else [name, name.with_name(f"{name.name}{SUFFIX}")]
    return found_file(scenario, names, "trace.file: there is no log")


def log_name_of(scenario: Scenario) -> str:
    """The name of the scenario's log, by which it is read (`thinktime.workloads.read_log`)."""
    assert scenario.trace is not None
    preset, path = log_name(scenario.trace.file)[0], log_of(scenario)
    if preset is not None and preset.endswith(".toml"):
        preset = str(found_file(scenario, [Path(preset).expanduser()], "trace.file: there is no mapping"))
    return LogName(preset, "").at(path)


def machines_of(scenario: Scenario) -> Path:
    """The file that describes the scenario's nodes; if there is none, the ``ValueError`` lists the places searched."""
    assert scenario.machine.machines is not None
    name = Path(scenario.machine.machines).expanduser()
    return found_file(scenario, [name], "machine.machines: there is no file")


def site_file_of(scenario: Scenario) -> Path:
    """The file of the scenario's site; if there is none, the ``ValueError`` lists the places searched."""
    assert scenario.machine.site is not None
    return found_file(scenario, [Path(scenario.machine.site).expanduser()], "machine.site: there is no file")


def names_of(scenario: Scenario) -> Path | None:
    """The file with the names behind the numbers of the scenario's log: the given one, else that beside the log."""
    if scenario.trace is None or scenario.machine.site is None:
        return None
    if scenario.trace.names is not None:
        return found_file(scenario, [Path(scenario.trace.names).expanduser()], "trace.names: there is no file")
    usual = beside(log_of(scenario))
    return usual if usual.is_file() else None


def conditions_of(scenario: Scenario) -> Path | None:
    """The file with what the jobs of the scenario's log wait for, if they are to wait and it is beside the log."""
    if scenario.trace is None or scenario.trace.mode != "dependencies":
        return None
    file = conditions.beside(log_of(scenario))
    return file if file.is_file() else None


def events_of(scenario: Scenario) -> Path | None:
    """The file of windows and outages, if the machine has one."""
    name = (scenario.machine.changes or {}).get("events", tables.NONE)
    if name == tables.NONE:
        return None
    return found_file(scenario, [Path(name).expanduser()], "machine.changes.events: there is no file")


def signal_files_of(scenario: Scenario) -> dict[str, Path]:
    """The files of the scenario's signals, by name."""
    missing = "machine.signals.{}.file: there is no file"
    named = {name: Path(each.file).expanduser() for name, each in scenario.machine.signals_said.items()}
    return {name: found_file(scenario, [file], missing.format(name)) for name, file in named.items()}


def shapes_file_of(scenario: Scenario) -> Path | None:
    """The file with the sizes of the log's jobs, if the scenario names one."""
    if not isinstance(scenario.shapes, dict) or "file" not in scenario.shapes:
        return None
    return found_file(scenario, [Path(str(scenario.shapes["file"])).expanduser()], "shapes.file: there is no file")


def found_file(scenario: Scenario, names: list[Path], missing: str) -> Path:
    """The first file with one of these names, in the folders that are searched for a scenario's files."""
    import pooch

    shared = os.environ.get("THINKTIME_TRACES")
    folders = [scenario.folder, Path.cwd(), *([Path(shared)] if shared else []), Path(pooch.os_cache("thinktime"))]
    for folder in folders:
        for each in names:
            if _is_there(folder / each):
                return folder / each
    raise ValueError(
        f"{missing} {names[0]} beside the scenario, in the current folder, in $THINKTIME_TRACES, or among the logs "
        "downloaded by `thinktime trace get`"
    )


def _is_there(path: Path) -> bool:
    """Whether a path is a file, or what a data set may be in: a folder, a pattern, or a member of an archive."""
    if path.is_file() or path.suffix == ".swf":
        return path.is_file()
    member = any(each.is_file() for each in path.parents)
    return path.is_dir() or member or ("*" in path.name and any(path.parent.glob(path.name)))
