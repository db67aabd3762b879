"""Policies of one's own on a machine with limits, and what a job may ask for by itself."""

import pytest
import simpy

import thinktime as tt
from thinktime.models.site.accounts import AccountTree, Association
from thinktime.models.site.limits import Limits
from thinktime.models.site.qos import QOS
from thinktime.models.site.site import Site
from thinktime.models.site.tres import Tres
from thinktime.models.state import State

SITE = tt.Site(qos=[QOS("normal", limits=Limits(max_jobs=1))], enforce=frozenset({"limits"}))


def played(policy, jobs=3):
    """The machine after jobs of 10 s of one user."""
    env = simpy.Environment()
    machine = tt.MachineSpec(8, policy, site=SITE).open(env)
    for _ in range(jobs):
        machine.submit(tt.Job(runtime=10, user="ann"))
    env.run()
    return machine


def test_a_job_beyond_a_limit_may_not_be_proposed():
    """A policy that proposes what its queue does not show is told so, by job and time."""

    def stubborn(view, now):
        shown = view.waiting.tolist()
        return shown[:1] or [1]

    with pytest.raises(tt.PolicyError, match=r"proposed to start job 2 at 0 s, which is beyond a limit"):
        played(stubborn, 2)


def test_hooks_tell_of_limits():
    """Who is put off was proposed with others, and is barred at once, until the one that runs has ended."""
    told = []

    class Greedy:
        def select(self, view, now):
            return view.waiting

        def on_bar(self, view, rows, now):
            told.append(("bar", now, rows.tolist()))

        def on_put_off(self, view, rows, now):
            told.append(("put off", now, rows.tolist()))

    machine = played(Greedy())
    assert machine.result()["start"].tolist() == [0, 10, 20]
    assert told == [
        ("put off", 0, [1, 2]), ("bar", 0, [1, 2]), ("put off", 10, [2]), ("bar", 10, [2]),
    ]  # fmt: skip


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
