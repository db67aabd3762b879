"""Mappings: which columns of a table say what of its jobs, in which units. A preset is one TOML file of this form.

    zone = "Europe/Berlin"
    [columns]
    job = "job_id"
    user = "user"
    submit = "submit_time"
    start = "start_time"
    end = "end_time"
    limit = { column = "time_limit", unit = "min", unlimited = ["UNLIMITED"] }
    nodes = "nodes"
    [[machine]]
    nodes = 100
    cores = 64

A site's own table needs no more than this. With ``base = "kestrel"`` a file changes a preset instead. The names of the
columns are those of `ROLES`.
"""

from collections.abc import Mapping as Table
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationError, field_validator, model_validator

from thinktime.workloads.names import key_of, quoted, shortened
from thinktime.workloads.nodes import Cluster
from thinktime.workloads.reading.faults import what_is_wrong
from thinktime.workloads.reading.texts import tables_in
from thinktime.workloads.text_files import text_of

ROLES: Table[str, str] = {
    "job": "the job's number or name",
    "user": "who submitted it",
    "account": "the account, group or project that is charged",
    "queue": "the QOS, or the queue",
    "partition": "the partition, or virtual cluster",
    "executable": "the name of the job or its program",
    "submit": "when it was submitted",
    "eligible": "when it could first start",
    "start": "when it started",
    "end": "when it ended",
    "wait": "how long it waited, for tables without a start",
    "runtime": "how long it ran",
    "limit": "its time limit",
    "nodes": "how many nodes it had",
    "nodes_asked": "how many nodes it asked for",
    "cores": "how many cores it had",
    "cores_asked": "how many cores it asked for",
    "gpus": "how many GPUs it had",
    "kind": "the kind of nodes that it asked for, which is the name of a cluster of the machine",
    "memory": "the memory that it asked for",
    "state": "how it ended",
    "energy": "the energy that it took",
    "power": "the mean power that it took",
    "preceding": "the job that it waited for",
    "request": "its request for nodes, where a layout has made one",
    "min_processors": "the least size that it may have",
    "max_processors": "the largest",
    "speedup": "its speed-up, such as amdahl(0.1)",
    "shape": "its sizes and speed-up as one text, such as 4-64*2 speedup=amdahl(0.1)",
}
"""What a column may say of a job."""
TIMES = ("submit", "eligible", "start", "end")
DURATIONS = ("wait", "runtime", "limit")
COUNTS = ("nodes", "nodes_asked", "cores", "cores_asked", "gpus")
LABELS = ("user", "account", "queue", "partition", "executable", "kind", "request", "speedup", "shape")
SHAPES = ("min_processors", "max_processors", "speedup", "shape")
"""Of jobs that may have several sizes (`thinktime.workloads.shapes.of_logs`)."""
FURTHER = ("eligible", "energy", "power")
"""What the eighteen columns of a `Trace` have no place for; it is in `Trace.further`."""

SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
BYTES = {"B": 1, "KB": 2**10, "MB": 2**20, "GB": 2**30, "TB": 2**40}
JOULES = {"J": 1.0, "kJ": 1e3, "MJ": 1e6, "Wh": 3600.0, "kWh": 3.6e6}
WATTS = {"W": 1.0, "kW": 1e3, "mW": 1e-3}
STATES = ("completed", "failed", "cancelled", "running", "waiting")


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class ColumnRule(_Model):
    """Where a value is, and how it is written."""

    column: str | list[str]
    """The name of the column; of several, the first that a table has."""
    unit: str = ""
    """Of times and durations one of `SECONDS`, of memory `BYTES`, of energy `JOULES`, of power `WATTS`."""
    unlimited: list[str] = []
    """How a limit is written where there is none."""
    missing: list[str] = []
    """Further ways to write that the value is not known, besides nothing, NaN, None and the like."""
    pattern: str = ""
    """A regular expression whose first group is the value."""
    keys: list[str] = []
    """Of a text such as ``cpu=4,gres/gpu=2``, the sum of the values of these keys."""
    deadline: bool = False
    """Whether a limit is the moment at which the job would be ended."""
    factor: float = 1.0
    """What the number is multiplied by."""
    times: str = ""
    """Another column that the number is multiplied by."""
    per: Literal["job", "node", "core", "gpu"] = "job"
    """What an amount is for one of."""
    slurm_bit: bool = False
    """Whether memory of 2^63 and more is an amount for each core, as in Slurm's database."""
    total: bool = False
    """Whether the value is the sum of a list."""
    table: str = ""
    """A pattern of the name of another table, beside the jobs', which has the column: energy of parts of jobs."""
    key: str = ""
    """Its column with the number of the job."""

    @property
    def names(self) -> list[str]:
        """Its possible names, best first."""
        return [self.column] if isinstance(self.column, str) else self.column


