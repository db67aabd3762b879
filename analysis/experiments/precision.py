"""Seeds until a wanted precision is reached: round by round, so that it does not matter who makes the runs.

A round is whole before it is asked which points need more seeds, so the answer depends on results alone. All
policies of a point get the same seeds (common random numbers): as many as the one that needs most, yet at
most twice as many as before, since a small pilot may be off.
"""

from __future__ import annotations

from collections.abc import Mapping

from thinktime.analysis.experiments import plan
from thinktime.analysis.experiments.scenario import Scenario
from thinktime.analysis.experiments.store import Store
from thinktime.analysis.statistics import replications_needed


def needed(scenario: Scenario, store: Store, given: Mapping[int, int]) -> dict[int, int]:
    """The points that need more seeds than they have had, by their number, with how many."""
    if scenario.precision is None:
        return {}
    more = {}
    for number, point in enumerate(plan.points(scenario)):
        resolved = scenario.resolved(point)
        seeds = plan.seeds_at(scenario, resolved, number, given)
        if resolved.random and len(seeds) < scenario.precision.most:
            wanted = max(_wanted(scenario, store, policy, point, seeds) for policy in scenario.policies)
            if wanted > len(seeds):
                more[number] = min(wanted, 2 * len(seeds), scenario.precision.most)
    return more


def most(scenario: Scenario) -> dict[int, int]:
    """The most seeds that any point can get."""
    if scenario.precision is None:
        return {}
    largest = max(scenario.precision.most, len(scenario.all_seeds))
    return {number: largest for number, _ in enumerate(plan.points(scenario))}


def _wanted(
    scenario: Scenario, store: Store, policy: str, point: dict[str, object], seeds: tuple[int, ...]
) -> int:
    """How many seeds one policy needs at one point; as many as it has, where its values cannot say."""
    precision = scenario.precision
    assert precision is not None
    found = (store.metrics(plan.key_of(policy, point, seed)).get(precision.metric) for seed in seeds)
    values = [value for value in found if value is not None]
    if len(values) < 2 or (precision.relative is not None and not sum(values)):
        return len(seeds)
    lost = len(seeds) - len(values)
    return lost + replications_needed(
        values, absolute=precision.absolute, relative=precision.relative, confidence=precision.confidence
    )
