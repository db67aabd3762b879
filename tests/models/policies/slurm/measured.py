"""The runs of a real Slurm in `measured/`, as cases and as what happened."""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.models.policies.slurm.case import Case, Job, Options, Part, Window

FOLDER = Path(__file__).parent / "measured"
PARTITIONS = {"p1": frozenset({0, 1, 2}), "p2": frozenset({2, 3}), "": None}
MAINTENANCE = Window(frozenset({0, 1}), 80, 140)
CONFIGURED = {
    "t02_age20": Options(bf_min_age_reserve=20, bf_resolution=1),
    "t02_bf": Options(bf_resolution=1),
    "t02_builtin": Options(backfill=False),
    "t02_reserve1": Options(bf_job_part_count_reserve=1, bf_resolution=1),
    "t02_resol": Options(bf_resolution=60),
    "t02_test2": Options(bf_max_job_test=2, bf_resolution=1),
    "t02_window4": Options(bf_window=240, bf_resolution=1),
    "t08_maint": Options(bf_resolution=1),
    "t09_overlap": Options(bf_resolution=1),
}
"""The options of each run; its bf_interval, 1 s, is modelled as a pass at every event."""
COUNTED = {
    "assoc1": Options(bf_max_job_assoc=1, bf_interval=1),
    "part1": Options(bf_max_job_part=1, bf_interval=1),
    "user_part1": Options(bf_max_job_user_part=1, bf_interval=1),
    "start1": Options(bf_max_job_start=1, bf_interval=7),
    "partition_depth1": Options(backfill=False, partition_job_depth=1, sched_interval=6),
    "queue_depth2": Options(backfill=False, default_queue_depth=2, sched_interval=6),
}
"""Runs in which passes take notice of a few jobs only; their partitions p1 and p2 both have all nodes."""
ORIGINS = {"start1": 5, "partition_depth1": 4, "queue_depth2": 4}
"""A time (s) at which there was such a pass."""
BOTH = {"": 0, "p1": 0, "p2": 1}


@dataclass(frozen=True)
class Ran:
    """What a job did: its times, and its nodes numbered from 0."""

    submit: int
    start: int
    end: int
    nodes: tuple[int, ...]


def case_of(run: str) -> Case:
    """The case of a run: four nodes of 8 CPUs."""
    rows = [row for row in _rows(run, "in.csv") if not row["name"].startswith("!")]
    jobs = tuple(
        Job(
            id=number,
            submit=int(row["t"]),
            limit=60 * int(row["limit"]),
            run=int(row["sleep"]),
            nodes=int(row["nodes"]),
            partition=None if run in COUNTED else PARTITIONS[row["partition"]],
            parts=(BOTH[row["partition"]],) if run in COUNTED else (),
            user=row["user"],
            account=row["account"],
        )
        for number, row in enumerate(rows, 1)
    )
    windows = (MAINTENANCE,) if run == "t08_maint" else ()
    options, zero = (CONFIGURED | COUNTED)[run], -int((FOLDER / run / "t0").read_text())
    origin = zero if options.backfill else ORIGINS.get(run, zero)
    while (origin - ORIGINS.get(run, origin)) % max(options.bf_interval, 1):
        origin += 30
    parts = (Part(frozenset(range(4))),) * 2 if run in COUNTED else ()
    return Case((8, 8, 8, 8), jobs, windows, origin, options, parts)


def measured(run: str) -> dict[int, Ran]:
    """What happened in a run, by job id."""
    return {
        int(row["id"]): Ran(int(row["submit"]), int(row["start"]), int(row["end"]), _nodes(row["nodes"]))
        for row in _rows(run, "out.csv")
    }


def _rows(run: str, name: str) -> list[dict[str, str]]:
    with (FOLDER / run / name).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _nodes(text: str) -> tuple[int, ...]:
    """Numbers from 0 of a list of Slurm's such as n[1-3] or n4."""
    return tuple(sorted(number - 1 for number in _numbers(text)))


def _numbers(text: str) -> Iterator[int]:
    for first, last in re.findall(r"(\d+)(?:-(\d+))?", text):
        yield from range(int(first), int(last or first) + 1)
