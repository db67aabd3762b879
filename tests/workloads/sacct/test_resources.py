"""GPUs and other resources of ReqTRES: requests for nodes behind field 18, or counted as left out."""

import datetime
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import thinktime as tt
from tests.commands import refusal_of, stdout_of
from thinktime.cli.entry import main
from thinktime.workloads import read_swf, write_swf
from thinktime.workloads.node_log import read_requests
from thinktime.workloads.node_requests import NodeRequest
from thinktime.workloads.nodes import Nodes
from thinktime.workloads.sacct import ConversionOptions, convert
from thinktime.workloads.sacct.resources import Wants, request, wants
from thinktime.workloads.sacct.values import SiteClock, count, duration

from .samples import SITE

COLUMNS = "JobID|User|Partition|State|Submit|Start|End|Timelimit|ReqCPUS|AllocCPUS|NNodes|ReqMem|ReqTRES|AllocTRES"
GPUS = f"""{COLUMNS}
1|ann|gpu|COMPLETED|100|110|210|05:00|8|8|2|16G|cpu=8,mem=16G,node=2,billing=8,gres/gpu=3|cpu=8,gres/gpu=4
2|ann|gpu|COMPLETED|101|120|220|05:00|4|4|1|4Gc|cpu=4,mem=16G,node=1,gres/gpu=2,gres/gpu:a100=2|
3|bob|cpu|COMPLETED|102|130|230|05:00|5|5|2|2Gn|cpu=5,mem=4G,node=2,license/matlab=1|
4|bob|cpu|COMPLETED|103|140|240|05:00|1|1|1||cpu=1,node=1,gres/nvme=1K|
5|bob|cpu|COMPLETED|104|150|250|05:00|1|1||||gres/gpu=1
"""


def converted(folder: Path, text: str, **options: bool) -> tuple[tt.Trace, dict[str, int]]:
    """The trace of a text, and what was noted."""
    (folder / "site.txt").write_text(text)
    found = convert([folder / "site.txt"], ConversionOptions(**options))
    return found.trace, found.report.noted


def test_requests_behind_field_18(tmp_path: Path) -> None:
    """Requests share amounts out among nodes, with typed GPUs as properties, as worked out by hand."""
    trace, noted = converted(tmp_path, GPUS, requests=True)
    assert trace.extra == (
        "- gpu 1:ppn=4:mem=8589934592:gpus=2+1:ppn=4:mem=8589934592:gpus=1",
        "- gpu 1:ppn=4:mem=17179869184:gpus=2:a100",
        "- cpu 1:ppn=3:mem=2147483648+1:ppn=2:mem=2147483648",
        "- cpu 1:ppn=1:nvme=1000",
        None,
    )
    assert noted == {
        "requests license/matlab, which is not a node resource: dropped": 1,
        "no number of nodes or processors: no node request": 1,
    }


def test_without_requests_what_swf_does_not_hold_is_counted(tmp_path: Path) -> None:
    """The log is plain SWF, and the report says how many jobs asked for what is left out."""
    trace, noted = converted(tmp_path, GPUS, requests=False)
    assert trace.extra is None
    assert noted == {
        "requests gpus, which SWF has no field for: dropped": 3,
        "requests nvme, which SWF has no field for: dropped": 1,
        "requests license/matlab, which is not a node resource: dropped": 1,
    }


