"""A made-up snapshot: the cluster mars, with two nodes of four processors, and what Slurm 22.05 would print of it.

Second 0 is `ZERO`, and the commands ran `NOW` s later.
"""

import json
from pathlib import Path

from thinktime.models.snapshot.folder import SQUEUE

ZERO = 1_800_000_000
NOW = 1_000
TICK = 60 * 16 + 20
"""The last tick of priorities, s."""


def at(second: float) -> str:
    """A Unix time."""
    return str(ZERO + second)


def job(number: int, name: str, user: str, **given: object) -> str:
    """One line of `scontrol -o show job`."""
    uid = {"ann": 1001, "bob": 1002, "cem": 1003}[user]
    values: dict[str, object] = {
        "JobId": number, "JobName": name, "UserId": f"{user}({uid})", "GroupId": "staff(50)", "MCS_label": "N/A",
        "Priority": 100, "Nice": 0, "Account": "physics" if user != "cem" else "biology", "QOS": "normal",
        "JobState": "PENDING", "Reason": "Priority", "Dependency": "(null)", "Requeue": 1, "Restarts": 0,
        "RunTime": "00:00:00", "TimeLimit": "00:10:00", "TimeMin": "N/A", "SubmitTime": at(500),
        "EligibleTime": at(500), "AccrueTime": at(500), "StartTime": "Unknown", "EndTime": "Unknown",
        "SuspendTime": "None", "SecsPreSuspend": 0, "LastSchedEval": at(NOW - 1), "Scheduler": "Main",
        "Partition": "batch", "AllocNode:Sid": "login1:4711", "ReqNodeList": "(null)", "ExcNodeList": "(null)",
        "NodeList": "", "NumNodes": 1, "NumCPUs": 2, "NumTasks": 2, "CPUs/Task": 1, "ReqB:S:C:T": "0:0:*:*",
        "TRES": "cpu=2,mem=2G,node=1,billing=2", "MinMemoryNode": 0, "Features": "(null)", "OverSubscribe": "OK",
        "Licenses": "(null)", "Network": "(null)", "Command": "/users/ann/my job.sh", "WorkDir": "/users/ann/a b",
        "Power": "",
    }  # fmt: skip
    values = values | given
    if "ArrayJobId" in values:
        array = {key: values.pop(key) for key in [*values] if key.startswith("Array")}
        values = {"JobId": number, **array, **values}
    return " ".join(f"{key}={value}" for key, value in values.items()) + " "


JOBS = (
    job(1, "gone", "ann", JobState="COMPLETED", Reason="None", RunTime="00:01:40", StartTime=at(800),
        EndTime=at(900), SubmitTime=at(700), EligibleTime=at(700), AccrueTime=at(700), NodeList="m1"),
    job(2, "wide one", "ann", JobState="RUNNING", Reason="None", RunTime="00:05:00", StartTime=at(NOW - 300),
        EndTime=at(NOW + 300), SubmitTime=at(400), EligibleTime=at(400), AccrueTime=at(400), NodeList="m1", NumCPUs=4,
        NumTasks=4, TRES="cpu=4,node=1,billing=4"),
    job(3, "next", "bob", Priority=2_000, TimeLimit="00:05:00", NumNodes="2-2", OverSubscribe="NO",
        TRES="cpu=2,mem=2G,node=2,billing=2"),
    job(4, "array", "bob", ArrayJobId=4, ArrayTaskId="3-5%2", ArrayTaskThrottle=2, SubmitTime=at(600),
        EligibleTime=at(600), AccrueTime=at(600)),
    job(6, "array", "bob", ArrayJobId=4, ArrayTaskId=2, ArrayTaskThrottle=2, JobState="RUNNING", Reason="None",
        RunTime="00:01:00", StartTime=at(NOW - 60), EndTime=at(NOW + 540), SubmitTime=at(600), EligibleTime=at(600),
        AccrueTime=at(600), NodeList="m2", TRES="cpu=2,node=1,billing=2"),
    job(7, "held", "cem", Priority=0, Reason="JobHeldUser", EligibleTime="Unknown", AccrueTime="Unknown"),
    job(8, "after", "cem", Reason="Dependency", Dependency="afterok:2(unfulfilled)", EligibleTime="Unknown",
        AccrueTime="Unknown", Nice=50),
    job(9, "later", "ann", Reason="BeginTime", EligibleTime=at(NOW + 900), AccrueTime="Unknown"),
)  # fmt: skip


def record(**given: object) -> str:
    """One line of another `scontrol -o show`."""
    return " ".join(f"{key}={value}" for key, value in given.items())


