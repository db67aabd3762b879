"""Sizes that limits of a job do not allow are none of its sizes, in every partition that it names."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import thinktime as tt
from tests.how_many import in_turn
from tests.models.machine.cuts import going_on
from tests.models.policies.test_own_sizes import Sizing
from tests.models.shapes.test_states import POLICIES, random_jobs
from thinktime.models.site.limits import Limits
from thinktime.models.site.partitions import Partition
from thinktime.models.site.qos import QOS
from thinktime.workloads.shapes.shape import Shape

NODES = tt.Nodes.uniform(16, processors=1)
MACHINES: dict[str, dict[str, Any]] = {"pool": {"processors": 16}, "nodes": {"nodes": NODES}}
Allowed = Callable[[int, float], bool]
LIMITS: dict[str, tuple[dict[str, Any], Allowed]] = {
    "max_tres": ({"max_tres": {"cpu": 5}}, lambda size, limit: size <= 5),
    "max_tres_per_user": ({"max_tres_per_user": {"cpu": 99}, "max_tres": {"cpu": 8}}, lambda size, limit: size <= 8),
    "min_tres": ({"min_tres": {"cpu": 2}}, lambda size, limit: size >= 2),
    "max_tres_seconds": ({"max_tres_seconds": {"cpu": 350}}, lambda size, limit: size * limit <= 350),
    "max_wall": ({"max_wall": 90}, lambda size, limit: limit <= 90),
}  # fmt: skip
"""Limits, and whether a job with a size, and so long a time limit on it (s), keeps to them.

The limit of a user is above what all jobs of one may ask for at a time. A lower one binds even where fewer processors
are in use: it leaves waiting jobs smaller sizes, and a job that it holds is no head for which others shrink.
"""


def _site(limits: dict[str, Any], *partitions: Partition) -> tt.Site:
    qos = (QOS("normal", limits=Limits(**limits)),)
    return tt.Site(
        nodes=NODES, qos=qos, partitions=partitions or (Partition("main"),), enforce=frozenset({"limits", "qos"})
    )


def _schedule(jobs: Any, policy: Any, **machine: Any) -> list[tuple[Any, ...]]:
    result = tt.run(tt.MachineSpec(policy=policy, **machine), going_on(jobs))
    return list(zip(*(result.runs[name].tolist() for name in ("job", "start", "end", "processors")), strict=True))


def _narrowed(job: tt.Job, allowed: Allowed) -> tt.Job | None:
    """The same job with what is allowed of its sizes; None without any."""
    if job.shape is None:
        return job if allowed(job.processors, job.requested_time) else None
    every = job.shape.every
    rates = job.shape.believed(every)
    kept = [size for size, rate in zip(every.tolist(), rates, strict=True) if allowed(size, job.requested_time / rate)]
    if not kept:
        return None
    preferred = max([size for size in kept if size <= job.shape.preferred], default=kept[0])
    text = " ".join(map(str, kept)) if len(kept) > 1 else f"{kept[0]}-{kept[0]}"
    shape = replace(job.shape, sizes=text, preferred=preferred, reference=job.shape.reference)
    return replace(job, shape=shape, processors=preferred, speedup=None)


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("limits", "policy", "machine"), in_turn(5, LIMITS, (*POLICIES, "shapes:size=max,expand=best"), MACHINES)
)
def test_limits_of_a_job_leave_it_the_sizes_within_them(limits: str, policy: str, machine: str) -> None:
    """Every stage is that of jobs whose sizes are written so; a job without any that is allowed is as one on hold."""
    given, allowed = LIMITS[limits]
    jobs = [(time, replace(job, checkpoint=np.inf)) for time, job in random_jobs(3, 25, believing=False)]
    # Sizes are chosen anew when a job comes, even if it is held.
    alike = [(time, _narrowed(job, allowed) or tt.Job(runtime=1, processors=1, held=True)) for time, job in jobs]
    found = _schedule(jobs, policy, **MACHINES[machine], site=_site(given))
    assert found == _schedule(alike, policy, **MACHINES[machine])
    assert any(each != job for (_, each), (_, job) in zip(alike, jobs, strict=True))


def test_a_policy_of_ones_own_may_not_start_a_job_beyond_its_limit() -> None:
    """It sees the sizes that are left, and a proposal of another one is refused."""
    site = _site({"max_tres": {"cpu": 5}})
    job = tt.Job(runtime=100, shape="1-16*2 preferred=8")
    seen = []

    def largest(view: Any, now: float) -> Any:
        seen.extend(job.sizes for job in view.queue)
        return [(job, job.sizes[-1]) for job in view.queue]

    assert _schedule([(0.0, job)], Sizing(largest), processors=16, site=site) == [(1, 0, 200, 4)]
    assert seen[0] == (1, 2, 4)
    with pytest.raises(tt.PolicyError, match="on 8 processors, but its sizes are 1, 2, 4"):
        _schedule([(0.0, job)], Sizing(lambda view, now: [(job, 8) for job in view.queue]), processors=16, site=site)


def test_who_asks_for_a_size_beyond_its_limit_goes_on_or_waits_for_ever() -> None:
    """An evolving job that asks for 8 with at most 5 stays on 4; one that insists holds them, which is said."""
    machine = {"processors": 16, "site": _site({"max_tres": {"cpu": 5}})}
    asking = tt.Job(runtime=100, shape="4-8 preferred=4 kind=evolving asks=0.5:8")
    assert _schedule([(0.0, asking)], "shapes", **machine) == [(1, 0, 100, 4)]
    insisting = tt.Job(runtime=100, shape="4-8 preferred=4 kind=evolving asks=0.5:8!")
    result = tt.run(tt.MachineSpec(policy="shapes", **machine), going_on([(0.0, insisting)]))
    assert any("deadlock" in note for note in result.notes)


@pytest.mark.parametrize("machine", MACHINES)
def test_a_job_has_the_sizes_of_the_partition_in_which_it_starts(machine: str) -> None:
    """In the first partition jobs may run for 60 s, so on 16 of 16; the second takes them on 4."""
    quick, slow = Partition("quick", max_time=60), Partition("slow", max_nodes=4)
    job = tt.Job(runtime=100, estimate=100, shape=Shape("4-16*2", preferred=8), partition="quick,slow")
    sized = MACHINES[machine] | {"site": _site({}, quick, slow)}
    found = _schedule([(0.0, job)] * 2, "shapes:size=largest", **sized)
    assert found[0] == (1, 0, 50, 16)
    narrow = _schedule([(0.0, replace(job, partition="slow"))], "shapes:size=largest", **sized)
    assert narrow == [(1, 0, 200 if machine == "nodes" else 50, 4 if machine == "nodes" else 16)]
