"""What Slurm's files do not mean, although they look like it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from thinktime.models.machine.spec import MachineSpec
from thinktime.models.site.accounts import Association
from thinktime.models.site.slurm.importing import Imported, SlurmFiles, import_site
from thinktime.models.site.tres import Tres
from thinktime.workloads.nodes import Cluster

Make = Callable[..., Imported]
GB = 2**30
NODES = "NodeName=n[1-4] CPUs=8 RealMemory=4000\n"
PLAIN = "ClusterName=saturn SelectType=select/linear PriorityType=priority/basic\n" + NODES
PARTITION = "PartitionName=main Nodes=ALL Default=YES MaxTime=1-0\n"
QOS = (
    "Name|Priority|GraceTime|Preempt|PreemptMode|Flags|UsageFactor|GrpTRESMins|MaxTRES|MaxWall|MaxTRESPU|MaxSubmitPU\n"
)
TREE = "Cluster|Account|User|Share|GrpTRESMins|MaxJobs|MaxWall|QOS|Def QOS\n"


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Import a site whose files have these texts."""

    def imported(conf: str = PLAIN + PARTITION, **texts: str) -> Imported:
        paths = {}
        for name, text in {"slurm.conf": conf, **texts}.items():
            paths[name] = tmp_path / name
            paths[name].write_text(text)
        confs = [paths.pop("slurm.conf")]
        return import_site(SlurmFiles(confs, **paths))  # type: ignore[arg-type]

    return imported


def noted(found: Imported) -> list[str]:
    return [f"{where}: {what}" for where, what in found.notes]


def test_defaults_hold_for_the_lines_below_them_only(make: Make) -> None:
    """NodeName=DEFAULT and PartitionName=DEFAULT, several of which add up."""
    site = make(
        "NodeName=old[1-2] CPUs=4\n"
        "nodename=DEFAULT CPUs=16 RealMemory=64000\n"
        "NodeName=n[1-2] Feature=fast\n"
        "NodeName=DEFAULT RealMemory=128000\n"
        "NodeName=g1 Gres=gpu:a100:2\n"
        "PartitionName=first Nodes=old[1-2]\n"
        "PartitionName=DEFAULT MaxTime=60 State=UP\n"
        "PartitionName=second Nodes=ALL\n"
        "PartitionName=DEFAULT PriorityTier=5\n"
        "PartitionName=third Nodes=g1 MaxTime=INFINITE\n"
    ).site
    assert site.nodes.clusters == (
        Cluster("old", 2, {"processors": 4}),
        Cluster("n", 2, {"processors": 16, "memory": 64_000 * 2**20}, frozenset({"fast"})),
        Cluster("g", 1, {"processors": 16, "memory": 128_000 * 2**20, "gpus": 2}, frozenset({"a100"})),
    )
    assert [(each.name, each.max_time, each.tier) for each in site.partitions] == [
        ("first", None, 1), ("second", 3_600, 1), ("third", None, 5),
    ]  # fmt: skip


def test_times_of_the_priority_are_whole_minutes(make: Make) -> None:
    """A plain number is minutes, and seconds are rounded up."""
    rules = make(
        PLAIN + PARTITION + "PriorityCalcPeriod=00:00:01\nPriorityMaxAge=00:01:40\nPriorityDecayHalfLife=14-0\n"
    ).site.priority
    assert (rules.calc_period, rules.max_age, rules.half_life) == (60, 120, 14 * 86_400)
    rules = make(PLAIN + PARTITION + "PriorityCalcPeriod=1\nPriorityMaxAge=7-12:30:10\n").site.priority
    assert (rules.calc_period, rules.max_age) == (60, 7 * 86_400 + 12 * 3_600 + 31 * 60)


@pytest.mark.parametrize(
    ("select", "memory", "exclusive"),
    [
        ("SelectType=select/cons_tres\nSelectTypeParameters=CR_Core\n", False, False),
        ("SelectType=select/cons_tres\nSelectTypeParameters=CR_CPU_Memory\n", True, False),
        ("SelectType=select/cons_tres\n", True, False),
        ("SelectType=select/linear\n", False, True),
        ("", False, True),
    ],
)
def test_memory_is_a_resource_only_if_it_is_selected(make: Make, select: str, memory: bool, exclusive: bool) -> None:
    """CR_…_Memory; and select/linear, the default of 22.05, gives whole nodes."""
    site = make(PLAIN + PARTITION + select).site
    assert (site.memory, site.partition().exclusive) == (memory, exclusive)
    assert site.nodes.total("memory") == 4 * 4_000 * 2**20


