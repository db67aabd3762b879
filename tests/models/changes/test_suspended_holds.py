"""Suspended jobs that keep their processors, held against the twin and against a count of what is kept."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest
import simpy

import thinktime as tt
from tests.how_many import few_or_many
from tests.models.changes.case import Case, Job, Node, Options, Outage, describe
from tests.models.changes.engine import engine
from tests.models.changes.twin import twin
from thinktime.models.policies.spec import as_policy
from thinktime.workloads.nodes import Nodes

RANKS = tuple((f"q{rank}", rank) for rank in range(1, 6))
"""Many ranks, so that jobs which preempt others are preempted in their turn."""


def deep_cases(seed: object, count: int, nodes: bool) -> Iterator[Case]:
    """Cases in which chains of suspended jobs form."""
    for number in range(count):
        rng = Random(f"deep {seed}/{number}")
        machine = tuple(Node(rng.choice((2, 4)), 8) for _ in range(rng.randint(1, 3))) if nodes else rng.choice((4, 8))
        jobs = tuple(_job(rng, number, machine) for number in range(1, rng.choice((8, 14)) + 1))
        outages = tuple(
            Outage(s, s + rng.randint(1, 5), frozenset([0])) for s in (rng.randint(3, 20),) * (rng.random() < 0.4)
        )
        options = Options(
            rule="easy", n=rng.choice((1, 1, 2, 3)), preempt="suspend", ranks=RANKS, grace=rng.choice((0, 0, 1, 3)),
            victims=rng.choice(("youngest", "lowest")), exempt=rng.choice((0, 0, 1)), suspended_holds="all",
            restart=rng.choice((0, 1)), overrun=rng.choice(("kill", "extend")), max_restarts=rng.choice((None, 2)),
            requeue_delay=rng.choice((0, 0, 2)),
        )  # fmt: skip
        yield Case(machine, jobs, outages=outages, options=options)


def _job(rng: Random, number: int, machine: int | tuple[Node, ...]) -> Job:
    run = rng.randint(0, 15)
    job = Job(
        number, rng.randint(0, 25), 1, run, max(1, run + rng.choice((0, 0, 2, 5, -2))), queue=f"q{rng.randint(0, 5)}"
    )
    if isinstance(machine, int):
        return replace(job, width=rng.randint(1, machine))
    cores = rng.randint(1, max(node.cores for node in machine))
    wide = rng.randint(1, sum(node.cores >= cores for node in machine))
    return replace(job, width=wide, cores=cores, memory=rng.choice((0, 0, 1)))


@pytest.mark.parametrize("observed", [False, True], ids=["leaps", "step by step"])
@pytest.mark.parametrize("nodes", [False, True], ids=["pool", "nodes"])
@pytest.mark.parametrize("how_many", few_or_many(7, 40))
def test_chains_of_suspended_jobs(nodes, observed, how_many):
    """Every start, end and place is the twin's, and in half of the cases not what it is if processors are free."""
    differ = 0
    for case in deep_cases(nodes, how_many, nodes):
        expected = twin(case)
        assert engine(case, observed) == expected, describe(case)
        differ += twin(replace(case, options=replace(case.options, suspended_holds="memory"))) != expected
    assert differ >= how_many / 2


