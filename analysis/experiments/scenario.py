"""Scenarios: what is simulated, what varies, and what is measured, given as a TOML file or in Python.

    scenario = tt.Scenario.read("office.toml")
    scenario = tt.Scenario(machine={"processors": 64}, horizon="30 d", users={"short": {"profile": "short"}})

Jobs come from a log (`trace`), a recipe (`workload`), users in the loop (`users`), a log or recipe together with
users, or your own `model`. A scenario holds plain values only, so it can be written as TOML (`text`), compared and
sent to other computers.
"""

import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    BeforeValidator,
    Field,
    PrivateAttr,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from thinktime.analysis.experiments import faults, measured, reactions, sections
from thinktime.analysis.experiments import scenario_checks as checks
from thinktime.analysis.experiments.machine_section import MachineSection, known, may_interrupt, refuse_policies
from thinktime.analysis.experiments.metrics import CHANGING, DEFAULT, GIVEN_UP, POWERED, SHAPED, Metric, metric
from thinktime.models.machine.combinations import refuse
from thinktime.models.machine.configured import OWN
from thinktime.models.machine.wanted import Wanted
from thinktime.users.campaign_user import CampaignUsers
from thinktime.workloads.names import quoted, shortened
from thinktime.workloads.reading.texts import put, tables_in
from thinktime.workloads.shapes.shaping import Shaping
from thinktime.workloads.text_files import text_of
from thinktime.workloads.toml import as_toml
from thinktime.workloads.units import seconds

REPLICATIONS = 5
"""The default number of seeds if anything is random."""
PILOT = 10
"""The number of seeds run before a wanted precision is first checked."""

SCRIPT = re.compile(r"((?:^|=))([^=,:]+\.py)(?=:)")
"""The script in the text of a policy, a metric or a model."""

SWEPT = (
    "machine",
    "trace",
    "shake",
    "shapes",
    "workload",
    "users",
    "model",
    "horizon",
    "warm_up",
    "cool_down",
    "measure_from",
    "measure_to",
)
"""The keys of a scenario that a sweep may vary, themselves or the keys inside them."""


def _warm_up(value: Any) -> Any:
    return value if value == "mser5" else seconds(value)


class WrongScenario(ValueError):
    """What is wrong with the keys of a scenario, in a sentence."""

    def __init__(self, fault: ValidationError) -> None:
        super().__init__(faults.sentence(fault, Scenario, "the scenario"))
        self.fault = fault


