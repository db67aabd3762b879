"""The forge and the hooks of git run what developers run."""

from __future__ import annotations

import tomllib
from configparser import ConfigParser
from pathlib import Path

import pytest


def test_the_forge_tests_every_python_that_is_claimed(root: Path, setup_cfg: ConfigParser) -> None:
    """The Python versions of the workflow are those of the classifiers, and each runs `.ci/run`."""
    yaml = pytest.importorskip("yaml", reason="part of the dev extra")
    job = yaml.safe_load((root / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))["jobs"]["test"]
    assert job["strategy"]["matrix"]["python"] == claimed(setup_cfg)
    assert job["steps"][-1] == {"run": ".ci/run"}


def claimed(setup_cfg: ConfigParser) -> list[str]:
    """The Python versions of the classifiers."""
    lines = setup_cfg["metadata"]["classifiers"].split("\n")
    names = [line.rpartition(" :: ")[2] for line in lines if "Python" in line]
    return [version for version in names if "." in version]


def test_the_forge_builds_wheels(root: Path, setup_cfg: ConfigParser) -> None:
    """Wheels are built on Linux, for two processors, and on macOS, and tried on every Python that is claimed."""
    yaml = pytest.importorskip("yaml", reason="part of the dev extra")
    jobs = yaml.safe_load((root / ".github" / "workflows" / "wheels.yml").read_text(encoding="utf-8"))["jobs"]
    machines = " ".join(jobs["wheel"]["strategy"]["matrix"]["os"])
    assert "ubuntu-latest" in machines and "-arm" in machines and "macos-" in machines
    assert any(step.get("uses", "").startswith("pypa/cibuildwheel@") for step in jobs["wheel"]["steps"])
    wheels = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["cibuildwheel"]
    assert wheels["build"] == [f"cp{version.replace('.', '')}-*" for version in claimed(setup_cfg)]
    assert wheels["test-command"] == "make -C {project} try-wheel PYTHON=python"
    assert "\ntry-wheel:" in (root / "Makefile").read_text(encoding="utf-8")


def test_a_commit_is_checked_by_make_lint(root: Path) -> None:
    """The one hook of pre-commit is local and runs `make lint`."""
    yaml = pytest.importorskip("yaml", reason="part of the dev extra")
    (repository,) = yaml.safe_load((root / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"]
    assert repository["repo"] == "local"
    assert [hook["entry"] for hook in repository["hooks"]] == ["make lint"]