class Swapping:
    """A policy of one's own that now and then suspends a job for another, and else lets a ready rule decide.

    It counts by itself what is kept, and by whom.
    """

    knows_interruptions = True

    def __init__(self, rule: str, seed: object) -> None:
        self.rule, self.rng, self.kept, self.swaps = as_policy(rule), Random(f"{seed}"), {}, 0

    def select(self, view, now):
        """A job that the rule starts, or one that leaves for another."""
        running, waiting = [job.row for job in view.running], [job.row for job in view.queue]
        self.kept = {row: by for row, by in self.kept.items() if row in waiting}
        assert self.used(view, running) <= view.capacity
        victims = [job.row for job in view.running if job.start < now and job.row not in view.leaving]
        if victims and waiting and self.rng.random() < 0.4:
            victim, by = self.rng.choice(victims), self.rng.choice([*waiting, None])
            self.kept[victim], self.swaps = by, self.swaps + 1
            return [view.preempt(victim, "suspend", by=by)]
        starts = self.rule.select(view, now)
        assert all(view.fits(row) for row in starts[:1].tolist())
        return starts

    def used(self, view, running) -> int:
        """What running jobs use, and what is kept beside."""
        wide = view.requests.processors

        def footprint(row: int) -> int:
            return max(int(wide[row]), sum(footprint(k) for k, by in self.kept.items() if by == row))

        present = {*running, *self.kept}
        return sum(map(footprint, running)) + sum(footprint(k) for k, by in self.kept.items() if by not in present)


@pytest.mark.parametrize("rule", ["none", "no-guarantee", "easy", "easy:reservations=2", "conservative-dynamic"])
@pytest.mark.parametrize("nodes", [False, True], ids=["pool", "nodes"])
@pytest.mark.parametrize("how_many", few_or_many(3, 12))
def test_a_policy_of_ones_own(rule, nodes, how_many):
    """Ready rules inside it leave kept processors alone, and never propose what does not fit beside them."""
    swaps = 0
    for seed in range(how_many):
        rng, env = Random(f"{rule} {seed}"), simpy.Environment()
        size = {"nodes": Nodes.uniform(2, 4)} if nodes else {"processors": 8}
        machine = tt.Machine(env, policy=Swapping(rule, seed), changes=tt.Changes(suspended_holds="all"), **size)

        def users(env=env, machine=machine, rng=rng):
            for _ in range(25):
                width = f"{rng.randint(1, 2)}:ppn={rng.randint(1, 4)}" if nodes else None
                wide = {"nodes": width} if nodes else {"processors": rng.randint(1, 8)}
                machine.submit(tt.Job(runtime=rng.randint(1, 20), **wide))
                yield env.timeout(rng.randint(0, 4))

        env.process(users())
        env.run(until=2000)
        assert (machine.result()["end"] > 0).all(), "every job is over"
        swaps += machine.policy.swaps
    assert swaps > 20


def test_without_a_preemptor_all_others_are_kept_out():
    """The room of a suspended job is for its preemptor; without one, for no other."""
    starts = {}
    for by in ("urgent", None):
        env = simpy.Environment()

        def select(view, now, by=by):
            urgent = next((job for job in view.queue if job.queue == "urgent"), None)
            if urgent and view.running and view.running[0].queue != "urgent":
                return [view.preempt(view.running[0], "suspend", by=urgent if by else None)]
            return [job for job in sorted(view.queue, key=lambda job: job.queue != "urgent") if view.fits(job)][:1]

        machine = tt.Machine(env, 4, select, changes=tt.Changes(suspended_holds="all"))
        machine.submit(tt.Job(runtime=10, processors=3))
        env.run(until=2)
        machine.submit(tt.Job(runtime=5, processors=2, queue="urgent"))
        env.run()
        starts[by] = machine.result().runs["start"].tolist()
    assert starts == {"urgent": [0, 7, 2], None: [0, 2, 10]}


def test_a_start_in_what_is_kept_is_refused():
    """A proposal that takes what a suspended job keeps does not fit."""
    env = simpy.Environment()

    def select(view, now):
        if view.running and now > 0:
            return [view.preempt(view.running[0], "suspend")]
        return view.queue[-1:]

    machine = tt.Machine(env, 4, select, changes=tt.Changes(suspended_holds="all"))
    machine.submit(tt.Job(runtime=10, processors=3))
    env.run(until=2)
    machine.submit(tt.Job(runtime=5, processors=2))
    with pytest.raises(tt.PolicyError, match="proposed to start job 2 on 2 processors at 2 s"):
        env.run()