def node(name: str, state: str, used: int, **given: object) -> str:
    """One line of `scontrol -o show node`."""
    return record(
        NodeName=name, Arch="x86_64", CoresPerSocket=4, CPUAlloc=used, CPUEfctv=4, CPUTot=4, CPULoad="0.10",
        AvailableFeatures="(null)", Gres="(null)", RealMemory=8000, AllocMem=0, Sockets=1, Boards=1, State=state,
        ThreadsPerCore=1, TmpDisk=0, Weight=1, Owner="N/A", Partitions="batch", **given,
    )  # fmt: skip


CONFIG = f"""\
Configuration data as of {at(NOW)}
AccountingStorageEnforce = associations,limits,qos
AccountingStorageHost   = db.mars.example
AccountingStorageType   = accounting_storage/slurmdbd
BOOT_TIME               = {at(-40)}
ClusterName             = mars
PriorityDecayHalfLife   = 7-00:00:00
PriorityCalcPeriod      = 00:05:00
PriorityFavorSmall      = No
PriorityFlags           =
PriorityMaxAge          = 7-00:00:00
PriorityType            = priority/multifactor
PriorityWeightAge       = 10000
PriorityWeightFairShare = 10000
SchedulerParameters     = bf_interval=30
SchedulerType           = sched/backfill
SelectType              = select/cons_tres
SelectTypeParameters    = CR_CORE
SLURM_VERSION           = 22.05.8
"""
ASSOC = """\
Cluster|Account|User|Partition|Share|GrpTRESMins|QOS|Def QOS
mars|root|||1||normal|
mars| root|root||1||normal|
mars| biology|||1||normal|
mars|  biology|cem||1||normal|
mars| physics|||3|cpu=600|normal|
mars|  physics|ann||1||normal|
mars|  physics|bob||1||normal|
"""
USED = {
    ("root", ""): 900.5, ("root", "root"): 0.0, ("biology", ""): 300.25, ("biology", "cem"): 300.25,
    ("physics", ""): 600.25, ("physics", "ann"): 500.0, ("physics", "bob"): 100.25,
}  # fmt: skip
"""What associations have used."""
SHARES = {("biology", "cem"): 0.25, ("physics", "ann"): 0.5, ("physics", "bob"): 0.75, ("root", "root"): 1.0}
UIDS = {"": "", "root": "root(0)", "ann": "ann(1001)", "bob": "bob(1002)", "cem": "cem(1003)"}


def associations() -> str:
    """What `scontrol -o show assoc_mgr` prints."""
    lines = ["Current Association Manager state", "User Records"]
    lines += [f"UserName={UIDS[user]} DefAccount=physics DefWckey= AdminLevel=None" for user in UIDS if user]
    lines += ["Association Records"]
    for (account, user), used in USED.items():
        lines.append(
            f"ClusterName=mars Account={account} UserName={UIDS[user]} Partition= Priority=0 ID=1 "
            f"SharesRaw/Norm/Level/Factor=1/0.50/2/0.00 UsageRaw/Norm/Efctv={used:.2f}/0.50/0.50 ParentAccount= "
            f"GrpTRESMins=cpu={'600' if (account, user) == ('physics', '') else 'N'}({used / 60:.0f}),mem=N(0)"
        )
    lines += ["QOS Records", "QOS=normal(1) UsageRaw=900.500000 GrpJobs=N(2) Account Limits= physics={MaxJobsPA=N(2)} "
              "User Limits= 1001={MaxJobsPU=N(1)} 1002={MaxJobsPU=N(1)}"]  # fmt: skip
    return "\n".join(lines) + "\n"


def shares() -> str:
    """What `sshare -a -l -P` prints."""
    lines = ["Account|User|RawShares|NormShares|RawUsage|NormUsage|EffectvUsage|FairShare|LevelFS|GrpTRESMins|TRES"]
    for (account, user), used in USED.items():
        share = f"{SHARES[account, user]:.6f}" if user else ""
        blanks = " " * (2 * (account != "root" or bool(user)))
        lines.append(f"{blanks}{account}|{user}|1|0.5|{used:.0f}|0.5|0.5|{share}|1.0||cpu=0")
    return "\n".join(lines) + "\n"


QUEUE = [("2", "RUNNING"), ("3", "PENDING"), ("4_3", "PENDING"), ("4_4", "PENDING"), ("4_5", "PENDING"),
         ("4_2", "RUNNING"), ("7", "PENDING"), ("8", "PENDING"), ("9", "PENDING")]  # fmt: skip


