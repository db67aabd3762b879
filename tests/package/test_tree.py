"""The tree: no folders of somebody's own, all packages named, the citation, and what the forge runs."""

import configparser
import re
import subprocess
import tomllib
from collections.abc import Iterator
from configparser import ConfigParser
from pathlib import Path

import pytest

HOME = re.compile(r"(?<![\w.])(?:/(?:home|Users)/\w|/root[/]|[A-Z]:[\\]Users)")
TEXT = {"", ".cfg", ".csv", ".json", ".md", ".out", ".py", ".svg", ".swf", ".toml", ".txt", ".yaml"}


def text_files(root: Path) -> Iterator[Path]:
    """The text files that git has or would add."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        capture_output=True,
        text=True,
    )
    if listed.returncode:
        pytest.skip("not a git checkout")
    paths = (root / name for name in listed.stdout.split("\0") if name)
    yield from (path for path in paths if path.is_file() and path.suffix in TEXT)


def test_no_file_names_a_home_folder(root: Path) -> None:
    """A path below somebody's home works on one computer only."""
    texts = {path: path.read_text(encoding="utf-8", errors="replace") for path in text_files(root)}
    assert {path.relative_to(root): found[0] for path, text in texts.items() if (found := HOME.search(text))} == {}


def test_ci_runs_the_tests_that_developers_run(root: Path) -> None:
    """`.ci/run` can be executed and ends with `make test` and `make docs`, so nobody is surprised by it."""
    script = root / ".ci" / "run"
    assert script.stat().st_mode & 0o111
    assert script.read_text().rstrip().endswith("\nmake test\nmake docs")


def test_the_citation_has_the_metadata_of_the_package(root: Path, setup_cfg: ConfigParser) -> None:
    """Title, abstract, version and licence are those of setup.cfg, and the authors those of the licence."""
    yaml = pytest.importorskip("yaml", reason="part of the dev extra")
    said = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))
    package = setup_cfg["metadata"]
    shown = [said["title"], said["abstract"], said["version"], said["license"]]
    assert shown == [package["name"], package["description"], package["version"], package["license"]]
    (author,) = said["authors"]
    assert f", {author['name']}\n" in (root / "LICENSE").read_text(encoding="utf-8")


ROOMS = ("analysis", "models", "users", "workloads")


def import_name(folder: Path) -> str:
    parts = folder.parts[1:] if folder.parts[0] == "api" else folder.parts
    return ".".join(("thinktime", *parts))


def folders_with_init(root: Path) -> dict[str, str]:
    inits = (init for room in ("api", *ROOMS) for init in (root / room).rglob("__init__.py"))
    folders = [init.parent.relative_to(root) for init in inits]
    return {import_name(folder): folder.as_posix() for folder in folders}


def test_package_dir_equals_the_tree(root: Path, package_dir: dict[str, str]) -> None:
    """Every folder with an __init__.py is mapped to its import name, and nothing else is."""
    assert package_dir == folders_with_init(root)


def test_packages_equal_package_dir(setup_cfg: configparser.ConfigParser, package_dir: dict[str, str]) -> None:
    """`packages` names what `package_dir` maps, in alphabetical order."""
    packages = setup_cfg["options"]["packages"].split()
    assert packages == sorted(package_dir)


def test_every_module_is_in_a_package(root: Path, package_dir: dict[str, str]) -> None:
    """No module lies in a folder without an __init__.py, where the wheel would forget it."""
    modules = (module.relative_to(root) for room in ("api", *ROOMS) for module in (root / room).rglob("*.py"))
    assert [module for module in modules if module.parent.as_posix() not in package_dir.values()] == []


def test_no_folder_shadows_the_package(root: Path) -> None:
    """A folder called thinktime at the root would be imported instead of the installed package."""
    assert not (root / "thinktime").exists()


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
