"""Runs of every source of jobs, and what is seen of them."""

import numpy as np

import thinktime as tt
from tests.models.engine.schedules import PROCESSORS, workload
from thinktime.users import WorkingHours
from thinktime.workloads.nodes import Cluster, Nodes

NODES = Nodes([Cluster("a", 2, {"processors": 3}), Cluster("b", 1, {"processors": 2})])


def trace(seed, jobs=40):
    """The crowded log of `schedules`, with dependencies."""
    rng = np.random.default_rng(seed)
    return workload(jobs, seed).with_columns(
        preceding=np.maximum(np.arange(jobs) - rng.integers(0, 9, jobs), -1),
        think_time=rng.choice([0.0, 0.0, 5.0], jobs),
    )


def runs_of(result):
    """The runs of a machine that changes."""
    return None if result.history is None else result.runs.values.tolist()


def places_of(result):
    """The nodes of each job."""
    return None if result.nodes is None else result.nodes.interval_sets()


class Count:
    """An observer that counts what waits at submissions."""

    def __init__(self):
        self.seen = []

    def before_submissions(self, instants, rows, now):
        self.seen.append((now, rows.tolist(), instants.pool.waiting_count(), instants.pool.idle))


def from_sources(policy, source, observed=False, **machine):
    observer = Count()
    size = None if "nodes" in machine else PROCESSORS
    spec = tt.MachineSpec(policy=policy, **({"processors": size} | machine))
    result = tt.run(spec, source(), observers=[observer] if observed else [])
    names = ("id", "submit", "start", "end", "state")
    columns = [result[name].tolist() for name in names]
    lost = result.lost.values.tolist()
    return columns, places_of(result), runs_of(result), lost, result.now, result.notes, observer.seen


SOURCES = {
    "open": lambda: tt.sources.log(trace(1)),
    "dependencies": lambda: tt.sources.dependencies(trace(2)),
    "feedback": lambda: tt.sources.feedback(trace(3)),
    "hours": lambda: tt.sources.feedback(trace(3), hours=WorkingHours(0, 12, origin=-43_100)),
    "drawn": lambda: tt.sources.drawn(trace(4, 60), seed=5),
}
