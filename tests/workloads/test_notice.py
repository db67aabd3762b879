"""Compiling is announced wherever it happens, once, and only if it takes long."""

import os
import subprocess
import sys
import time

import pytest

from thinktime.workloads import notice
from thinktime.workloads.notice import LINE, Watch


@pytest.fixture
def said(monkeypatch):
    lines = []
    monkeypatch.setattr(notice, "say", lines.append)
    return lines


def test_a_short_compilation_is_not_announced(said):
    """Nor are several, as long as they are short together."""
    watch = Watch(patience=0.2)
    for _ in range(3):
        watch.begins()
        watch.ends()
    time.sleep(0.3)
    assert said == []


def test_a_long_one_is_announced_while_it_goes_on(said):
    """Once in a process, kernels within kernels included."""
    watch = Watch(patience=0.05)
    for _ in range(2):
        watch.begins()
        watch.begins()
        watch.ends()
        time.sleep(0.2)
        assert said == [LINE]
        watch.ends()


def test_many_short_ones_are_announced(said):
    """Their times add up."""
    watch = Watch(patience=0.1)
    for _ in range(10):
        watch.begins()
        time.sleep(0.04)
        watch.ends()
    assert said == [LINE]


def test_workers_say_nothing(said, monkeypatch):
    """What they need was compiled, and announced, in the process that started them."""
    monkeypatch.setattr(notice, "parent_process", lambda: object())
    watch = Watch(patience=0.0)
    watch.begins()
    time.sleep(0.1)
    watch.ends()
    assert said == []


SCRIPT = """
import numpy as np
from thinktime.workloads import compiler
from thinktime.models.kernels.availability import locate
compiler._Listener.watch.left = 0.0
assert locate(2.5, np.array([1.0, 2.0, 3.0]), 3) == 1
"""


@pytest.mark.compiled
def test_a_script_is_told_on_standard_error(tmp_path):
    """At its first run, which compiles a kernel; at the second, which finds it on disk, nothing is said."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    environment.pop("NUMBA_DISABLE_JIT", None)
    runs = [
        subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True)
        for _ in range(2)
    ]
    assert [run.stderr for run in runs] == [f"{LINE}\n", ""]
    assert [run.stdout for run in runs] == ["", ""]