@pytest.mark.parametrize(
    ("lines", "allocator"),
    [
        ("SelectTypeParameters=CR_Core\n", "consecutive"),
        ("SelectTypeParameters=CR_Core_Memory,CR_LLN\n", "worst-fit"),
        ("SchedulerParameters=bf_window=60,pack_serial_at_end\n", "serial-last"),
        ("SchedulerParameters=pack_serial_at_end\nSelectTypeParameters=CR_CPU,CR_LLN\n", "worst-fit"),
    ],
)
def test_how_nodes_are_chosen(make: Make, lines: str, allocator: str) -> None:
    """CR_LLN: those with the most idle processors; pack_serial_at_end: the last, for jobs of one processor."""
    found = make(f"{PLAIN}{PARTITION}SelectType=select/cons_tres\n{lines}")
    assert MachineSpec.of_site(found.site).allocator == allocator
    assert found.site.least_loaded == ("LLN" in lines) and found.site.serial_at_end == ("pack" in lines)
    assert not [what for _, what in found.notes if "pack_serial" in what or "LLN" in what]


def test_oversubscribe_exclusive_gives_whole_nodes(make: Make) -> None:
    """FORCE and YES do not, and are noted."""
    found = make(
        PLAIN
        + "SelectType=select/cons_tres\n"
        + "PartitionName=whole Nodes=ALL OverSubscribe=EXCLUSIVE\n"
        + "PartitionName=part Nodes=ALL OverSubscribe=FORCE:2\n"
    )
    assert [each.exclusive for each in found.site.partitions] == [True, False]
    assert "slurm.conf, line 5: OverSubscribe=FORCE:2: jobs do not share processors" in noted(found)


def test_what_cannot_be_used_is_noted_with_line_and_reason(make: Make) -> None:
    """Plugins that are not seen, options of the real daemon, words that are not known."""
    found = make(
        PLAIN
        + PARTITION.replace("\n", " AllowGroups=staff\n")
        + "JobSubmitPlugins=lua\n"
        + "SchedulerParameters=bf_window=2880,max_rpc_cnt=150,bf_max_job_usr=5\n"
        + "PriorityFlags=MAX_TRES,SOMETHING\n"
        + "NodeName=far State=FUTURE CPUs=1\n"
        + "SlurmctldPort=6817 # a port\n"
    )
    assert noted(found) == [
        "slurm.conf, line 4: JobSubmitPlugins=lua: what it changes at submission is not seen",
        "slurm.conf, line 5: SchedulerParameters max_rpc_cnt=150: passes take no time here, and none is late",
        "slurm.conf, line 5: SchedulerParameters bf_max_job_usr=5: "
        "this option is not known; did you mean 'bf_max_job_user'?",
        "slurm.conf, line 6: PriorityFlags SOMETHING: this flag is not known",
        "slurm.conf, line 7: NodeName=far: the state is FUTURE, so these nodes are left out",
        "slurm.conf, line 3: AllowGroups=staff: groups of the operating system are not known",
    ]
    assert (found.site.backfill.window, found.passed_over) == (2 * 86_400, ("SlurmctldPort",))


