"""Sets that are no table with a row for each job."""

import json
from pathlib import Path
from typing import Any

import pytest

from thinktime.workloads.read_log import nodes_of
from thinktime.workloads.tables.reader import read_table

pytest.importorskip("pyarrow")


def test_torque(tmp_path: Path) -> None:
    """Records of ends only; clocks of days, hours, minutes; jobs that ask for :xk are on nodes with a GPU."""
    log = tmp_path / "20160101"
    tail = "qtime=1480000000 etime=1480000005 start=1480000010 end=1480000070 Exit_status=0 unique_node_count=2"
    log.write_text(
        "11/24/2016 15:00:00;Q;7.bw;queue=normal\n"
        f"11/24/2016 15:00:00;S;7.bw;user=ann {tail}\n"
        f"11/24/2016 15:01:10;E;7.bw;user=ann queue=normal {tail} Resource_List.walltime=1:02:00:00 "
        "Resource_List.nodes=2:ppn=16:xk Resource_List.nodect=2\n"
        f"11/24/2016 15:01:10;E;8.bw;user=bob queue=low {tail} Resource_List.walltime=00:30:00 "
        "Resource_List.nodes=2:ppn=32 Resource_List.nodect=2\n"
    )
    trace = read_table(log, "blue-waters")
    assert trace.id.tolist() == [7, 8] and trace.requested_time.tolist() == [93_600, 1800]
    assert trace.processors.tolist() == [32, 64] and trace.further["eligible"].tolist() == [5, 5]
    assert trace.extra == ("- normal 2:ppn=16:gpus=1:xk#excl", "- low 2:ppn=32:xe#excl")
    log.write_text("jobs\n")
    with pytest.raises(ValueError, match="is no log of Torque"):
        read_table(log, "blue-waters")


def philly_job(name: str, attempts: list[tuple[str, str | None, list[int]]], **more: Any) -> dict[str, Any]:
    """A job with attempts: start, end, and the GPUs on each node."""
    tried = [
        {
            "start_time": start,
            "end_time": end,
            "detail": [{"ip": f"m{n}", "gpus": [f"gpu{k}" for k in range(gpus)]} for n, gpus in enumerate(nodes)],
        }
        for start, end, nodes in attempts
    ]
    job = {"status": "Pass", "vc": "a", "jobid": f"application_1_{name}", "attempts": tried, "user": "u"}
    return {**job, "submitted_time": "2017-10-06 14:00:00", **more}


def test_philly(tmp_path: Path) -> None:
    """Nodes and GPUs are counted, the run time is that of all attempts, and jobs without an attempt never ran."""
    day = "2017-10-06 14"
    jobs = [
        philly_job("1", [(f"{day}:01:00", f"{day}:02:00", [2]), (f"{day}:05:00", f"{day}:07:00", [8, 8])]),
        philly_job("2", []),
        philly_job("3", [("2017-10-06 14:01:00", None, [1])]),
        philly_job("4", [], status="Killed"),
    ]
    path = tmp_path / "cluster_job_log"
    path.write_text(json.dumps(jobs))
    trace = read_table(path, "philly")
    assert len(trace) == 1 and trace.wait.tolist() == [60] and trace.runtime.tolist() == [180]
    assert trace.extra == ("- a 2:ppn=8:gpus=8",) and trace.processors.tolist() == [16]
    assert trace.report.dropped == {"never started": 1, "end not known": 1, "cancelled without a run": 1}
    path.write_text('[{"attempts": 3}]')
    with pytest.raises(ValueError, match="job 1: "):
        read_table(path, "philly")
    path.write_bytes(b'[{"user": "\xe9"}]')
    with pytest.raises(ValueError, match="cluster_job_log is not in UTF-8; convert it with iconv"):
        read_table(path, "philly")
    path.write_text("[1, 2")
    with pytest.raises(ValueError, match="is no list of jobs in JSON"):
        read_table(path, "philly")


