"""What a policy of one's own sees of a machine that changes, and what it may propose."""

import pytest
import simpy

from thinktime.models.jobs.refusing import PolicyError
from thinktime.models.machine.changing.rules import Changes
from thinktime.models.machine.machine import Machine
from thinktime.workloads.changes.outages import Outages
from thinktime.workloads.changes.windows import Window
from thinktime.workloads.job import Job


def machine(policy, changes=None, processors=10):
    env = simpy.Environment()
    return env, Machine(env, processors, policy, changes=Changes() if changes is None else changes)


def submit_at(env, opened, *jobs):
    """Submit pairs of (time, Job)."""
    for time, job in jobs:
        env.process(_later(env, opened, time, job))


def _later(env, opened, time, job):
    yield env.timeout(time)
    opened.submit(job)


def test_the_view_knows_announced_windows_and_what_is_up():
    """A window is seen from its announcement to its end, an outage only while it lasts."""
    seen = {}

    def select(view, now):
        seen[now] = (view.up, view.free, [(w.start, w.end, w.processors, w.kind) for w in view.windows])
        return [job for job in view.queue if view.fits(job)][:1]

    window = Window(20, 30, 4, announced=10)
    changes = Changes(windows=(window,), outages=Outages.of([(12, 15, "0-1")]))
    env, opened = machine(select, changes)
    submit_at(env, opened, (0, Job(runtime=5, processors=10)), (1, Job(runtime=40, processors=7)))
    env.run()
    known = (20.0, 30.0, 4, "maintenance")
    assert seen[0.0] == (10, 10, [])
    assert seen[5.0] == (10, 10, [])
    assert opened.result()["start"].tolist() == [0.0, 5.0]
    env, opened = machine(select, changes)
    submit_at(env, opened, (9, Job(runtime=40, processors=7)))
    seen.clear()
    env.run()
    assert seen[9.0][2] == []
    assert opened.result().runs["how"].tolist() == ["failed", "finished"]
    assert seen[12.0] == (8, 8, [known]), "the job is interrupted, and two processors are down"
    assert seen[15.0] == (10, 10, [known])
    assert seen[20.0] == (10, 6, [known])
    assert opened.result().runs["start"].tolist() == [9.0, 30.0], "it would reach into the window"


def test_fits_and_earliest_look_at_running_jobs_and_windows():
    """The earliest start of the worked example 1: after the window, or before it if the job touches it only."""
    answers = []

    def select(view, now):
        answers.append([(view.fits(job), view.fits(job, at=150), view.earliest(job)) for job in view.queue])
        return []

    env, opened = machine(select, Changes(windows=(Window(100, 150, 10),)))
    submit_at(env, opened, (0, Job(runtime=100, processors=4)), (0, Job(runtime=101, processors=4)))
    env.run(until=1)
    assert answers[-1] == [(True, True, 0.0), (False, True, 150.0)]


def test_a_proposal_that_reaches_into_a_window_names_it():
    """A real controller would not start such a job either."""
    env, opened = machine(lambda view, now: view.queue, Changes(windows=(Window(50, 60, 8),)))
    opened.submit(Job(runtime=80, processors=4))
    with pytest.raises(PolicyError, match="a window of 8 processors from 50 to 60 s does not leave it room"):
        env.run()


def test_a_policy_sends_a_job_away():
    """At 10 the large job makes room for the small one, keeps its work, and goes on after it."""

    def select(view, now):
        starts = [job for job in view.queue if view.fits(job)]
        if now == 10 and view.running[0].id == 1:
            return [view.preempt(view.running[0], "suspend"), *view.queue]
        return starts[:1]

    env, opened = machine(select)
    submit_at(env, opened, (0, Job(runtime=30, processors=8)), (10, Job(runtime=5, processors=8)))
    env.run()
    runs = opened.result().runs
    assert list(zip(runs["start"], runs["end"], runs["how"], strict=True)) == [
        (0.0, 10.0, "preempted"), (15.0, 35.0, "finished"), (10.0, 15.0, "finished")
    ]  # fmt: skip
    assert runs["progress"].tolist() == [10.0, 20.0, 5.0]