def test_the_dump_names_qos_without_saying_what_they_are(make: Make) -> None:
    """They are noted, and have no limits; a plus adds to those of the account above."""
    found = make(
        associations=(
            "# To edit this file start with a cluster line for the new cluster\n"
            "Cluster - 'saturn':Fairshare=1:QOS='normal'\n"
            "Parent - 'root'\n"
            "User - 'root':DefaultAccount='root':AdminLevel='Administrator':Fairshare=1\n"
            "Account - 'Physics':Description='phys: a lot':Organization='x':Fairshare=40:QOS='+long,+short'\n"
            "Parent - 'Physics'\n"
            "Account - 'theory':Description='t':Organization='x':Fairshare=2:QOS='-long'\n"
            "User - 'ann':DefaultAccount='theory':Fairshare=1:MaxWallDurationPerJob=40:GrpTRESMins=cpu=4,mem=1\n"
            "Parent - 'theory'\n"
            "User - 'ann':DefaultAccount='theory':Fairshare=2147483647:DefaultQOS='short'\n"
            "User - 'ann':Partition='main':DefaultAccount='theory':Fairshare=7\n"
        )
    )
    tree = found.site.accounts
    assert list(tree.accounts) == ["root", "physics", "theory"]
    assert [tree.inherited(tree.account(name), "qos") for name in tree.accounts] == [
        ("normal",), ("long", "normal", "short"), ("normal", "short"),
    ]  # fmt: skip
    ann = tree.find("physics", "ann")
    assert ann is not None
    assert ann.limits.given() == [("max_wall", 2_400), ("group_tres_seconds", {"cpu": 240, "mem": 60 * 2**20})]
    assert [each.shares for each in tree.children("theory")] == ["parent", 7]
    assert (tree.default_account("ann"), tree.account("theory").above) == ("theory", "physics")
    assert noted(found) == [
        f"QOS {name}: nothing says what it is (sacctmgr -P show qos), so it has no limits and priority 0"
        for name in ("long", "short")
    ]


def test_the_tree_of_a_table_is_in_the_blanks_or_in_a_column(make: Make) -> None:
    """A column Par Name is the safer one; inherited limits are empty."""
    blanks = TREE + (
        "saturn|root||1||||normal|\n"
        "saturn| root|root|1||||normal|\n"
        "saturn| physics||40||5||normal|\n"
        "saturn|  theory||2|cpu=10||1-00:00:00|normal|\n"
        "saturn|   theory|ann|parent||||normal|\n"
        "saturn| biology||60||||normal|\n"
    )
    tree = make(associations=blanks).site.accounts
    assert [tree.account(name).above for name in ("physics", "theory", "biology")] == ["root", "physics", "root"]
    ann = tree.find("theory", "ann")
    assert ann is not None
    assert [tree.inherited(ann, name) for name in ("max_jobs", "max_wall", "qos")] == [5, 86_400, ("normal",)]
    assert tree.account("theory").limits.group_tres_seconds == {"cpu": 600}
    lines = blanks.replace(" ", "").replace("DefQOS", "Def QOS").splitlines()
    parents = ["Par Name", "", "", "root", "physics", "", "root"]
    column = "".join(f"{line}|{parent}\n" for line, parent in zip(lines, parents, strict=True))
    assert make(associations=column).site.accounts == tree


def test_columns_are_known_by_their_headings(make: Make) -> None:
    """Those of newer versions that are not known are noted, if there is something in them."""
    found = make(
        associations=(
            "User|Account|Share|Cluster|Lineage|Novelty|Other\n"
            "|root|1|saturn|/||\n"
            "| physics|40|saturn|/physics/||x\n"
            "ann|  physics|3|saturn|/physics/ann/|7|x\n"
        )
    )
    assert found.site.accounts.find("physics", "ann") == Association("physics", "ann", shares=3)
    assert noted(found) == [
        "associations, line 3: column 'other' (x) is not known",
        "associations, line 4: column 'novelty' (7) is not known",
    ]


def test_limits_of_a_qos(make: Make) -> None:
    """MaxTRES is of a job, MaxTRESPU of a user, MaxWall a clock; PreemptMode cluster is that of the site."""
    found = make(
        qos=QOS
        + "normal|0|00:00:00||cluster||1.000000|||||\n"
        + "big|10|00:05:00|normal|requeue|DenyOnLimit,NoDecay,Sparkling|2.000000|"
        + "cpu=60|cpu=64,mem=1T|2-00:00:00|gres/gpu=2|7\n"
    )
    normal, big = found.site.qos
    assert (normal.preempt_mode, normal.limits.given(), normal.usage_factor) == (None, [], 1)
    assert (big.priority, big.grace, big.preempts, big.preempt_mode) == (10, 300, ("normal",), "requeue")
    assert (big.flags, big.usage_factor) == ({"DenyOnLimit", "NoDecay"}, 2)
    assert dict(big.limits.given()) == {
        "max_submit": 7,
        "max_wall": 2 * 86_400,
        "max_tres": {"cpu": 64, "mem": 1024 * GB},
        "max_tres_per_user": {"gres/gpu": 2},
        "group_tres_seconds": {"cpu": 3_600},
    }
    assert noted(found) == ["qos, line 3: QOS big: the flag Sparkling is not known"]


