"""A process of its own: small schedules under every rule, kind of order and overrun, and the kernels' fate.

``python -m tests.models.kernels.schedules [briefly | SPEC …]`` prints one JSON object: a digest of each schedule, and
how many kernels were compiled or, if they are plain Python, which of them were used. Without specs, all of them, and
on all kinds of machines; ``briefly``, some of them.
"""

import cProfile
import hashlib
import importlib
import json
import pkgutil
import sys
from contextlib import nullcontext
from types import ModuleType

import numpy as np
import simpy

import thinktime as tt
from tests.models.eligibility.cases import played, random_tasks, spec_of
from thinktime.analysis.expectations.eet import expected_ends
from thinktime.models import kernels
from thinktime.models.forecast import Forecast
from thinktime.models.policies.virtual import VirtualSchedule
from thinktime.models.site.partitions import Partition
from thinktime.models.site.preemption import Preemption
from thinktime.models.site.priority import PriorityRules
from thinktime.models.site.qos import QOS
from thinktime.models.site.site import Site
from thinktime.workloads.compiler import COMPILES, registry
from thinktime.workloads.generators.quantities import Uniform
from thinktime.workloads.nodes import Cluster, Nodes

PROCESSORS = 8
RULES = (
    "none",
    "no-guarantee",
    "easy",
    "easy:reservations=3",
    "conservative",
    "conservative:compress=event",
    "conservative:compress=scheduled",
    "conservative:compress=none",
    "conservative-dynamic",
)
ORDERS = ("fcfs", "sjf", "lxf", "fairshare")  # by arrival, by a static key, by a dynamic key, by accounts
OVERRUNS = ("kill", "extend", "until_needed")
SPECS = [f"{rule}{',' if ':' in rule else ':'}order={order}" for rule in RULES for order in ORDERS]
SPECS += ["slack:awt=30", "slack:awt=30,heuristic=dc,permutations=3,tick=yes", "recorded"]
SPECS += ["cplant:starve=20s,barred=heavy", "ostrich:within=mlpt", "ostrich-slurm"]
SPECS += ["slurm:bf_interval=7s"]
SPECS += ["easy:order=relshare", "tradeoff:limit=20", "easy:order=age*9+fairshare*99,accrual=slurm,ticks=9s"]
SPECS += ["tradeoff-fs:algorithm=lds,lds_order=top,goals=wait+slowdown+deviation+stretch,limit=20,prune=yes"]
BRIEF = [
    "none:order=fcfs", "no-guarantee:order=sjf", "easy:order=lxf", "easy:reservations=3,order=fcfs",
    "conservative:order=fairshare", "conservative-dynamic:order=fcfs", "recorded",
]  # fmt: skip
"""Other tests that are compiled need most of their kernels."""
DIGESTED = ("id", "submit", "start", "end", "processors", "state", "promised")


