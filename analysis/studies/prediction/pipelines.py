"""Persons who submit the next campaign before the last one has ended."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np
import simpy

import thinktime as tt
from thinktime.users import draws

PARTS = ("runtime", "jobs", "think_time", "processors", "overestimate", "first")
FLYING = 2
"""Campaigns in flight at which a person waits for one of them."""


def pipelining(
    env: simpy.Environment, machine: tt.Machine, name: int, seed: Sequence[int], profile: tt.Profile
) -> Generator[simpy.Event, Any, None]:
    """A person as a process: think after each submission, and wait only while two campaigns are in flight.

    So the next campaign is prepared while the last one waits or runs, and is submitted a think time after that one, or
    when the one before it ends.
    """
    numbers = {part: draws(getattr(profile, part), tt.stream(seed, name, part), part) for part in PARTS}
    flying: list[simpy.Event] = []
    yield env.timeout(next(numbers["first"]))
    while True:
        flying.append(submit_campaign(machine, name, numbers, int(next(numbers["jobs"]))))
        yield env.timeout(next(numbers["think_time"]))
        flying = [each for each in flying if not each.processed]
        while len(flying) >= FLYING:
            yield simpy.AnyOf(env, flying)
            flying = [each for each in flying if not each.processed]


def submit_campaign(machine: tt.Machine, name: int, numbers: Mapping[str, Iterator[float]], count: int) -> simpy.Event:
    """Submit a campaign of so many jobs; the event of its end."""
    runtime, factor, width = (
        np.array(list(islice(numbers[part], count))) for part in ("runtime", "overestimate", "processors")
    )
    rows = machine.load_jobs(name, count, runtime=runtime, estimate=runtime * factor, processors=width.astype(np.int64))
    over = machine.watch(rows)
    machine.submit_rows(rows)
    return over