class Scenario(sections.Section):
    """What is simulated, what varies, and what is measured. See docs/how-to/scenarios.md for every key.

    `WrongScenario`, a ``ValueError``, says which key is wrong, and what would be right.
    """

    name: str = "scenario"
    description: str = ""
    model: sections.ModelSection | None = None
    """Your own model. It precedes `metrics`, whose check depends on it."""
    policies: Annotated[tuple[str, ...], Field(min_length=1)] = ("fcfs", "easy", "conservative")
    metrics: Annotated[tuple[str, ...], Field(min_length=1)] = DEFAULT
    horizon: sections.Seconds | None = None
    """Simulated time (s, from a log's first submission); by default until all jobs have ended."""
    warm_up: Annotated[float | Literal["mser5"], BeforeValidator(_warm_up)] = 0.0
    """Jobs submitted during this time at the start (s) are not measured; `mser5` determines it for each run."""
    cool_down: sections.Seconds = 0.0
    """Jobs submitted during this time at the end (s) are not measured."""
    measure_from: sections.Moment | None = None
    """Measure from this time on (s from the log's start, or a date), instead of a warm-up."""
    measure_to: sections.Moment | None = None
    """Measure only before this time, instead of a cool-down (`thinktime.models.results.windowed`)."""
    seed: Annotated[int, Field(ge=0)] = 1
    """The seed of the first replication; the others follow it."""
    replications: sections.Seeds | None = None
    """The number of consecutive seeds, starting from `seed`."""
    seeds: Annotated[tuple[Annotated[int, Field(ge=0)], ...], Field(min_length=1)] | None = None
    """The seeds themselves, instead of `seed` and `replications`."""
    machine: MachineSection = MachineSection()
    trace: sections.TraceSection | None = None
    shake: sections.ShakeSection | None = None
    shapes: dict[str, Any] | str | None = None
    """Which jobs of the log or the recipe may have several sizes: the keys of `thinktime.Shaping`, or its text; or the
    one key ``file``, a file of sizes (`thinktime.workloads.shapes.of_logs`)."""
    workload: sections.WorkloadSection | None = None
    users: dict[str, sections.UserSection] = Field(default={})
    sweep: sections.SweepSection = sections.SweepSection()
    precision: sections.PrecisionSection | None = None
    outputs: sections.OutputsSection = sections.OutputsSection()

    _folder: Path = PrivateAttr(default_factory=Path.cwd)
    _text: str | None = PrivateAttr(default=None)
    _elsewhere: tuple[str, ...] = PrivateAttr(default=())
    """The metrics that are added because of other points of the same sweep."""

    def __init__(self, **keys: Any) -> None:
        try:
            super().__init__(**keys)
        except ValidationError as error:
            raise WrongScenario(error) from None

    @classmethod
    def read(cls, path: str | Path) -> "Scenario":
        """Read a scenario file; ``ValueError`` names the file, the line, what is wrong and what would be right."""
        file = Path(path)
        if not file.is_file():
            raise ValueError(
                f"there is no scenario {shortened(path, 150)}; `thinktime new {shortened(path, 150)}` writes one to "
                "start from"
            )
        text = text_of(file)
        return cls.from_text(text, str(path), file.absolute().parent)

    @classmethod
    def from_text(cls, text: str, where: str = "the scenario", folder: Path | None = None) -> "Scenario":
        """A scenario from TOML; relative paths are resolved against `folder` (default: the current one)."""
        return cls.from_tables(tables_in(text, f"{where} is not valid TOML"), where, folder, text)

    @classmethod
    def from_tables(
        cls,
        content: Mapping[str, Any],
        where: str = "the scenario",
        folder: Path | None = None,
        text: str | None = None,
    ) -> "Scenario":
        """A scenario from nested tables; with the `text` of a file, errors name the line as well as the key."""
        try:
            scenario = cls(**content)
        except WrongScenario as error:
            raise ValueError(faults.sentence(error.fault, cls, where, text)) from None
        if folder is not None:
            scenario._folder = folder
        scenario._text = text
        scenario.check(where)
        return scenario

    def __eq__(self, other: object) -> bool:
        """Scenarios with the same content are equal, wherever they come from."""
        return isinstance(other, Scenario) and self.model_dump(mode="json") == other.model_dump(mode="json")

    def __hash__(self) -> int:
        return hash(self.model_dump_json())

    @property
    def folder(self) -> Path:
        """The folder that is searched first for relative paths."""
        return self._folder

    @property
    def text(self) -> str:
        """The scenario in TOML: the text of its file, else an equivalent one."""
        if self._text is not None:
            return self._text
        return "".join(f"{as_toml(key)} = {as_toml(value)}\n" for key, value in self.content().items())

    @property
    def random(self) -> bool:
        """Whether results depend on the seed."""
        log = self.trace is not None and self.trace.random
        failures = "failures" in (self.machine.changes or {})
        return (
            log
            or failures
            or self.shake is not None
            or self.workload is not None
            or bool(self.users)
            or self.model is not None
        )

    @property
    def all_seeds(self) -> tuple[int, ...]:
        """The seeds of each policy at each point of the sweep; a single one if nothing is random."""
        if self.seeds is not None:
            return self.seeds
        usual = REPLICATIONS if self.precision is None else PILOT
        return self.first_seeds(self.replications or (usual if self.random else 1))

    def first_seeds(self, count: int) -> tuple[int, ...]:
        """The given number of consecutive seeds, starting from `seed`."""
        return tuple(range(self.seed, self.seed + count))

    def content(self) -> dict[str, Any]:
        """The scenario as plain values, without the keys left at their defaults."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True)

    def resolved(self, parameters: Mapping[str, Any]) -> "Scenario":
        """The scenario without its sweep, with values set by path, such as ``{"trace.load": 0.8}``."""
        tables = self.content()
        tables.pop("sweep", None)
        for path, value in parameters.items():
            tables = put(tables, path.split("."), value)
        try:
            scenario = Scenario(**tables)
        except WrongScenario as error:
            raise error.fault from None
        scenario._folder, scenario._elsewhere = self._folder, self._further_metrics()
        return scenario

    def located(self, text: str) -> str:
        """The text with each script (FILE.py) that is beside the scenario replaced by its absolute path."""
        return SCRIPT.sub(lambda found: found[1] + str(self.beside(found[2]) or found[2]), text)

    def beside(self, name: str) -> Path | None:
        """The path of a file beside the scenario, if it exists."""
        path = self._folder / Path(name).expanduser()
        return path if path.is_file() else None

    @cached_property
    def measures(self) -> tuple[Metric, ...]:
        """All metrics, ready to be computed."""
        made = (metric(self.located(name)) for name in self.all_metrics)
        return tuple(replace(each, name=name) for name, each in zip(self.all_metrics, made, strict=True))

    @property
    def all_metrics(self) -> tuple[str, ...]:
        """The metrics, and those that are added."""
        return tuple(dict.fromkeys((*self.metrics, *self._further_metrics())))

    def _further_metrics(self) -> tuple[str, ...]:
        """What is measured as well, at all points of the sweep.

        This is how much users give up, if they may, since a mean says little without it; and, unless the scenario lists
        metrics of its own, what becomes of a machine whose jobs may be interrupted.
        """
        given_up = GIVEN_UP if self._may_give_up() else ()
        changing = CHANGING if self.metrics == DEFAULT and self._may_interrupt() else ()
        powered = [each for has in self.machine.has for each in POWERED[has]] if self.metrics == DEFAULT else ()
        swept = any(path.startswith("shapes") for path in self.sweep.parameters)
        sizes = SHAPED if self.metrics == DEFAULT and (self.shapes or swept) else ()
        return tuple(dict.fromkeys((*self._elsewhere, *given_up, *changing, *powered, *sizes)))

    def _may_give_up(self) -> bool:
        """Whether users may give jobs up, at any point of the sweep."""
        log = () if self.trace is None else self.trace.behaviours
        here = any(reactions.gives_up(name) for each in self.users.values() for name in each.behaviours)
        here = here or any(map(reactions.gives_up, log))
        return here or any(map(reactions.gives_up, self.sweep.parameters))

    def _may_interrupt(self) -> bool:
        """Whether jobs may be interrupted under some policy, at any point of the sweep."""
        machines = [*(point.get("machine") for point in self.sweep.points), *self.sweep.grid.get("machine", ())]
        swept = any(isinstance(each, Mapping) and "changes" in each for each in machines)
        swept |= any(path.startswith("machine.changes") for path in self.sweep.parameters)
        return swept or may_interrupt(self.machine, self.policies)

    @field_validator("policies", "metrics", "seeds")
    @classmethod
    def _no_twins(cls, values: tuple[Any, ...] | None, info: ValidationInfo) -> tuple[Any, ...] | None:
        given = values or ()
        for value in given:
            if given.count(value) > 1:
                kind = {"policies": "policy", "metrics": "metric", "seeds": "seed"}[info.field_name or ""]
                raise ValueError(f"the {kind} {quoted(value)} is listed twice")
        return values

    @field_validator("policies")
    @classmethod
    def _policies(cls, policies: tuple[str, ...]) -> tuple[str, ...]:
        for policy in policies:
            known(policy)
        return policies

    @field_validator("metrics")
    @classmethod
    def _metrics(cls, names: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        for name in names:
            if ".py:" not in name and info.data.get("model") is None:
                metric(name)
        return names

    @field_validator("machine")
    @classmethod
    def _machine(cls, machine: MachineSection, info: ValidationInfo) -> MachineSection:
        if info.data.get("model") is None:
            refuse_policies(machine, info.data.get("policies", ()))
        return machine

    @field_validator("trace")
    @classmethod
    def _trace(cls, trace: sections.TraceSection | None, info: ValidationInfo) -> sections.TraceSection | None:
        if trace is not None and trace.mode == "generative":
            _refuse_recorded(info)
        return trace

    @field_validator("users")
    @classmethod
    def _users(cls, users: dict[str, sections.UserSection], info: ValidationInfo) -> dict[str, sections.UserSection]:
        machine = info.data.get("machine")
        if machine is None:
            return users
        for name, section in users.items():
            if section.nodes is not None and not machine.of_nodes:
                raise ValueError(f"{name} asks for nodes, but [machine] has none: give machines or nodes")
            made = CampaignUsers({name: section.made()})
            wanted = Wanted(nodes=machine.of_nodes, resizes=made.resizes)
            refuse(wanted, f"{name}: ")
        if users:
            _refuse_recorded(info)
        return users

    @field_validator("shapes")
    @classmethod
    def _shapes(cls, given: dict[str, Any] | str | None) -> dict[str, Any] | str | None:
        if given is not None and not (isinstance(given, dict) and list(given) == ["file"]):
            Shaping.given(given)
        return given

    @model_validator(mode="before")
    @classmethod
    def _own_scheduler(cls, content: Any) -> Any:
        """The machine of a site has the site's own scheduler, unless policies are listed."""
        machine = content.get("machine") if isinstance(content, Mapping) else None
        own = isinstance(machine, Mapping) and machine.get("site") is not None and "policies" not in content
        return {**content, "policies": (OWN,)} if own else content

    @model_validator(mode="after")
    def _fits(self) -> "Scenario":
        if self.trace is not None and self.workload is not None:
            raise ValueError("has both [trace] and [workload]; jobs come from a log or from a recipe")
        if self.model is not None and (self.trace or self.workload or self.users):
            raise ValueError("has a [model], so it cannot have [trace], [workload] or [users]")
        if not (self.trace or self.workload or self.users or self.model):
            raise ValueError("has no jobs: give [trace] (a log), [workload] (a recipe), [users.NAME] or [model]")
        if self.shake is not None and self.trace is None:
            raise ValueError("has [shake], which moves the times of a log; give [trace] as well")
        closed = self.workload is not None and self.workload.mode == "closed"
        if self.shapes is not None:
            refuse(Wanted(unlogged=closed or not (self.trace or self.workload)))
        if self.users and self.horizon is None:
            raise ValueError('needs a horizon, such as horizon = "30 d", since users never stop')
        sized = self.machine.processors is not None or self.machine.of_nodes
        if (self.workload or self.users) and not self.trace and not sized:
            raise ValueError("needs [machine] processors = N, since no log says how large the machine is")
        measured.one_window(self.measure_from, self.measure_to, bool(self.warm_up or self.cool_down))
        if self.users and not (self.trace or self.workload):
            measured.known_users(self.metrics, {name: section.count for name, section in self.users.items()})
        if self.seeds is not None and self.replications is not None:
            raise ValueError("has both seeds and replications; give one of them")
        if self.precision is not None:
            if self.seeds is not None:
                raise ValueError("has both seeds and [precision], which chooses the number of seeds")
            if self.precision.metric not in self.metrics:
                raise ValueError(f"precision.metric must be one of metrics, not {quoted(self.precision.metric)}")
        for path in self.sweep.parameters:
            if path.split(".")[0] not in SWEPT:
                allowed = f"the keys that can are {', '.join(SWEPT)}, and those inside them"
                raise ValueError(f"sweep: {quoted(path)} cannot vary; {allowed}")
        return self

    def points(self) -> Iterator[dict[str, Any]]:
        """The points of the sweep: each of `points` with each of the grid; without a sweep, one without parameters."""
        grid = self.sweep.grid
        for point in self.sweep.points or ({},):
            for values in itertools.product(*grid.values()):
                yield point | dict(zip(grid, values, strict=True))

    def check(self, where: str = "the scenario") -> None:
        """Check the scripts and the points of the sweep; ``ValueError`` names the file, the line and the key."""
        checks.check_scripts(self, where, self._text)
        checks.check_points(self, type(self), where, self._text)


def _refuse_recorded(info: ValidationInfo) -> None:
    """Raise ``ValueError`` for the log's own schedule if users submit jobs that it does not have."""
    if (machine := info.data.get("machine")) is not None and info.data.get("model") is None:
        refuse_policies(machine, info.data.get("policies", ()), recorded_jobs=False)