def test_a_sites_dump_drives_the_machine_of_nodes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two GPU jobs of a dump run one after the other on nodes with one GPU."""
    monkeypatch.chdir(tmp_path)
    rows = "".join(
        f"{i}|ann|gpu|COMPLETED|{100 + i}|{110 + i}|{210 + i}|05:00|2|2|1|2G|cpu=2,mem=2G,node=1,gres/gpu=2|\n"
        for i in range(1, 4)
    )
    Path("site.txt").write_text(f"{COLUMNS}\n{rows}")
    Path("site.machines").write_text("0\tgpu\t1\t8\t1\t16777216\t-\t2\n")
    assert main(["trace", "convert", "site.txt"]) == 0
    capsys.readouterr()
    words = ["replay", "site.swf", "--machines", "site.machines", "--policy", "fcfs", "--quiet", "--json"]
    waits = json.loads(stdout_of(*words))
    assert waits["jobs"] == 3
    nodes = Nodes.read("site.machines")
    log = read_requests(read_swf("site.swf"), nodes)
    assert log.notes[0] == "requested memory taken from the requests (mem=)"
    result = tt.replay(log.trace, "fcfs", nodes=nodes)
    assert result["start"].tolist() == [0, 100, 200]
    assert "requests gpus, which SWF has no field for: dropped" in stdout_of(
        "trace", "convert", "site.txt", "--no-requests"
    )
    plain = tt.replay(read_swf("site.swf"), "fcfs", nodes=nodes)
    assert (
        read_requests(read_swf("site.swf"), nodes).notes[-1] == "no job of the log asks for gpus, which the nodes have"
    )
    assert plain["start"].tolist() == [0, 1, 2], "without their GPUs the jobs would run side by side"


def test_the_sample_site_reads_back(tmp_path: Path) -> None:
    """Every request of the sample is read again as it was written, and asks for the processors of field 8."""
    trace, _ = converted(tmp_path, SITE, requests=True)
    write_swf(trace, tmp_path / "site.swf")
    again = read_swf(tmp_path / "site.swf", processors=1000)
    log = read_requests(again, Nodes.uniform(8, 64, memory=2**42, gpus=4))
    assert not log.dropped
    for asked, processors, text in zip(log.requests, again.processors, again.extra or (), strict=True):
        assert text is not None and str(asked) == text.split()[2]
        assert asked.processors == processors
    assert log.queues is not None and set(log.queues.tolist()) == {"normal", "long"}


@given(nodes=st.integers(1, 9), processors=st.integers(1, 40), gpus=st.integers(0, 20), memory=st.integers(0, 10**6))
def test_sharing_out_keeps_sums(nodes: int, processors: int, gpus: int, memory: int) -> None:
    """Shared amounts add up, differ by at most one, and read back."""
    found = request(nodes, processors, float(memory), Wants({"gpus": gpus}))
    assert (found.processors, found.amount("gpus")) == (processors, gpus)
    assert found.memory == memory * 1024 * processors
    pieces = [chunk.processors for chunk in found.chunks for _ in range(chunk.count)]
    assert len(pieces) == min(nodes, processors) and max(pieces) - min(pieces) <= 1
    assert NodeRequest.parse(str(found)) == found


def test_what_belongs_to_no_node() -> None:
    """Licences and burst buffers are named as left out."""
    found = wants({"cpu": "1", "mem": "1G", "node": "1", "billing": "3", "bb/datawarp": "5G", "gres/gpu": "0"})
    assert (dict(found.amounts), found.properties, found.elsewhere) == ({}, (), ("bb/datawarp",))
    two = wants({"gres/gpu:a100": "1", "gres/gpu:v100": "2", "gres/fpga:x": "1"})
    assert (dict(two.amounts), two.properties) == ({"gpus": 3, "fpga": 1}, ())


@pytest.mark.parametrize("column", ["Submit", "Start", "End"])
def test_times_of_20_digits(tmp_path: Path, column: str) -> None:
    """A line with a time of 20 digits is left out, and a file of such lines is refused."""
    times = {"Submit": "100", "Start": "110", "End": "120"} | {column: "9" * 20}
    bad = f"7|{times['Submit']}|{times['Start']}|{times['End']}|1"
    (tmp_path / "two.txt").write_text(f"JobID|Submit|Start|End|AllocCPUS\n6|100|110|120|1\n{bad}\n")
    (tmp_path / "one.txt").write_text(f"JobID|Submit|Start|End|AllocCPUS\n{bad}\n")
    out = str(tmp_path / "site.swf")
    told = f"malformed line: '{'9' * 20}' is not a time before the year 10000"
    assert told in stdout_of("trace", "convert", tmp_path / "two.txt", "--out", out)
    assert told in refusal_of("trace", "convert", tmp_path / "one.txt", "--out", out)


def test_other_numbers_of_20_digits() -> None:
    """Lengths of time and counts have limits, and quoted texts have 40 characters at most."""
    for read, message in (
        (duration, "not a duration of less than 8,000 years"),
        (count, "not a number of at most"),
        (SiteClock(datetime.UTC).moments, "not a time before the year 10000"),
    ):
        with pytest.raises(ValueError, match=message) as error:
            read("9" * 60)
        assert len(str(error.value)) < 100 and "…" in str(error.value)


def test_gpus_are_kept_unless_they_are_not_wanted(tmp_path: Path) -> None:
    """A log in which a job asks for GPUs has requests; one in which none does is plain SWF. Mixed types are said."""
    trace, noted = converted(tmp_path, GPUS)
    assert trace.extra == converted(tmp_path, GPUS, requests=True)[0].extra
    assert noted["requests resources of nodes: kept after field 18"] == 4
    assert converted(tmp_path, "\n".join(GPUS.splitlines()[:1] + GPUS.splitlines()[3:4]))[0].extra is None
    mixed = "gres/gpu=3,gres/gpu:a100=2,gres/gpu:v100=1"
    trace, noted = converted(tmp_path, GPUS.replace("gres/gpu=2,gres/gpu:a100=2", mixed))
    assert noted["requests GPUs of the types a100 and v100: any type will do"] == 1
    assert trace.extra is not None and trace.extra[1] == "- gpu 1:ppn=4:mem=17179869184:gpus=3"
