"""How many leaps there are: a handful where no user reacts, none where a script may look in between."""

import pytest
import simpy

import thinktime as tt
from tests.how_many import in_turn
from tests.models.engine.schedules import PROCESSORS
from tests.models.engine.sources import NODES, SOURCES, from_sources, trace
from thinktime.models.machine.scheduler import Scheduler
from thinktime.workloads.nodes import Nodes


@pytest.fixture
def calls(monkeypatch):
    """The horizons of all calls of compiled instants."""
    horizons, inner = [], Scheduler._go_on
    monkeypatch.setattr(
        Scheduler, "_go_on", lambda self, now, horizon: (horizons.append(horizon), inner(self, now, horizon))
    )
    return horizons


FEW_LEAPS = ["easy", "none:order=wfp3", "conservative:order=fairshare", "cplant", "easy:order=relshare", "ostrich"]


@pytest.mark.parametrize(("estimates", "policy"), in_turn(2, ["requested", "last-two"], FEW_LEAPS))
def test_a_log_is_few_leaps(calls, monkeypatch, policy, estimates):
    """Without users who react, a log is a handful of calls; with leaps turned off, each instant is one."""
    monkeypatch.setenv("THINKTIME_LEAP", "1")
    tt.replay(trace(1), policy, PROCESSORS, estimates=estimates)  # the first leaps are shorter
    calls.clear()
    tt.replay(trace(1, 200), policy, PROCESSORS, estimates=estimates)
    assert 1 <= len(calls) <= 8
    calls.clear()
    monkeypatch.setenv("THINKTIME_LEAP", "0")
    tt.replay(trace(1, 200), policy, PROCESSORS, estimates=estimates)
    assert len(calls) > 100
    assert set(calls) == {-float("inf")}


@pytest.mark.parametrize("policy", ["easy", "conservative", "cplant", "ostrich"])
def test_a_log_is_few_leaps_on_nodes(calls, policy):
    """A machine of nodes leaps, too."""
    for nodes in (NODES, Nodes.uniform(PROCESSORS, 1)):
        tt.replay(trace(1), policy, nodes=nodes)
        calls.clear()
        tt.replay(trace(1, 200), policy, nodes=nodes)
        assert 1 <= len(calls) <= 8


@pytest.mark.parametrize("source", ["dependencies", "feedback"])
@pytest.mark.parametrize("policy", ["easy", "conservative:runtime_limit=15s", "easy:order=f1"])
def test_chains_are_few_leaps(calls, policy, source):
    """Compiled code submits batches and segments, so users who wait for jobs of a log are a handful of calls, too."""
    from_sources(policy, SOURCES[source])
    calls.clear()
    from_sources(policy, SOURCES[source])
    assert 1 <= len(calls) <= 8


def test_whoever_steps_by_hand_sees_no_leap(calls):
    """Between two steps by hand a script may act, so every instant is a step."""
    env = simpy.Environment()
    machine = tt.Machine(env, PROCESSORS, "easy")
    machine.announce(machine.load(trace(1)))
    while env.peek() < float("inf"):
        env.step()
    assert set(calls) == {-float("inf")}


class OtherLoop(simpy.Environment):
    """An environment whose steps are its own, as those of a real-time environment are."""

    def step(self):
        super().step()


def test_other_environments_do_not_leap(calls):
    """In an environment with steps of its own, such as a real-time one, every instant is a step."""
    env = OtherLoop()
    machine = tt.Machine(env, PROCESSORS, "easy")
    machine.announce(machine.load(trace(1)))
    env.run()
    assert set(calls) == {-float("inf")}


def test_progress_is_shown_during_a_leap():
    """A replay reports its progress up to 200 times, with growing numbers of jobs that are over."""
    told = []
    tt.replay(trace(1, 1000), "easy", PROCESSORS, progress=lambda now, over, jobs: told.append((now, over, jobs)))
    assert 100 < len(told) <= 201
    assert told == sorted(told)
    assert told[-1][1:] == (1000, 1000)
