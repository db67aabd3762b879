"""Parallel jobs: the same priorities, with EASY or in strict order; nothing is promised but the order."""

import numpy as np
import pytest
import simpy
from hypothesis import given, settings
from hypothesis import strategies as st

import thinktime as tt
from tests.how_many import few_or_many
from thinktime.models.policies.ostrich.campaigns import admit

PROCESSORS = 8


def watched(cls):
    """A policy that notes for each pass: the queue in order of priority, free processors, running jobs, starts."""

    class Watched(cls):
        def __init__(self, **options):
            super().__init__(**options)
            self.passes = []

        def select(self, view, now):
            ends = sorted(zip(view.expected_ends().tolist(), view.running_rows.tolist(), strict=True))
            free, jobs = view.free, view.requests
            admit(view.trusted().state, self._rule(view), now, view.waiting.copy())
            order = self.virtual.line.tolist()
            rows = np.asarray(super().select(view, now)).tolist()
            sizes = {row: (int(jobs.processors[row]), float(jobs.estimate[row])) for row in order}
            held = [(end, int(jobs.processors[row])) for end, row in ends]
            self.passes.append((now, free, order, sizes, held, rows))
            return rows

    return Watched


def easy(now, free, order, sizes, held):
    """EASY straight from its contract: who starts, in which order."""
    started = []
    while len(started) < len(order) and sizes[order[len(started)]][0] <= free:
        n, estimate = sizes[order[len(started)]]
        free -= n
        held = [*held, (now + estimate, n)]
        started.append(order[len(started)])
    if started == order:
        return started
    head, *later = order[len(started) :]
    need, idle = sizes[head][0], free
    for shadow in sorted({end for end, _ in held}):
        idle = free + sum(n for end, n in held if end <= shadow)
        if idle >= need:
            break
    extra = idle - need
    for row in later:
        n, estimate = sizes[row]
        if n > free:
            continue
        if now + estimate > shadow:
            if n > extra:
                continue
            extra -= n
        free -= n
        started.append(row)
    return started


@st.composite
def crowds(draw):
    """Campaigns (user, submit, jobs) of jobs (processors, run, estimate)."""
    job = st.tuples(st.integers(1, PROCESSORS), st.integers(0, 9), st.sampled_from([0, 0, 2, 9]))
    jobs = st.lists(job, min_size=1, max_size=5)
    return draw(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 20), jobs), min_size=1, max_size=8))


def run(crowd, policy):
    env = simpy.Environment()
    machine = tt.Machine(env, PROCESSORS, policy)

    def owner(name, submit, jobs):
        yield env.timeout(submit)
        machine.submit_campaign(
            [
                tt.Job(runtime=length, processors=n, estimate=max(length, 1) + more, user=name)
                for n, length, more in [(PROCESSORS // 2 + 1, 3, 0), *jobs]
            ]
        )

    for campaign in crowd:
        env.process(owner(*campaign))
    env.run()
    return machine


@pytest.mark.parametrize("how_many", few_or_many(6, 40))
@pytest.mark.parametrize("within", ["lpt", "spt", "fcfs"])
@pytest.mark.parametrize("name", ["OStrich", "OStrichSlurm", "FairCamp"])
def test_with_easy_the_most_urgent_jobs_start_and_the_first_that_does_not_fit_is_not_delayed(name, within, how_many):
    """Each pass is EASY over the jobs of all ready campaigns, the most urgent campaign first; capacity is kept."""

    @settings(max_examples=how_many, deadline=None, derandomize=True, database=None)
    @given(crowds())
    def check(crowd):
        machine = run(crowd, watched(getattr(tt.policies, name))(within=within))
        assert (machine.result()["state"] == tt.State.FINISHED).all()
        for now, free, order, sizes, held, rows in machine.policy.passes:
            assert rows == easy(now, free, order, sizes, held), now

    check()


@pytest.mark.parametrize("how_many", few_or_many(12, 60))
@pytest.mark.parametrize("name", ["OStrich", "OStrichSlurm", "FairCamp"])
def test_without_backfilling_no_job_passes_another(name, how_many):
    """With ``backfilling=none`` exactly those at the head of the order start that fit."""

    @settings(max_examples=how_many, deadline=None, derandomize=True, database=None)
    @given(crowds())
    def check(crowd):
        machine = run(crowd, watched(getattr(tt.policies, name))(backfilling="none"))
        for _, free, order, sizes, _, rows in machine.policy.passes:
            taken = np.cumsum([sizes[row][0] for row in order])
            assert rows == order[: int((taken <= free).sum())]

    check()


def test_virtual_work_counts_processors():
    """The virtual work of a job counts its processors."""
    machine = run([], "ostrich")
    machine.submit_campaign([tt.Job(runtime=6, processors=4, user="ada")])
    second = machine.submit_campaign([tt.Job(runtime=1, processors=4, user="ada")])
    machine.env.run()
    assert [job.start for job in second.value.jobs] == [3]


def test_the_head_of_the_queue_is_the_most_urgent_job_that_does_not_fit():
    """EASY reserves for the most urgent job that does not fit."""
    env = simpy.Environment()
    machine = tt.Machine(env, 4, "ostrich:within=fcfs")
    machine.submit(tt.Job(runtime=4, processors=3, user="cy"))
    env.run(until=1)
    bob = machine.submit_campaign([tt.Job(runtime=2, processors=4, user="bob")])
    ada = machine.submit_campaign([tt.Job(runtime=6, user="ada"), tt.Job(runtime=3, user="ada")])
    env.run()
    assert [job.start for job in bob.value.jobs] == [4]
    assert [job.start for job in ada.value.jobs] == [6, 1]