def test_pai(tmp_path: Path) -> None:
    """A job is submitted at its own start time, and begins with its first task; its tasks are kinds of chunks."""
    jobs = tmp_path / "pai_job_table.csv"
    jobs.write_text("j1,i,u1,Terminated,100.0,700.0\nj2,i,u2,Waiting,100.0,\n")
    with pytest.raises(ValueError, match=r"the tasks must be beside it, in .*pai_task_table.csv"):
        read_table(jobs, "pai-2020")
    (tmp_path / "pai_task_table.csv").write_text(
        "j1,ps,1.0,Terminated,160.0,700.0,150.0,1.0,,\nj1,worker,2.0,Terminated,150.0,700.0,600.0,2.0,50.0,V100M32\n"
    )
    trace = read_table(jobs, "pai-2020")
    assert trace.wait.tolist() == [50] and trace.runtime.tolist() == [550] and trace.processors.tolist() == [14]
    assert trace.extra == ("- - 1:ppn=2:mem=1048576kb+2:ppn=6:mem=2097152kb:gpu_percent=50:v100#pack",)
    assert trace.report.dropped == {"still waiting": 1} and trace.unix_start is None
    jobs.write_text("j1,i\n")
    with pytest.raises(ValueError, match="line 1: found 2 values, expected 6"):
        read_table(jobs, "pai-2020")


def test_google(tmp_path: Path) -> None:
    """A task that is evicted and submitted again is another job; parts of the table are read as one."""
    event = "{},,77,{},m,{},u,2,0,0.1,0.1,0.0,0\n"
    first = [(600, 0, 0), (610, 0, 1), (700, 0, 2), (705, 0, 0)]
    second = [(720, 0, 1), (800, 0, 4), (900, 1, 0), (2**63 - 1, 1, 4)]
    for number, rows in enumerate((first, second)):
        text = "".join(event.format(t if t > 10**9 else t * 10**6, index, kind) for t, index, kind in rows)
        (tmp_path / f"task_events_{number}.csv").write_text(text)
    trace = read_table(tmp_path, "google-2011")
    assert trace.submit.tolist() == [600, 705] and trace.wait.tolist() == [10, 15]
    assert trace.runtime.tolist() == [90, 80] and trace.status.tolist() == [0, 1]
    assert trace.names["id"] == {1: "77-0", 2: "77-0-2"} and trace.report.dropped == {"never started": 1}


def test_openb(tmp_path: Path) -> None:
    """Parts of GPUs and of cores; relative times; no users."""
    head = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,"
    head += "scheduled_time\n"
    path = tmp_path / "openb_pod_list.csv"
    path.write_text(
        head + "openb-pod-0001,1500,1024,2,460,,BE,Succeeded,100,400,160\nopenb-pod-0002,1,1,0,0,,LS,Pending,1,9,\n"
    )
    trace = read_table(path, "openb-2023")
    assert trace.extra == ("- BE 1:ppn=2:mem=1073741824:gpu_milli=920",) and trace.wait.tolist() == [60]
    known = trace.report.data_set
    assert known is not None and not known.users and len(known.guesses) == 1
    (tmp_path / "openb_node_list.csv").write_text(
        "sn,cpu_milli,memory_mib,gpu,model\na,64000,2048,2,P100\nb,32000,2048,0,\n"
    )
    known = read_table(path, "openb-2023").report.data_set
    assert known is not None and known.nodes is not None and known.guesses == ()
    assert known.nodes.totals == {"processors": 96, "memory": 2**32, "gpu_milli": 2000}
    assert nodes_of(f"openb-2023:{path}") == known.nodes
    (tmp_path / "openb_node_list.csv").write_text("sn,cpu_milli,memory_mib,gpu,model\na,x,2048,2,P100\n")
    with pytest.raises(ValueError, match="line 2: 'a,x,2048,2,P100' is no machine"):
        read_table(path, "openb-2023")
