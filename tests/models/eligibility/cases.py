"""Random jobs with conditions, for the twin and for the machine."""

import copy
import random
from collections.abc import Generator
from typing import Any

import simpy

import thinktime as tt
from tests.models.eligibility.twin import Task, Wish
from thinktime import Job
from thinktime.models.site.site import Site

PROCESSORS = 5


def random_tasks(seed: int) -> list[Task]:
    """Up to twenty jobs; some wait for others that were submitted before or at the same time."""
    luck, tasks = random.Random(seed), []
    arrays: list[list[Task]] = []
    time, number = 0.0, 1
    while number <= 16:
        time += luck.choice([0, 0, 1, 3, 8])
        count = luck.choice([1, 1, 1, 1, 3, 4])
        first = _one(luck, number, time)
        _tie(luck, first, tasks, arrays)
        made = [copy.deepcopy(first) for _ in range(count)]
        at_most = luck.choice([1, 2, 9])
        before = luck.choice(arrays) if arrays and luck.random() < 0.4 else []
        for k, each in enumerate(made):
            each.id = number + k
            if count > 1:
                each.array, each.at_most = number, at_most
                if len(before) >= count and not each.any_of:
                    each.wishes.append(Wish("aftercorr", [before[k].id]))
            else:
                each.cancelled = time + luck.randrange(1, 40) if luck.random() < 0.1 else each.cancelled
        if count > 1:
            arrays.append(made)
        tasks += made
        number += count
    return tasks


def _one(luck: random.Random, number: int, time: float) -> Task:
    runtime = luck.choice([0, 2, 5, 9, 14])
    estimate = max(1, runtime + luck.choice([-3, 0, 0, 2, 6]))
    task = Task(number, time, runtime, estimate, luck.randrange(1, PROCESSORS + 1))
    task.user, task.fails = luck.choice("ab"), luck.random() < 0.15
    task.name = luck.choice([None, None, "x", "y"])
    task.begin = time + luck.randrange(1, 30) if luck.random() < 0.15 else 0.0
    task.released = time + luck.randrange(1, 30) if luck.random() < 0.1 else 0.0
    if not task.released and luck.random() < 0.15:
        task.hold = (time + luck.randrange(1, 20), time + luck.randrange(20, 40))
    return task


def _tie(luck: random.Random, task: Task, tasks: list[Task], arrays: list[list[Task]]) -> None:
    """Let a job depend on some."""
    if not tasks or luck.random() < 0.4:
        return
    task.any_of = luck.random() < 0.3
    for _ in range(luck.choice([1, 1, 2, 3])):
        kind = luck.choice(["after", "after", "afterany", "afterok", "afterok", "afternotok", "singleton"])
        if kind == "singleton":
            if task.name is not None:
                task.wishes.append(Wish(kind, []))
            continue
        named = luck.choice(arrays) if arrays and luck.random() < 0.3 else [luck.choice(tasks)]
        if len(named) == 1 and named[0].array == named[0].id and luck.random() < 0.5:
            named = [each for each in tasks if each.array == named[0].array]
        delay = 60.0 if kind == "after" and luck.random() < 0.3 else 0.0
        task.wishes.append(Wish(kind, [each.id for each in named], delay))


def text_of(task: Task, tasks: list[Task]) -> str | None:
    """The dependencies of a job as Slurm writes them."""
    first = {each.array: each.id for each in reversed(tasks) if each.array is not None}
    parts = []
    for wish in task.wishes:
        if wish.kind == "singleton":
            parts.append("singleton")
            continue
        named = next(each for each in tasks if each.id == wish.jobs[0])
        if wish.kind == "aftercorr":
            number = str(first[named.array])
        elif len(wish.jobs) == 1 and named.array is not None:
            number = f"{first[named.array]}_{named.id - first[named.array] + 1}"
        else:
            number = str(wish.jobs[0])
        parts.append(f"{wish.kind}:{number}{'+1' if wish.delay else ''}")
    return ("?" if task.any_of else ",").join(parts) or None


def job_of(task: Task, tasks: list[Task]) -> Job:
    """The job as a user submits it; one of an array without its number."""
    return Job(
        runtime=task.runtime,
        processors=task.width,
        estimate=task.estimate,
        user=task.user,
        id=task.id,
        name=task.name,
        begin=task.begin,
        held=task.released > task.submit,
        depends=text_of(task, tasks),
        fails=task.fails,
    )


def played(tasks: list[Task], spec: tt.MachineSpec) -> tuple[Any, list[Any]]:
    """The result of live users who submit the jobs, and all that they were told, in order."""
    env, told = simpy.Environment(), []
    machine = spec.open(env)

    def user() -> Generator[simpy.Event, Any, None]:
        for task in tasks:
            if task.submit > env.now:
                yield env.timeout(task.submit - env.now)
            if task.array is None:
                react(task, machine.submit(job_of(task, tasks)))
            elif task.array == task.id:
                jobs = [job_of(each, tasks) for each in tasks if each.array == task.array]
                array = machine.submit_array(jobs, at_most=task.at_most)
                for each, event in zip(range(len(jobs)), array.jobs, strict=True):
                    react(tasks[tasks.index(task) + each], event)

    def react(task: Task, event: Any) -> None:
        event.callbacks.append(lambda done: told.append((env.now, done.value.id, done.value.state.label)))
        if task.released > task.submit:
            env.process(later(task.released, event.release))
        if task.hold is not None:
            env.process(later(task.hold[0], event.hold))
            env.process(later(task.hold[1], event.release))
        if task.cancelled < float("inf"):
            env.process(later(task.cancelled, event.cancel))

    def later(time: float, call: Any) -> Generator[simpy.Event, Any, None]:
        yield env.timeout(time - env.now)
        call()

    env.process(user())
    env.run()
    return machine.result(), told


def spec_of(policy: str, kills: bool = False, **options: Any) -> tt.MachineSpec:
    """A machine under a policy; the site only says what becomes of jobs that can never be eligible."""
    site = Site(kill_invalid_dependencies=True) if kills else None
    return tt.MachineSpec(options.pop("processors", PROCESSORS), policy, site=site, **options)
