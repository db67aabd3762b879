"""The runs of a scenario: every point of the sweep, every policy, every seed, with a key for each."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from thinktime.analysis.experiments.scenario import SCRIPT, Scenario
from thinktime.analysis.experiments.sources import log_of
from thinktime.analysis.experiments.store import Identity, dumps

_NOT_OF_A_RUN = ("name", "description", "policies", "seed", "seeds", "replications", "sweep")


def parameters(scenario: Scenario) -> list[str]:
    """The names of what varies, in the order of the scenario."""
    names = [*(key for point in scenario.sweep.points for key in point), *scenario.sweep.grid]
    return list(dict.fromkeys(names))


def points(scenario: Scenario) -> Iterator[dict[str, Any]]:
    """The points of the sweep: each of the list with each of the grid; one without parameters if there is none."""
    grid = scenario.sweep.grid
    for point in scenario.sweep.points or ({},):
        for values in itertools.product(*grid.values()):
            yield point | dict(zip(grid, values, strict=True))


def runs(scenario: Scenario, seeds: tuple[int, ...] | None = None) -> Iterator[Identity]:
    """All runs, in an order in which those of one point and seed, which share their jobs, follow each other."""
    for point in points(scenario):
        resolved = scenario.resolved(point)
        digest = _digest_of_point(resolved)
        chosen = seeds or (scenario.all_seeds if resolved.random else scenario.all_seeds[:1])
        for seed, policy in itertools.product(chosen, scenario.policies):
            scripts = _hashes(resolved, [policy])
            own = hashlib.sha256(dumps([digest, policy, scripts, seed]).encode()).hexdigest()
            yield Identity(key_of(policy, point, seed), own, policy, seed, point)


def count(scenario: Scenario) -> int:
    """How many runs there are."""
    each = len(scenario.policies)
    return sum(
        each * len(scenario.all_seeds if scenario.resolved(point).random else scenario.all_seeds[:1])
        for point in points(scenario)
    )


def key_of(policy: str, point: dict[str, Any], seed: int) -> str:
    """What a run is called: ``policy=easy trace.load=0.8 seed=00001``. Keys sort by policy, point, seed."""
    varied = "".join(f"{name}={dumps(value)} " for name, value in point.items())
    return f"policy={policy} {varied}seed={seed:05d}"


def _digest_of_point(scenario: Scenario) -> str:
    """The hash of what the runs of a point depend on beside policy and seed: settings and files."""
    content = scenario.content()
    settings = {name: content[name] for name in content if name not in _NOT_OF_A_RUN}
    settings["metrics"] = list(scenario.metrics)
    texts = [*scenario.metrics, *([scenario.model.function] if scenario.model else [])]
    files = _hashes(scenario, texts)
    if scenario.trace is not None:
        files.append(_content_hash(*_stamp(log_of(scenario))))
    return hashlib.sha256(dumps([settings, files]).encode()).hexdigest()


def _hashes(scenario: Scenario, texts: list[str]) -> list[str]:
    """The hashes of the scripts that some texts name."""
    paths = [Path(found[2]) for text in texts for found in SCRIPT.finditer(scenario.located(text))]
    return [_content_hash(*_stamp(path)) for path in paths]


def _stamp(path: Path) -> tuple[Path, int, int]:
    status = path.stat()
    return path, status.st_mtime_ns, status.st_size


@lru_cache(maxsize=64)
def _content_hash(path: Path, changed: int, size: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
