"""What looks wrong in a site is listed; what is in order is not."""

from dataclasses import replace

import pytest

from thinktime.models.site.accounts import PARENT, AccountTree, Association
from thinktime.models.site.backfill import Backfill
from thinktime.models.site.checks import remarks
from thinktime.models.site.limits import Limits
from thinktime.models.site.partitions import Partition
from thinktime.models.site.preemption import Preemption
from thinktime.models.site.priority import PriorityRules
from thinktime.models.site.qos import QOS
from thinktime.models.site.site import Site
from thinktime.models.site.tres import Tres
from thinktime.models.site.usage import Usage
from thinktime.workloads.nodes import Nodes

DAY = 86_400.0
RULES = PriorityRules("multifactor", age=1)
PLAIN = Site(
    nodes=Nodes.uniform(4, 8),
    partitions=(Partition("main", default=True, max_time=DAY),),
    qos=(QOS("normal"), QOS("high", 10)),
    accounts=AccountTree([Association("a", qos=("normal", "high")), Association("a", "u")]),
    priority=RULES,
    enforce=frozenset({"associations", "limits", "qos"}),
)


def found(**changed: object) -> list[str]:
    return [f"{where}: {what}" for where, what in remarks(replace(PLAIN, **changed))]  # type: ignore[arg-type]


def part(**fields: object) -> dict[str, object]:
    return {"partitions": (Partition("p", **({"default": True, "max_time": DAY} | fields)),)}  # type: ignore[arg-type]


def quality(**fields: object) -> dict[str, object]:
    return {"qos": (QOS("normal"), QOS("high", **({"priority": 10} | fields)))}  # type: ignore[arg-type]


def limited(**fields: object) -> dict[str, object]:
    return quality(limits=Limits(**fields))  # type: ignore[arg-type]


def test_a_site_in_order_has_no_remarks() -> None:
    """Not one."""
    assert remarks(PLAIN) == []