class MachineRule(_Model):
    """A kind of nodes."""

    name: str = "node"
    nodes: int = Field(ge=1)
    cores: int = Field(ge=1)
    gpus: int = Field(default=0, ge=0)
    memory_gb: float = Field(default=0, ge=0)
    """GB (2^30 bytes) of a node; without it, requests for memory are not part of requests for nodes."""
    resources: dict[str, int] = {}
    properties: list[str] = []
    path: str = ""
    """The kind is for files whose path has this word; a set of several machines has one for each."""

    @property
    def cluster(self) -> Cluster:
        """The kind as a cluster of a machine of nodes."""
        amounts = {"processors": self.cores, **self.resources}
        amounts |= {"memory": round(self.memory_gb * 2**30)} if self.memory_gb else {}
        amounts |= {"gpus": self.gpus} if self.gpus else {}
        return Cluster(self.name, self.nodes, amounts, frozenset(self.properties))


class MachineList(_Model):
    """A list of machines beside the jobs, one in each line: its columns, and what their numbers are multiplied by."""

    file: str
    """A pattern of its name."""
    names: list[str] = []
    """The columns of a list without a line of names."""
    kind: str = ""
    cores: str
    cores_factor: float = 1.0
    gpus: str = ""
    gpus_factor: float = 1.0
    resource: str = ""
    """What parts of GPUs are called in requests; without it, they are whole."""
    memory: str = ""
    memory_gb: float = 1.0


