"""Nominal submission times: when users would submit their campaigns if each had a machine of P processors.

Campaign i of a user takes fᵢ on the private machine and is followed by a think time zᵢ. The first one is
submitted at t₁, the others at tᵢ₊₁ = tᵢ + fᵢ + zᵢ. The last submission of user u is then at A + B, with A = t₁
+ Σ fᵢ and B = Σ zᵢ over all campaigns but the last. With think times multiplied by c it is at A + c B, so the
log ends at T for c = min (T − A) / B over the users.

If users think by a clock of their own (`cycles`), tᵢ₊₁ comes from that clock, to the second, and c is found
numerically.

The private machine schedules by Graham's list scheduling: whenever processors are free, the first job of the list that
fits starts. Campaigns that fit as a whole start at once and need no simulation.

Everything here is ours: the paper simulates users in the loop and needs no nominal times.
"""

import heapq
from collections import defaultdict, deque
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from thinktime.workloads import checks
from thinktime.workloads.arrays import AnyArray, Floats, Whole
from thinktime.workloads.generators.cycles import PLAIN, UserClock
from thinktime.workloads.generators.job_streams import Draft


@dataclass(frozen=True, slots=True)
class Plan:
    """Who submits what.

    Per campaign: `starts` (row of its first job), `owner`, `before` (the owner's previous campaign; −1: none) and
    `thought` (the think time before it in s, by `clock`; for a first campaign, its submission time). Per job:
    `runtime` (s) and `processors`.
    """

    starts: Whole
    owner: Whole
    before: Whole
    thought: Floats
    runtime: Floats
    processors: Whole
    clock: UserClock = PLAIN

    def with_think_times(self, factor: float) -> "Plan":
        """The plan with think times multiplied by `factor`, in whole seconds; first submissions are kept."""
        scaled = np.where(self.before < 0, self.thought, np.rint(factor * self.thought))
        return replace(self, thought=scaled)


def nominal(plan: Plan, processors: int, per_campaign: Mapping[str, Whole]) -> Draft:
    """The jobs in order of nominal submission, with job numbers and fields 17 and 18."""
    jobs = len(plan.runtime)
    campaign = np.repeat(np.arange(len(plan.starts)), np.diff(plan.starts, append=jobs))
    ends = campaign_ends(plan.runtime, plan.processors, plan.starts, processors)
    flow = np.maximum.reduceat(ends, plan.starts)
    begin = submissions(plan, flow)
    submit = begin[campaign]
    # With a plain clock this equals the think time.
    thought = begin - (begin + flow)[np.maximum(plan.before, 0)]
    order = np.argsort(submit, kind="stable")
    number = 1 + np.argsort(order)
    before = plan.before[campaign]
    more: dict[str, AnyArray] = {name: values[campaign] for name, values in per_campaign.items()}
    more["preceding"] = np.where(before < 0, -1, number[_last_to_end(ends, campaign)[before]])
    more["think_time"] = np.where(before < 0, np.nan, thought[campaign])
    columns = {name: values[order] for name, values in more.items()}
    return Draft(submit[order], plan.runtime[order], plan.processors[order], columns)


def submissions(plan: Plan, flow: Floats) -> Floats:
    """When each campaign is submitted, if campaign i lasts `flow[i]`."""
    # A campaign comes after its owner's previous one, so one pass in order is enough.
    times: list[float] = []
    plain, later, lasting = plan.clock.plain, plan.clock.later, flow.tolist()
    for before, thought in zip(plan.before.tolist(), plan.thought.tolist(), strict=True):
        since = 0.0 if before < 0 else times[before] + lasting[before]
        times.append(since + thought if plain else max(since, float(round(later(since, thought)))))
    return np.array(times)


def at_load(plan: Plan, processors: int, load: float | None) -> tuple[Plan, float]:
    """The plan with the think times that give an offered load (None: its own), and the factor on them."""
    factor = 1.0 if load is None else think_factor(plan, processors, load)
    return plan if load is None else plan.with_think_times(factor), factor


