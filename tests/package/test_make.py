"""The Makefile: what a stranger meets first."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.package import tiny

MAKE = shutil.which("make")
pytestmark = pytest.mark.skipif(MAKE is None, reason="no make here")


def make(folder: Path, *words: str, path: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run make as a user would, whatever make this test runs under."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    environment |= {"PATH": path} if path else {}
    return subprocess.run([str(MAKE), *words], cwd=folder, env=environment, capture_output=True, text=True, timeout=60)


def test_make_alone_lists_the_targets(root: Path) -> None:
    """`make` lists each target with one line, and makes nothing."""
    listed = make(root).stdout.splitlines()
    assert [line.split()[1] for line in listed if line.split()[1] in ("demo", "test", "bench")] == [
        "demo",
        "test",
        "bench",
    ]
    assert all(len(line.split()) > 3 and len(line) <= 110 for line in listed)


def test_no_python_is_one_sentence(root: Path, tmp_path: Path) -> None:
    """Where there is no Python that is new enough, one sentence says so, and nothing is left behind."""
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("sh", "find", "sort", "cat", "env"):
        (tools / name).symlink_to(str(shutil.which(name)))
    tree = tmp_path / "tree"
    tree.mkdir()
    for name in ("Makefile", "setup.py", "setup.cfg", "pyproject.toml"):
        shutil.copy(root / name, tree)
    done = make(tree, "demo", path=str(tools))
    assert done.returncode != 0
    assert "thinktime needs Python 3.11 or newer with its venv module" in done.stderr
    assert not (tree / ".venv").exists()


@pytest.fixture
def installed(root: Path, tmp_path: Path) -> Path:
    """A small tree that `make install` has installed, as far as make can see."""
    tree = tiny.make_tree(tmp_path)
    shutil.copy(root / "Makefile", tree)
    for room in ("analysis", "users", "workloads"):
        (tree / room).mkdir()
    (tree / ".venv" / "bin").mkdir(parents=True)
    (tree / ".venv" / "bin" / "python").symlink_to(sys.executable)
    for name in (".venv/ready", ".venv/tools", "build/installed", "api/_compiled/engine.json"):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).touch()
    fingerprint = make(tree, "--print-data-base", "--question", "help").stdout
    assert "_compiled" not in fingerprint.partition("SOURCES := ")[2].partition("\n")[0], "compiling is no new source"
    (line,) = (line for line in fingerprint.splitlines() if line.startswith("SOURCES := "))
    (tree / "build" / "installed").write_text(f"{tree} {line.removeprefix('SOURCES := ')}\n")
    configured = ["setup.py", "setup.cfg", "pyproject.toml"]
    for age, names in enumerate((["build/installed", ".venv/tools"], [".venv/ready"], configured)):
        for name in names:
            os.utime(tree / name, (1e9 - age, 1e9 - age))
    return tree


def test_install_looks_at_what_is_compiled(installed: Path) -> None:
    """`make install` installs nothing twice, and lets the build see whether what is compiled fits."""
    said = make(installed, "--dry-run", "install").stdout
    assert "python -m tools.engine" in said and "Installing" not in said


def test_the_engine_is_compiled_while_the_package_is_installed(installed: Path) -> None:
    """Compiling waits for what compiles, and for nothing else."""
    (installed / "build/installed").unlink()
    (installed / ".venv/tools").unlink()
    alone = make(installed, "--dry-run", "api/_compiled/engine.json").stdout
    assert "Installing what compiles the engine" in alone and "--editable" not in alone
    both = make(installed, "--dry-run", "install").stdout
    assert both.count("tools.engine") == both.count("--editable") == both.count("Installing what compiles") == 1


def test_the_demo_waits_for_no_compiler(installed: Path) -> None:
    """`make demo` installs and runs, and compiles nothing."""
    (installed / "api/_compiled/engine.json").unlink()
    said = make(installed, "--dry-run", "demo").stdout
    assert "bin/thinktime demo" in said and "tools.engine" not in said


def test_lint_makes_every_check_once(installed: Path) -> None:
    """`make lint` is types, and beside them all the rest."""
    (installed / "build" / "installed-dev").touch()
    said = make(installed, "--dry-run", "lint").stdout
    checks = (
        "-m mypy ",
        "-m ruff check ",
        "-m ruff format ",
        "-m tools.engine --hints",
        "/lint-imports ",
        "-m tools.house\n",
    )
    assert [said.count(check) for check in checks] == [1, 1, 1, 1, 1, 2], "mypy reads tools.house, too"


def test_a_test_that_failed_once_has_failed(installed: Path) -> None:
    """What fails is run again, to be explained, and even if it passes then, `make test` fails."""
    (installed / "build" / "installed-dev").touch()
    fake = installed / "fake"
    fake.write_text('#!/bin/sh\necho "$@" >> said\ntest "$(wc -l < said)" -gt "$FAILURES"\n')
    fake.chmod(0o755)
    command = make(installed, "--dry-run", "test", "PYTEST=./fake").stdout.splitlines()[-1]
    for failures, ends, runs in ((0, 0, 1), (1, 1, 2), (2, 1, 2)):
        (installed / "said").unlink(missing_ok=True)
        done = subprocess.run(["sh", "-c", command], cwd=installed, env=os.environ | {"FAILURES": str(failures)})
        said = (installed / "said").read_text().splitlines()
        assert (min(done.returncode, 1), len(said)) == (ends, runs)
        assert all("-m not thorough" in line for line in said)
        assert [("--assert=plain" in line, "--last-failed" in line) for line in said] == [(1, 0), (0, 1)][:runs]
