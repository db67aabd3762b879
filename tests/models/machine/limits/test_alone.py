"""Limits that a job keeps or not whatever others do."""

from __future__ import annotations

import pytest
import simpy

import thinktime as tt
from thinktime.models.site.accounts import AccountTree, Association
from thinktime.models.site.limits import Limits
from thinktime.models.site.qos import QOS
from thinktime.models.site.site import Site
from thinktime.models.site.tres import Tres
from thinktime.models.state import State


def machine(*, deny=False, **limits):
    """A machine of four nodes of eight processors, where one QOS has limits."""
    flags = frozenset({"DenyOnLimit"} if deny else ())
    qos = QOS("normal", flags=flags, limits=Limits(**limits))
    tree = AccountTree((Association("a"), Association("a", "ann")))
    site = Site(nodes=tt.Nodes.uniform(4, 8), qos=(qos,), accounts=tree, enforce=frozenset({"limits"}))
    return tt.MachineSpec.of_site(site).open(simpy.Environment())


@pytest.mark.parametrize(
    "nodes, starts", [("2:ppn=4", True), ("2:ppn=5", False), ("1:ppn=4", True), ("3:ppn=3", True), ("1:ppn=8", False)]
)
def test_resources_of_each_node(nodes, starts):
    """At most four processors of each; who asks for more waits for ever, or is refused."""
    most = {"max_tres_per_node": Tres({"cpu": 4})}
    job = tt.Job(runtime=5, user="ann", nodes=nodes)
    found = machine(**most)
    event = found.submit(job)
    found.env.run()
    assert event.state == (State.FINISHED if starts else State.WAITING)
    found = machine(deny=True, **most)
    event = found.submit(job)
    found.env.run()
    assert event.value.why == ("" if starts else "max_tres_per_node (cpu) of QOS normal")


def test_tasks_of_an_array():
    """Numbers below MaxArraySize; another array changes nothing."""
    found = tt.Machine(simpy.Environment(), 8, site=Site(max_array_size=11))
    assert len(found.submit_array(tt.Job(runtime=5, user="ann"), "1-10").tasks) == 10
    with pytest.raises(ValueError, match="task 11 is beyond max_array_size of the site: the last one is 10"):
        found.submit_array(tt.Job(runtime=5, user="ann"), "8-11")
    found.env.run()
    assert len(found.result()) == 10