def think_factor(plan: Plan, processors: int, load: float) -> float:
    """The factor on think times with which the jobs offer a given load."""
    checks.positive("load", load, "a fraction of the machine above 0")
    ends = campaign_ends(plan.runtime, plan.processors, plan.starts, processors)
    flow = np.maximum.reduceat(ends, plan.starts)
    if not plan.clock.plain:
        return _by_clock(plan, flow, processors, load)
    work = submissions(plan.with_think_times(0.0), flow)
    thinking = submissions(replace(plan, thought=np.where(plan.before < 0, 0.0, plan.thought)), 0 * flow)
    total = float((plan.runtime * plan.processors).sum())
    target = work.min() + total / (processors * load)
    return _factor(work, thinking, float(target), total / processors, load)


def _factor(work: Floats, thinking: Floats, target: float, area: float, load: float) -> float:
    thinks = thinking > 0
    if work.max() > target:
        raise _too_high(area / (work.max() - work.min()), load)
    if not thinks.any():
        raise _unchangeable(load)
    return float(((target - work[thinks]) / thinking[thinks]).min())


def _by_clock(plan: Plan, flow: Floats, processors: int, load: float) -> float:
    """The factor if users think by a clock of their own."""
    from scipy.optimize import brentq

    area = float((plan.runtime * plan.processors).sum()) / processors

    def beyond(factor: float) -> float:
        return float(np.ptp(submissions(plan.with_think_times(factor), flow))) - area / load

    low, high = 0.0, 1.0
    if (shortest := beyond(low)) > 0:
        raise _too_high(area / (shortest + area / load), load)
    if not plan.thought[plan.before >= 0].any():
        raise _unchangeable(load)
    while beyond(high) < 0:
        low, high = high, 2 * high
    return float(brentq(beyond, low, high, rtol=1e-9))


def _too_high(most: float, load: float) -> ValueError:
    return ValueError(
        f"load must be at most {most:.4g} (these users without think times), not {load:g}; take more users"
    )


def _unchangeable(load: float) -> ValueError:
    return ValueError(f"load cannot be {load:g}: there are no think times to scale; take fewer users")


def _last_to_end(ends: Floats, campaign: Whole) -> Whole:
    """The row of the job that ends last in each campaign; at a tie, the first of them."""
    order = np.lexsort((np.arange(len(ends)), -ends, campaign))
    first = np.ones(len(order), dtype=np.bool_)
    first[1:] = np.diff(campaign[order]) > 0
    return order[first]


def campaign_ends(runtimes: Floats, sizes: Whole, starts: Whole, processors: int) -> Floats:
    """The end of each job (s), with each campaign on its own machine from time 0.

    `starts` is the row of each campaign's first job, ascending from 0.
    """
    ends = runtimes.copy()
    bounds = [*starts.tolist(), len(runtimes)]
    for campaign in np.flatnonzero(np.add.reduceat(sizes, starts) > processors).tolist():
        rows = slice(bounds[campaign], bounds[campaign + 1])
        ends[rows] = list_schedule(runtimes[rows], sizes[rows], processors)
    return ends


def list_schedule(runtimes: Floats, sizes: Whole, processors: int) -> list[float]:
    """The ends (s) of jobs that are all submitted at time 0, in the order of the list.

    >>> list_schedule(np.array([3.0, 5.0, 2.0]), np.array([1, 2, 1]), 2)
    [3.0, 8.0, 2.0]
    """
    waiting: dict[int, deque[int]] = defaultdict(deque)
    for place, size in enumerate(sizes.tolist()):
        waiting[size].append(place)
    times, ends = runtimes.tolist(), [0.0] * len(runtimes)
    running: list[tuple[float, int]] = []
    now, free = 0.0, processors
    while any(waiting.values()):
        while fitting := [(places[0], size) for size, places in waiting.items() if places and size <= free]:
            place, size = min(fitting)
            waiting[size].popleft()
            free -= size
            ends[place] = now + times[place]
            heapq.heappush(running, (ends[place], size))
        now = running[0][0]
        while running and running[0][0] == now:
            free += heapq.heappop(running)[1]
    return ends
