"""Experiments: what is run on a real Slurm, each a file in TOML. Those of the package are in the folder `runs`.

    about = "the first job alone gets a reservation"
    order = "submission"                    # priority/basic; without it, priority/multifactor
    options = "bf_job_part_count_reserve=1" # behind the other SchedulerParameters
    last = 90                               # the second at which it ends at the latest
    snapshots = [20, 40]                    # seconds at which `thinktime site snapshot` is run beside it
    jobs = '''
    A 0 nodes=3 limit=2 sleep=30
    B 1 nodes=4 sleep=10
    '''

``cpus`` are those of each node, by default four times 8. ``settings`` are others of slurm.conf, ``partitions`` its
lines, ``accounts`` are lines of `sacctmgr`, by default one account with all users; ``qos`` are further such lines.
Instead of ``jobs``, a table ``random`` has them drawn (`tools.slurm.workload.drawn`).
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Self

from thinktime.workloads.names import key_of
from tools.slurm.conf import BASIC, MAIN, PROMPT
from tools.slurm.workload import Row, drawn, parse

RUNS = Path(__file__).parent / "runs"
USERS = tuple(f"tt{k}" for k in range(1, 7))
FLAT = ("add account acc fairshare=1", *(f"add user {user} account=acc fairshare=1" for user in USERS))
"""One account, in which all users are equal."""


@dataclass(frozen=True, slots=True, eq=False)
class Experiment:
    """What is run, and what it shows."""

    name: str
    about: str
    rows: Sequence[Row]
    settings: Mapping[str, str] = field(default_factory=dict)
    partitions: Sequence[str] = (MAIN,)
    accounts: Sequence[str] = FLAT
    cpus: Sequence[int] = (8, 8, 8, 8)
    """Of each node."""
    drawn: bool = False
    """Whether its jobs are random: then a second makes another schedule, and the model is asked second by second."""
    last: int = 90
    """The second at which it ends at the latest, since jobs may wait for ever."""
    snapshots: Sequence[int] = ()
    """Seconds at which a snapshot is taken, from which a forecast goes on (`tools.slurm.snapshots`)."""

    @classmethod
    def read(cls, path: Path) -> Self:
        """That of a file; ``ValueError`` with one sentence if it says something else."""
        try:
            given = tomllib.loads(path.read_text(encoding="utf-8"))
            return cls(name=path.stem, **_values(given))
        except (ValueError, TypeError, KeyError) as error:
            raise ValueError(f"{path}: {error}") from None


def _values(given: dict[str, Any]) -> dict[str, Any]:
    """The fields of an experiment, of what a file says."""
    own = {each.name for each in fields(Experiment)} - {"name", "rows", "drawn"}
    known = (*own, "qos", "jobs", "random", "order", "options")
    if unknown := [key for key in given if key not in known]:
        raise ValueError(f"there is no key {unknown[0]!r}; {key_of(unknown[0], known, 'they')}")
    if ("jobs" in given) == ("random" in given):
        raise ValueError("an experiment has either jobs or random")
    if given.get("order", "submission") != "submission":
        raise ValueError(f"order must be 'submission', or left out, not {given['order']!r}")
    rows = parse(given["jobs"]) if "jobs" in given else drawn(**given["random"])
    settings = (BASIC if "order" in given else {}) | given.get("settings", {})
    if "options" in given:
        settings["SchedulerParameters"] = f"{PROMPT},{given['options']}"
    kept = {key: given[key] for key in own & given.keys()}
    accounts = (*given.get("accounts", FLAT), *given.get("qos", ()))
    made = {"rows": rows, "settings": settings, "accounts": accounts, "drawn": "random" in given}
    return {"about": ""} | kept | made


NAMES = tuple(sorted(path.stem for path in RUNS.glob("*.toml")))
"""The experiments of the package."""


def experiment(name: str) -> Experiment:
    """One of the package, or that of a file (``*.toml``)."""
    if name.endswith(".toml"):
        return Experiment.read(Path(name))
    if name not in NAMES:
        raise ValueError(
            f"there is no experiment {name!r}; {key_of(name, NAMES, 'they')}; one of your own is a file, {name}.toml"
        )
    return Experiment.read(RUNS / f"{name}.toml")
