"""The boundary of knowledge: what a policy sees, and what it cannot find out."""

import types

import numpy as np
import pytest
import simpy

import thinktime as tt
from thinktime import Job
from thinktime.models.engine.structure import Structure
from thinktime.models.engine.truth import Truth
from thinktime.models.jobs.columns import Outcomes
from thinktime.models.jobs.pool import Pool
from thinktime.models.machine.scheduler import Scheduler

SECRETS = [123456.789, 4321.123]
ON_GRID = [round(secret * 1024) / 1024 for secret in SECRETS]
LEADS_THERE = (Pool, Outcomes, Scheduler, Truth, tt.Machine, simpy.Event, simpy.Environment)
CODE = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.CodeType)


def neighbours(thing):
    """Everything that an attribute, an item or an array's base leads to."""
    if isinstance(thing, types.MethodType):
        yield thing.__self__
    elif isinstance(thing, np.ndarray):
        yield thing.base
    elif isinstance(thing, dict):
        yield from thing
        yield from thing.values()
    elif isinstance(thing, list | tuple | set | frozenset):
        yield from thing
    elif isinstance(thing, Structure):
        yield from (getattr(thing, name, None) for name in dir(thing) if not name.startswith("__"))
    elif type(thing).__name__ == "_memoryviewslice":  # what Python sees of an array of compiled code
        yield np.asarray(thing)
    elif not isinstance(thing, str | bytes | int | float | memoryview | None | np.generic | np.dtype):
        yield from vars(thing).values() if hasattr(thing, "__dict__") else ()
        for name in dir(thing):
            if not name.startswith("__"):
                yield getattr(thing, name, None)


def reachable(root):
    """All objects that can be reached from one, code and classes left out."""
    seen, todo = {}, [root]
    while todo:
        thing = todo.pop()
        if id(thing) in seen or isinstance(thing, CODE):
            continue
        seen[id(thing)] = thing
        todo.extend(neighbours(thing))
    return list(seen.values())


def gives_away(things):
    """What among some objects is a true run time or end, or leads there."""
    truth = [start + secret for secret in ON_GRID for start in (0.0, 10.0)]
    for thing in things:
        if isinstance(thing, np.ndarray):
            found = thing.dtype.kind == "f" and np.isin(truth, thing).any()
        elif isinstance(thing, float):
            found = thing in truth
        else:
            found = isinstance(thing, LEADS_THERE)
        if found:
            yield thing


class Spy:
    """Looks at everything it can get hold of, at every call."""

    def __init__(self):
        self.found, self.looked = [], 0

    def copy(self):
        return self

    def look(self, *things):
        for thing in things:
            reached = reachable(thing)
            self.looked += len(reached)
            self.found += gives_away(reached)

    on_end = on_withdraw = on_submit = on_start = lambda self, view, rows, now: self.look(view, rows)

    def select(self, view, now):
        self.look(view, view.queue, view.running, view.columns(view.waiting), view.expected_ends())
        self.look(view.columns(view.running_rows))
        return view.queue[:1] if view.free and now in (0, 10) else None

    def next_clock(self, now):
        return now + 10 if now < 200 else float("inf")


@pytest.mark.parametrize("overrun", ["kill", "until_needed"])
def test_nothing_reachable_from_a_view_is_a_true_run_time(overrun):
    """A walk over all attributes, items and bases from a view meets no run time, no true end, and no machine."""
    env = simpy.Environment()
    machine = tt.Machine(env, 4, spy := Spy(), overrun)
    for secret in SECRETS:
        machine.submit(Job(user="ada", processors=2, runtime=secret, estimate=200000))
    machine.submit_campaign([Job(user="bob", runtime=SECRETS[0], estimate=300)]).jobs[0].cancel()
    env.run(until=400)
    assert spy.found == []
    assert spy.looked > 1000


