"""Small scenarios, and models that are over at once."""

import hashlib
from pathlib import Path

import pytest

from thinktime.analysis.experiments import Scenario

SMALL = """
policies = ["fcfs", "easy"]
metrics = ["mean_wait", "utilization", "finished"]
seeds = [1, 2, 10]
machine.processors = 16
workload = { recipe = "lublin", jobs = 60, users = 4 }
[sweep.grid]
"workload.load" = [0.6, 0.9]
"""

MODEL = """
def simulate(policy, seed, load=1.0):
    return {"wait": seed * load + len(policy)}
"""

OWN = """
policies = ["fcfs", "easy"]
metrics = ["wait"]
replications = 3
model.function = "model.py:simulate"
"""


@pytest.fixture
def small() -> Scenario:
    """Twelve short runs of made-up jobs."""
    return Scenario.from_text(SMALL)


@pytest.fixture
def own(tmp_path: Path) -> Scenario:
    """Six runs of a model that computes one number."""
    (tmp_path / "model.py").write_text(MODEL)
    (tmp_path / "own.toml").write_text(OWN)
    return Scenario.read(tmp_path / "own.toml")


def content(folder: Path) -> dict[str, str]:
    """The hashes of all results in a folder; the manifest may differ."""
    names = [path for path in sorted(folder.rglob("*")) if path.is_file() and not path.name.startswith(".")]
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in names
        if path.name != "manifest.sqlite"
    }
