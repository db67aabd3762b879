"""The configuration of a Slurm that lives in a folder: slurm.conf and slurmdbd.conf as texts.

Everything is reached through 127.0.0.1, and listens there alone, but for slurmdbd, which has no such setting. Slurm is
made as prompt as it can be: it looks at the queue every second, plans to the second, and changes priorities every
minute, which is the least there is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

HOST = "127.0.0.1"
PORTS = 20
"""How many ports a cluster takes: its own, that of the accounting, and one for each node from `FIRST_NODE` on."""
FIRST_NODE = 2
PROMPT = "bf_interval=1,bf_resolution=1,sched_interval=1,batch_sched_delay=0,bf_continue"
MAIN = "PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP"
BASE = {
    "SlurmUser": "root", "AuthType": "auth/munge", "ProctrackType": "proctrack/linuxproc", "TaskPlugin": "task/none",
    "SwitchType": "switch/none", "MpiDefault": "none", "ReturnToService": "2", "SlurmdParameters": "config_overrides",
    "CommunicationParameters": "NoCtldInAddrAny,NoInAddrAny", "SchedulerType": "sched/backfill",
    "SelectType": "select/cons_tres", "SelectTypeParameters": "CR_Core", "SchedulerParameters": PROMPT,
    "PriorityType": "priority/multifactor", "PriorityCalcPeriod": "1", "JobAcctGatherType": "jobacct_gather/none",
    "KillWait": "1", "MinJobAge": "3600", "InactiveLimit": "0", "SlurmctldDebug": "info", "SlurmdDebug": "error",
    "CompleteWait": "0", "AccountingStorageType": "accounting_storage/slurmdbd", "AccountingStorageHost": HOST,
}  # fmt: skip
BASIC = {"PriorityType": "priority/basic", "PriorityCalcPeriod": ""}
"""The order of submission. What is empty is left out."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Where a cluster lives: its folder, its first port, the socket of munge and the port of the database."""

    name: str
    folder: Path
    port: int
    munge: Path
    database: int
    cpus: Sequence[int] = (8, 8, 8, 8)
    """Of each node."""
    settings: Mapping[str, str] = field(default_factory=dict)
    partitions: Sequence[str] = (MAIN,)

    @property
    def slurm_conf(self) -> Path:
        """The file that every program of this cluster is told of."""
        return self.folder / "slurm.conf"


def slurm_conf(layout: Layout) -> str:
    """The text of slurm.conf."""
    given = BASE | dict(layout.settings)
    own = {
        "ClusterName": layout.name,
        "SlurmctldHost": f"localhost({HOST})",
        "SlurmctldPort": layout.port,
        "AccountingStoragePort": layout.port + 1,
        "StateSaveLocation": layout.folder / "state",
        "SlurmdSpoolDir": layout.folder / "spool/%n",
        "SlurmctldPidFile": layout.folder / "slurmctld.pid",
        "SlurmdPidFile": layout.folder / "slurmd-%n.pid",
        "SlurmctldLogFile": layout.folder / "slurmctld.log",
        "SlurmdLogFile": layout.folder / "slurmd-%n.log",
        "AccountingStoragePass": layout.munge,
        "AuthInfo": _credentials(layout, given.pop("AuthInfo", "")),
    }
    lines = [f"{key}={value}" for key, value in (given | own).items() if value != ""]
    first, count = layout.port + FIRST_NODE, len(layout.cpus)
    if len({*layout.cpus}) == 1:
        lines.append(_nodes(f"n[1-{count}]", f"{first}-{first + count - 1}", layout.cpus[0]))
    else:
        lines += [_nodes(f"n{k + 1}", str(first + k), cpus) for k, cpus in enumerate(layout.cpus)]
    return "\n".join([*lines, *layout.partitions]) + "\n"


def _nodes(names: str, ports: str, cpus: int) -> str:
    return f"NodeName={names} NodeHostname=localhost NodeAddr={HOST} Port={ports} CPUs={cpus} State=UNKNOWN"


def slurmdbd_conf(layout: Layout, password: str) -> str:
    """The text of slurmdbd.conf, which lies beside slurm.conf."""
    given = {
        "AuthType": "auth/munge",
        "AuthInfo": f"socket={layout.munge}",
        "DbdHost": "localhost",
        "DbdAddr": HOST,
        "DbdPort": layout.port + 1,
        "SlurmUser": "root",
        "PidFile": layout.folder / "slurmdbd.pid",
        "LogFile": layout.folder / "slurmdbd.log",
        "StorageType": "accounting_storage/mysql",
        "StorageHost": HOST,
        "StoragePort": layout.database,
        "StorageUser": "slurm",
        "StoragePass": password,
        "StorageLoc": f"slurm_{layout.name}",
        "CommitDelay": 1,
    }
    return "".join(f"{key}={value}\n" for key, value in given.items())


def _credentials(layout: Layout, others: str) -> str:
    return ",".join(filter(None, (f"socket={layout.munge}", others)))