def test_the_walk_would_find_a_secret():
    """The walk itself reaches arrays behind views, items of containers, and slots."""

    class Slotted:
        __slots__ = ("kept",)

        def method(self):
            return self.kept

    holder = Slotted()
    holder.kept = simpy.Environment()
    behind = np.array([0.0, ON_GRID[0], 7.0])[:1]
    assert len(list(gives_away(reachable({"a": [behind]})))) == 1
    assert holder.kept in list(gives_away(reachable(holder.method)))


def test_a_request_shows_what_its_owner_said():
    """Names and numbers of a request are those of the job; the run time is not among them."""
    env = simpy.Environment()
    seen = []

    def policy(view, now):
        for job in view.queue:
            seen.append((job.id, job.user, job.group, job.queue, job.processors, job.estimate, job.submit))
            seen.append((job.memory, job.campaign, job.think_time, job.start == job.start))
            with pytest.raises(AttributeError, match="a request has no 'runtime'; it has id, user"):
                _ = job.runtime
            with pytest.raises(AttributeError, match="no column 'runtime'"):
                _ = view.columns(view.waiting).runtime
            assert not hasattr(view.requests, "runtime") and not hasattr(view, "outcomes")
        return view.queue

    machine = tt.Machine(env, 4, policy)
    machine.submit(
        Job(user="ada", group="maths", queue=3, processors=2, runtime=5, estimate=60, memory=1e6, think_time=4)
    )
    env.run()
    assert seen == [(1, "ada", "maths", 3, 2, 60, 0), (1e6, -1, 4, False)]


def test_a_view_shows_the_running_jobs_by_expected_end():
    """Running jobs come with their starts and the ends that their estimates promise."""
    env = simpy.Environment()
    seen = []

    def policy(view, now):
        seen.append((now, view.free, [(job.id, job.start, job.expected_end) for job in view.running]))
        seen.append(view.expected_ends().tolist())
        return view.queue if view.free >= 2 else None

    machine = tt.Machine(env, 4, policy, "extend")
    machine.submit(Job(processors=1, runtime=50, estimate=20))
    machine.submit(Job(processors=1, runtime=5, estimate=10))
    env.run(until=1)
    machine.submit(Job(processors=1, runtime=50, estimate=9))
    env.run(until=30)
    machine.submit(Job(runtime=1))
    env.run(until=31)
    assert seen == [
        (0, 4, []), [], (1, 2, [(2, 0, 10), (1, 0, 20)]), [10, 20], (30, 2, [(3, 1, 10), (1, 0, 20)]), [31, 31],
    ]  # fmt: skip


def test_overrunning_jobs_count_as_free_where_they_can_be_evicted():
    """Under ``until_needed`` a view's free processors include those of jobs beyond their estimates."""
    env = simpy.Environment()
    seen = []

    def policy(view, now):
        seen.append((now, view.free, view.skip))
        return view.queue

    machine = tt.Machine(env, 4, policy, "until_needed")
    machine.submit(Job(processors=3, runtime=50, estimate=5))
    for time in (2, 5, 6):
        env.run(until=time)
        machine.submit(Job(processors=1, runtime=1))
    env.run()
    assert seen == [(0, 4, 0), (2, 1, 0), (5, 4, 1), (6, 4, 1)]


def test_views_of_two_machines_are_apart():
    """A policy on one machine sees nothing of the other."""
    env = simpy.Environment()
    seen = []

    def policy(view, now):
        seen.append([(job.id, job.user) for job in view.queue])
        return view.queue

    for name in ("ada", "bob"):
        tt.Machine(env, 4, policy).submit(Job(user=name, runtime=5))
    env.run()
    assert seen == [[(1, "ada")], [(1, "bob")]]


def test_a_policy_cannot_change_a_request():
    """A policy proposes and the machine validates, so a policy that makes jobs narrower must not get away with it."""
    env = simpy.Environment()

    def cheat(view, now):
        view.requests.processors[view.waiting] = 1
        return view.queue

    machine = tt.Machine(env, 4, cheat)
    for _ in range(4):
        machine.submit(Job(processors=4, runtime=5))
    with pytest.raises(ValueError):
        env.run()
