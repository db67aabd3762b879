"""Policies of one's own that choose sizes: what they see, what the machine does, and what it refuses."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import simpy

import thinktime as tt
from tests.models.machine.cuts import going_on
from tests.models.shapes.test_states import random_jobs
from thinktime.models.site.limits import Limits
from thinktime.models.site.qos import QOS
from thinktime.workloads.shapes.shape import Shape

MACHINES = {"processors": {"processors": 8}, "nodes": {"nodes": tt.Nodes.uniform(8, processors=1)}}


class Sizing(tt.policies.Policy):
    """A policy of one's own that chooses sizes, by a function of the view."""

    resizes = True
    knows_interruptions = True

    def __init__(self, choose: Any) -> None:
        self.choose = choose

    def select(self, view, now):
        """As the function says."""
        return self.choose(view, now)


def _run(policy: Any, jobs: list[tuple[float, tt.Job]], **machine: Any) -> list[tuple[Any, ...]]:
    """The stages of the runs: job, start, end, processors."""
    env = simpy.Environment()
    made = tt.Machine(env, policy=policy, **(machine or MACHINES["processors"]))

    def submit() -> Any:
        for time, job in jobs:
            yield env.timeout(time - env.now)
            made.submit(job)

    env.process(submit())
    env.run()
    runs = made.result().runs
    return list(zip(*(runs[name].tolist() for name in ("job", "start", "end", "processors")), strict=True))


def _job(runtime: float, sizes: Any, **more: Any) -> tt.Job:
    return tt.Job(runtime=runtime, processors=sizes, **more)


@pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES)
def test_jobs_start_with_the_size_that_is_proposed(machine):
    """Half of the reference size takes twice as long; a job without another size has its own."""
    narrow = Sizing(lambda view, now: [(job, job.sizes[0]) for job in view.queue])
    assert _run(narrow, [(0, _job(100, (2, 4, 8))), (0, _job(10, 4))], **machine) == [(1, 0, 200, 2), (2, 0, 10, 4)]


@pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES)
def test_running_jobs_shrink_for_the_head_and_grow_again(machine):
    """8 of 8 until 20, when 4 are needed for 10 s: 320 of 800 s are done in 40, and the rest is on 8 from 30 on."""

    def choose(view, now):
        for job in view.queue:
            if view.fits(job):
                yield job
            else:
                yield from (view.resize(each, 4) for each in view.running if view.resizable(each))
                return
        for job in view.running:
            if view.resizable(job) and not view.queue and view.free >= 4 and job.processors < job.sizes[-1]:
                yield view.resize(job, job.sizes[-1])

    found = _run(Sizing(choose), [(0, _job(100, (2, 8, 8))), (20, _job(10, 4))], **machine)
    assert found == [(1, 0, 20, 8), (1, 20, 30, 4), (1, 30, 105, 8), (2, 20, 30, 4)]


def test_what_requests_say_of_sizes_is_what_users_believe():
    """Sizes, the believed speed, and whether the size may change; never the true speed-up."""
    seen = []

    def choose(view, now):
        seen.extend((job.sizes, job.malleable, [job.speed(n) for n in job.sizes]) for job in view.queue)
        with pytest.raises(ValueError, match=r"job 1 cannot have 3 processors; its sizes are 2, 4"):
            view.request(view.waiting[0]).speed(3)
        return view.queue

    shaped = tt.Job(runtime=10, shape="2 4 speedup=amdahl(0.5) believes=linear kind=moldable")
    _run(Sizing(choose), [(0, shaped), (0, _job(10, 2))])
    assert seen == [((2, 4), False, [0.5, 1.0]), ((2,), False, [1.0])]
    seen.clear()
    tt.replay(tt.Trace({"submit": [0], "runtime": [9], "allocated": [2]}), lambda view, now: _note(seen, view.queue), 4)
    assert seen == [((2,), 1.0)], "where no user chooses sizes, jobs have one"


