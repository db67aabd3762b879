"""Jobs of one instant start in queue order: this decides on which processors they are, and so whom an outage hits."""

import pytest
import simpy

from tests.models.onlooker import Onlooker
from thinktime.models.machine.changing.rules import Changes
from thinktime.models.machine.machine import Machine
from thinktime.workloads.changes.outages import Outages
from thinktime.workloads.job import Job


@pytest.mark.parametrize("observed", [False, True], ids=["leaps", "step by step"])
@pytest.mark.parametrize("compress", ["completion", "event", "scheduled", "none"])
def test_reservations_that_fall_due_together_start_in_queue_order(compress, observed):
    """Both jobs are due at 10, when no reservation can move: under lxf, the shorter one comes first all the same."""
    env = simpy.Environment()
    changes = Changes(outages=Outages.of([(12, 60, "0-1")]))
    machine = Machine(env, 4, f"conservative:order=lxf,compress={compress}", changes=changes)
    if observed:
        machine.observe(Onlooker())
    for processors, length in ((4, 10), (2, 20), (2, 5)):
        machine.submit(Job(runtime=length, processors=processors))
    env.run()
    runs = machine.result().runs
    first = list(zip(runs["job"], runs["start"], runs["indices"], strict=True))[:3]
    assert sorted(first) == [(1, 0.0, "0-3"), (2, 10.0, "2-3"), (3, 10.0, "0-1")]
    assert runs["job"][runs["how"] == "failed"].tolist() == [3]
