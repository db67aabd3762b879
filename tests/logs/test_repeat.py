"""The same log under the same policy is the same schedule, bit for bit, in any process."""

import hashlib
import json
import subprocess
import sys

import pytest

import thinktime as tt
from thinktime.workloads import read_swf

pytestmark = pytest.mark.compiled

POLICIES = ("fcfs", "easy", "conservative")
CHILD = """
import json, sys
from tests.logs.test_repeat import digests
print(json.dumps(digests(sys.argv[1])))
"""


def digests(path):
    """One digest of all columns for each policy."""
    trace = read_swf(path)
    return {policy: digest(tt.replay(trace, policy, 100)) for policy in POLICIES}


def digest(result):
    """A digest of the bytes of every column, in their documented order."""
    return hashlib.sha256(b"".join(column.tobytes() for column in result.columns.values())).hexdigest()


@pytest.fixture(scope="module")
def here(log_file):
    """Give the digests of one run in this process."""
    return digests(log_file("KTH"))


def test_repeated_in_this_process(log_file, here):
    """Two runs in one process agree bit for bit."""
    assert digests(log_file("KTH")) == here


@pytest.mark.thorough
def test_repeated_in_another_process(log_file, here, pytestconfig):
    """A run in a process of its own agrees bit for bit."""
    words = [sys.executable, "-c", CHILD, str(log_file("KTH"))]
    done = subprocess.run(words, cwd=pytestconfig.rootpath, stdout=subprocess.PIPE, text=True, check=True)
    assert json.loads(done.stdout) == here


def test_policies_differ(here):
    """The three policies make three schedules, so that equal digests mean something."""
    assert len(set(here.values())) == len(POLICIES)