SHOWN = """\
Configuration data as of 2023-05-04T10:00:00
AccountingStorageEnforce = associations,limits,qos,safe
AccountingStorageType   = accounting_storage/slurmdbd
ClusterName             = saturn
JobSubmitPlugins        = (null)
MaxBatchRequeue         = 5
MaxJobCount             = 10000
MaxMemPerNode           = UNLIMITED
SuspendTime             = INFINITE
KillWait                = 30 sec
OverTimeLimit           = 5 min
PreemptMode             = REQUEUE
PreemptType             = preempt/partition_prio
PriorityDecayHalfLife   = 3-12:00:00
PriorityCalcPeriod      = 00:05:00
PriorityFavorSmall      = No
PriorityFlags           = SMALL_RELATIVE_TO_TIME,NO_FAIR_TREE
PriorityMaxAge          = 14-00:00:00
PriorityType            = priority/multifactor
PriorityWeightAge       = 1000
PriorityWeightFairShare = 20000
PriorityWeightTRES      = CPU=100,Mem=50
SchedulerParameters     = bf_max_job_user=20,default_queue_depth=200
SelectType              = select/cons_tres
SelectTypeParameters    = CR_CPU_MEMORY
Slurmctld(primary) at head is UP
"""
PART = (
    "PartitionName=batch AllowGroups=ALL AllowAccounts=Physics,biology AllowQos=ALL AllocNodes=ALL Default=YES QoS=N/A "
    "DefaultTime=01:00:00 DisableRootJobs=NO ExclusiveUser=NO GraceTime=0 Hidden=NO MaxNodes=UNLIMITED "
    "MaxTime=2-00:00:00 MinNodes=0 LLN=NO MaxCPUsPerNode=UNLIMITED Nodes=n[01-02] PriorityJobFactor=10 PriorityTier=3 "
    "RootOnly=NO ReqResv=NO OverSubscribe=EXCLUSIVE OverTimeLimit=NONE PreemptMode=REQUEUE State=DRAIN TotalCPUs=64 "
    "TotalNodes=2 SelectTypeParameters=NONE JobDefaults=(null) DefMemPerNode=UNLIMITED MaxMemPerNode=UNLIMITED "
    "TRES=cpu=64,mem=256000M,node=2,billing=64 TRESBillingWeights=CPU=1.0,Mem=0.25G,GRES/gpu=8\n"
)
NODE = (
    "NodeName={name} Arch=x86_64 CoresPerSocket=16 CPUAlloc=0 CPUEfctv=32 CPUTot=32 CPULoad=0.01 "
    "AvailableFeatures={features} ActiveFeatures={features} Gres={gres} NodeAddr={name} NodeHostName={name} "
    "Version=22.05.8 OS=Linux 5.10 #1 SMP RealMemory=128000 AllocMem=0 FreeMem=1 Sockets=2 Boards=1 State={state} "
    "ThreadsPerCore=1 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A Partitions=batch\n"
)