def test_under_notice_a_job_works_on():
    """With a grace of 4 s the job leaves at 14; until then policies see it among those leaving."""
    leaving = []

    def select(view, now):
        leaving.append((now, view.leaving.tolist()))
        if now == 10:
            return [view.preempt(view.running[0], "requeue", grace=4)]
        return [job for job in view.queue if view.fits(job)][:1]

    env, opened = machine(select)
    submit_at(env, opened, (0, Job(runtime=30, processors=8)), (10, Job(runtime=5, processors=8)))
    env.run()
    assert (14.0, []) in leaving
    assert opened.result().runs["end"].tolist()[0] == 14.0


@pytest.mark.parametrize(
    ("when", "message"), [(0, "which does not run"), (10, "which is under notice already, or starts now")]
)
def test_who_may_not_be_sent_away(when, message):
    """Waiting jobs, and a job twice."""

    def select(view, now):
        if now == when:
            job = view.queue[0] if when == 0 else view.running[0]
            return [view.preempt(job, grace=5), view.preempt(job, grace=5)]
        return view.queue

    env, opened = machine(select)
    submit_at(env, opened, (0, Job(runtime=30, processors=8)), (10, Job(runtime=1, processors=2)))
    with pytest.raises(PolicyError, match=message):
        env.run()


def test_preempting_needs_a_machine_that_can():
    """Without changes, a machine keeps no accounts of runs."""
    env = simpy.Environment()
    opened = Machine(env, 4, lambda view, now: [view.preempt(0)])
    opened.submit(Job(runtime=1))
    with pytest.raises(PolicyError, match="changes=Changes"):
        env.run()


def test_hooks_are_called_in_order():
    """on_interrupt, on_requeue for those that go on, on_end only when a job is over, on_change for every change."""
    from thinktime.models.policies.base import Policy

    calls = []

    class Listening(Policy):
        def select(self, view, now):
            return [job for job in view.queue if view.fits(job)][:1]

        def on_interrupt(self, view, rows, now):
            calls.append(("interrupt", now, rows.tolist()))

        def on_requeue(self, view, rows, now):
            calls.append(("requeue", now, rows.tolist()))

        def on_change(self, view, now):
            calls.append(("change", now))

        def on_end(self, view, rows, now):
            calls.append(("end", now, rows.tolist()))

    env, opened = machine(Listening(), Changes(outages=Outages.of([(4, 6, "0")])), processors=2)
    opened.submit(Job(runtime=5, processors=2))
    opened.submit(Job(runtime=5, processors=2, requeue=False))
    env.run()
    assert calls == [
        ("interrupt", 4.0, [0]), ("requeue", 4.0, [0]), ("change", 4.0), ("change", 6.0), ("end", 11.0, [0]),
        ("end", 16.0, [1]),
    ]  # fmt: skip


def test_users_hear_of_interruptions():
    """`.interrupted` gives the next interruption, each time anew; the job's own event comes at its end."""
    heard = []

    def user(env, opened):
        job = opened.submit(Job(runtime=10))
        heard.append((yield job.interrupted))
        again = job.interrupted
        record = yield job
        heard.append((again.triggered, record.end))

    env, opened = machine("easy", Changes(outages=Outages.of([(4, 6, "0")]), checkpoint=3), processors=1)
    env.process(user(env, opened))
    env.run()
    assert (heard[0].at, heard[0].why, heard[0].lost) == (4.0, "failure", 1.0)
    assert heard[1] == (False, 13.0)


def test_windows_and_failures_can_be_added_while_the_machine_runs():
    """A process announces a window at 5 and breaks a processor at 20."""

    def operator(env, opened):
        yield env.timeout(5)
        opened.add_window(Window(10, 12, 4))
        yield env.timeout(15)
        opened.fail([0], until=22)

    env, opened = machine("easy", processors=4)
    env.process(operator(env, opened))
    submit_at(env, opened, (0, Job(runtime=30, processors=2)), (6, Job(runtime=5, processors=1)))
    env.run()
    runs = opened.result().runs
    assert list(zip(runs["job"], runs["start"], runs["end"], runs["how"], strict=True)) == [
        (1, 0.0, 10.0, "window"), (1, 12.0, 20.0, "failed"), (1, 20.0, 50.0, "finished"), (2, 12.0, 17.0, "finished")
    ]  # fmt: skip
