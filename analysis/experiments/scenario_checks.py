"""What is checked of a scenario before anything runs: the scripts that it names, and the points of its sweep."""

import itertools
from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from pydantic import BaseModel, ValidationError

from thinktime.analysis.experiments import faults
from thinktime.analysis.experiments.machine_section import MachineSection
from thinktime.analysis.experiments.metrics import metric
from thinktime.models.machine.estimators import guess_from
from thinktime.models.policies import from_spec
from thinktime.workloads.names import quoted

CHECKED = 1_000
"""At most this many points of a sweep are checked."""


class Swept(Protocol):
    """What is asked of a scenario."""

    policies: tuple[str, ...]
    metrics: tuple[str, ...]
    machine: MachineSection

    def located(self, text: str) -> str:
        """The text with each script that is beside the scenario replaced by its absolute path."""

    def points(self) -> Iterable[Mapping[str, Any]]:
        """The points of the sweep."""

    def resolved(self, parameters: Mapping[str, Any]) -> Any:
        """The scenario without its sweep, with values set by path; ``ValidationError`` if that is none."""


def check_scripts(scenario: Swept, where: str, text: str | None) -> None:
    """``ValueError`` for a policy, a metric or estimates of a script that cannot be had."""
    for key, value in (("policies", scenario.policies), ("metrics", scenario.metrics)):
        for name in value:
            if ".py:" in name:
                try:
                    from_spec(scenario.located(name)) if key == "policies" else metric(scenario.located(name))
                except ValueError as error:
                    raise ValueError(f"{faults.located(where, text, (key,))}: {key}: {error}") from None
    try:
        guess_from(scenario.located(scenario.machine.estimates))
    except ValueError as error:
        place = faults.located(where, text, ("machine", "estimates"))
        raise ValueError(f"{place}: machine.estimates: {error}") from None


def check_points(scenario: Swept, kind: type[BaseModel], where: str, text: str | None) -> None:
    """``ValueError`` for a point of the sweep that is no scenario (a ``kind`` of model); it names the key."""
    for point in itertools.islice(scenario.points(), CHECKED):
        try:
            scenario.resolved(point)
        except ValidationError as error:
            what = faults.sentence(error, kind, "", None).removeprefix(": ")
            if not point:  # a value that cannot be kept, such as an infinite number
                raise ValueError(f"{where}: {what}") from None
            name = next((name for name, value in point.items() if not _takes(scenario, {name: value})), None)
            shown = [name] if name else list(point)
            varied = ", ".join(f"{each} = {quoted(point[each])}" for each in shown)
            place = faults.located(where, text, ("sweep", "grid", shown[0]))
            raise ValueError(f"{place}: with {varied}: {what}") from None


def _takes(scenario: Swept, point: Mapping[str, Any]) -> bool:
    try:
        scenario.resolved(point)
    except ValidationError:
        return False
    return True
