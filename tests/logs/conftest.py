"""Fixtures for the logs of real machines; tests that need one are skipped where it is not at hand."""

import functools
import os
from pathlib import Path

import pytest

from thinktime.workloads import read_swf

ROOT = Path(__file__).resolve().parents[2]
FILES = {
    "CTC": "CTC-SP2-1996-3.1-cln", "KTH": "KTH-SP2-1996-2.1-cln", "LANL": "LANL-CM5-1994-4.1-cln",
    "SDSC": "SDSC-SP2-1998-4.2-cln", "Lublin": "lublin_256",
}


@pytest.fixture(scope="session")
def log_file():
    """Give a function that finds a log by its short name, or skips the test."""
    beside = next(iter(sorted(ROOT.parent.glob("*/traces"))), ROOT / "traces")
    folder = Path(os.environ.get("THINKTIME_TRACES") or beside)

    def find(name):
        path = folder / f"{FILES[name]}.swf.gz"
        if not path.exists():
            pytest.skip(f"the log {FILES[name]} is not at hand")
        return path

    return find


@pytest.fixture(scope="session")
def log(log_file):
    """Give a function that reads a log by its short name, each once."""
    return functools.cache(lambda name: read_swf(log_file(name))[0])
