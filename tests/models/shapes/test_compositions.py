"""Jobs that change sizes among everything else: windows, failures, limits, caps, accounts, users who react.

Whatever happens, the work of all stages of a job adds up and no processor has two jobs (which is checked of every
result), jobs have sizes that they may have, and nobody has more than there is, than the limit, or than the cap.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import simpy
from scipy import stats

import thinktime as tt
from tests.how_many import in_turn
from tests.models.machine.cuts import going_on
from tests.models.shapes.test_states import POLICIES, random_jobs
from tests.users.behaviours.behaving import Diary
from thinktime.models.site.limits import Limits
from thinktime.models.site.priority import PriorityRules
from thinktime.models.site.qos import QOS
from thinktime.workloads.changes.failures import Failures

MOST = 10
"""Processors that a user may have at once, or that the cap is enough for."""


def _site(**limits: Any) -> dict[str, Any]:
    made = tt.Site(
        nodes=tt.Nodes.uniform(16, processors=1), qos=(QOS("normal", limits=Limits(**limits)),),
        priority=PriorityRules("multifactor", age=500, max_age=60, fairshare=1000, job_size=90),
        enforce=frozenset({"limits", "qos"}),
    )  # fmt: skip
    return {"nodes": None, "processors": 16, "site": made}


def _windows(rule: str) -> dict[str, Any]:
    told = tt.Window(250, 300, 8, announced=240, rule=rule, users=["u1"] if rule == "wait" else None)
    return {"processors": 16, "changes": tt.Changes(windows=[tt.Window(100, 140, 12, rule=rule), told])}


def _failures(**more: Any) -> dict[str, Any]:
    failures = Failures(mtbf=1500, mttr=40, seed=3)
    return {"processors": 16, "changes": tt.Changes(failures=failures, checkpoint=15, cost=2, restart=5, **more)}


MACHINES: dict[str, Callable[[], dict[str, Any]]] = {
    "windows that requeue": lambda: _windows("requeue"),
    "windows that kill": lambda: _windows("kill"),
    "windows that wait": lambda: _windows("wait"),
    "failures": _failures,
    "failures, shrinking": lambda: _failures(on_failure="shrink"),
    "failures, cancelling": lambda: _failures(on_failure="cancel", requeue_delay=0),
    "limits": lambda: _site(max_tres_per_user={"cpu": MOST}),
    "limits of use": lambda: _site(group_tres_run_seconds={"cpu": 900}, max_jobs=3),
    "cap": lambda: {"processors": 16, "power": tt.Power(idle=10, job=100, cap=160 + 100 * MOST)},
    "lower caps": lambda: {
        "processors": 16, "power": tt.Power(idle=10, job=100, cap=160 + 100 * MOST),
        "changes": tt.Changes(windows=[tt.Window(100, 150, watts=660, rule="requeue", kind="cap"),
                                       tt.Window(200, 230, watts=460, rule="suspend", kind="cap")]),
    },
    "extend": lambda: {"processors": 16, "overrun": "extend"},
    "reasons": lambda: {"processors": 16, "reasons": True},
}  # fmt: skip


def _check(result: tt.Result, sizes: dict[int, set[int]]) -> None:
    """Sizes are those of the job, and processors in use are at most those that are up."""
    runs, every = result.runs, result.history.runs
    for job, processors in zip(runs["job"].tolist(), runs["processors"].tolist(), strict=True):
        assert processors in sizes[job], f"job {job} on {processors}"
    assert _most(every.start, every.end, every.processors) <= 16


def _most(start: Any, end: Any, amount: Any) -> float:
    """The most at once, ends before starts."""
    lasting = end > start
    times = np.concatenate([start[lasting], end[lasting]])
    change = np.concatenate([amount[lasting], -amount[lasting]])
    return float(np.cumsum(change[np.lexsort((change, times))]).max(initial=0))


@pytest.mark.parametrize(("machine", "policy"), in_turn(4, MACHINES, POLICIES))
def test_jobs_that_change_sizes_get_along_with_everything(machine, policy):
    """Random jobs, one machine of each kind, every policy."""
    jobs = random_jobs(1, 40)
    if machine in ("limits of use", "extend"):
        jobs = [(time, job) for time, job in jobs if job.runtime > 0]
    made = MACHINES[machine]()
    own = policy.replace(":order=fairshare,half_life=30s", ":order=multifactor") if "site" in made else policy
    made.pop("nodes", None)
    result = tt.run(tt.MachineSpec(policy=own, **made), going_on(jobs))
    sizes = [{job.processors} if job.shape is None else set(job.shape.every.tolist()) for _, job in jobs]
    _check(result, {number + 1: each for number, each in enumerate(sizes)})
    every = result.history.runs
    if machine == "limits":
        for user in range(3):
            mine = result["user"][every.row] == user
            assert _most(every.start[mine], every.end[mine], every.processors[mine]) <= MOST
    if "cap" in machine:
        assert _most(every.start, every.end, every.processors) <= MOST
    assert np.isin(result["state"], [tt.State.FINISHED, tt.State.KILLED]).sum() > 30


def test_users_who_react_are_the_same_where_sizes_change():
    """Drawn users with patience who choose sizes of jobs that have several: what they intend depends on no policy."""

    def shaped(user: Any, job: tt.Job) -> tt.Job:
        wide = min(4 * job.processors, 16)
        return tt.Job(runtime=job.runtime, estimate=job.estimate, user=job.user, processors=(1, job.processors, wide))

    def intended(policy: str) -> list[Any]:
        book: dict[str, Any] = {}
        react = Diary(book), tt.behaviours.Adapt(shaped), tt.behaviours.Mold(tries=3), tt.behaviours.Patience(2000)
        profile = tt.Profile(
            runtime=stats.expon(scale=300), jobs=2, think_time=200, processors=stats.randint(1, 5), overestimate=2,
            behaviours=react,
        )  # fmt: skip
        env = simpy.Environment()
        machine = tt.Machine(env, 16, policy)
        tt.population(env, machine, {f"u{k}": profile for k in range(4)}, 1, campaigns=4)
        env.run()
        result = machine.result()
        assert len(result) == 32 and len(result.answers)
        assert policy == "easy" or (result.runs["how"] == "resized").any()
        return [sorted(book.items())]

    assert intended("easy") == intended(POLICIES[0]) == intended(POLICIES[3])


def test_a_share_of_use_is_charged_by_the_size_at_each_time():
    """8 processors for 50 s, then 16: 400 + 800 processor-seconds count at 100, and what runs at 16 from then on."""
    env = simpy.Environment()
    machine = tt.Machine(env, 16, "shapes:expand=oldest,base=easy:order=fairshare,half_life=1000000d")
    machine.submit(tt.Job(runtime=1000, processors=(8, 8, 16), user="ada"))
    machine.submit(tt.Job(runtime=50, processors=8, user="bob"))
    env.run(until=100)
    assert machine.sight("ada").usage == pytest.approx(1200, rel=1e-6)
    assert machine.sight("bob").usage == pytest.approx(400, rel=1e-6)


@pytest.mark.parametrize(
    "options", ["size=preferred", "size=max", "size=largest", "size=earliest", "share=equal,base=none"]
)
def test_sizes_beyond_limits_are_not_chosen(options):
    """Who may have 10 processors at once never has more, nor waits for 16 for ever; others are not delayed."""
    made = _site(max_tres_per_user={"cpu": MOST})
    made.pop("nodes")
    jobs = [tt.Job(runtime=80, shape="1-16*2 preferred=4", user=user) for user in ("ada", "ada", "bob")]
    result = tt.run(tt.MachineSpec(policy=f"shapes:{options}", **made), going_on([(0.0, job) for job in jobs]))
    first = result.history.runs.start == 0
    used = np.bincount(result["user"][result.history.runs.row[first]], result.history.runs.processors[first], 2)
    assert used.max() <= MOST and used.sum() <= 16 and used.all()
    assert (result["state"] == tt.State.FINISHED).all()
