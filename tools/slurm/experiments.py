"""The twelve experiments: four nodes of 8 CPUs, six users, at most two and a half minutes each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tools.slurm.conf import BASIC, MAIN, PROMPT
from tools.slurm.workload import Row, parse

USERS = tuple(f"tt{k}" for k in range(1, 7))
FLAT = ("add account acc fairshare=1", *(f"add user {user} account=acc fairshare=1" for user in USERS))
"""One account, in which all users are equal."""


@dataclass(frozen=True, slots=True)
class Experiment:
    """What is run, and what it shows."""

    name: str
    about: str
    rows: Sequence[Row]
    settings: Mapping[str, str] = field(default_factory=dict)
    partitions: Sequence[str] = (MAIN,)
    accounts: Sequence[str] = FLAT
    last: int = 90
    """The second at which it ends at the latest, since jobs may wait for ever."""


def _planned(name: str, about: str, option: str = "") -> Experiment:
    """The same five jobs under another option of backfill."""
    return Experiment(name, about, WIDE, BASIC | {"SchedulerParameters": PROMPT + option})


WIDE = parse("""
A 0 nodes=3 limit=2 sleep=30
B 1 nodes=2 limit=3 sleep=10
C 2 nodes=4 limit=1 sleep=5
D 3 nodes=1 limit=6 sleep=5
E 10 nodes=1 limit=2 sleep=5
""")
SIZES = parse("""
R 0 nodes=4 limit=5 sleep=125
a 2 nodes=1 sleep=3
b 3 nodes=2 limit=2 sleep=3
c 4 nodes=4 limit=4 sleep=3
d 5 cpus=3 sleep=3
e 6 nodes=1 sleep=3 partition=fast
f 7 nodes=1 sleep=3 -- --nice=50
g 8 nodes=1 sleep=3 -- --hold
i 10 nodes=1 sleep=3 -- --begin=now+30
! 30 scontrol release @g
""")
SIZE_WEIGHTS = {
    "PriorityWeightAge": "1000", "PriorityMaxAge": "2", "PriorityWeightJobSize": "1000",
    "PriorityWeightTRES": "CPU=320", "PriorityWeightPartition": "400",
    "AccountingStorageEnforce": "associations,limits",
}  # fmt: skip
TREE = (
    "add account A fairshare=40", "add account B fairshare=30", "add account C fairshare=30",
    "add account A1 parent=A fairshare=2", "add user tt1 account=A fairshare=1", "add user tt2 account=A fairshare=3",
    "add user tt5 account=A1 fairshare=1", "add user tt3 account=B fairshare=1", "add user tt4 account=B fairshare=1",
    "add user tt6 account=C fairshare=parent", "add user tt1 account=C fairshare=1",
)  # fmt: skip
SHARED = parse("""
u1 0 user=tt1 account=A cpus=8 limit=2 sleep=20
u2 0 user=tt2 account=A cpus=4 limit=2 sleep=20
u3 0 user=tt3 account=B cpus=8 limit=2 sleep=10
u5 0 user=tt5 account=A1 cpus=2 limit=2 sleep=20
w 22 user=tt2 account=A nodes=4 limit=2 sleep=45
q1 24 user=tt1 account=A nodes=4 sleep=2
q2 24 user=tt2 account=A nodes=4 sleep=2
q3 24 user=tt3 account=B nodes=4 sleep=2
q4 24 user=tt4 account=B nodes=4 sleep=2
q5 24 user=tt5 account=A1 nodes=4 sleep=2
q6 24 user=tt6 account=C nodes=4 sleep=2
q7 24 user=tt1 account=C nodes=4 sleep=2
""")
SHARES = {"PriorityWeightFairshare": "10000", "AccountingStorageEnforce": "associations,limits"}
LIMITED = parse("""
a1 0 user=tt1 qos=j1 nodes=1 sleep=10
a2 1 user=tt1 qos=j1 nodes=4 sleep=5
a3 2 user=tt2 qos=normal nodes=1 limit=5 sleep=10
b1 3 user=tt3 qos=c8 cpus=4 sleep=10
b2 4 user=tt3 qos=c8 cpus=8 sleep=5
b3 5 user=tt3 qos=c8 cpus=4 sleep=5
c0 5 user=tt3 qos=deny cpus=16 sleep=5
c1 5 user=tt3 qos=c8 cpus=16 sleep=5
d1 30 user=tt4 qos=g8 cpus=8 sleep=5
d2 30 user=tt5 qos=g8 cpus=8 sleep=5
d3 31 user=tt5 qos=normal cpus=8 sleep=5
e1 44 user=tt4 partition=pq cpus=1 sleep=6
e2 44 user=tt4 partition=pq cpus=1 sleep=6
e3 44 user=tt4 partition=pq cpus=1 sleep=6
f1 44 user=tt5 partition=pq qos=over cpus=1 sleep=6
f2 44 user=tt5 partition=pq qos=over cpus=1 sleep=6
f3 44 user=tt5 partition=pq qos=over cpus=1 sleep=6
f4 44 user=tt5 partition=pq qos=over cpus=1 sleep=6
g1 44 user=tt6 qos=j1 cpus=1 sleep=6
g2 44 user=tt6 qos=over cpus=1 sleep=6
s1 60 user=tt1 qos=sub cpus=1 sleep=3
s2 60 user=tt1 qos=sub cpus=1 sleep=3
w1 60 user=tt1 qos=wall cpus=1 limit=3 sleep=3
w2 60 user=tt1 partition=short cpus=1 limit=3 sleep=3
k1 60 user=tt1 account=none cpus=1 sleep=3
""")
LIMITS = (
    *FLAT, "add qos j1 MaxJobsPU=1", "add qos c8 MaxTRESPU=cpu=8", "add qos g8 GrpTRES=cpu=8",
    "add qos deny MaxTRESPU=cpu=8 Flags=DenyOnLimit", "add qos part MaxJobsPU=2",
    "add qos over MaxJobsPU=3 Flags=OverPartQOS", "add qos sub MaxSubmitJobsPU=1", "add qos wall MaxWall=2",
    "modify account acc set qos+=j1,c8,g8,deny,part,over,sub,wall", "modify user tt6 set MaxJobs=1",
)  # fmt: skip
LIMITED_PARTITIONS = (
    "PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE", "PartitionName=pq Nodes=ALL MaxTime=INFINITE QOS=part",
    "PartitionName=short Nodes=ALL MaxTime=2",
)  # fmt: skip
PREEMPTED = parse("""
L1 0 user=tt1 qos=lo nodes=2 limit=5 sleep=25
L2 3 user=tt2 qos=lo nodes=1 limit=5 sleep=25
L3 6 user=tt3 qos=lo nodes=1 limit=5 sleep=25
N1 8 user=tt5 qos=lo nodes=1 limit=1 sleep=4
H1 12 user=tt4 qos=hi nodes=2 limit=1 sleep=8
""")
PREEMPTION = {
    "PriorityWeightQOS": "1000", "PreemptType": "preempt/qos", "PreemptMode": "REQUEUE", "JobRequeue": "1",
    "AuthInfo": "cred_expire=8",
}  # fmt: skip
RANKS = (
    *FLAT, "add qos lo Priority=0 PreemptMode=requeue", "add qos hi Priority=100 Preempt=lo",
    "modify account acc set qos+=lo,hi",
)  # fmt: skip
TIERED = parse("""
R 0 nodes=4 partition=lo sleep=12
a 1 nodes=2 partition=lo sleep=6
b 2 nodes=4 partition=lo sleep=6
c 3 nodes=3 partition=hi sleep=6
d 4 nodes=2 partition=hi sleep=6
e 5 nodes=1 partition=lo sleep=6
m 13 nodes=4 partition=lo,hi sleep=6
""")
TIERS = (
    "PartitionName=lo Nodes=ALL Default=YES MaxTime=INFINITE PriorityTier=1 PriorityJobFactor=100",
    "PartitionName=hi Nodes=ALL MaxTime=INFINITE PriorityTier=10 PriorityJobFactor=1",
)  # fmt: skip
CHAINED = parse("""
A 0 user=tt1 nodes=1 array=1-6%2 sleep=5
B 1 user=tt2 nodes=1 sleep=5
C 2 user=tt3 nodes=4 sleep=4
D 3 user=tt4 nodes=1 array=0-2 sleep=4
E 4 user=tt5 nodes=1 sleep=2 dependency=afterok:@A
F 4 user=tt5 nodes=1 sleep=2 dependency=afterok:@A_3
G 4 user=tt6 nodes=1 array=0-2 sleep=2 dependency=aftercorr:@D
H 5 user=tt5 cpus=1 sleep=2 dependency=after:@D_0+1
I 6 user=tt5 cpus=1 sleep=2 dependency=afternotok:@B
J 6 user=tt5 cpus=1 sleep=2 dependency=afternotok:@B?afterok:@C
K 7 user=tt2 cpus=1 sleep=3 dependency=afterany:@B:@C
""")
MAINTAINED = parse("""
! 0 scontrol create reservation reservationname=m starttime=now+80 duration=1 nodes=n[1-2] flags=maint users=root
A 2 nodes=2 limit=5 sleep=10
B 3 nodes=4 sleep=5
C 4 nodes=1 sleep=5
D 15 nodes=4 sleep=5
E 16 nodes=1 limit=2 sleep=5
F 40 nodes=3 sleep=5
""")

EXPERIMENTS = (
    Experiment("fifo", "sched/builtin: strictly by submission", WIDE, BASIC | {"SchedulerType": "sched/builtin"}),
    _planned("backfill", "every job that is tested gets a reservation"),
    _planned("easy", "bf_job_part_count_reserve=1: the first job alone gets one", ",bf_job_part_count_reserve=1"),
    _planned("window", "bf_window=4: what would start later gets none", ",bf_window=4"),
    Experiment(
        "multifactor", "age, size, partition, TRES, nice, a hold, a begin", SIZES, SIZE_WEIGHTS,
        ("PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE PriorityJobFactor=10",
         "PartitionName=fast Nodes=ALL MaxTime=INFINITE PriorityJobFactor=40"), last=170,
    ),
    Experiment("fair_tree", "use with a half-life of a minute", SHARED, SHARES | {"PriorityDecayHalfLife": "1"},
               accounts=TREE, last=120),
    Experiment(
        "classic", "NO_FAIR_TREE, without decay", SHARED,
        SHARES | {"PriorityDecayHalfLife": "0", "PriorityUsageResetPeriod": "YEARLY", "PriorityFlags": "NO_FAIR_TREE"},
        accounts=TREE, last=120,
    ),
    Experiment("limits", "of users, QOS and partitions, and which of them holds", LIMITED,
               BASIC | {"AccountingStorageEnforce": "associations,limits,qos"}, LIMITED_PARTITIONS, LIMITS, 76),
    Experiment("preemption", "by QOS, with requeue", PREEMPTED, PREEMPTION, accounts=RANKS),
    Experiment("tiers", "a partition before another, whatever the priorities; m is in both", TIERED,
               {"PriorityWeightPartition": "1000", "PriorityWeightAge": "10"}, TIERS),
    Experiment("arrays", "an array with %, and dependencies of all kinds", CHAINED, BASIC, last=100),
    Experiment("maintenance", "two of the four nodes, for a minute", MAINTAINED, BASIC, last=170),
)  # fmt: skip
NAMES = tuple(each.name for each in EXPERIMENTS)
