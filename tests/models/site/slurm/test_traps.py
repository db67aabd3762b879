"""What Slurm's files do not mean, although they look like it."""

from pathlib import Path

import pytest

from tests.models.site.slurm.making import PARTITION, PLAIN, Make, noted, site_maker
from thinktime.models.machine.spec import MachineSpec
from thinktime.models.site.slurm.importing import SlurmFiles, import_site
from thinktime.models.site.tres import Tres
from thinktime.workloads.nodes import Cluster


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Import a site whose files have these texts."""
    return site_maker(tmp_path)


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
        ("n01", "n02"), "DRAIN", True, 3, 10,
    )  # fmt: skip
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