class Mapping(_Model):
    """How to read one data set. Its texts are for the report and the documentation."""

    _name: str = PrivateAttr("the mapping")

    title: str = ""
    where: str = ""
    size: str = ""
    licence: str = ""
    cite: str = ""
    layout: str = "table"
    """How jobs are laid out in the files (`layouts.LAYOUTS`)."""
    files: list[str] = ["*.parquet", "*.csv", "*.csv.gz", "*.jsonl"]
    """Which files of a folder hold jobs."""
    names: list[str] = []
    """The columns of files without a line of names."""
    separator: str = ","
    zone: str = "UTC"
    """The zone of times that do not say theirs, and of the machine's calendar."""
    whole_nodes: bool = False
    """Whether jobs have their nodes for themselves."""
    shared: list[str] = []
    """Partitions where they have not."""
    partial: str = ""
    """Which part of the load the publisher left out."""
    notes: list[str] = []
    """What a reader of results has to know besides."""
    limit_of_others: str = ""
    """The time limit of jobs whose limit is not known or unlimited; without it, the longest known time."""
    columns: dict[str, ColumnRule]
    states: dict[str, list[str]] = {}
    machine: list[MachineRule] = []
    machine_list: MachineList | None = None
    """Where the list of machines is beside the jobs, which is used instead of ``machine`` if it is there."""
    guesses: dict[str, str] = {}
    """What is not confirmed, by the key that overrides it."""

    @field_validator("columns", mode="before")
    @classmethod
    def _short(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        for role in given:
            if role not in ROLES:
                raise ValueError(f"there is no {quoted(role)}; {key_of(role, ROLES, 'the columns of jobs')}")
        return {role: rule if isinstance(rule, dict) else {"column": rule} for role, rule in given.items()}

    @model_validator(mode="after")
    def _complete(self) -> "Mapping":
        for first, second in (("submit", ""), ("start", "wait"), ("end", "runtime")):
            if first not in self.columns and second not in self.columns:
                raise ValueError(f"columns needs {first}{f' or {second}' if second else ''}")
        if not set(self.columns) & {*COUNTS, "request"}:
            raise ValueError("columns needs nodes, cores or gpus")
        for role, rule in self.columns.items():
            units = _units(role)
            if rule.unit and rule.unit not in units:
                known = ", ".join(units) or "none, since it is no amount"
                raise ValueError(f"columns.{role}.unit cannot be {quoted(rule.unit)}; its units are {known}")
        for state in self.states:
            if state not in STATES:
                raise ValueError(f"states has no {quoted(state)}; {key_of(state, STATES, 'they')}")
        return self

    @property
    def name(self) -> str:
        """The preset, or the file that it was read from."""
        return self._name

    @property
    def has_limits(self) -> bool:
        """Whether jobs have time limits."""
        return "limit" in self.columns

    @property
    def has_users(self) -> bool:
        """Whether it is known who submitted a job."""
        return "user" in self.columns

    @property
    def pooled(self) -> bool:
        """Whether a pool of processors is the same as its nodes: of one kind, and given to jobs as a whole."""
        alike = len([each for each in self.machine if not each.path]) == 1
        return self.whole_nodes and not self.shared and alike


def _units(role: str) -> Table[str, float]:
    units: dict[str, Table[str, float]] = {"memory": BYTES, "energy": JOULES, "power": WATTS}
    return SECONDS if role in TIMES + DURATIONS else units.get(role, {})


def presets() -> list[str]:
    """The names of all presets."""
    return sorted(file.name.removesuffix(".toml") for file in _folder().iterdir() if file.name.endswith(".toml"))


def mapping(name: str, changes: Table[str, Any] | None = None) -> Mapping:
    """A preset by name, or the mapping of a file FILE.toml; ``changes`` are values by key, such as ``zone``.

    ``ValueError`` says in one sentence what is wrong, and where.
    """
    table = _table(name)
    for key, value in (changes or {}).items():
        _change(table, key, value)
    return _validated(table, name)


def _table(name: str) -> dict[str, Any]:
    if not name.endswith(".toml"):
        if name not in presets():
            raise ValueError(f"there is no preset {quoted(name)}; {key_of(name, presets(), 'the presets')}")
        return _based(_preset(name), name)
    return _based(tables_in(text_of(Path(name)), shortened(name)), name)


def _based(table: dict[str, Any], name: str) -> dict[str, Any]:
    base = table.pop("base", None)
    if base is None:
        return table
    if not isinstance(base, str) or base not in presets() or base == name:
        raise ValueError(f"{shortened(name)}: base is {quoted(base)}; {key_of(str(base), presets(), 'the presets')}")
    made = _table(base)
    for key in _leaves(table):
        made.get("guesses", {}).pop(key, None)
    return _over(made, table)


def _over(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    """Tables merged key by key; a rule for a column that was only a name becomes a table first."""
    merged = dict(below)
    for key, value in above.items():
        old = merged.get(key)
        if isinstance(value, dict) and isinstance(old, str | list):
            old = {"column": old}
        both = isinstance(value, dict) and isinstance(old, dict)
        merged[key] = _over(old, value) if both and isinstance(old, dict) else value
    return merged


def _leaves(table: dict[str, Any], before: str = "") -> list[str]:
    found = []
    for key, value in table.items():
        path = f"{before}{key}"
        found += [path, *(_leaves(value, path + ".") if isinstance(value, dict) else [])]
    return found


def _change(table: dict[str, Any], key: str, value: Any) -> None:
    """Set a key such as ``columns.memory.unit``, which is then no guess any more."""
    change: Any = value
    for part in reversed(key.split(".")):
        change = {part: change}
    table.get("guesses", {}).pop(key, None)
    table |= _over(table, change)


def _validated(table: dict[str, Any], name: str) -> Mapping:
    try:
        made = Mapping.model_validate(table)
        made._name = Path(name).name
        return made
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        what = what_is_wrong(first)
        if first["type"] == "extra_forbidden":
            what = "there is no such key"
        if first["type"] == "missing":
            what = "it is missing"
        raise ValueError(f"{shortened(name)}: {where + ': ' if where else ''}{what}") from None


def _folder() -> Any:
    return files("thinktime.workloads.tables").joinpath("presets")


@cache
def _text(name: str) -> str:
    return str(_folder().joinpath(f"{name}.toml").read_text(encoding="utf-8"))


def _preset(name: str) -> dict[str, Any]:
    return tables_in(_text(name))