def test_what_scontrol_shows(make: Make) -> None:
    """`show config` has units and (null); snapshots of partitions and nodes say how things are just then."""
    rows = (
        ("n01", "(null)", "(null)", "IDLE"),
        ("n02", "(null)", "(null)", "DOWN*"),
        ("g1", "big,fast", "gpu:a100:4(S:0-1)", "MIXED"),
    )
    names = ("name", "features", "gres", "state")
    found = make(
        SHOWN, partitions=PART, nodes="".join(NODE.format(**dict(zip(names, row, strict=True))) for row in rows)
    )
    site = found.site
    assert (site.name, site.enforce, site.accounting, site.memory) == (
        "saturn", {"associations", "limits", "qos", "safe"}, True, True,
    )  # fmt: skip
    assert (site.time_limits.kill_wait, site.time_limits.over_time_limit) == (30, 300)
    rules = site.priority
    assert (rules.type, rules.age, rules.fairshare, rules.half_life) == ("multifactor", 1_000, 20_000, 302_400)
    assert (rules.max_age, rules.calc_period, rules.tres) == (14 * 86_400, 300, {"cpu": 100, "mem": 50})
    assert (rules.flags, rules.favor_small) == ({"SMALL_RELATIVE_TO_TIME", "NO_FAIR_TREE"}, False)
    assert (site.preemption.type, site.preemption.mode) == ("partition_prio", "requeue")
    assert (site.backfill.max_job_user, site.backfill.default_queue_depth) == (20, 200)
    part = site.partition("batch")
    assert (part.nodes, part.state, part.exclusive, part.tier, part.job_factor) == (
        ("n01", "n02"),
        "DRAIN",
        True,
        3,
        10,
    )
    assert (part.max_time, part.default_time, part.max_nodes, part.qos) == (172_800, 3_600, None, None)
    assert (part.allow_accounts, part.allow_qos) == (("physics", "biology"), None)
    assert part.billing_weights == Tres({"cpu": 1.0, "mem": 0.25, "gres/gpu": 8.0})
    assert site.nodes.clusters == (
        Cluster("n", 2, {"processors": 32, "memory": 128_000 * 2**20}, names=("n01", "n02")),
        Cluster("g", 1, {"processors": 32, "memory": 128_000 * 2**20, "gpus": 4}, frozenset({"a100", "big", "fast"})),
    )
    assert noted(found) == ["nodes, line 2: node n02 was DOWN* and is taken as up"]


def test_two_configurations_are_one(tmp_path: Path) -> None:
    """Settings of the later one count; nodes and partitions come from slurm.conf."""
    (tmp_path / "config.txt").write_text(SHOWN)
    (tmp_path / "slurm.conf").write_text(PLAIN + PARTITION + "PriorityWeightAge=1\nPriorityWeightQOS=7\n")
    site = import_site(SlurmFiles([tmp_path / "slurm.conf", tmp_path / "config.txt"])).site
    assert (site.nodes.count, site.partition().max_time) == (4, 86_400)
    assert (site.priority.age, site.priority.qos, site.priority.fairshare) == (1_000, 7, 20_000)


def test_files_are_included_in_their_places(make: Make, tmp_path: Path) -> None:
    """Also copies of files that are included by a path that exists elsewhere; keys are of any case."""
    (tmp_path / "nodes.conf").write_text("NODENAME=n[1-2] Sockets=2 CoresPerSocket=4 \\\n  ThreadsPerCore=1 # eight\n")
    site = make("Include /etc/slurm/nodes.conf\nclustername=saturn\n" + PARTITION).site
    assert site.nodes.clusters == (Cluster("n", 2, {"processors": 8}),)
    assert site.name == "saturn"
    with pytest.raises(ValueError, match=r"slurm\.conf, line 1: there is no file other\.conf to include"):
        make("Include other.conf\n" + PLAIN + PARTITION)
    with pytest.raises(ValueError, match="include each other without end"):
        make("Include slurm.conf\n")


def test_usage_is_that_of_the_associations(make: Make) -> None:
    """RawUsage of sshare, whose columns depend on the priority; that of strangers is noted."""
    tree = TREE + "saturn|root||1||||normal|\nsaturn| physics||40||||normal|\nsaturn|  physics|ann|1||||normal|\n"
    found = make(
        associations=tree,
        usage=(
            "Account|User|RawShares|NormShares|RawUsage|EffectvUsage|FairShare\n"
            "root|||0.000000|1512||1.000000\n"
            " physics||40|0.975610|1512|1.000000|\n"
            "  physics|ann|1|1.000000|1500|1.000000|0.5\n"
            "  physics|bob|1|1.000000|12|0.000000|1.0\n"
        ),
    )
    assert [found.site.used(*key) for key in (("root",), ("physics",), ("physics", "ann"))] == [1_512, 1_512, 1_500]
    assert noted(found) == ["usage, line 5: usage of bob in account physics, which is not in the tree"]


