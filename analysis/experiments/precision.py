"""Add seeds, in rounds, until a wanted precision is reached.

A round is complete before it is decided which points need more seeds, so the decision depends on the results alone
and not on the executor. All policies of a point get the same seeds (common random numbers): as many as the policy
that needs most, but at most twice as many as before, since a small pilot may mislead.
"""

from __future__ import annotations

from collections.abc import Mapping

from thinktime.analysis.experiments import plan
from thinktime.analysis.experiments.scenario import Scenario
from thinktime.analysis.experiments.store import Store
from thinktime.analysis.statistics import replications_needed


def needed(scenario: Scenario, store: Store, given: Mapping[int, int]) -> dict[int, int]:
    """The number of seeds of each point that needs more of them, by the index of the point."""
    if scenario.precision is None:
        return {}
    more = {}
    for number, point in enumerate(scenario.points()):
        resolved = scenario.resolved(point)
        seeds = plan.seeds_at(scenario, resolved, number, given)
        if resolved.random and len(seeds) < scenario.precision.most:
            wanted = max(_wanted(scenario, store, policy, point, seeds) for policy in scenario.policies)
            if wanted > len(seeds):
                more[number] = min(wanted, 2 * len(seeds), scenario.precision.most)
    return more


def most(scenario: Scenario) -> dict[int, int]:
    """The largest number of seeds that each point can get."""
    if scenario.precision is None:
        return {}
    largest = max(scenario.precision.most, len(scenario.all_seeds))
    return {number: largest for number, _ in enumerate(scenario.points())}


def _wanted(
    scenario: Scenario, store: Store, policy: str, point: dict[str, object], seeds: tuple[int, ...]
) -> int:
    """How many seeds a policy needs at a point; the present number if its values do not tell."""
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
