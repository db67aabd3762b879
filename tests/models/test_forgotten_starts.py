"""Results tell what a policy in Python has forgotten, and say nothing of those that hold back on purpose."""

import itertools
import re

import pytest
import simpy

import thinktime as tt
from tests.models.plain_policies import busy_log, one_at_a_time, whatever_fits
from thinktime import Changes, Job, Machine, Nodes, PolicyError


def machine(policy):
    env = simpy.Environment()
    return env, Machine(env, 8, policy)


def test_a_list_that_asked_for_each_job_alone_is_told_how():
    """`fits` cannot count what is not yet yielded."""
    env, opened = machine(lambda view, now: [job for job in view.queue if view.fits(job)])
    for _ in range(3):
        opened.submit(Job(runtime=1, processors=4))
    with pytest.raises(PolicyError, match=r"yields its jobs one by one, view.fits\(job\) counts those before"):
        env.run()


def test_none_is_said_once():
    """A forgotten yield: nothing runs, and the policy gives None."""

    def forgot(view, now):
        for job in view.queue:
            view.fits(job)

    env, opened = machine(forgot)
    for _ in range(2):
        opened.submit(Job(runtime=1))
    env.run()
    opened.submit(Job(runtime=1))
    env.run()
    [note] = [note for note in opened.result().notes if "None" in note]
    left = "3 jobs are left in the queue: the policy starts none of them, though nothing runs"
    assert note.startswith(f"{left} (it returned None at 0 s, although 2 jobs waited and nothing ran: ")


def test_none_is_said_of_jobs_that_start_later():
    """The jobs have started, but the policy has forgotten something once."""
    env, opened = machine(lambda view, now: list(view.queue) if now else None)
    opened.submit(Job(runtime=1))
    env.run(until=5)
    opened.submit(Job(runtime=1))
    env.run()
    [note] = opened.result().notes
    assert re.match("policy .* returned None at 0 s, although 1 job waited and nothing ran", note)


def test_none_is_an_answer_while_jobs_run():
    """Nothing is said of a policy that gives None when nothing fits."""

    def select(view, now):
        return next(([job] for job in view.queue if view.fits(job)), None)

    env, opened = machine(select)
    for _ in range(2):
        opened.submit(Job(runtime=1, processors=8))
    env.run()
    assert opened.result().notes == []


def burst(policy, **given):
    log = tt.Trace({"submit": [0, 0, 0, 0], "runtime": [10] * 4, "allocated": [1] * 4})
    return tt.replay(log, policy, 4, **given)


@pytest.mark.parametrize("given", [{}, {"changes": Changes()}, {"nodes": Nodes.uniform(4, processors=1)}])
def test_a_policy_that_starts_one_job_at_each_event_is_told(given):
    """Four jobs on four processors start at 0, 10, 20 and 30; the note has the count and the first time."""
    if "nodes" in given:
        given = given | {"processors": None}
    log = tt.Trace({"submit": [0, 0, 0, 0], "runtime": [10] * 4, "allocated": [1] * 4})
    result = tt.replay(log, one_at_a_time, given.pop("processors", 4), **given)
    assert result["start"].tolist() == [0.0, 10.0, 20.0, 30.0]
    [note] = [note for note in result.notes if "idle" in note]
    assert note.startswith(
        "policy one_at_a_time left processors idle on which the head of the queue would have fitted, 3 times (first at "
        "0 s), and started waiting jobs there at the next instant, never more than one job at once"
    )


def shortest_alone(view, now):
    jobs = sorted(view.queue, key=lambda job: job.estimate)
    return [job for job in jobs if view.fits(job)][:1]


def first_two(view, now):
    return itertools.islice(whatever_fits(view, now), 2)


@pytest.mark.parametrize("policy", [one_at_a_time, shortest_alone, first_two])
def test_policies_that_start_a_few_jobs_at_a_time_are_told(policy):
    """On a log with bursts, too, and whatever the order."""
    assert any("idle on which the head" in note for note in tt.replay(busy_log(), policy, 8).notes)


class Held:
    """Policies that let processors idle on purpose."""

    def day_and_night(view, now):
        """Jobs of more than a minute start in every second hour only."""
        for job in view.queue:
            if view.fits(job) and (job.estimate <= 60 or now // 3600 % 2):
                yield job

    def strict(view, now):
        """The user with the lowest number is next, and none overtakes."""
        for job in sorted(view.queue, key=lambda job: job.user):
            if not view.fits(job):
                return
            yield job

    def at_most_two(view, now):
        """Of each user."""
        users = [job.user for job in view.running]
        for job in view.queue:
            if users.count(job.user) < 2 and view.fits(job):
                users.append(job.user)
                yield job

    def in_batches(view, now):
        """Once at least three wait."""
        if len(view.queue) > 2:
            yield from whatever_fits(view, now)

    def easy(view, now):
        """The head has a reservation."""
        waiting = view.queue
        while waiting and view.fits(waiting[0]):
            yield waiting.pop(0)
        if waiting:
            shadow = view.earliest(waiting[0])
            for job in waiting[1:]:
                if view.fits(job) and now + job.estimate <= shadow:
                    yield job


@pytest.mark.parametrize("name", [name for name in vars(Held) if not name.startswith("_")])
def test_nothing_is_said_of_policies_that_hold_back_on_purpose(name):
    """They start several jobs at once when they do."""
    assert [note for note in tt.replay(busy_log(), getattr(Held, name), 8).notes if "idle" in note] == []


@pytest.mark.parametrize("policy", ["fcfs", "easy", "sjf", "conservative", "slack", whatever_fits])
def test_nothing_is_said_of_ready_rules(policy):
    """And of a policy that starts what fits."""
    assert [note for note in tt.replay(busy_log(), policy, 8).notes if "idle" in note] == []
