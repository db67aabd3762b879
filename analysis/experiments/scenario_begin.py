"""Runs of a scenario that begin in the middle: from the state of a machine in a file.

All runs of a sweep begin from one state, which is of one policy. A log whose jobs the state has goes on. Otherwise the
jobs of the scenario from then on come in place of those that would have come, and users begin at the time of the state.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from thinktime.analysis.experiments.scenario import Scenario
from thinktime.analysis.experiments.scenario_files import found_file
from thinktime.analysis.experiments.scenario_sources import machine_of
from thinktime.models.machine.spec import MachineSpec
from thinktime.models.machine.state import MachineState
from thinktime.users import sources
from thinktime.users.log_source import Log, LogSource


def state_file_of(scenario: Scenario) -> Path | None:
    """The file of the state, if there is one; the ``ValueError`` lists the places searched."""
    name = scenario.machine.begin
    return None if name is None else found_file(scenario, [Path(name).expanduser()], "machine.begin: there is no file")


def begun(scenario: Scenario, machine: MachineSpec, jobs: Sequence[LogSource]) -> tuple[MachineSpec, list[LogSource]]:
    """A machine of the scenario as it begins, and its sources; as they are where nothing began before."""
    path = state_file_of(scenario)
    if path is None:
        return machine, list(jobs)
    state = _read(path, path.stat().st_mtime_ns)
    machine = replace(machine, reasons=state.fields["reasons"])
    if jobs and all(each.goes_on and state.is_of(each.read(machine.nodes)[0]) for each in jobs):
        return replace(machine, begin=state), list(jobs)
    later = [sources.log(each.trace.between(state.time)) if type(each) is Log else each for each in jobs]
    return replace(machine, begin=state.without_arrivals()), later


def check_begin(scenario: Scenario) -> None:
    """Raise ``ValueError`` for a policy or a machine that is not that of the state."""
    for policy in scenario.policies if scenario.machine.begin is not None else ():
        machine, _ = begun(scenario, machine_of(scenario, policy), ())
        machine.check()


@lru_cache(maxsize=2)
def _read(path: Path, changed: int) -> MachineState:
    return MachineState.read(path)
