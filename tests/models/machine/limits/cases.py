"""Random sites with limits and jobs for them, for the twin and for the machine."""

import random
from collections.abc import Generator, Sequence
from typing import Any

import simpy

import thinktime as tt
from tests.models.machine.limits.rules_of_limits import Task
from thinktime.models.site.accounts import AccountTree, Association
from thinktime.models.site.limits import Limits
from thinktime.models.site.partitions import Partition
from thinktime.models.site.priority import PriorityRules
from thinktime.models.site.qos import QOS
from thinktime.models.site.site import Site
from thinktime.models.site.tres import Tres

PROCESSORS = 8
USERS, ACCOUNTS, QUALITIES, PARTITIONS = "abc", ("x", "y", "z"), ("q", "r", "s"), ("main", "fast")
OF_BOTH = {
    "max_jobs": [1, 2, 3], "max_submit": [2, 3, 5], "max_wall": [9, 15, 30], "max_tres": [2, 4, 6],
    "max_tres_seconds": [30, 60, 90], "group_jobs": [1, 2, 4], "group_submit": [3, 5, 7], "group_tres": [3, 5, 7],
    "group_tres_run_seconds": [30, 61, 90, 130], "group_tres_seconds": [13, 47, 83, 150], "group_wall": [7, 19, 41, 60],
}  # fmt: skip
OF_QOS = OF_BOTH | {
    "max_tres_per_user": [3, 5, 7], "max_tres_per_account": [3, 5, 7], "max_jobs_per_account": [1, 2, 3],
    "max_submit_per_account": [2, 3, 5],
}  # fmt: skip
FLAGS = ("DenyOnLimit", "OverPartQOS", "NoDecay")


def random_limits(luck: random.Random, kinds: dict[str, list[int]], count: int) -> Limits:
    """Some limits, of processors where they are of resources; numbers at which decays do not end are odd."""
    chosen = {name: luck.choice(kinds[name]) for name in luck.sample(list(kinds), count)}
    return Limits(**{name: Tres({"cpu": n}) if "tres" in name else n for name, n in chosen.items()})  # type: ignore[arg-type]


def random_site(luck: random.Random) -> Site:
    """A tree of three accounts, three users of some of them, three QOS, two partitions, and limits on all of these."""
    above = {"x": None, "y": luck.choice([None, "x"]), "z": luck.choice([None, "x", "y"])}
    members = [(account, user) for account in ACCOUNTS for user in USERS if luck.random() < 0.6] or [("x", "a")]
    associations = [Association("root", limits=_some(luck, OF_BOTH))]
    associations += [Association(each, parent=above[each], limits=_some(luck, OF_BOTH)) for each in ACCOUNTS]
    for account, user in members:
        associations.append(Association(account, user, limits=_some(luck, OF_BOTH)))
        if luck.random() < 0.1:
            associations.append(Association(account, user, partition="fast", limits=_some(luck, OF_BOTH)))
    qualities = [
        QOS(name, flags=frozenset(flag for flag in FLAGS if luck.random() < 0.3), limits=_some(luck, OF_QOS, 3))
        for name in QUALITIES
    ]
    qos_of = {name: luck.choice([None, *QUALITIES]) for name in PARTITIONS}
    longest = {name: luck.choice([None, None, 25]) for name in PARTITIONS}
    partitions = [
        Partition(name, default=name == "main", qos=qos_of[name], max_time=longest[name]) for name in PARTITIONS
    ]
    return Site(
        accounts=AccountTree(associations), qos=tuple(qualities), partitions=tuple(partitions),
        enforce=frozenset(["limits", *(["safe"] if luck.random() < 0.4 else [])]),
        enforce_partition_limits=luck.choice(["NO", "ALL"]),
        priority=PriorityRules(half_life=luck.choice([0, 0, 23, 57])),
    )  # fmt: skip


def _some(luck: random.Random, kinds: dict[str, list[int]], most: int = 2) -> Limits:
    return random_limits(luck, kinds, luck.choice([0, 0, *range(1, most + 1)]))


def random_tasks(luck: random.Random, site: Site, count: int = 18) -> list[Task]:
    """Jobs of users in accounts that they belong to; some have no length, some are killed at their estimates."""
    members = sorted({(each.account, each.user) for each in site.accounts if each.user is not None})
    tasks, time = [], 0.0
    for number in range(1, count + 1):
        time += luck.choice([0, 0, 1, 2, 5, 0.25])
        runtime = luck.choice([0, 1, 3, 6, 10, 17])
        estimate = max(1, runtime + luck.choice([-2, 0, 0, 1, 8, 12]))
        account, user = luck.choice(members)
        width = luck.choice([1, 1, 2, 3, 5, 8])
        labels = (user, account, luck.choice(QUALITIES), luck.choice(PARTITIONS))
        tasks.append(Task(number, time, width, runtime, estimate, *labels))
    return tasks


def spec_of(site: Site | None, policy: Any, **options: Any) -> tt.MachineSpec:
    """A machine of the site, of processors unless nodes are given."""
    size = {} if "nodes" in options else {"processors": options.pop("processors", PROCESSORS)}
    return tt.MachineSpec(policy=policy, site=site, **size, **options)


def as_trace(tasks: Sequence[Task]) -> tt.Trace:
    """The jobs as a log whose numbers have names."""
    sets = {"user": USERS, "group": ACCOUNTS, "queue": QUALITIES, "partition": PARTITIONS}
    of_task = {"user": "user", "group": "account", "queue": "qos", "partition": "partition"}
    columns: dict[str, list[float]] = {
        "id": [each.id for each in tasks],
        "submit": [each.submit for each in tasks],
        "runtime": [each.runtime for each in tasks],
        "requested_time": [each.estimate for each in tasks],
        "requested_processors": [each.processors for each in tasks],
    }
    for column, names in sets.items():
        columns[column] = [names.index(getattr(each, of_task[column])) for each in tasks]
    return tt.Trace(columns, names={column: dict(enumerate(names)) for column, names in sets.items()})


def replayed(tasks: Sequence[Task], spec: tt.MachineSpec) -> Any:
    """What a log of the jobs gives: by leaps."""
    return tt.replay(as_trace(tasks), spec)


def submitted(tasks: Sequence[Task], spec: tt.MachineSpec) -> Any:
    """What users who submit the jobs get; each waits for its jobs, so that the machine stops to tell."""
    env = simpy.Environment()
    machine = spec.open(env)

    def user(name: str) -> Generator[simpy.Event, Any, None]:
        for task in tasks:
            if task.user == name:
                if task.submit > env.now:
                    yield env.timeout(task.submit - env.now)
                labels = {"user": task.user, "group": task.account, "queue": task.qos, "partition": task.partition}
                size = {"runtime": task.runtime, "processors": task.processors, "estimate": task.estimate}
                job = tt.Job(id=task.id, **size, **labels)
                machine.submit(job).callbacks.append(lambda event: None)

    for name in sorted({task.user for task in tasks}):
        env.process(user(name))
    env.run()
    return machine.result()


def outcomes(result: Any) -> list[tuple[Any, ...]]:
    """Of each job its number, start, end and state."""
    jobs = result.jobs.sort_values("id")
    rows = jobs[["id", "start", "end", "state"]].itertuples(index=False)
    return [(number, *(None if time != time else time for time in times), state) for number, *times, state in rows]


def expected(tasks: Sequence[Task]) -> list[tuple[Any, ...]]:
    """The same of the twin's jobs."""
    return [(each.id, each.start, each.until, each.state) for each in sorted(tasks, key=lambda each: each.id)]
