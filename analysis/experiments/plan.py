"""The runs of a scenario: every point of the sweep, policy and seed, each with a key.

Seeds are added, in rounds, until a wanted precision is reached. A round is complete before it is decided which points
need more seeds, so the decision depends on the results alone and not on the executor. All policies of a point get the
same seeds (common random numbers): as many as the policy that needs most, but at most twice as many as before, since a
small pilot may mislead.
"""

import hashlib
import itertools
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from thinktime.analysis.experiments.scenario import SCRIPT, Scenario
from thinktime.analysis.experiments.scenario_begin import check_begin, state_file_of
from thinktime.analysis.experiments.scenario_files import (
    conditions_of,
    events_of,
    log_name_of,
    machines_of,
    names_of,
    shapes_file_of,
    signal_files_of,
    site_file_of,
)
from thinktime.analysis.experiments.scenario_sources import check_nodes
from thinktime.analysis.experiments.store import Identity, Store, dumps
from thinktime.analysis.statistics import replications_needed
from thinktime.workloads.read_log import files_of

_NOT_OF_A_RUN = ("name", "description", "policies", "seed", "seeds", "replications", "sweep", "precision")
PlannedPoint = tuple[int, dict[str, Any], Scenario, tuple[int, ...]]


def runs(scenario: Scenario, more: Mapping[int, int] | None = None) -> Iterator[Identity]:
    """All runs; those of one point and seed, which share their jobs, follow each other.

    ``more`` overrides the scenario's number of seeds for some points, by the index of the point.
    """
    for _, point, resolved, seeds in _points(scenario, more):
        digest = _digest_of_point(resolved)
        scripts = {policy: _hashes(resolved, [policy]) for policy in scenario.policies}
        for seed, policy in itertools.product(seeds, scenario.policies):
            own = hashlib.sha256(dumps([digest, policy, scripts[policy], seed]).encode()).hexdigest()
            yield Identity(key_of(policy, point, seed), own, policy, seed, point)


def check(scenario: Scenario) -> None:
    """Raise ``ValueError`` or ``OSError`` for what would make runs impossible, such as a missing log."""
    for _, _, resolved, _ in _points(scenario, None):
        if resolved.machine.of_nodes:
            check_nodes(resolved)
        check_begin(resolved)
    for _ in runs(scenario):
        pass


def count(scenario: Scenario, more: Mapping[int, int] | None = None) -> int:
    """How many runs there are."""
    return len(scenario.policies) * sum(len(seeds) for *_, seeds in _points(scenario, more))


def _points(scenario: Scenario, more: Mapping[int, int] | None) -> Iterator[PlannedPoint]:
    """Each point: its index, its parameters, the scenario there, and its seeds, a single one if nothing is random."""
    for number, point in enumerate(scenario.points()):
        resolved, seeds = scenario.resolved(point), scenario.all_seeds
        if not resolved.random:
            seeds = seeds[:1]
        elif more and number in more:
            seeds = scenario.first_seeds(more[number])
        yield number, point, resolved, seeds


def key_of(policy: str, point: dict[str, Any], seed: int) -> str:
    """The key of a run, such as ``policy=easy trace.load=0.8 seed=00001``; keys sort by policy, point, seed."""
    varied = "".join(f"{name}={dumps(value)} " for name, value in point.items())
    return f"policy={policy} {varied}seed={seed:05d}"


def needed(scenario: Scenario, store: Store, given: Mapping[int, int]) -> dict[int, int]:
    """The number of seeds of each point that needs more of them, by the index of the point."""
    if scenario.precision is None:
        return {}
    more = {}
    for number, point, resolved, seeds in _points(scenario, given):
        if resolved.random and len(seeds) < scenario.precision.most:
            wanted = max(_wanted(scenario, store, policy, point, seeds) for policy in scenario.policies)
            if wanted > len(seeds):
                more[number] = min(wanted, 2 * len(seeds), scenario.precision.most)
    return more


def most_seeds(scenario: Scenario) -> dict[int, int]:
    """The largest number of seeds that each point can get."""
    if scenario.precision is None:
        return {}
    largest = max(scenario.precision.most, len(scenario.all_seeds))
    return {number: largest for number, _ in enumerate(scenario.points())}


def _wanted(scenario: Scenario, store: Store, policy: str, point: dict[str, object], seeds: tuple[int, ...]) -> int:
    """How many seeds a policy needs at a point; the present number if its values do not tell."""
    precision = scenario.precision
    assert precision is not None
    found = (store.metrics(key_of(policy, point, seed)).get(precision.metric) for seed in seeds)
    values = [value for value in found if value is not None]
    if len(values) < 2 or (precision.relative is not None and not sum(values)):
        return len(seeds)
    lost = len(seeds) - len(values)
    return lost + replications_needed(
        values, absolute=precision.absolute, relative=precision.relative, confidence=precision.confidence
    )


def _digest_of_point(scenario: Scenario) -> str:
    """The hash of the settings and files that the runs of a point depend on."""
    content = scenario.content()
    settings = {name: content[name] for name in content if name not in _NOT_OF_A_RUN}
    settings["metrics"] = list(scenario.all_metrics)
    if scenario.trace is not None:  # the size limit of a log does not affect results
        settings["trace"] = {key: value for key, value in content["trace"].items() if key != "max_size"}
    texts = [*scenario.all_metrics, *([scenario.model.function] if scenario.model else []), scenario.machine.estimates]
    if scenario.machine.of_nodes:
        texts.append(scenario.machine.allocator or "")
    files = _hashes(scenario, texts)
    if scenario.trace is not None:
        files += [_hash_of(file) for file in files_of(log_name_of(scenario))]
    if scenario.machine.machines is not None:
        files.append(_hash_of(machines_of(scenario)))
    if scenario.machine.site is not None:
        files.append(_hash_of(site_file_of(scenario)))
    further = names_of(scenario), conditions_of(scenario), state_file_of(scenario), shapes_file_of(scenario)
    files += [_hash_of(file) for file in further if file is not None]
    if (events := events_of(scenario)) is not None:
        files.append(_hash_of(events))
    files += [_hash_of(file) for file in signal_files_of(scenario).values()]
    return hashlib.sha256(dumps([settings, files]).encode()).hexdigest()


def _hashes(scenario: Scenario, texts: list[str]) -> list[str]:
    return [_hash_of(Path(found[2])) for text in texts for found in SCRIPT.finditer(scenario.located(text))]


def _hash_of(path: Path) -> str:
    status = path.stat()
    return _content_hash(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=64)
def _content_hash(path: Path, changed: int, size: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