def _note(seen, queue):
    seen.extend((job.sizes, job.speed(job.sizes[0])) for job in queue)
    return queue


WRONG = {
    "no size": (lambda view, now: [(view.queue[0], 3)], "start job 1 on 3 processors, but its sizes are 2, 4"),
    "no number": (lambda view, now: [(view.queue[0], "all")], "on 'all' processors, but its sizes are 2, 4, 8"),
    "a triple": (lambda view, now: [(view.queue[0], 2, 4)], "must propose rows"),
    "too many": (lambda view, now: [(job, 8) for job in view.queue], "on 8 processors at 0 s, but only 0 are free"),
    "twice": (lambda view, now: [*((job, 2) for job in view.queue), (view.queue[0], 4)], "start job 1 at 0 s twice"),
    "a size to ask of": (lambda view, now: view.fits(view.queue[0], processors=3) or [], "1 cannot have 3 processors"),
    "one that waits": (lambda view, now: [view.resize(view.queue[0], 2)], "resize job 1 at 0 s, which does not run"),
    "the same": (lambda view, now: _all(view, 4), "resize job 1 to 4 processors at 5 s, which it has"),
    "no room": (lambda view, now: _all(view, 8), "from 4 to 8 processors at 5 s, for which there is no room"),
    "resized twice": (lambda view, now: [*_all(view, 2), *_all(view, 2)][: 2 + int(now)], "twice, or to leave as well"),
}  # fmt: skip


def _all(view, size):
    """All start, or those that run are to have a size."""
    return [view.resize(job, size) for job in view.running] or view.queue


@pytest.mark.parametrize(("choose", "says"), WRONG.values(), ids=WRONG)
def test_what_cannot_be_gets_one_sentence(choose, says):
    """The machine vets, and names the policy, the job, the time and what would be right."""
    jobs = [(0.0, tt.Job(runtime=100, shape="2 4 8 preferred=4"))] * 2 + [
        (5.0, tt.Job(runtime=1, shape="2 4 preferred=4"))
    ]
    with pytest.raises(ValueError, match=says):
        _run(Sizing(choose), jobs)


@pytest.mark.parametrize("wrong", [lambda view, now: [(view.queue[0], 2)], lambda view, now: [view.resize(0, 2)]])
def test_a_policy_says_that_it_chooses_sizes(wrong):
    """Else the machine has no sizes."""
    for machine in ({}, {"changes": tt.Changes()}):
        with pytest.raises(tt.PolicyError, match="proposed a size, so it has to say resizes = True"):
            _run(wrong, [(0, _job(9, (1, 2, 4)))], processors=8, **machine)


def test_no_limit_is_passed_by_growing():
    """A user who may have 6 processors at once, and has 4, grows to 6, and 8 is no size; two jobs grow for one of them.

    Beside another job on 2, one on 4 does not.
    """
    site = tt.Site(
        nodes=tt.Nodes.uniform(8, processors=1), enforce=frozenset({"limits", "qos"}),
        qos=(QOS("normal", limits=Limits(max_tres_per_user={"cpu": 6})),),
    )  # fmt: skip

    def run(most, *sizes):
        def choose(view, now):
            yield from ((job, job.sizes[0]) for job in view.queue if view.fits(job, processors=job.sizes[0]))
            yield from (view.resize(job, most) for job in view.running if job.processors < most and now > 50)

        def submit(env, machine):
            for each in sizes:
                machine.submit(tt.Job(runtime=100, processors=each, user="ada"))
            yield env.timeout(50)
            machine.submit(tt.Job(runtime=1, user="bob"))

        return tt.run(replace(tt.MachineSpec.of_site(site), policy=Sizing(choose)), submit).runs

    assert run(6, (4, 4, 8))["processors"].tolist() == [4, 6, 1]
    with pytest.raises(tt.PolicyError, match="on 8 processors, but its sizes are 4, 5, 6"):
        run(8, (4, 4, 8))
    with pytest.raises(tt.PolicyError, match="from 4 to 6 processors at 51 s, for which there is no room"):
        run(6, (4, 4, 8), (2, 2, 6))
    found = run(4, (2, 2, 4), (2, 2, 4))
    assert found["processors"].tolist() == [2, 4, 2, 4, 1]
    assert found["start"][3] == found["end"][1] == 75.5, "one of them grows when the other is over"