def workload(jobs=60, seed=7):
    """A crowded log with ties, early ends, zero run times, overruns, and one job that is too wide."""
    rng = np.random.default_rng(seed)
    estimate = rng.choice([1, 2, 5, 10, 20, 40], jobs)
    width = rng.integers(1, PROCESSORS + 1, jobs)
    width[jobs // 2] = PROCESSORS + 1
    return tt.Trace(
        {
            "submit": np.sort(rng.integers(0, 4 * jobs, jobs)),
            "wait": rng.integers(0, 20, jobs),
            "runtime": np.minimum(rng.integers(0, 50, jobs), 2 * estimate),
            "requested_processors": width,
            "requested_time": estimate,
            "user": rng.integers(1, 5, jobs),
        }
    )


def model(policy, overrun):
    """The same jobs by processes that also withdraw, cancel, and hold processors."""
    env = simpy.Environment()
    machine = tt.Machine(env, PROCESSORS, policy, overrun)

    def owner(i, job):
        yield env.timeout(job["submit"])
        event = machine.submit(tt.Job(processors=job["width"], runtime=job["runtime"], estimate=job["estimate"]))
        if i % 3 == 0:
            yield env.timeout(i % 7)
            event.cancel()

    def holder():
        for length in (3, 8, 30):
            with machine.request(processors=3, estimate=10) as hold:
                try:
                    yield hold
                    yield env.timeout(length)
                except simpy.Interrupt:
                    pass
            yield env.timeout(5)

    for i, row in enumerate(zip(*_columns(workload()), strict=True)):
        job = dict(zip(("submit", "width", "runtime", "estimate"), row, strict=True))
        if job["width"] <= PROCESSORS:
            env.process(owner(i, job))
    env.process(holder())
    env.run()
    return machine.result()


def watched(spec, overrun):
    """The replayed log again, with somebody who waits for the end of every ten jobs."""
    env = simpy.Environment()
    machine = tt.Machine(env, PROCESSORS, spec, overrun)
    rows = machine.load(workload())
    for first in range(0, len(rows), 10):
        machine.watch(rows[first : first + 10])
    machine.announce(rows)
    env.run()
    return machine.result()


def _columns(trace):
    return [column.tolist() for column in (trace.submit, trace.processors, trace.runtime, trace.estimate)]


def digest(result):
    """A digest of the bytes of a schedule."""
    return hashlib.sha256(b"".join(result[name].tobytes() for name in DIGESTED)).hexdigest()


def schedules(specs):
    """Digests by spec and overrun: of the replayed log, and of the model."""
    found = {}
    for spec in reversed(specs):  # while another worker of pytest compiles for `test_leap`, from the first rule on
        for overrun in OVERRUNS:
            found[f"{spec} {overrun}"] = digest(tt.replay(workload(), spec, PROCESSORS, overrun=overrun))
            assert digest(watched(spec, overrun)) == found[f"{spec} {overrun}"], "watching changes the schedule"
            if spec != "recorded":
                found[f"{spec} {overrun}, by processes"] = digest(model(spec, overrun))
    return found


NODE_SPECS = (
    "fcfs", "no-guarantee:order=lxf", "easy", "easy:reservations=2", "conservative", "conservative:compress=scheduled",
    "conservative-dynamic", "easy:order=fairshare,measure=dominant-resource", "slack:awt=30", "tradeoff:limit=20",
    "slurm:bf_interval=0",
)  # fmt: skip


BRIEF_ON_NODES = ("easy",)


def on_nodes(brief):
    """Digests on a machine of nodes, of users who wait, estimates and split jobs, and expected end times."""
    nodes = Nodes([Cluster("a", 2, {"processors": 4, "memory": 8}), Cluster("b", 2, {"processors": 2, "memory": 4})])
    found = {}
    for spec in BRIEF_ON_NODES if brief else NODE_SPECS:
        for overrun in ("kill", "extend"):
            env = simpy.Environment()
            machine = tt.Machine(env, policy=spec, overrun=overrun, nodes=nodes, allocator="best-fit")
            env.process(_on_nodes(env, machine))
            env.run()
            found[f"{spec} {overrun}"] = digest(machine.result()) + str(machine.result().nodes.interval_sets())
    if brief:
        return found
    log, alike = workload(), Nodes.uniform(PROCESSORS, 1)
    rules = PriorityRules("multifactor", fairshare=1000, calc_period=9.0, flags=frozenset(["NO_FAIR_TREE"]))
    site = Site(priority=rules)
    found["site"] = digest(tt.replay(log, "easy:order=multifactor", PROCESSORS, site=site))
    for spec in ("conservative", "conservative-dynamic", "slack:awt=30,heuristic=aat", "tradeoff:limit=20"):
        found[f"{spec} alike"] = digest(tt.replay(log, spec, nodes=alike))
    found["feedback"] = digest(tt.run(tt.MachineSpec(PROCESSORS), tt.sources.feedback(log)))
    for guess, spec in (("last-two", "easy"), ("user-average", "conservative"), ("factor=0.5", "easy:order=sjf")):
        found[guess] = digest(tt.replay(log, spec, PROCESSORS, estimates=guess))
    machine = tt.Machine(simpy.Environment(), PROCESSORS, "conservative:order=unicef")
    for length in (5, 3, 4):
        machine.submit(tt.Job(processors=PROCESSORS, runtime=length, estimate=9))
    machine.env.run(until=1)
    Forecast(machine.scheduler, 1.0, exact=True).go_on()
    found["conditional"] = digest(played(random_tasks(8), spec_of("none", kills=True))[0])
    found["split"] = digest(tt.replay(log, "easy:runtime_limit=15s", PROCESSORS))
    user = tt.Profile(runtime=Uniform(0, 40), jobs=3, think_time=5, processors=2)
    users = tt.sources.campaigns({"ada": user, "bob": user}, 1, campaigns=20)
    found["planned"] = digest(tt.run(tt.MachineSpec(PROCESSORS), users))
    virtual = VirtualSchedule()
    virtual.prepare(["ada"], PROCESSORS)
    virtual.submit(0, now=0.0, work=60.0)
    found["virtual"] = list(virtual.projected().values())
    found["expected"] = expected_ends(log.submit, log.processors, log.runtime, 3, log.user, log.id).tolist()
    return found


CHANGING_SPECS = (
    "none", "no-guarantee", "easy", "easy:reservations=3", "conservative", "conservative:compress=scheduled",
    "easy:preempt=suspend,ranks=urgent:1,grace=2,victims=lowest", "easy:preempt=requeue,ranks=urgent:1",
)  # fmt: skip


BRIEF_CHANGING = ("easy",)
REPAIRS = "unknown", "told"
ON_NODES = 1
"""So many rules are also compiled on nodes that change; each takes half a minute."""


def changing(brief):
    """Digests on machines with windows, outages, checkpoints and preemption; one window never ends."""
    windows = [tt.Window(start, start + 9, 5, users=[1] if start % 40 else None) for start in range(20, 300, 20)]
    windows += [tt.Window(300, float("inf"), 4, announced=250)]
    outages = tt.Outages.of([(start, start + 7, f"{start % 7}-7") for start in range(5, 280, 11)])
    found = {}
    for k, spec in enumerate(BRIEF_CHANGING if brief else (*CHANGING_SPECS, looks_ahead)):
        more = {
            "checkpoint": 3,
            "cost": 0.5,
            "requeue_delay": 4.0 * (k % 2),
            "repairs": ("unknown", "told")[k // 2 % 2],
            "suspended_holds": "all",
        }
        env = simpy.Environment()
        machine = tt.Machine(env, PROCESSORS, spec, reasons=k == 2, changes=tt.Changes(windows, outages, **more))
        env.process(_on_changing(env, machine))
        env.run(until=9)
        Forecast(machine.scheduler, 9.0, by_estimates=True).go_on() if spec is not looks_ahead else None
        env.run()
        found[str(getattr(spec, "__name__", spec))] = digest(machine.result()) + machine.result().runs.to_csv()
    return found


def changing_nodes():
    """The same on nodes, with an endless window, nodes that fail, and jobs that are suspended."""
    names, found = [f"node{k}" for k in range(1, 5)], {}
    windows = [tt.Window(t, t + 9, names[t // 20 % 3 :][:2], users=[1] if t % 40 else None) for t in range(20, 300, 20)]
    windows += [tt.Window(300, float("inf"), names[:1], announced=250)]
    outages = tt.Outages.of([(start, start + 7, f"{start % 4}-3") for start in range(5, 280, 11)])
    specs = (
        "easy", "conservative", "easy:preempt=suspend,ranks=urgent:1,grace=2", "easy:reservations=3",
        "conservative:compress=scheduled", "ostrich-slurm", "easy:order=relshare,window=30s", looks_ahead,
    )  # fmt: skip
    for k, spec in enumerate(specs[:ON_NODES] if COMPILES else specs):
        more = {"repairs": REPAIRS[k % 2], "requeue_delay": 4.0 * (k // 2 % 2), "suspended_holds": "all"}
        changes = tt.Changes(windows, outages, **more)
        env, nodes = simpy.Environment(), tt.Nodes.uniform(4, 2, memory=4)
        machine = tt.Machine(env, policy=spec, nodes=nodes, reasons=k == 0, changes=changes)
        env.process(_on_changing(env, machine))
        env.run()
        found[f"{getattr(spec, '__name__', spec)} on nodes"] = digest(machine.result()) + machine.result().runs.to_csv()
    return found


def preempting():
    """Digests on the machines of a site that preempts, of processors and of nodes; they are not compiled."""
    low, high = Partition("low", default=True), Partition("high", tier=2)
    qos = (
        QOS("urgent", preempts=("normal", "brief", "paused")), QOS("normal"), QOS("brief", grace=2),
        QOS("paused", preempt_mode="suspend"),
    )  # fmt: skip
    rules = Preemption("qos", "requeue", gang=True, exempt_time=1, requeue_delay=4)
    site, found = Site(partitions=(low, high), qos=qos, preemption=rules, nodes=tt.Nodes.uniform(4, 2)), {}
    for machine in ({"processors": PROCESSORS}, {"nodes": site.nodes}):
        env = simpy.Environment()
        opened = tt.Machine(env, policy="slurm:bf_interval=0,order=lxf", site=site, **machine)
        env.process(_on_site(env, opened))
        env.run()
        found[f"preempting {[*machine]}"] = digest(opened.result())
    return found


def _on_site(env, machine):
    """Jobs of four QOS, those that may preempt others in a higher partition, or in two."""
    for i, (submit, width, runtime, estimate) in enumerate(zip(*_columns(workload()), strict=True)):
        yield env.timeout(max(submit - env.now, 0))
        queue = ("normal", "urgent", "paused", "brief", "urgent")[i % 5]
        partition = "low" if queue != "urgent" else ("high", "low,high")[i % 2]
        asked = {"processors": min(width, PROCESSORS)} if machine.nodes is None else {"nodes": f"{1 + i % 3}:ppn=2"}
        machine.submit(tt.Job(runtime=runtime, estimate=estimate, queue=queue, partition=partition, **asked))


def looks_ahead(view, now):
    """Start what fits, and send a job away if a smaller one could start at once."""
    starts = [job for job in view.queue if view.earliest(job) == now][:1]
    if not starts and view.queue and view.running and view.running[0].start < now and now % 3 == 0:
        victim = view.running[0]
        small = victim.row not in view.leaving and not view.admitted(victim) and victim.runs < 2
        return [view.preempt(victim, "requeue", grace=1)] if small else []
    return starts


def _on_changing(env, machine):
    """Jobs of three users, a third of them urgent, every sixth of which is withdrawn or cancelled."""
    for i, (submit, width, runtime, estimate) in enumerate(zip(*_columns(workload()), strict=True)):
        yield env.timeout(max(submit - env.now, 0))
        if width <= PROCESSORS:
            queue = "urgent" if i % 3 == 0 else None
            asked = {"processors": width}
            if machine.nodes is not None:
                asked = {
                    "nodes": ("1:ppn=2:mem=3", "3:ppn=1:mem=2", "2:ppn=1", "1:ppn=1+2:ppn=2", "2:ppn=1#excl")[i % 5]
                }
            job = tt.Job(runtime=runtime, estimate=estimate, **asked, user=i % 3, queue=queue)
            event = machine.submit(job)
            event.interrupted  # noqa: B018 - somebody asks
            if i % 6 == 5:
                yield env.timeout(1)
                event.cancel()


def _on_nodes(env, machine):
    """Jobs of all kinds, every sixth of which is withdrawn or cancelled."""
    kinds = ("1:ppn=2:mem=3", "2:ppn=2:cl_a", "3:ppn=1:mem=2#pack", "1:ppn=1#excl", "1:ppn=2+1:ppn=1:cl_b", "4:ppn=1")
    for i, (submit, _, runtime, estimate) in enumerate(zip(*_columns(workload()), strict=True)):
        yield env.timeout(max(submit - env.now, 0))
        event = machine.submit(tt.Job(runtime=runtime, estimate=estimate, nodes=kinds[i % 6], user=i % 3))
        if i % 6 == 5:
            yield env.timeout(1)
            event.cancel()


def kernels_of_the_package():
    """Every kernel, by its dotted name."""
    for module in pkgutil.iter_modules(kernels.__path__):
        importlib.import_module(f"{kernels.__name__}.{module.name}")
    return registry()


def used(profile):
    """The kernels that were called, and those that they would call, as compiling them finds out."""
    known = kernels_of_the_package()
    called = {entry.code for entry in profile.getstats()}
    found = [kernel for kernel in known.values() if kernel.__code__ in called]
    for kernel in found:  # which grows
        names, place = kernel.__code__.co_names, kernel.__globals__
        places = [place, *(vars(place[name]) for name in names if isinstance(place.get(name), ModuleType))]
        others = {id(place[name]) for place in places for name in names if name in place}
        found += [other for other in known.values() if id(other) in others and other not in found]
    return [name for name, kernel in known.items() if kernel in found]


if __name__ == "__main__":
    profile = cProfile.Profile(builtins=False)
    with nullcontext() if COMPILES else profile:
        brief = sys.argv[1:] == ["briefly"]
        done = {"schedules": schedules(BRIEF if brief else sys.argv[1:] or SPECS)}
        if brief or not sys.argv[1:]:
            done["nodes"] = on_nodes(brief) | changing(brief)
        if not sys.argv[1:]:
            done["nodes"] |= changing_nodes() | ({} if COMPILES else preempting())
    if COMPILES:
        done["compiled"] = sum(len(kernel.signatures) for kernel in kernels_of_the_package().values())
    else:
        done["known"], done["used"] = list(kernels_of_the_package()), used(profile)
    print(json.dumps(done))