def queue(rows: list[tuple[str, str]] | None = None) -> str:
    """What squeue prints."""
    lines = ["|".join(SQUEUE.values())]
    for number, state in QUEUE if rows is None else rows:
        array, _, task = number.partition("_")
        cells = dict.fromkeys(SQUEUE.values(), "") | {
            "JOBID": number, "ARRAY_JOB_ID": array, "ARRAY_TASK_ID": task or "N/A", "NAME": "a", "USER": "ann",
            "ACCOUNT": "physics", "STATE": state,
        }  # fmt: skip
        lines.append("|".join(cells.values()))
    return "\n".join(lines) + "\n"


SPRIO = """\
          JOBID PARTITION     USER   PRIORITY       SITE        AGE      ASSOC  FAIRSHARE    JOBSIZE  PARTITION
              3 batch          bob       7507          0          8          0       7500          0          0
              4 batch          bob       7506          0          6          0       7500          0          0
"""
NORMAL = """\
          JOBID PARTITION     USER   PRIORITY       SITE        AGE
              3 batch          bob 0.00000175          0  0.0007937
              4 batch          bob 0.00000175          0  0.0006283
"""
"""What `sprio -l -n` prints."""
SDIAG = f"""\
*******************************************************
sdiag output at Fri Jan 15 08:16:40 2027 ({at(NOW)})
Data since      Fri Jan 15 08:00:00 2027 ({at(0)})
*******************************************************
Backfilling stats
	Last cycle when: Fri Jan 15 08:16:22 2027 ({at(NOW - 18)})

Remote Procedure Call statistics by user
	ann             (    1001) count:17     ave_time:1531   total_time:347669
"""
QOS_TABLE = """\
Name|Priority|GraceTime|Preempt|PreemptMode|Flags|UsageFactor|MaxTRESPU|MaxJobsPU
normal|0|00:00:00||cluster||1.000000||
"""


def texts() -> dict[str, str]:
    """All files by their names."""
    return {
        "jobs.txt": "\n".join(JOBS) + "\n",
        "squeue.psv": queue(),
        "sprio.txt": SPRIO,
        "assoc_mgr.txt": associations(),
        "sshare.psv": shares(),
        "nodes.txt": "\n".join([node("m1", "ALLOCATED", 4), node("m2", "MIXED", 2)]) + "\n",
        "partitions.txt": record(
            PartitionName="batch", AllowGroups="ALL", AllowAccounts="ALL", AllowQos="ALL", Default="YES", QoS="N/A",
            DefaultTime="NONE", MaxNodes="UNLIMITED", MaxTime="1-00:00:00", MinNodes=0, Nodes="m[1-2]",
            PriorityJobFactor=1, PriorityTier=1, OverSubscribe="NO", State="UP",
        ) + "\n",
        "reservations.txt": record(
            ReservationName="upgrade", StartTime=at(NOW + 5_000), EndTime=at(NOW + 6_000), Duration="00:16:40",
            Nodes="m1", NodeCnt=1, CoreCnt=4, Features="(null)", PartitionName="(null)", Flags="MAINT,SPEC_NODES",
            TRES="cpu=4", Users="root", Groups="(null)", Accounts="(null)", Licenses="(null)", State="INACTIVE",
        ) + "\n",
        "sdiag.txt": SDIAG,
        "squeue.json": json.dumps({"meta": {}, "jobs": []}) + "\n",
        "config.txt": CONFIG,
        "assoc.psv": ASSOC,
        "qos.psv": QOS_TABLE,
        "begun.txt": f"{at(NOW)}.250\n",
        "ended.txt": f"{at(NOW + 1)}.500\n",
        "zone.txt": "Europe/Berlin\n",
    }  # fmt: skip


def write(folder: Path, **others: str | None) -> Path:
    """The snapshot as a folder; ``others`` are files by their names (``jobs_txt``), None for those left out."""
    folder.mkdir(parents=True, exist_ok=True)
    given = texts() | {name[::-1].replace("_", ".", 1)[::-1]: text for name, text in others.items()}
    for name, text in given.items():
        if text is not None:
            (folder / name).write_text(text)
    return folder


def commands(folder: Path, answers: dict[str, dict[str, str]]) -> None:
    """Programs that print texts: for each by its name, what it says to which words; to others it says no."""
    folder.mkdir()
    for name, told in answers.items():
        lines = ["#!/bin/sh", 'case "$*" in']
        for number, (words, text) in enumerate(told.items()):
            (folder / f"{name}.{number}").write_text(text)
            lines.append(f"'{words}') exec /bin/cat '{folder / name}.{number}' ;;")
        program = folder / name
        program.write_text("\n".join([*lines, "esac", "echo no such question >&2; exit 1", ""]))
        program.chmod(0o755)