CASES: list[tuple[dict[str, object], str]] = [
    (part(nodes=()), "partition p: has no nodes, so its jobs never start"),
    (part(state="DRAIN"), "partition p: is DRAIN, so its jobs do not start"),
    (part(min_nodes=5), "partition p: asks for at least 5 nodes, more than a job can have there"),
    (part(max_time=None), "partition p: has no time limit: behind jobs without one, nothing can be planned"),
    (part(default_time=2 * DAY), "partition p: has a default time above its time limit"),
    (part(max_time=100.0), "partition p: max_time is 100s; Slurm reads whole minutes, and makes 2min of it"),
    (part(allow_accounts=("b",)), "partition p: names the account 'b', which does not exist"),
    (
        part(allow_accounts=("a",), deny_accounts=("a",)),
        "partition p: lists accounts allowed and denied; those denied are ignored",
    ),
    (part(nodes=("node1",)), "nodes: 3 are in no partition, such as node2"),
    (quality(preempts=("high",)), "QOS high: preempts its own jobs"),
    (quality(preempts=("normal",)), "preemption: QOS high preempts others, but type is none"),
    ({"preemption": Preemption("qos", "requeue")}, "preemption: type is qos, but no QOS preempts another"),
    (
        {"preemption": Preemption("partition_prio", "requeue")},
        "preemption: type is partition_prio, but all partitions are of the same tier",
    ),
    (
        {"preemption": Preemption("none", "requeue")},
        "preemption: type is none and mode requeue: Slurm does not start like this",
    ),
    (quality(preempt_mode="suspend"), "preemption: mode suspend needs gang"),
    (
        {"preemption": Preemption("partition_prio", "suspend", gang=True)},
        "preemption: jobs are suspended only for those in a partition of a higher tier, and there is none",
    ),
    (
        {"not_modelled": ("LLN=YES: nodes are chosen in their order",)},
        "not modelled: LLN=YES: nodes are chosen in their order",
    ),
    (
        {"backfill": Backfill(max_job_assoc=2), "accounting": False},
        "backfill: max_job_assoc does nothing, since there are no associations of users",
    ),
    (
        quality(grace=60.0) | {"preemption": Preemption("partition_prio", "requeue")},
        "QOS high: its mode and grace have no effect: with partition_prio, the partition's count",
    ),
    (
        part(grace=60.0) | {"preemption": Preemption("qos", "requeue")},
        "partition p: its mode and grace have no effect: with qos, those of the QOS count",
    ),
    ({"priority": PriorityRules(age=5)}, "priority: type is basic, first come, first served: no weight counts (age)"),
    (
        {"priority": PriorityRules("multifactor")},
        "priority: all weights are 0, so jobs are taken by their time of submission",
    ),
    (
        {"accounting": False, "priority": replace(RULES, fairshare=1)},
        "priority: without accounting (slurmdbd) age and fairshare weigh nothing",
    ),
    (
        {"priority": replace(RULES, half_life=0.0)},
        "priority: usage neither decays nor is reset: Slurm does not start like this",
    ),
    (
        {"priority": replace(RULES, calc_period=1.0)},
        "priority: calc_period is 1s; Slurm reads whole minutes, and makes 1min of it",
    ),
    ({"priority": replace(RULES, dampening=5)}, "priority: dampening counts under the flag NO_FAIR_TREE only"),
    (
        {"priority": replace(RULES, fairshare=5), "accounts": AccountTree(), "enforce": frozenset[str]()},
        "priority: fairshare has a weight, but there are no accounts",
    ),
    (
        {"priority": replace(RULES, qos=5), "qos": (QOS("normal"), QOS("high"))},
        "priority: qos has a weight, but all QOS have the same priority",
    ),
    (
        {"priority": replace(RULES, association=5)},
        "priority: association has a weight, but no association has a priority",
    ),
    (
        {"backfill": Backfill(window=3600)},
        "backfill: window is 1h, but jobs may be as long as 24h: what would start later",
    ),
    ({"backfill": Backfill(max_job_user=900)}, "backfill: max_job_user is above max_job_test, so it does nothing"),
    (limited(max_jobs=0), "QOS high: max_jobs is 0, so no job ever starts"),
    (limited(group_submit=0), "QOS high: group_submit is 0, so no job ever gets in"),
    (
        limited(min_tres=Tres({"cpu": 33})),
        "QOS high: a job needs at least 33 of cpu, more than the nodes have: none ever starts",
    ),
    (
        limited(min_tres=Tres({"node": 2}), group_tres=Tres({"node": 1})),
        "QOS high: a job needs at least 2 of node, but group_tres is 1: none ever starts",
    ),
    (limited(group_tres=Tres({"gres/gpu": 1})), "QOS high: group_tres limits gres/gpu, which no node has"),
    (
        limited(max_jobs=3) | {"enforce": frozenset[str]()},
        "enforce: limits are not enforced, so those of QOS high do nothing",
    ),
    ({"enforce": frozenset({"safe"})}, "enforce: safe means something only with limits"),
    (
        {"accounts": AccountTree([Association("a"), Association("a", "u")])},
        "enforce: a job needs a QOS, but no association may use one",
    ),
    ({"accounts": AccountTree()}, "enforce: a job needs an association, but there are no accounts"),
    ({"qos": (*PLAIN.qos, QOS("odd"))}, "QOS odd: no association may use it"),
    (
        {"accounts": AccountTree([*PLAIN.accounts, Association("b")])},
        "account b: has neither users nor accounts, so nobody can use it",
    ),
    (
        {"accounts": AccountTree([*PLAIN.accounts, Association("b", shares=PARENT), Association("b", "u")])},
        "account b: has the shares of its parent, which is meant for users",
    ),
    (
        {"accounts": AccountTree([*PLAIN.accounts, Association("b"), Association("b", "u", shares=0)])},
        "account b: all below it have 0 shares, so none of them has a fair share",
    ),
    (
        {"accounts": AccountTree([*PLAIN.accounts, Association("a", "v", qos=("normal",), default_qos="high")])},
        "user v of account a: its default QOS high is not among those it may use (normal)",
    ),
    (
        {"usage": (Usage("a", None, 5.0), Usage("a", "u", 50.0))},
        "usage of account a: is 5, but that of those below it is 50",
    ),
    (
        {"usage": (Usage("a", None, 5.0),), "accounting": False},
        "usage: without accounting (slurmdbd) nothing is done with it",
    ),
]


@pytest.mark.parametrize(("changed", "remark"), CASES, ids=[remark for _, remark in CASES])
def test_what_looks_wrong_is_listed(changed: dict[str, object], remark: str) -> None:
    """Where, and what."""
    assert [each for each in found(**changed) if each.startswith(remark)]


def test_several_partitions_of_which_none_is_the_default() -> None:
    """Jobs must then name one; equal job factors make no difference."""
    several = found(
        partitions=(Partition("p", max_time=DAY), Partition("q", max_time=DAY)), priority=replace(RULES, partition=3)
    )
    assert several == [
        "partitions: none is the default, so jobs that name none are refused",
        "priority: partition has a weight, but all partitions have the same job_factor",
    ]
