"""Every job that has never started has one counted reason in the notes of its run."""

import re

import numpy as np
import pytest

import thinktime as tt
from thinktime.models.site.accounts import AccountTree, Association
from thinktime.models.site.limits import Limits
from thinktime.models.site.partitions import Partition
from thinktime.models.site.qos import QOS
from thinktime.models.state import State

SITE = tt.Site(
    nodes=tt.Nodes.uniform(4, 1),
    partitions=(Partition("main", default=True), Partition("off", state="DOWN"), Partition("short", max_time=60.0)),
    qos=(QOS("normal"), QOS("closed", limits=Limits(group_jobs=0)), QOS("spent", flags={"NoDecay"},
         limits=Limits(group_tres_seconds={"cpu": 100}))),
    accounts=AccountTree([Association("a"), Association("a", "ann")]),
    enforce={"limits"},
)  # fmt: skip
ASKED = (
    {}, {"partition": "off"}, {"partition": "off"}, {"partition": "short"}, {"queue": "closed"}, {"queue": "closed"},
    {"queue": "spent"}, {"queue": "spent"}, {"queue": "spent"}, {"depends": "afternotok:1"},
)  # fmt: skip
"""What ten jobs of 100 s ask for."""


def users(env, machine):
    """All jobs at once, by ann, one after another."""
    for number, asked in enumerate(ASKED, 1):
        machine.submit(tt.Job(id=number, runtime=100, user="ann", **asked))
        yield env.timeout(200)


@pytest.mark.parametrize("policy", ["easy", "conservative", "slurm"])
def test_each_job_has_one_reason(policy):
    """Closed partitions and limits, budgets that are used up, and conditions that can never be met: all are counted."""
    result = tt.run(tt.MachineSpec(4, policy, site=SITE), users)
    left = int(np.sum(result["state"] == State.WAITING))
    told = [note for note in result.notes if re.search("left in the queue|for ever", note)]
    assert left == 8
    assert sum(int(note.split()[0]) for note in told) == left, result.notes
    assert "2 jobs are left in the queue: group_jobs of QOS closed" in told


def test_a_policy_that_starts_nothing():
    """Its jobs have this reason, on any machine."""

    def idle(view, now):
        return []

    result = tt.replay(
        tt.generate(tt.workloads.generators.preset("lublin"), jobs=5, users=2, processors=4, seed=1), idle
    )
    assert result.notes == ["5 jobs are left in the queue: the policy starts none of them, though nothing runs"]
