"""What Slurm has renamed or added since 22.05 in a site's files: read where it means something here, else listed."""

from collections.abc import Callable
from pathlib import Path

import pytest

from thinktime.models.site.accounts import Association
from thinktime.models.site.limits import Limits
from thinktime.models.site.qos import QOS
from thinktime.models.site.slurm.importing import Imported, SlurmFiles, import_site
from thinktime.models.site.tres import Tres

Make = Callable[..., Imported]
HEAD = "ClusterName=saturn SelectType=select/cons_tres PriorityType=priority/multifactor\n"
NODES = "NodeName=n[1-4] CPUs=8 RealMemory=4000\nNodeName=g[1-2] CPUs=16 RealMemory=8000 Gres=gpu:2\n"
MAIN = "PartitionName=main Nodes=n[1-4] Default=YES\n"
GPU = "PartitionName=gpu Nodes=g[1-2] QOS=half\n"
CONF = HEAD + NODES + MAIN
MB = 2**20


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Import a site whose files have these texts."""

    def imported(conf: str = CONF, **texts: str) -> Imported:
        paths = {name: tmp_path / name for name in texts}
        for name, text in texts.items():
            paths[name].write_text(text)
        (tmp_path / "slurm.conf").write_text(conf)
        return import_site(SlurmFiles([tmp_path / "slurm.conf"], **paths))  # type: ignore[arg-type]

    return imported


def noted(found: Imported) -> list[str]:
    return [f"{where}: {what}" for where, what in found.notes]


def test_options_of_preemption_without_their_prefix(make: Make) -> None:
    """PreemptParameters (23.02) has the options that SchedulerParameters had; others are listed by their names."""
    parameters = "youngest_first,reorder_count=3,strict_order,min_exempt_priority=500,reclaim_licenses,send_user_signal"
    found = make(CONF + f"PreemptParameters={parameters},suspend_grace_time=9,youngest_firts\n")
    rules = found.site.preemption
    assert (rules.youngest_first, rules.reorder_count, rules.strict_order) == (True, 3, True)
    said = "slurm.conf, line 5: PreemptParameters"
    assert noted(found) == [
        f"{said} min_exempt_priority=500: jobs of any priority may be preempted",
        f"{said} reclaim_licenses: licences are not modelled",
        f"{said} send_user_signal: jobs that are preempted do not react to signals",
        f"{said} suspend_grace_time=9: jobs are suspended at once",
        f"{said} youngest_firts: this option is not known; did you mean 'preempt_youngest_first'?",
    ]


@pytest.mark.parametrize("lines", [("AuthInfo=cred_expire=8", "{}"), ("{}", "AuthInfo=cred_expire=8")])
def test_the_delay_of_a_requeue(make: Make, lines: tuple[str, str]) -> None:
    """SchedulerParameters has it (25.11), before the time at which credentials expire, whichever line is first."""
    text = CONF + "\n".join(lines) + "\n"
    assert make(text.format("SchedulerParameters=requeue_delay=30")).site.preemption.requeue_delay == 31
    assert make(text.format("")).site.preemption.requeue_delay == 9


def test_parameters_of_the_scheduler_that_mean_nothing_here(make: Make) -> None:
    """Each is listed with its reason, and none is taken as a mistake."""
    words = "bf_yield_rpc_cnt=20,extra_constraints,max_submit_line_size=9,enable_job_state_cache,bf_topopt_enable"
    more = "requeue_on_resume_failure,ignore_constraint_validation,time_min_as_soft_limit,defer_batch"
    found = make(CONF + f"SchedulerParameters={words},{more},bf_allow_magnetic_slot,bf_interval=60\n")
    assert found.site.backfill.interval == 60
    assert len(noted(found)) == 8 and not any("not known" in each for each in noted(found))


def test_flags_and_modes_of_25_05(make: Make) -> None:
    """MAX_TRES_GRES and the mode PRIORITY are listed; what stands beside them counts."""
    found = make(
        CONF + "PriorityFlags=MAX_TRES_GRES,ACCRUE_ALWAYS\nPreemptMode=REQUEUE,PRIORITY\n"
        "PartitionName=low Nodes=ALL PreemptMode=CANCEL,PRIORITY\n",
        qos="Name|Priority|PreemptMode|Flags\nnormal|0|requeue,priority|PartQOS,DenyOnLimit\n",
    )
    site = found.site
    assert (site.priority.flags, site.preemption.mode) == ({"ACCRUE_ALWAYS"}, "requeue")
    assert (site.partition("low").preempt_mode, site.qos[0].preempt_mode, site.qos[0].flags) == (
        "cancel",
        "requeue",
        {"DenyOnLimit"},
    )
    why = "a job may preempt others whatever their priorities"
    assert noted(found) == [
        "slurm.conf, line 5: PriorityFlags MAX_TRES_GRES: a job is billed for the sum of all its resources",
        f"slurm.conf, line 6: PreemptMode=REQUEUE,PRIORITY: {why}",
        f"slurm.conf, line 7: PreemptMode=CANCEL,PRIORITY: {why}",
        f"qos, line 2: QOS normal PreemptMode=requeue,priority: {why}",
    ]


def test_defaults_that_have_changed(make: Make) -> None:
    """Where a file gives neither SelectType nor PriorityType, their defaults are those of 22.05, and this is said."""
    found = make(CONF.replace(HEAD, "ClusterName=saturn\n"))
    assert (found.site.priority.type, found.site.partition().exclusive) == ("basic", True)
    assert [each.partition(",")[0] for each in noted(found)] == [
        "slurm.conf: PriorityType is not given: taken as priority/basic",
        "slurm.conf: SelectType is not given: taken as select/linear (whole nodes)",
    ]
    assert noted(make()) == []


def test_whole_nodes_of_partitions(make: Make) -> None:
    """Exclusive=NODE (26.05) gives whole nodes; other keys of `scontrol -o show partition` are listed."""
    rows = (
        "PartitionName=main Nodes=n[1-4] Default=YES OverSubscribe=NO Exclusive=NODE Topology=(null)\n"
        "PartitionName=one Nodes=n1 Exclusive=NO MaxCPUsPerSocket=UNLIMITED ExclusiveTopo=NO PowerDownOnIdle=NO\n"
        "PartitionName=two Nodes=n2 Exclusive=USER MaxCPUsPerSocket=4 ExclusiveTopo=YES Topology=rack\n"
    )
    found = make(partitions=rows)
    assert [each.exclusive for each in found.site.partitions] == [True, False, False]
    assert noted(found) == [
        "partitions, line 3: ExclusiveTopo=YES: networks are not modelled, so any nodes will do",
        "partitions, line 3: MaxCPUsPerSocket=4: sockets are not told apart",
        "partitions, line 3: Topology=rack: networks are not modelled, so any nodes will do",
        "partitions, line 3: Exclusive=USER: jobs of several users may share nodes",
    ]


def test_cores_that_are_kept_for_gpus(make: Make) -> None:
    """RestrictedCoresPerGPU (24.05) is listed; keys of `scontrol -o show node` that mean nothing here are not."""
    rows = "NodeName=n[1-4] CPUTot=8 State=IDLE+PLANNED InstanceId=(null) ResumeAfterTime=None Topology=default:r1\n"
    found = make(nodes=rows + "NodeName=g1 CPUTot=8 State=MIXED Gres=gpu:h100:2(S:0-1) RestrictedCoresPerGPU=2\n")
    assert found.site.nodes.names == ("n1", "n2", "n3", "n4", "g1")
    assert noted(found)[0] == (
        "nodes, line 2: RestrictedCoresPerGPU=2: cores that are kept for jobs with GPUs are given to all jobs"
    )


def test_names_of_nodes_with_an_end(make: Make) -> None:
    """A host list may have a suffix behind its brackets (23.11)."""
    site = make(HEAD + "NodeName=n[08-10]-ib CPUs=2\nPartitionName=main Nodes=n[09-10]-ib Default=YES\n").site
    assert site.nodes.names == ("n08-ib", "n09-ib", "n10-ib") and site.nodes_of("main") == ("n09-ib", "n10-ib")


LINEAGE = """Account|User|Share|Lineage
root|||/
root|root|1|/0-root/
biology||40|/biology/
physics||60|/physics/
theory||2|/physics/theory/
theory|ann|1|/physics/theory/0-ann/
"""


def test_the_lineage_is_the_tree(make: Make) -> None:
    """A table without blanks has its tree in the column Lineage (23.11)."""
    tree = make(associations=LINEAGE).site.accounts
    ann = tree.find("theory", "ann")
    assert isinstance(ann, Association)
    assert [each.account for each in tree.path(ann)] == ["theory", "theory", "physics", "root"]
    assert tree.find("biology", None).parent is None  # type: ignore[union-attr]


DUMP = """# made up
QOS - 'normal':Description='Normal QOS default'
QOS - 'short':Description='x':Flags='DenyOnLimit':GraceTime=30:GrpTRESMins=cpu=600:GrpWall=90:MaxJobsPU=3:\
MaxSubmitJobsPU=9:MaxTRESMinsPerJob=cpu=20:MaxTRESPerUser=cpu=64,mem=16G:MaxTRESRunMinsPerUser=cpu=5:\
MaxWallDurationPerJob=60:MinPrioThresh=7:Preempt='normal':PreemptMode='requeue':PreemptExemptTime=45:Priority=50:\
UsageFactor=2.000000:UsageThreshold=0.500000
Cluster - 'saturn':Fairshare=1:QOS='normal'
Parent - 'root'
Account - 'physics':Description='p':Fairshare=60:QOS='normal,short'
Parent - 'physics'
User - 'ann':Fairshare=1:DefaultAccount='physics'
"""
SHORT = QOS(
    "short", 50, ("normal",), "requeue", 30.0, 45.0, frozenset({"DenyOnLimit"}), 2.0,
    Limits(
        max_jobs=3, max_submit=9, max_wall=3600.0, max_tres_seconds=Tres({"cpu": 1200}), group_wall=5400.0,
        max_tres_per_user=Tres({"cpu": 64, "mem": 16 * 2**30}), group_tres_seconds=Tres({"cpu": 36_000}),
    ),
)  # fmt: skip


def test_a_dump_has_the_qos(make: Make) -> None:
    """From 25.05 on: limits are minutes, grace and exemption seconds. A table of QOS comes before it."""
    found = make(associations=DUMP)
    assert found.site.qos == (QOS("normal"), SHORT)
    assert found.site.accounts.find("physics", "ann") is not None
    assert noted(found) == [
        "associations, line 3: maxtresrunminsperuser=cpu=5: work ahead is limited for groups only (GrpTRESRunMins)",
        "associations, line 3: minpriothresh=7: jobs start whatever their priority",
        "associations, line 3: usagethreshold=0.500000: jobs start whatever the use of their association",
    ]
    table = "Name|Priority|MaxTRESRunMinsPU|MaxTRESRunMinsPA\nnormal|0|cpu=5|\nshort|9||\n"
    found = make(associations=DUMP, qos=table)
    assert found.site.qos == (QOS("normal"), QOS("short", 9))
    said = "qos, line 2: column 'maxtresrunminspu' (cpu=5): work ahead is limited for groups only (GrpTRESRunMins)"
    assert noted(found) == [said]


def test_limits_that_are_percentages(make: Make) -> None:
    """Of the cluster, or of the partition whose QOS it is (23.11): rounded down, 100 % at most, memory in MB."""
    heading = "Name|Flags|GrpTRES|MaxTRESPU|GrpTRESRunMins|MaxJobsPU\n"
    some = (
        "normal|||||\nquarter|Relative,DenyOnLimit|cpu=25,mem=10M,node=50,gres/gpu=30|cpu=500,gres/tape=10|cpu=50|2\n"
    )
    found = make(CONF + GPU, qos=heading + some + "half|Relative|cpu=50,gres/gpu=50|||\n")
    normal, quarter, half = (each.limits for each in found.site.qos)
    assert normal == Limits()
    assert quarter.group_tres == {"cpu": 16, "mem": 3200 * MB, "node": 3, "gres/gpu": 1}
    assert (quarter.max_tres_per_user, quarter.group_tres_run_seconds) == ({"cpu": 64}, {"cpu": 32 * 60})
    assert quarter.max_jobs == 2 and found.site.qos[1].flags == {"DenyOnLimit"}
    assert half.group_tres == {"cpu": 16, "gres/gpu": 2}
    assert noted(found) == ["QOS quarter: gres/tape is a percentage of what the nodes do not have: no limit"]


def test_usage_of_every_version(make: Make) -> None:
    """`sshare` has had the same columns all the time; of others, the heading says which they are."""
    heading = "Account|User|Partition|RawShares|NormShares|RawUsage|GrpTRESRaw|LevelFS"
    usage = f"{heading}\nroot|||||100|cpu=1|\ntheory|ann||1||60|cpu=1|\n"
    found = make(associations=LINEAGE, usage=usage)
    assert found.site.used("theory", "ann") == 60 and noted(found) == []
