"""Fixtures for kernels: processes of their own with a cache folder of their own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def start():
    """Give a function that starts ``schedules.py`` as a process, with some settings in its environment."""

    def begin(*specs, **environment):
        return subprocess.Popen(
            [sys.executable, "-m", "tests.models.kernels.schedules", *specs],
            cwd=ROOT,
            env=os.environ | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    return begin


@pytest.fixture(scope="session")
def finish():
    """Give a function that waits for such a process and reads what it found."""

    def end(process):
        try:
            out, err = process.communicate(timeout=1800)  # all kernels, beside other tests that compile
        finally:
            process.kill()
        assert process.returncode == 0, err
        return json.loads(out)

    return end


@pytest.fixture(scope="session", params=["briefly", pytest.param("at length", marks=pytest.mark.thorough)])
def length(request):
    """How many schedules are made, as arguments of the process that makes them."""
    return [request.param] if request.param == "briefly" else []


@pytest.fixture(scope="session")
def compiled(start, finish, length):
    """What a process found whose kernels are compiled, or were by other tests: all share a folder for them."""
    return finish(start(*length))
