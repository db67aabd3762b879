"""Jobs of several sizes in several partitions: whichever entry of a job is proposed, it has the size that was said."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import thinktime as tt
from tests.how_many import in_turn
from thinktime.models.site.limits import Limits
from thinktime.models.site.partitions import Partition
from thinktime.models.site.qos import QOS
from thinktime.models.site.site import Site
from thinktime.workloads.nodes import Cluster, Nodes

NAMES = ("n1", "n2", "n3", "n4")
NODES = Nodes([Cluster("n", 4, {"processors": 2}, names=NAMES)])


def _spec(nodes: bool, *partitions: Partition) -> tt.MachineSpec:
    """Eight processors, of which a user may have six at once."""
    site = Site(
        nodes=NODES, partitions=partitions, enforce=frozenset({"limits", "qos"}),
        qos=(QOS("normal", limits=Limits(max_tres_per_user={"cpu": 6})),),
    )  # fmt: skip
    return tt.MachineSpec.of_site(site) if nodes else tt.MachineSpec(8, site=replace(site, nodes=None))


class Turns:
    """A policy that starts what fits with a size that depends on the job and the time, and resizes others likewise."""

    resizes = True
    knows_interruptions = True

    def __init__(self) -> None:
        self.proposed: dict[int, int] = {}

    def copy(self):
        """The same notes."""
        return self

    def _size(self, job, now):
        return job.sizes[(7 * job.id + int(now)) % len(job.sizes)]

    def select(self, view, now):
        """Each job once, whichever of its entries comes first."""
        self.proposed.clear()
        for job in view.queue:
            size = self._size(job, now)
            if job.id not in self.proposed and view.fits(job, processors=size):
                self.proposed[job.id] = size
                yield job, size
        for job in view.running:
            size = self._size(job, now)
            if size != job.processors and view.resizable(job, size):
                yield view.resize(job, size)
                return


class Watched(Turns):
    """The same; what starts is compared with what was proposed."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[int, int]] = []

    def select(self, view, now):
        """Look at those that run."""
        for job in view.running:
            if job.start == now and job.id in self.proposed:
                self.seen.append((job.processors, self.proposed[job.id]))
        yield from super().select(view, now)


def _jobs(seed: int, partition: str, count: int = 25) -> Any:
    rng = np.random.default_rng(seed)
    shapes = rng.choice(["2-8*2 preferred=4", "2-6+2 preferred=2 cost=3", "2 4 preferred=4 kind=moldable"], count)
    drawn = [
        np.sort(rng.integers(0, 200, count)),
        rng.integers(1, 60, count),
        rng.choice(["ann", "bob"], count),
        shapes,
    ]

    def submit(env, machine):
        for time, runtime, user, shape in zip(*(each.tolist() for each in drawn), strict=True):
            yield env.timeout(time - env.now)
            machine.submit(tt.Job(runtime=runtime, estimate=60, shape=shape, user=user, partition=partition))

    return submit


POLICIES = [
    "own",
    "shapes:size=min,expand=oldest,base=easy",
    "shapes:size=max,shrink=latest,base=easy",
    "shapes:expand=oldest,base=conservative",
]


@pytest.mark.parametrize(("policy", "nodes"), in_turn(2, POLICIES, [False, True]))
def test_two_partitions_of_the_same_nodes_are_one(policy, nodes):
    """Every stage of every run is that of the same jobs in one of them."""
    both = _spec(nodes, Partition("a", default=True), Partition("b"))
    sizes, resizes = set[int](), 0
    for seed in range(3):
        runs = [
            tt.run(replace(both, policy=Turns() if policy == "own" else policy), _jobs(seed, named)).runs
            for named in ("a", "a,b")
        ]
        columns = ["job", "start", "end", "processors", "how"]
        assert runs[0][columns].equals(runs[1][columns])
        sizes |= set(runs[0]["processors"])
        resizes += (runs[0]["how"] == "resized").sum()
    assert len(sizes) > 2 and resizes > 3


def test_sizes_are_on_the_nodes_of_the_partition():
    """Jobs start with the sizes that are proposed, in one of two partitions, and grow on nodes of this one alone."""
    spec = _spec(True, Partition("small", NAMES[:1], default=True), Partition("large", NAMES[1:]))
    sizes = {"small": set[int](), "large": set[int]()}
    for seed in range(3):
        policy = Watched()
        result = tt.run(replace(spec, policy=policy), _jobs(seed, "small,large"))
        assert all(have == said for have, said in policy.seen)
        assert len(policy.seen) > 3
        places = dict(zip(result.jobs["id"], result.jobs["partition"], strict=True))
        runs = result.runs
        for job, processors, nodes in zip(runs["job"], runs["processors"], runs["indices"], strict=True):
            assert ("0" in nodes) == (places[job] == "small") and (nodes == "0") == (places[job] == "small")
            sizes[places[job]].add(processors)
    assert sizes == {"small": {2}, "large": {2, 4, 6}}