def test_a_snapshot_of_the_accounts_may_name_partitions_that_are_no_more(make: Make) -> None:
    """Such associations are left out; QOS are lower case, too."""
    found = make(
        PLAIN + "PartitionName=main Nodes=ALL Default=YES QOS=Part\nPartitionName=new Nodes=ALL Default=YES\n",
        associations=(
            "Cluster|Account|User|Partition|Share|QOS\nsaturn|root|||1|normal\nsaturn| a|||1|normal,part\n"
            "saturn|  a|ann|main|1|normal\nsaturn|  a|ann|old|1|normal\n"
        ),
        qos="Name|Priority\nnormal|0\npart|5\n",
    )
    assert [str(each) for each in found.site.accounts.users] == ["user ann of account a in partition main"]
    assert (found.site.partition("main").qos, found.site.partition().name) == ("part", "new")
    assert noted(found) == [
        "partition main: it is not the default partition, since new is",
        "user ann of account a in partition old: it is left out, since there is no such partition",
    ]


@pytest.mark.parametrize(
    ("settings", "kind", "mode", "gang"),
    [
        ("PreemptType=preempt/qos\nPreemptMode=GANG,SUSPEND\n", "qos", "suspend", True),
        ("PreemptType=preempt/partition_prio\nPreemptMode=CANCEL\n", "partition_prio", "cancel", False),
        ("PreemptMode=OFF\n", "none", "off", False),
        ("PreemptMode=GANG\n", "none", "off", True),
    ],
)
def test_modes_of_preemption(make: Make, settings: str, kind: str, mode: str, gang: bool) -> None:
    """GANG is no mode of its own; the time for which jobs are exempt is in minutes, -1 is none."""
    rules = make(PLAIN + PARTITION + settings + "PreemptExemptTime=2\n").site.preemption
    assert (rules.type, rules.mode, rules.gang, rules.exempt_time) == (kind, mode, gang, 120)
    assert make(PLAIN + PARTITION + settings + "PreemptExemptTime=-1\n").site.preemption.exempt_time == 0


def test_what_preemption_cannot_be_used(make: Make) -> None:
    """Jobs that take turns, or preempt those of their own QOS, are noted with the line, and suspension in one tier."""
    qos = "Name|Priority|Preempt|PreemptMode\nlo|0||cluster\nhi|5|lo|cluster\n"
    settings = "PreemptType=preempt/qos\nPreemptMode="
    (within,) = noted(make(PLAIN + PARTITION + settings + "REQUEUE,WITHIN\n", qos=qos))
    assert within.startswith("slurm.conf, line 5: PreemptMode=REQUEUE,WITHIN: jobs do not preempt those of their own")
    turns = "slurm.conf, line 5: PreemptMode=SUSPEND,GANG: jobs do not take turns on the same processors (GANG)"
    one = noted(make(PLAIN + PARTITION + settings + "SUSPEND,GANG\n", qos=qos))
    assert one[0] == turns
    assert one[1].startswith(
        "slurm.conf, line 5: jobs would be suspended for others of the same tier; Slurm lets these"
    )
    higher = "PartitionName=fast Nodes=ALL PriorityTier=2 MaxTime=1-0\n"
    assert noted(make(PLAIN + PARTITION + higher + settings + "SUSPEND,GANG\n", qos=qos)) == [
        turns.replace("line 5", "line 6")
    ]


def test_options_of_backfill(make: Make) -> None:
    """bf_window is in minutes, an interval of -1 is no backfill, and limits are those of one pass."""
    plan = make(PLAIN + PARTITION + "SchedulerParameters=bf_window=4,bf_continue,bf_interval=10\n").site.backfill
    assert (plan.window, plan.interval, plan.enabled) == (240, 10, True)
    for off in ("SchedulerType=sched/builtin\n", "SchedulerParameters=bf_interval=-1\nSchedulerType=sched/backfill\n"):
        assert make(PLAIN + PARTITION + off).site.backfill.rule == "slurm:backfill=no"


