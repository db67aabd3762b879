"""Compiled kernels: once each, with the results of plain Python, and safely by many processes at once."""

import ast
import importlib
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import numba
import pytest

from tests.models.kernels.schedules import BRIEF, SPECS
from thinktime.models import kernels
from thinktime.workloads import compiler

pytestmark = pytest.mark.compiled


PROCESSES = 2
MADE_WITH = *(f"workloads.{name.removesuffix('.py')}" for name in compiler.OWN), "workloads.lazy"


@pytest.fixture(scope="module")
def plain(start, finish, length):
    """What a process found whose kernels are plain Python."""
    return finish(start(*length, NUMBA_DISABLE_JIT="1"))


@pytest.mark.thorough
def test_every_kernel_is_used(start, finish):
    """Every rule, kind of order and overrun together run every kernel."""
    plain = finish(start(NUMBA_DISABLE_JIT="1"))
    assert len(plain["known"]) >= 20
    assert [name for name in plain["known"] if name not in plain["used"]] == []


def test_plain_python_makes_the_same_schedules(compiled, plain, length):
    """With NUMBA_DISABLE_JIT=1 the same functions give the same bytes under every rule, order and overrun."""
    assert compiled["compiled"] > 20 and "compiled" not in plain
    assert len(plain["schedules"]) == 6 * len(BRIEF if length else SPECS) - 3
    assert plain["schedules"] == compiled["schedules"]
    assert len(compiled["nodes"]) > (2 if length else 30)
    assert {name: plain["nodes"][name] for name in compiled["nodes"]} == compiled["nodes"]


KERNEL = """
from thinktime.workloads.compiler import kernel

@kernel
def twice(x):
    return 2 * x
"""


def cache_hits(path):
    """How often a fresh import of a kernel finds compiled code in the cache."""
    spec = importlib.util.spec_from_file_location("kernel_of_a_test", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.twice(21) == 42
    return sum(module.twice.stats.cache_hits.values())


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
def test_a_change_in_any_kernel_makes_cached_code_stale(tmp_path, monkeypatch):
    """Compiled code is taken from the cache until something in the kernel's folder changes."""
    path = tmp_path / "kernels.py"
    path.write_text(KERNEL)
    assert [cache_hits(path), cache_hits(path)] == [0, 1]
    monkeypatch.setattr(compiler, "_stamp", lambda folder: "changed")
    assert [cache_hits(path), cache_hits(path)] == [0, 1]


def test_all_that_kernels_are_made_of_counts_for_the_cache():
    """Kernels import from no other folder whose changes would leave their compiled code stale."""
    for source in sorted(Path(kernels.__file__).parent.glob("*.py")):
        for node in ast.walk(ast.parse(source.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module.startswith("thinktime."):
                place = node.module.removeprefix("thinktime.")
                assert f"{place}.".startswith("models.kernels.") or place in MADE_WITH


STATES = ("ON_NODES", "CHANGING", "CHANGING_NODES")


def test_what_is_written_for_kinds_of_rules_can_be_called_late():
    """A kernel that does not know the kind of a structure would call the usual of a plain `by_kind` function."""
    late, written = set(), set()
    for source in sorted(Path(kernels.__file__).parent.glob("*.py")):
        for node in ast.walk(ast.parse(source.read_text())):
            for call in getattr(node, "decorator_list", []):
                name = ast.unparse(call.func) if isinstance(call, ast.Call) else ""
                if name == "by_kind_of":
                    late.add(node.name)
                elif name == "written_for" and ast.unparse(call.args[0]).split(".")[-1] not in STATES:
                    written.add(ast.unparse(call.args[1]).split(".")[-1])
    assert len(written) > 20 and written <= late


def test_the_schedules_are_not_all_alike(compiled):
    """The workload tells rules, orders and overruns apart, so that equal digests mean something."""
    assert len(set(compiled["schedules"].values())) > len(compiled["schedules"]) / 2


TWO_KERNELS = f"""{KERNEL}
@kernel
def again(x):
    return twice(twice(x))

print(again(21))
"""


def test_fresh_processes_share_an_empty_cache(tmp_path):
    """Processes that start at once on one empty cache all finish, with the same number."""
    (tmp_path / "kernels.py").write_text(TWO_KERNELS)
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    words = [sys.executable, str(tmp_path / "kernels.py")]
    processes = [subprocess.Popen(words, env=environment, stdout=subprocess.PIPE) for _ in range(PROCESSES)]
    assert [process.communicate()[0] for process in processes] == [b"84\n"] * PROCESSES
    assert list(tmp_path.rglob("*.nbi"))


@pytest.mark.thorough
def test_fresh_processes_make_the_same_schedule(compiled, start, finish, tmp_path):
    """Processes that start at once on one empty cache all finish, with the same schedule."""
    processes = [start("fcfs", NUMBA_CACHE_DIR=str(tmp_path)) for _ in range(PROCESSES)]
    found = [finish(process)["schedules"] for process in processes]
    assert list(tmp_path.rglob("*.nbi"))
    expected = {key.replace("none:order=fcfs", "fcfs"): value for key, value in compiled["schedules"].items()}
    for schedules in found:
        assert schedules == {key: expected[key] for key in schedules}
