"""Users, logs and machines that would never end, or fill the memory, are one sentence."""

import dataclasses
from typing import Any

import numpy as np
import pytest
import simpy

import thinktime as tt
from thinktime.models.jobs import log_conditions
from thinktime.models.jobs.log_conditions import OfLog
from thinktime.users import drawn_campaigns
from thinktime.users.behaviours import Behaviour
from thinktime.workloads.changes import repeat
from thinktime.workloads.conditions import JobConditions, LogConditions
from thinktime.workloads.nodes import Cluster


class Reacting(Behaviour):
    """A behaviour, so that no plan can be followed."""


def started(profile: tt.Profile, until: float = 10.0) -> Any:
    """The result of one user."""
    return tt.run(tt.MachineSpec(4), tt.sources.campaigns({"ann": profile}, seed=1), until=until)


@pytest.mark.parametrize("reacting", [False, True])
def test_a_user_for_whom_no_time_passes(reacting: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither run times nor think times: one sentence instead of a loop at one instant."""
    monkeypatch.setattr(drawn_campaigns, "MOST_AT_ONCE", 100)
    behaviours = (Reacting(),) if reacting else ()
    nothing = tt.Profile(runtime=0, jobs=0, think_time=0, behaviours=behaviours)
    with pytest.raises(ValueError, match=r"user 'ann' has submitted 100 campaigns at 0 s without any time passing: "):
        started(nothing)
    assert len(started(dataclasses.replace(nothing, think_time=1), 5.5)) == 6


@pytest.mark.parametrize("reacting", [False, True])
def test_a_campaign_of_a_thousand_million_jobs(reacting: bool) -> None:
    """More than a million jobs in a campaign are a mistake."""
    behaviours = (Reacting(),) if reacting else ()
    many = tt.Profile(runtime=1, jobs=1e9, think_time=0, behaviours=behaviours)
    with pytest.raises(ValueError, match="a campaign of user 'ann' has 1,000,000,000 jobs, more than 1,000,000"):
        started(many)


def test_nodes_have_a_bound() -> None:
    """In one cluster, and in all together."""
    with pytest.raises(ValueError, match="cluster 'n' has 99999999999 nodes, more than 1,000,000"):
        Cluster("n", 99999999999, {"processors": 1})
    half = Cluster("a", 600_000, {"processors": 1})
    with pytest.raises(ValueError, match="there are 1,200,000 nodes, more than 1,000,000"):
        tt.Nodes([half, dataclasses.replace(half, name="b")])


def test_singletons_of_a_log_have_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is remembered with all jobs of its name before it, so there is an end to how many."""
    count = 60
    each = np.arange(count)
    log = tt.Trace(
        {"submit": each, "runtime": each * 0 + 5, "allocated": each * 0 + 1, "user": each * 0, "id": each + 1}
    )
    given = LogConditions.of(JobConditions(int(job), "singleton") for job in log.id)
    assert len(OfLog(log, range(count), given).conditions()) == count
    monkeypatch.setattr(log_conditions, "MOST_AWAITED", 1000)
    with pytest.raises(ValueError, match="the singletons of the log wait for more than 1,000 jobs in all"):
        OfLog(log, range(count), given).conditions()


def test_a_log_and_windows_have_a_bound() -> None:
    """A generated log, and a window that is repeated."""
    with pytest.raises(ValueError, match="jobs must be at most 100,000,000, not 1000000000"):
        tt.generate("lublin", jobs=10**9, users=5, processors=8, seed=1)
    with pytest.raises(ValueError, match="is more than 1,000,000 windows"):
        repeat(tt.Window(0, 1, 1), 1, 2.0**42)


def test_the_process_of_a_user_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sentence comes out of the environment, too."""
    monkeypatch.setattr(drawn_campaigns, "MOST_AT_ONCE", 50)
    env = simpy.Environment()
    machine = tt.Machine(env, processors=4)
    profile = tt.Profile(runtime=0, jobs=1, think_time=0)
    env.process(tt.campaign_user(env, machine, "bob", tt.stream(1, "bob"), profile))
    with pytest.raises(ValueError, match="user 'bob' has submitted 50 campaigns"):
        env.run()