def test_a_number_behind_a_job_is_a_time_or_a_size():
    """Where jobs have sizes, it has to say which; elsewhere it is a time, and there is one."""
    job, answers = [(0, _job(10, (2, 4, 8)))], []

    def named(view, now):
        first = view.queue[0]
        answers.append([view.fits(first, processors=8), view.fits(first, at=4), view.fits(first, at=4, processors=8)])
        return view.queue

    _run(Sizing(named), job)
    assert answers == [[True, True, True]]
    with pytest.raises(TypeError, match=r"in view.fits\(job, 4\), 4 may be a time or a size: say at=4 or processors=4"):
        _run(Sizing(lambda view, now: [job for job in view.queue if view.fits(job, 4)]), job)
    with pytest.raises(TypeError, match=r"view.fits\(job, …\) takes one time, at=SECONDS"):
        _run(lambda view, now: [job for job in view.queue if view.fits(job, 4, at=5)], job)
    assert _run(lambda view, now: [job for job in view.queue if view.fits(job, 4)], job) == [(1, 0, 10, 4)]


class Charging(tt.policies.Policy):
    """Whoever keeps accounts: what jobs have used, by starts, ends and resizes."""

    resizes = True

    def __init__(self, choose: Any) -> None:
        self.choose, self.used, self.since, self.heard = choose, 0.0, {}, []  # type: ignore[var-annotated]

    def copy(self):
        """The same accounts."""
        return self

    def select(self, view, now):
        """As the function says."""
        return self.choose.select(view, now)

    def on_start(self, view, rows, now):
        """From now on."""
        self.since |= {row: (now, view.request(row).processors) for row in rows.tolist()}

    def on_end(self, view, rows, now):
        """Until now."""
        for row in rows.tolist():
            begin, processors = self.since.pop(row)
            assert processors == view.request(row).processors
            self.used += (now - begin) * processors

    on_interrupt, on_resizing = on_end, on_end

    def on_resize(self, view, rows, now):
        """With another size, or the promise of one."""
        self.heard += [(view.request(row).id, now) for row in rows.tolist()]
        self.on_start(view, rows, now)


@pytest.mark.parametrize("machine", [{}, {"failures": tt.Failures("200", "20", seed=2), "on_failure": "shrink"}])
def test_whoever_keeps_accounts_is_told_of_resizes(machine):
    """Also of those of evolving jobs and of jobs that lose processors: what was charged is what was used."""
    policy = Charging(Whatever(3, False))
    shapes = [
        Shape("1-8*2", 4, cost=3, notice=4), Shape("1-8*2", 4), Shape("1-8*2", 4, kind="evolving", asks="0.3:2 0.6:8")
    ]  # fmt: skip
    jobs = [(4.0 * i, tt.Job(runtime=10.0 + i, shape=shapes[i % 3])) for i in range(30)]
    env = simpy.Environment()
    made = tt.Machine(env, 8, policy, changes=tt.Changes(**machine))
    env.process(going_on(jobs)(env, made))
    env.run()
    runs = made.result().runs
    assert policy.used == pytest.approx(((runs["end"] - runs["start"]) * runs["processors"]).sum())
    resized = runs["how"] == "resized"
    assert resized.sum() > 10
    assert set(zip(runs["job"][resized], runs["end"][resized], strict=True)) <= set(policy.heard)


