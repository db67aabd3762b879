"""The state of a machine at a moment of its log: who runs and who waits follows from the recorded starts and ends.

    logged = state_in_log(MachineSpec(100, "easy"), log, time)
    rest = run(MachineSpec(begin=logged.state))

Jobs that run have started when they did, and jobs that wait were submitted when they were. All run to their limits, so
that nothing is in the state which was not known then. Running jobs for which there is no room (logs have clock skews,
and shared or resized machines) wait.
"""

from dataclasses import dataclass

import numpy as np

from thinktime.models.jobs.checks import name_of
from thinktime.models.machine.spec import MachineSpec
from thinktime.models.machine.state import MachineState
from thinktime.models.policies import as_policy
from thinktime.models.policies.queue_policy import ReplanningPolicy
from thinktime.models.snapshot.restoring import Submission, restore
from thinktime.workloads.job import Job
from thinktime.workloads.trace import Trace

GRACE = 60.0
"""Running jobs past their limits end within this, s."""
LABELS = "user", "group", "queue", "partition"


@dataclass(frozen=True, eq=False)
class Logged:
    """A state, and who of the jobs in the log is not where it was."""

    state: MachineState
    unplaced: tuple[int, ...]
    """The numbers of running jobs for which there is no room: they wait."""
    refused: tuple[int, ...]
    """Those of jobs that are wider than the machine."""


def state_in_log(spec: MachineSpec, log: Trace, time: float, foreseen: bool = False) -> Logged:
    """The state of a machine of processors at a full second of a log, taken half a second later.

    Jobs have their numbers in the log. ``foreseen``: they run as long as they did in the log instead of to their
    limits. ``ValueError`` for a machine of nodes, since a log does not say which of them were used, and for a rule that
    remembers more than its queue, such as reservations.

    >>> import thinktime as tt
    >>> log = tt.Trace({"submit": [0, 1, 2], "wait": [0, 9, 5], "runtime": [10, 9, 9], "allocated": [2, 1, 1]})
    >>> state_in_log(tt.MachineSpec(2), log, 5.0).state
    <state at 5.5 s: 1 job running, 2 jobs waiting, 0 jobs to come>
    """
    if spec.nodes is not None:
        raise ValueError("a log does not say on which nodes its jobs ran; give the machine processors")
    if not isinstance(policy := as_policy(spec.policy), ReplanningPolicy):
        raise ValueError(
            f"a log does not say what policy {name_of(policy)} remembers; give one that plans anew at every event, "
            "such as easy or conservative-dynamic"
        )
    begun = log.submit + np.nan_to_num(log.wait, nan=0.0).clip(min=0.0)
    over = np.where(log.withdrawn, begun, begun + log.runtime)
    come = []
    for row in np.flatnonzero((log.submit <= time) & (over > time)).tolist():
        start = begun.item(row) if begun[row] <= time else None
        least = 1.0 if start is None else time + GRACE - start
        limit = log.estimate.item(row)
        limit = max(limit, least) if start is None or start + limit <= time + 1.0 else limit
        number, codes = log.id.item(row), {name: getattr(log, name).item(row) for name in LABELS}
        job = Job(
            runtime=log.runtime.item(row) if foreseen else limit, estimate=limit, id=number,
            processors=log.processors.item(row),
            **{name: log.names.get(name, {}).get(code, code) for name, code in codes.items() if code >= 0},
        )  # fmt: skip
        comes = time if start is None else start
        come.append(Submission(comes, log.submit.item(row), (str(number),), (job,), (start,), ((),), ((),)))
    restored = restore(spec, come, time, log.calendar, lambda machine: None)
    return Logged(restored.state, tuple(map(int, restored.unplaced)), tuple(map(int, restored.refused)))
