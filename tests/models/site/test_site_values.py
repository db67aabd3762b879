"""A site's values: Slurm's defaults, and names that do not exist."""

import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest

from thinktime.models.site.accounts import AccountTree, Association
from thinktime.models.site.backfill import Backfill
from thinktime.models.site.limits import Limits
from thinktime.models.site.partitions import Partition
from thinktime.models.site.preemption import Preemption
from thinktime.models.site.priority import PriorityRules
from thinktime.models.site.qos import QOS
from thinktime.models.site.site import Site
from thinktime.models.site.time_limits import TimeLimits
from thinktime.models.site.tres import Tres
from thinktime.models.site.usage import Usage
from thinktime.workloads.nodes import Cluster, Nodes

DAY = 86_400


def test_defaults_are_those_of_the_manual() -> None:
    """The numbers that slurm.conf(5) of 22.05 prints."""
    rules = PriorityRules()
    assert (rules.type, rules.max_age, rules.half_life, rules.calc_period) == ("basic", 7 * DAY, 7 * DAY, 300)
    assert (rules.usage_reset, rules.favor_small, rules.dampening, rules.fair_tree) == ("NONE", False, 1, True)
    plan = Backfill()
    assert (plan.interval, plan.window, plan.resolution, plan.max_job_test) == (30, DAY, 60, 500)
    assert (plan.default_queue_depth, plan.sched_interval) == (100, 60)
    assert (Preemption().type, Preemption().mode, Preemption().requeue, Preemption().reorder_count) == (
        "none", "off", True, 1,
    )  # fmt: skip
    assert (TimeLimits().over_time_limit, TimeLimits().kill_wait) == (0, 30)
    assert (Site().max_array_size, Site().enforce_partition_limits) == (1_001, "NO")
    assert (Partition("p").tier, Partition("p").job_factor, Partition("p").state) == (1, 1, "UP")


def test_a_site_is_a_value() -> None:
    """Equal sites are equal, and can be keys."""
    one, other = (
        Site(
            qos=[QOS("normal", limits=Limits(max_tres=Tres({"cpu": 8})))],  # type: ignore[arg-type]
            accounts=AccountTree([Association("a")]),
            usage=[Usage("a", None, 5.0)],  # type: ignore[arg-type]
        )
        for _ in range(2)
    )
    assert one == other
    assert hash(one) == hash(other)
    assert replace(one, name="other") != one


def test_what_is_billed() -> None:
    """Memory by the GB, everything else by the piece; without weights, processors."""
    weighted = Partition("p", billing_weights=Tres({"cpu": 0.5, "mem": 0.25, "gres/gpu": 3.0}))
    used = {"cpu": 8, "mem": 4 * 2**30, "gres/gpu": 2, "node": 1}
    assert (weighted.billing(used), Partition("p").billing(used)) == (8 * 0.5 + 4 * 0.25 + 2 * 3.0, 8)


def test_a_list_of_those_allowed_makes_one_of_those_denied_void() -> None:
    """As the manual says of DenyAccounts."""
    both = Partition("p", allow_accounts=("a", "b"), deny_accounts=("a",))
    assert [both.admits(name) for name in ("a", "b", "c")] == [True, True, False]
    denied = Partition("p", deny_qos=("low",))
    assert [denied.admits("a", name) for name in ("low", "high", None)] == [False, True, True]


def test_the_default_partition_is_the_one_that_is_marked() -> None:
    """Else the first."""
    first, second = Partition("a"), Partition("b", default=True)
    assert (Site(partitions=(first, second)).partition(), Site(partitions=(first,)).partition()) == (second, first)