def test_what_is_proposed_after_the_starts_is_of_them_too():
    """Who starts what fits and then lets the oldest grow is `shapes` with these options, stage by stage."""

    class Growing(Sizing):
        def reshape(self, view, now):
            left = view.free
            for job in sorted(view.running, key=lambda job: (began[job.id], job.id)):
                for size in reversed(job.sizes):
                    if 0 < size - job.processors <= left and view.resizable(job, size):
                        left -= size - job.processors
                        yield view.resize(job, size)
                        break

        def on_start(self, view, rows, now):
            began.update((view.request(row).id, now) for row in rows)

    began, resized = dict[int, float](), 0
    for seed in range(5):
        found = []
        for policy in (
            Growing(lambda view, now: filter(view.fits, view.queue)),
            "shapes:expand=oldest,base=no-guarantee",
        ):
            runs = tt.run(tt.MachineSpec(16, policy), going_on(random_jobs(seed, 40))).runs
            found.append(runs[["job", "start", "end", "processors", "how"]])
        assert found[0].equals(found[1])
        resized += (runs["how"] == "resized").sum()
    assert resized > 10
    with pytest.raises(tt.PolicyError, match=r"proposed 3 in reshape at 0 s, but must propose view.resize\(job, proc"):
        wrong = Sizing(lambda view, now: view.queue)
        wrong.reshape = lambda view, now: [3]  # type: ignore[method-assign, assignment]
        _run(wrong, [(0, _job(10, (2, 4, 8)))])


class Whatever:
    """A policy that starts and resizes jobs as a coin falls, and yields nonsense now and then."""

    resizes = True
    knows_interruptions = True

    def __init__(self, seed: int, nonsense: bool) -> None:
        self.luck, self.nonsense = np.random.default_rng(seed), nonsense

    def copy(self):
        """The same dice."""
        return self

    def select(self, view, now):
        """Start what fits with some size, and resize some of the others."""
        for job in view.queue:
            size = int(self.luck.choice(job.sizes))
            if self.nonsense and self.luck.random() < 0.02:
                yield self.luck.choice(
                    [(job, 2**62), (job, -1), (job.row, 0.5), (2**70, 1), view.resize(job, 1), (job, None)]
                )
            if view.fits(job, processors=size) and (self.luck.random() < 0.9 or view.earliest(job, size) == now):
                yield job, size
        grown = False
        for job in view.running:
            size = int(self.luck.choice(job.sizes))
            if self.nonsense and self.luck.random() < 0.02:
                yield view.resize(job, int(self.luck.choice([0, -5, 999, 2**40])))
            if view.resizable(job, size) and (size < job.processors or not grown):
                grown = grown or size > job.processors
                yield view.resize(job, size)


@pytest.mark.parametrize("machine", ["processors", "nodes", "windows"])
@pytest.mark.parametrize("nonsense", [False, True])
def test_whatever_sizes_are_chosen_the_machine_is_sound(machine, nonsense):
    """Random sizes, and nonsense, which gets errors in Python; what all results must have is checked for each."""
    where: dict[str, Any] = dict(MACHINES.get(machine, MACHINES["processors"]))
    if machine == "windows":
        where["changes"] = tt.Changes(windows=[tt.Window(100, 140, 4)])
    rng, refused, resized = np.random.default_rng(7), 0, 0
    for seed in range(8 if nonsense else 4):
        jobs = []
        for time in np.sort(rng.integers(0, 300, 25)).tolist():
            costs = f"cost={rng.choice([0, 3])} notice={rng.choice([0, 4])} gap={rng.choice([0, 20])}"
            shape = f"1-8*2 preferred={rng.choice([1, 2, 4])} speedup={rng.choice(['linear', 'amdahl(0.2)'])} {costs}"
            jobs.append((float(time), tt.Job(runtime=float(rng.integers(1, 90)), estimate=60, shape=shape)))
        try:
            found = _run(Whatever(seed, nonsense), jobs, **where)
            resized += len(found) - 25
            for each in range(1, 26):
                assert {size for job, _, _, size in found if job == each} <= {1, 2, 4, 8}
        except (tt.PolicyError, TypeError, ValueError, IndexError, OverflowError):
            refused += 1
            assert nonsense
    assert resized > 25 if not nonsense else refused > 2
