"""The forge and the hooks of git run what developers run."""

from __future__ import annotations

from configparser import ConfigParser
from pathlib import Path

import pytest


def test_the_forge_tests_every_python_that_is_claimed(root: Path, setup_cfg: ConfigParser) -> None:
    """The Python versions of the workflow are those of the classifiers, and each runs `.ci/run`."""
    yaml = pytest.importorskip("yaml", reason="part of the dev extra")
    job = yaml.safe_load((root / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))["jobs"]["test"]
    claimed = [
        line.rpartition(" :: ")[2] for line in setup_cfg["metadata"]["classifiers"].split("\n") if "Python" in line
    ]
    assert job["strategy"]["matrix"]["python"] == [version for version in claimed if "." in version]
    assert job["steps"][-1] == {"run": ".ci/run"}


def test_a_commit_is_checked_by_make_lint(root: Path) -> None:
    """The one hook of pre-commit is local and runs `make lint`."""
    yaml = pytest.importorskip("yaml", reason="part of the dev extra")
    (repository,) = yaml.safe_load((root / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"]
    assert repository["repo"] == "local"
    assert [hook["entry"] for hook in repository["hooks"]] == ["make lint"]