WRONG: list[tuple[dict[str, str], str]] = [
    (
        {"conf": PLAIN + PARTITION + "PriorityWeightAge=lots\n"},
        "slurm.conf, line 4: priorityweightage: must be a whole number, not 'lots'",
    ),
    (
        {"conf": PLAIN + PARTITION + "PriorityMaxAge=soon\n"},
        "slurm.conf, line 4: prioritymaxage: 'soon' is not a duration such as 1-02:03:04",
    ),
    (
        {"conf": PLAIN + PARTITION + "what is this\n"},
        "slurm.conf, line 4: 'what is this' is neither Key=Value nor a comment",
    ),
    (
        {"conf": PLAIN + PARTITION + "EnforcePartLimits=maybe\n"},
        "slurm.conf: the settings: enforce_partition_limits cannot be 'MAYBE'; the choices are NO, ANY, ALL",
    ),
    ({"conf": PARTITION}, "slurm.conf has no NodeName lines; add slurm.conf, or what 'scontrol -o show node' prints"),
    ({"conf": PLAIN}, "slurm.conf has no partitions"),
    (
        {"conf": PLAIN + "PartitionName=p Nodes=n[1\n"},
        "slurm.conf, line 3: Nodes: 'n[1' is no list of nodes such as n[1-4,7]",
    ),
    (
        {"conf": PLAIN + "PartitionName=p State=AWAY\n"},
        "slurm.conf, line 3: this partition: partition p: the state cannot be 'AWAY'",
    ),
    (
        {"conf": PLAIN + "PartitionName=p TRESBillingWeights=CPU=x\n"},
        "slurm.conf, line 3: tresbillingweights: the weight of cpu must be a number, not 'x'",
    ),
    ({"conf": "NodeName=n1 CPUs=many\n" + PARTITION}, "slurm.conf, line 1: CPUs: must be a whole number, not 'many'"),
    (
        {"conf": PLAIN + PARTITION + "SchedulerParameters=bf_max_job_test=all\n"},
        "slurm.conf, line 4: bf_max_job_test: must be a whole number, not 'all'",
    ),
    (
        {"associations": "Cluster - 'saturn':Fairshare=1\nnonsense\n"},
        "associations, line 2: 'nonsense' is no line of a dump",
    ),
    (
        {"associations": "Cluster - 'saturn':Fairshare=half\n"},
        "associations, line 1: Fairshare: must be a whole number, not 'half'",
    ),
    (
        {"associations": TREE + "saturn|root||1|||||\nsaturn|physics||1|||||\n"},
        "no account is indented, so there is no tree; make it with 'sacctmgr -P show assoc tree'",
    ),
    (
        {"associations": TREE + "saturn|root||1|||||\nsaturn|a\n"},
        "associations, line 3: 2 cells, but 9 columns in the heading",
    ),
    (
        {"associations": TREE + "mars|root||1|||||\nvenus|root||1|||||\n"},
        "has the clusters mars, venus, but not saturn",
    ),
    (
        {"associations": TREE + "saturn|root||1||many|||\n"},
        "associations, line 2: maxjobs: must be a whole number, not 'many'",
    ),
    (
        {"qos": "Nam|Priority\nnormal|0\n"},
        "qos, line 1: there is no column 'name' in this heading; did you mean 'nam'?",
    ),
    ({"qos": QOS + "big|10||||||||soon||\n"}, "qos, line 2: maxwall: 'soon' is not a duration such as 1-02:03:04"),
    (
        {"usage": "Account|User\nroot|\n"},
        "usage, line 1: there is no column 'rawusage' in this heading; make it with 'sshare -a -l -P'",
    ),
    ({"nodes": "State=UP\n"}, "nodes, line 1: this is no output of 'scontrol -o show node'"),
    ({"partitions": "batch up\n"}, "partitions, line 1: this is no output of 'scontrol -o show', but 'batch up'"),
]


@pytest.mark.parametrize(("texts", "message"), WRONG, ids=[message for _, message in WRONG])
def test_what_is_wrong_is_named_with_file_and_line(make: Make, texts: dict[str, str], message: str) -> None:
    """And with what would be right."""
    with pytest.raises(ValueError) as caught:
        make(**texts)
    assert message in str(caught.value)
