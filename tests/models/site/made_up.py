"""A site that has a bit of everything, and random sites."""

from hypothesis import strategies as st

from thinktime.models.site.accounts import PARENT, AccountTree, Association
from thinktime.models.site.backfill import Backfill
from thinktime.models.site.limits import Limits
from thinktime.models.site.partitions import Partition
from thinktime.models.site.preemption import Preemption
from thinktime.models.site.priority import FLAGS as PRIORITY_FLAGS
from thinktime.models.site.priority import PriorityRules
from thinktime.models.site.qos import FLAGS, QOS
from thinktime.models.site.site import ENFORCED, Site
from thinktime.models.site.time_limits import TimeLimits
from thinktime.models.site.tres import Tres
from thinktime.models.site.usage import Usage
from thinktime.workloads.nodes import Cluster, Nodes

DENY = frozenset({"DenyOnLimit"})
SATURN = Site(
    name="saturn",
    nodes=Nodes(
        [
            Cluster("n", 4, {"processors": 32, "memory": 128 * 2**30}),
            Cluster("gpu", 2, {"processors": 16, "memory": 64 * 2**30, "gpus": 4}, {"a100"}, ("gpu01", "gpu07")),
        ]
    ),
    partitions=(
        Partition("batch", nodes=("n1", "n2", "n3", "n4"), default=True, max_time=2 * 86_400, default_time=3_600),
        Partition(
            "gpu",
            ("gpu01", "gpu07"),
            tier=10,
            max_time=86_400,
            qos="partition",
            allow_accounts=("physics",),
            billing_weights=Tres({"cpu": 1.0, "mem": 0.25, "gres/gpu": 8.0}),
            exclusive=True,
        ),
    ),
    qos=(
        QOS("normal"),
        QOS("partition", limits=Limits(max_jobs=2)),
        QOS("short", 100, ("normal",), limits=Limits(max_tres_per_user=Tres({"cpu": 8})), flags=DENY),
    ),
    accounts=AccountTree(
        [
            Association("root", "root"),
            Association("physics", shares=60, qos=("normal", "short"), default_qos="normal"),
            Association("physics", "ann", default=True, limits=Limits(max_jobs=5, max_wall=90.5)),
            Association("theory", parent="physics", shares=2),
            Association("theory", "ann", shares=PARENT),
            Association("biology", shares=40, limits=Limits(group_tres_seconds=Tres({"cpu": 3_600_000, "mem": 2**60}))),
            Association("biology", "bob"),
        ]
    ),
    priority=PriorityRules("multifactor", age=1_000, fairshare=10_000, qos=500, flags=frozenset({"MAX_TRES"})),
    backfill=Backfill(window=2 * 86_400, max_job_user=20),
    preemption=Preemption("qos", "requeue"),
    time_limits=TimeLimits(over_time_limit=60),
    enforce=frozenset({"associations", "limits"}),
    usage=(Usage("physics", None, 1_512.0), Usage("physics", "ann", 160.25)),
)

amounts = st.sampled_from([0, 1, 7, 1_024, 2**34, 3 * 2**20, 10**12 + 1, 2**70])
times = st.sampled_from([0.0, 0.5, 1e-9, 90.0, 5_400.0, 604_800.0, 86_400.5, 1e300])
tres = st.dictionaries(st.sampled_from(["cpu", "mem", "gres/gpu:a100"]), amounts, max_size=2).map(Tres)
limits = st.builds(
    Limits,
    max_jobs=st.none() | amounts,
    max_wall=st.none() | times,
    max_tres=tres,
    group_tres=tres,
    max_tres_seconds=st.dictionaries(st.sampled_from(["cpu", "mem"]), st.sampled_from([0, 60, 3_601, 2**50])).map(Tres),
)
qos = st.builds(
    QOS,
    st.sampled_from(["normal", "long", "x y"]),
    amounts,
    exempt=st.none() | times,
    usage_factor=times,
    limits=limits,
    preempt_mode=st.sampled_from([None, "off", "requeue"]),
    flags=st.frozensets(st.sampled_from(FLAGS[:3])),
)
rules = st.builds(
    PriorityRules,
    st.sampled_from(["basic", "multifactor"]),
    age=amounts,
    half_life=times,
    tres=st.dictionaries(st.just("cpu"), times).map(Tres),
    favor_small=st.booleans(),
    flags=st.frozensets(st.sampled_from(PRIORITY_FLAGS[:3])),
)


@st.composite
def trees(draw: st.DrawFn) -> AccountTree:
    """Accounts, each below root or an earlier one, and users in some of them."""
    found = []
    for place, account in enumerate("abc"[: draw(st.integers(0, 3))]):
        parent = draw(st.sampled_from([None, *"abc"[:place]]))
        found.append(Association(account, None, parent, draw(st.integers(0, 99)), limits=draw(limits)))
        for user in draw(st.lists(st.sampled_from("uv"), unique=True)):
            found.append(
                Association(account, user, shares=draw(st.just(PARENT) | amounts), default=draw(st.booleans()))
            )
    return AccountTree(found)


@st.composite
def sites(draw: st.DrawFn) -> Site:
    """Any site."""
    labels = draw(st.lists(st.sampled_from(["g07", "g08", "g-1", "login", "[", "7", "g,h"]), unique=True, min_size=1))
    nodes = Nodes(
        [
            Cluster("n", draw(st.integers(1, 12)), {"processors": 3, "memory": draw(amounts) % 2**62}),
            Cluster("named", len(labels), {"processors": 1}, frozenset({"big"}), tuple(labels)),
        ]
    )
    own = st.none() | st.lists(st.sampled_from(nodes.names), unique=True).map(tuple)
    parts = st.builds(
        Partition, st.sampled_from(["p", "q"]), own, max_time=st.none() | times, state=st.sampled_from(["UP", "DOWN"]),
        deny_accounts=st.lists(st.sampled_from("ab")).map(tuple), exclusive=st.booleans(),
    )  # fmt: skip
    tree = draw(trees())
    return Site(
        draw(st.sampled_from(["site", "café", 'a "b"\\'])),
        nodes,
        tuple(draw(st.lists(parts, min_size=1, unique_by=lambda each: each.name))),
        tuple(draw(st.lists(qos, unique_by=lambda each: each.name))),
        tree,
        draw(rules),
        Backfill(max_job_test=draw(st.integers(1, 99)), window=draw(times) or 1.0),
        enforce=draw(st.frozensets(st.sampled_from(ENFORCED))),
        accounting=draw(st.booleans()),
        usage=tuple(Usage(each.account, each.user, draw(times)) for each in tree),
    )
