"""An environment, and a machine in it."""

import pytest
import simpy

import thinktime as tt


@pytest.fixture
def env():
    return simpy.Environment()


@pytest.fixture
def machine(env):
    """Four processors, first come, first served."""
    return tt.Machine(env, processors=4, policy="fcfs")