def test_a_partition_without_nodes_of_its_own_has_all() -> None:
    """Nodes go by their names."""
    nodes = Nodes([Cluster("n", 2, {"processors": 8}), Cluster("g", 2, {"processors": 4}, names=("gpu01", "gpu07"))])
    site = Site(nodes=nodes, partitions=(Partition("all"), Partition("some", nodes=("n2", "gpu07"))))
    assert site.nodes_of("all") == ("n1", "n2", "gpu01", "gpu07")
    assert site.nodes_of("some") == ("n2", "gpu07")


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"partitions": (Partition("p", nodes=("n9",)),)}, "partition p: there is no node 'n9'; the nodes are node1"),
    ({"partitions": (Partition("p", qos="hi"),)}, "partition p: there is no QOS 'hi'; the QOS are normal"),
    ({"partitions": (Partition("p"), Partition("p"))}, "the site has two partitions 'p'"),
    ({"qos": (QOS("a", preempts=("b",)),)}, "QOS a: preempts: there is no QOS 'b'; the QOS are a"),
    (
        {"accounts": AccountTree([Association("a", qos=("norma",))])},
        "account a: there is no QOS 'norma'; did you mean 'normal'?",
    ),
    ({"usage": (Usage("a", "u", 1.0),)}, "usage of u in account 'a', which is not in the tree"),
    ({"enforce": ("limit",)}, "enforce has no flag 'limit'; did you mean 'limits'?"),
]


@pytest.mark.parametrize(("fields", "message"), WRONG, ids=[message for _, message in WRONG])
def test_names_that_do_not_exist_are_refused(fields: dict[str, Any], message: str) -> None:
    """With what there is."""
    with pytest.raises(ValueError) as caught:
        Site(**fields)
    assert str(caught.value) == message


PARTS: list[tuple[type, dict[str, Any], str]] = [
    (QOS, {"name": "q", "flags": ["DenyOnLimits"]}, "QOS q has no flag 'DenyOnLimits'; did you mean 'DenyOnLimit'?"),
    (QOS, {"name": "q", "preempt_mode": "kill"}, "QOS q: the preempt mode cannot be 'kill'; the choices are off, "),
    (QOS, {"name": "q", "priority": -1}, "QOS q: priority must be at least 0, not -1"),
    (Partition, {"name": "p", "state": "AWAY"}, "partition p: the state cannot be 'AWAY'; the choices are UP, "),
    (PriorityRules, {"type": "multi"}, "the type of priority cannot be 'multi'; did you mean 'multifactor'?"),
    (PriorityRules, {"max_age": 0}, "max_age must be above 0, not 0"),
    (Backfill, {"max_job_test": 0}, "max_job_test must be above 0, not 0"),
    (Limits, {"max_jobs": -1}, "max_jobs must be at least 0, not -1"),
    (Tres, {"amounts": {"cpus": 1}}, "'cpus' is no trackable resource; did you mean 'cpu'?"),
    (Tres, {"amounts": {"cpu": -1}}, "an amount of cpu must be a number of at least 0, not -1"),
]


@pytest.mark.parametrize(("kind", "fields", "message"), PARTS, ids=[message for *_, message in PARTS])
def test_values_that_mean_nothing_are_refused(kind: type, fields: dict[str, Any], message: str) -> None:
    """With the name of the value, and what would be right."""
    with pytest.raises(ValueError) as caught:
        kind(**fields)
    assert str(caught.value).startswith(message)


def test_nodes_may_have_names_of_their_own() -> None:
    """As many as there are nodes, and none twice."""
    named = Cluster("g", 2, {"processors": 4}, names=("gpu01", "gpu07"))
    assert named.node_names == ("gpu01", "gpu07")
    assert Nodes([named]).numbers == {"gpu01": 0, "gpu07": 1}
    assert [list(Nodes([named]).having([word])) for word in ("gpu07", "g")] == [
        [False, True], [True, True],
    ]  # fmt: skip
    with pytest.raises(ValueError, match="cluster 'g' has 3 nodes, but 1 names of them"):
        Cluster("g", 3, {"processors": 4}, names=("a",))
    with pytest.raises(ValueError, match="the name 'n1' is used for two nodes"):
        Nodes([Cluster("n", 1, {"processors": 1}), Cluster("m", 1, {"processors": 1}, names=("n1",))])


def test_importing_a_site_loads_no_kernels() -> None:
    """Values are read in no time: SimPy and pandas are not loaded."""
    program = "import sys, thinktime.models.site.site; print([m for m in ('simpy', 'pandas') if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"
