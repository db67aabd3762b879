"""A snapshot that is written as Slurm would print it, and read again, is the same."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.models.snapshot import made_up
from tests.models.snapshot.made_up import NOW, ZERO, at, job
from tests.models.snapshot.same import again, alike
from thinktime.models.snapshot.reading import read_snapshot

CONFIG = (
    made_up.CONFIG
    + """\
EnforcePartLimits       = ANY
FairShareDampeningFactor = 3
PriorityWeightQOS       = 50
PriorityWeightTRES      = cpu=20,mem=5
PreemptMode             = REQUEUE
PreemptType             = preempt/qos
OverTimeLimit           = 2 min
KillWait                = 20 sec
DependencyParameters    = kill_invalid_depend
"""
)
QOS = """\
Name|Priority|GraceTime|Preempt|PreemptMode|Flags|UsageFactor|GrpTRESMins|MaxTRESPU|MaxJobsPU|MaxWall
normal|10|00:00:30||requeue|DenyOnLimit|0.500000|cpu=100000,gres/gpu=60||40|2-00:00:00
urgent|100|00:00:00|normal|cluster||2.000000||cpu=6,mem=4G||
"""
PARTITIONS = "\n".join(
    [
        made_up.record(PartitionName="batch", Default="YES", MaxTime="1-00:00:00", Nodes="m[1-2]", State="UP",
                       AllowQos="ALL", AllowAccounts="ALL", PriorityTier=1, PriorityJobFactor=1, OverSubscribe="NO"),
        made_up.record(PartitionName="fast", Default="NO", MaxTime="00:20:00", DefaultTime="00:05:00", Nodes="m2",
                       State="UP", QoS="urgent", PriorityTier=5, PriorityJobFactor=9, OverSubscribe="EXCLUSIVE",
                       TRESBillingWeights="CPU=1.0,Mem=0.25G", DenyAccounts="root", MaxNodes=1),
    ]
)  # fmt: skip
NODES = "\n".join(
    [made_up.node("m1", "IDLE", 0), made_up.node("m2", "IDLE+DRAIN", 0).replace("Gres=(null)", "Gres=gpu:a100:2")]
)


def test_a_site_with_everything(tmp_path: Path) -> None:
    """QOS, partitions, limits, preemption, weights, GPUs, drained nodes, and reservations come back."""
    first = made_up.write(
        tmp_path / "first", config_txt=CONFIG, qos_psv=QOS, partitions_txt=PARTITIONS + "\n", nodes_txt=NODES + "\n",
        jobs_txt=job(3, "next", "bob", Partition="batch,fast", QOS="urgent") + "\n", squeue_psv=None,
    )  # fmt: skip
    snapshot = read_snapshot(first)
    found = again(snapshot, tmp_path / "second")
    alike(snapshot, found)
    assert found.site.partition("fast").billing_weights == {"cpu": 1.0, "mem": 0.25}
    assert found.site.quality("normal").limits.group_tres_seconds == {"cpu": 6_000_000, "gres/gpu": 3_600}
    assert found.site.preemption.type == "qos" and found.site.nodes.resources == ("processors", "memory", "gpus")


def test_what_was_charged_since_the_last_tick_comes_back(tmp_path: Path) -> None:
    """Fair shares are those of the last tick, when a job that is over now had not been charged for all of its run."""
    over = job(1, "gone", "ann", JobState="COMPLETED", StartTime=at(800), EndTime=at(990), NodeList="m1")
    text = "\n".join([over, *made_up.JOBS[1:]]) + "\n"
    snapshot = read_snapshot(made_up.write(tmp_path / "first", jobs_txt=text))
    assert 30 < snapshot.moment.charged["physics", "ann", None] < 34
    alike(snapshot, again(snapshot, tmp_path / "second"))


@st.composite
def jobs(draw: st.DrawFn) -> str:
    """Some jobs in the machine, of which those that run have room."""
    lines, free = [], {"m1": 4, "m2": 4}
    for number in range(1, draw(st.integers(1, 6)) + 1):
        user, processors = draw(st.sampled_from(["ann", "bob", "cem"])), draw(st.integers(1, 4))
        submit, limit = draw(st.integers(0, NOW - 100)), draw(st.integers(1, 40))
        whole, held = draw(st.booleans()), draw(st.booleans())
        given: dict[str, object] = {
            "NumCPUs": processors, "NumTasks": processors, "TimeLimit": f"00:{limit:02d}:00",
            "SubmitTime": at(submit), "EligibleTime": at(submit), "Nice": draw(st.integers(-5, 5)),
            "OverSubscribe": "NO" if whole else "OK", "NumNodes": "1-1" if whole or draw(st.booleans()) else "1",
            "TRES": f"cpu={processors},node=1,billing={processors}", "Requeue": int(draw(st.booleans())),
        }  # fmt: skip
        node = draw(st.sampled_from(["m1", "m2"]))
        if free[node] >= (4 if whole else processors) and draw(st.booleans()):
            start = draw(st.integers(submit, NOW - 1))
            free[node] -= 4 if whole else processors
            clock = f"00:{(NOW - start) // 60:02d}:{(NOW - start) % 60:02d}"
            given |= {"JobState": "RUNNING", "StartTime": at(start), "RunTime": clock, "NodeList": node}
        elif held:
            given |= {"Priority": 0, "Reason": "JobHeldUser", "EligibleTime": "Unknown"}
        elif number > 1 and draw(st.booleans()):
            before = draw(st.integers(1, number - 1))
            given |= {"Dependency": f"afterany:{before}(unfulfilled)", "EligibleTime": "Unknown"}
        elif draw(st.booleans()):
            tasks = draw(st.sampled_from(["1-3", "2,5%1", "0-4:2%2"]))
            given |= {
                "ArrayJobId": number,
                "ArrayTaskId": tasks,
                "ArrayTaskThrottle": int(tasks.partition("%")[2] or 0),
            }
        lines.append(job(number, draw(st.sampled_from(["a", "b c", "d=e UserId"])), user, **given))
    return "\n".join(lines) + "\n"


@given(jobs())
@settings(max_examples=12, deadline=None)
def test_any_jobs_come_back(text: str) -> None:
    """Whatever runs and waits, reading what is written gives the same state, and the same rest."""
    with tempfile.TemporaryDirectory() as folder:
        first = made_up.write(Path(folder) / "first", jobs_txt=text, squeue_psv=None, sprio_txt=None)
        snapshot = read_snapshot(first)
        alike(snapshot, again(snapshot, Path(folder) / "second"))


def test_the_zone_comes_back(tmp_path: Path) -> None:
    """Its name, and the second 0 of the state."""
    snapshot = read_snapshot(made_up.write(tmp_path / "first"))
    found = again(snapshot, tmp_path / "second")
    assert found.zone == "Europe/Berlin" and found.begin == ZERO + NOW
    alike(snapshot, found)


@pytest.mark.parametrize("name", ["assoc.psv", "reservations.txt"])
def test_little_is_known(name: str, tmp_path: Path) -> None:
    """A snapshot without accounts, or without reservations, comes back as well."""
    given = {name.replace(".", "_"): None, "sprio_txt": None}
    snapshot = read_snapshot(made_up.write(tmp_path / "first", **given))
    alike(snapshot, again(snapshot, tmp_path / "second"))
