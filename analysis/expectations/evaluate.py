"""How well a schedule meets the expectations of its users: violated EETs and tardiness (section 3.3).

Symbols for job j of user u: C is its end, EET its expected end (s), T = max(0, C - EET) its tardiness, w its
processors. An EET is violated if C > EET. VEET_u is the share of violated EETs among all jobs of u in % (formula 1);
WT_u = sum of w T over the jobs of u (formula 3, processor-seconds).

Only jobs that started and ended count, with their actual run times on the machine (after any kill). On a machine that
changes, a job's run time is the work that it has done: users expect the time that this takes, without checkpoints and
without what interruptions have thrown away (our choice). Usage is that of all runs. A job that may have several sizes
is expected to run as on the one that it prefers, with which its user counts.

On a machine of nodes a job has one EET for each resource that the machine has and the job requests (processors, memory,
GPUs, …), and the latest is used. On other machines it has one for processors, and one for memory if the machine's is
given. With a ``tolerance`` (s), only C > EET + tolerance is a violation; tardiness is unchanged.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from thinktime.analysis.expectations.capacity import Amounts, Capacity, Chosen, choose, codes_of, fairshare_factor
from thinktime.analysis.expectations.eet import expected_ends
from thinktime.models.results import measures
from thinktime.models.results.measures import Spans, bounded
from thinktime.models.results.result import Result
from thinktime.workloads.arrays import AnyArray, DataFrame, Flags, Floats, Whole, pd
from thinktime.workloads.units import Duration, as_seconds


@dataclass(frozen=True, eq=False)
class Expectations:
    """Every job that ended, with what its user expected, as arrays of equal length."""

    policy: str
    chosen: Chosen
    machine: Amounts
    """The machine's amount of each resource."""
    id: Whole
    user: AnyArray
    """Labels; None for none."""
    queue: AnyArray
    submit: Floats
    start: Floats
    end: Floats
    runtime: Floats
    processors: Whole
    memory: Floats
    """Bytes of the whole job; NaN for none."""
    eet: Floats
    campaign: Whole
    """Numbers; −1 for none."""
    others: Mapping[str, Whole]
    """The whole job's request of each resource other than processors and memory."""
    used: Spans
    """When the jobs held what they asked for: once each, or in several runs on a machine that changes."""
    tolerance: float = 0.0

    def __len__(self) -> int:
        return len(self.id)

    @property
    def tardiness(self) -> Floats:
        """T = max(0, C - EET), s."""
        return np.maximum(0.0, self.end - self.eet)

    @property
    def violated(self) -> Flags:
        """C > EET (+ tolerance)."""
        return self.end > self.eet + self.tolerance

    def users(self) -> DataFrame:
        """One row per user, most work first: jobs, violated, veet (%), tardiness, weighted_tardiness, work."""
        late = self.tardiness
        frame = pd.DataFrame(
            {
                "user": pd.Series([name_of(label) for label in self.user.tolist()], dtype=object),
                "jobs": 1,
                "violated": self.violated.astype(np.int64),
                "tardiness": late,
                "weighted_tardiness": self.processors * late,
                "work": self.processors * self.runtime,
            }
        )
        table = frame.groupby("user", sort=True).sum()
        table.insert(2, "veet", 100.0 * table["violated"] / table["jobs"])
        return table.sort_values("work", ascending=False, kind="stable")

    def only(self, users: Iterable[Any] | None = None, queues: Iterable[Any] | None = None) -> "Expectations":
        """The jobs of these users and queues (names or numbers); EETs still account for all jobs of each user."""
        kept = np.ones(len(self), np.bool_)
        for wanted, labels in ((users, self.user), (queues, self.queue)):
            if wanted is not None:
                kept &= _among(labels, wanted)
        return self.select(kept)

    def without(self, users: Iterable[Any] = (), queues: Iterable[Any] = ()) -> "Expectations":
        """All jobs except those of these users (such as administrators) and queues."""
        return self.select(~(_among(self.user, users) | _among(self.queue, queues)))

    def select(self, rows: AnyArray) -> "Expectations":
        """The jobs in these rows."""
        others = {name: amounts[rows] for name, amounts in self.others.items()}
        used = _of_rows(self.used, np.arange(len(self))[rows], len(self))
        return replace(self, others=others, used=used, **{name: getattr(self, name)[rows] for name in _COLUMNS})


_COLUMNS = (
    "id", "user", "queue", "submit", "start", "end", "runtime", "processors", "memory", "eet",
    "campaign",
)  # fmt: skip


def schedule_of(result: Result) -> dict[str, Any]:
    """The columns needed of the jobs that started and ended."""
    over = measures.ended(result)
    names = ("id", "submit", "start", "end", "processors", "campaign")
    columns: dict[str, Any] = {name: result[name][over] for name in names}
    columns["runtime"] = measures.work_done(result)[over]
    columns["used"] = _of_rows(measures.used(result), np.flatnonzero(over), len(result))
    columns["memory"] = np.rint(result["memory"][over] * columns["processors"])
    asked = {} if result.nodes is None else result.nodes.asked
    others = [name for name in asked if name not in ("processors", "memory")]
    columns["others"] = {name: asked[name][over] for name in others}
    return columns | {name: result.labels(name)[over] for name in ("user", "queue")}


def machine_of(result: Result, memory: int | None = None) -> dict[str, int]:
    """The machine's amount of each resource; ``memory`` (bytes) is for results without it."""
    known = {} if result.nodes is None else result.nodes.machine
    given = {} if memory is None else {"memory": memory}
    whole = {**known, "processors": result.processors, **given}
    return {name: whole[name] for name in dict.fromkeys(["processors", *whole]) if whole[name]}


def chosen_for(result: Result, capacity: Capacity | None = None, memory: int | None = None, where: str = "") -> Chosen:
    """The capacities that a rule chooses for a machine from one of its schedules (``memory`` as in `evaluate`)."""
    jobs = schedule_of(result)
    machine = machine_of(result, memory)
    return choose(capacity or Capacity(), machine, jobs["user"], jobs["submit"], jobs["end"], where)


def evaluate(
    result: Result,
    capacity: Capacity | Chosen | None = None,
    memory: int | None = None,
    tolerance: Duration = 0.0,
    slot: Duration = 1.0,
) -> Expectations:
    """Compute the expected end times and compare them with the schedule.

    Results of a machine of nodes have all resources of machine and jobs. For others ``memory`` is that of the whole
    machine (bytes); without it only processors count. Resources that a capacity does not name do not count. A `Chosen`
    capacity (such as that of another schedule) is used unchanged.
    """
    tolerance, slot = as_seconds("tolerance", tolerance), as_seconds("slot", slot)
    jobs = schedule_of(result)
    machine = machine_of(result, memory)
    chosen = capacity if isinstance(capacity, Chosen) else chosen_for(result, capacity, memory)
    eet = _eet(jobs, chosen, machine, slot)
    return Expectations(result.policy, chosen, machine, eet=eet, tolerance=tolerance, **jobs)


def _of_rows(spans: Spans, rows: Whole, jobs: int) -> Spans:
    """The spans of the jobs in some rows, of so many jobs; rows count anew from 0."""
    place = np.full(jobs, -1)
    place[rows] = np.arange(len(rows))
    kept = place[spans.row] >= 0
    return Spans(place[spans.row[kept]], spans.begin[kept], spans.end[kept])


def _eet(jobs: dict[str, Any], chosen: Chosen, machine: Amounts, slot: float) -> Floats:
    """The latest EET over the resources of each job, which include processors."""
    labels, codes = codes_of(jobs["user"])
    units = [chosen.of(label) for label in labels]
    factor = _after_usage(jobs, codes, units, chosen, machine)
    eet = np.full(len(codes), -np.inf)
    for name in dict.fromkeys(["processors", *(name for each in units for name in each)]):
        expected = np.array([each.get(name, 0) for each in units], np.int64)[codes]
        if factor is not None:
            expected = np.where(expected > 0, np.maximum(np.ceil(expected * factor), 1), 0).astype(np.int64)
        asked = _asked(jobs, name)
        rows = np.flatnonzero((expected > 0) & ((asked > 0) | (name == "processors")))
        submit, runtime, number = (jobs[column][rows] for column in ("submit", "runtime", "id"))
        ends = expected_ends(submit, asked[rows], runtime, expected[rows], codes[rows], number, slot)
        eet[rows] = np.maximum(eet[rows], ends)
    return eet


def _asked(jobs: dict[str, Any], name: str) -> Whole:
    if name == "memory":
        return np.asarray(np.nan_to_num(jobs["memory"]), np.int64)
    amounts = jobs["processors"] if name == "processors" else jobs["others"].get(name)
    return np.zeros(len(jobs["id"]), np.int64) if amounts is None else np.asarray(amounts, np.int64)


def _after_usage(
    jobs: dict[str, Any], codes: Whole, units: list[Amounts], chosen: Chosen, machine: Amounts
) -> Floats | None:
    """The factor on each job's capacity for past usage; None if past usage does not count."""
    if chosen.half_life is None:
        return None
    processors = np.array([each["processors"] for each in units], np.int64)[codes]
    fair = np.minimum(processors / machine["processors"], 1.0)
    weight = jobs["processors"].astype(np.float64)
    return fairshare_factor(codes, jobs["submit"], jobs["used"], weight, fair, chosen.half_life)


def _among(labels: AnyArray, wanted: Iterable[Any]) -> Flags:
    names = {str(label) for label in wanted}
    return np.array([name_of(label) in names for label in labels.tolist()], np.bool_)


def name_of(label: Any) -> str:
    """A label as text; None becomes −1, as in logs."""
    return "-1" if label is None else str(label)


def measures_of(jobs: Expectations) -> dict[str, float]:
    """The means of Figure 5, and those weighted by processors that section 2.1 speaks of (times in s).

    Slowdowns are bounded at 10 s, since very short jobs would dominate otherwise.
    """
    wait, response = jobs.start - jobs.submit, jobs.end - jobs.submit
    slowdown = bounded(response, jobs.runtime, 10.0)
    weight = jobs.processors / jobs.processors.sum()
    plain = {"wait": wait, "response time": response, "slowdown": slowdown}
    found = {name: float(values.mean()) for name, values in plain.items()}
    return found | {f"weighted {name}": float(weight @ values) for name, values in plain.items()}


def above_fair_slowdown(jobs: Expectations) -> float:
    """The share of the jobs whose slowdown is larger than the one with their fair start time.

    The fair start is that of one conservative schedule on as many processors with exact estimates (`cons_p`), in
    which no job delays an earlier one. Source: Srinivasan and others (JSSPP 2002), as cited in the paper.
    """
    from thinktime.analysis.fairness.fair_starts import cons_p

    names = ("id", "submit", "start", "end", "processors", "runtime")
    columns = {name: getattr(jobs, name) for name in names}
    fair = cons_p(Result.from_columns(columns, jobs.machine["processors"]))
    known = np.isfinite(fair)
    return float((jobs.start[known] > fair[known]).mean()) if known.any() else np.nan
