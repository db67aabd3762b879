"""What logs say of nodes."""

import pytest

import thinktime as tt
from thinktime.workloads.node_log import could_run, read_requests
from thinktime.workloads.node_requests import NodeRequest
from thinktime.workloads.nodes import Nodes

GB = 2**30


def trace_of(*rows):
    """A trace of (processors, requested memory, extra) rows."""
    columns = {
        "submit": range(len(rows)), "runtime": [5] * len(rows), "allocated": [row[0] for row in rows],
        "requested_memory": [row[1] for row in rows],
    }  # fmt: skip
    return tt.Trace(columns, extra=[row[2] for row in rows])


NODES = Nodes.uniform(4, 8, memory=16 * GB)


def test_requests_queues_and_nodes():
    """The words behind field 18 are nodes, queue and request, without which a job has plain processors."""
    trace = trace_of((6, 2 * GB, "{7,7,7,9,9,9} q_1d 2:ppn=3"), (2, GB, None), (1, -1, "{9} q_2 1:ppn=1.5:brno"))
    log = read_requests(trace, NODES)
    assert log.memory_unit == "bytes-per-chunk"
    assert [str(each) for each in log.requests] == [
        "2:ppn=3:mem=2147483648", "2:ppn=1:mem=536870912#pack", "1:ppn=1:brno",
    ]  # fmt: skip
    assert log.queues.tolist() == ["q_1d", None, "q_2"]
    assert log.nodes == [[7, 9], [], [9]]
    assert any("brno (1)" in note for note in log.notes)


def test_units_of_memory():
    """Memory is in KB per processor unless only bytes make sense."""
    kb = trace_of((4, 2 * 2**20, None), (2, 2**20, None))
    log = read_requests(kb, NODES)
    assert log.memory_unit == "kb-per-processor"
    assert [each.memory for each in log.requests] == [8 * GB, 2 * GB]
    assert read_requests(kb, NODES, "bytes-per-chunk").requests[0].memory == 4 * (2 * 2**20 // 4)
    with pytest.raises(ValueError, match="the memory unit is 'mb'"):
        read_requests(kb, NODES, "mb")


def test_hopeless_jobs_are_left_out_and_counted():
    """Jobs that no node could hold are left out and counted."""
    trace = trace_of(
        (1, 17 * GB, "{1} q 1:ppn=1"), (5, GB, "{1} q 5:ppn=1"), (9, GB, "{1} q 1:ppn=9"), (2, GB, "{1} q 2:ppn=1")
    )
    log = read_requests(trace, NODES)
    assert log.dropped == {"no node has what it asks for": 3}
    assert len(log.trace) == len(log.requests) == 1
    assert not could_run(NodeRequest.parse("1:ppn=1:gpus=1"), NODES)
    result = tt.replay(trace, "easy", nodes=NODES)
    assert result.dropped == log.dropped
    assert tt.replay(trace, "easy", nodes=NODES)["start"].tolist() == result["start"].tolist()


def test_requests_without_processors_share_what_the_log_has():
    """A request for `2` on six processors is two chunks of three."""
    log = read_requests(trace_of((6, GB, "{1} q 2"), (3, GB, "{1} q odd:=:")), NODES)
    assert log.requests[0].chunks[0].processors == 3


@pytest.mark.compiled
def test_the_log_of_the_site(log_file):
    """The MetaCentrum log is read with its units, its nodes and its three dropped jobs."""
    path = log_file("MetaCentrum")
    trace = tt.read_swf(path)
    nodes = Nodes.read(path.with_name("MetaCentrum-wagap-2013.machines"))
    log = read_requests(trace, nodes)
    assert (nodes.count, nodes.total()) == (68, 2_176)
    assert log.memory_unit == "bytes-per-chunk"
    assert trace.report.dropped == {"run time missing or negative": 2}
    assert log.dropped == {"no node has what it asks for": 1}
    assert len({node for had in log.nodes for node in had}) == 44
    few = log.first(1_500)
    result = tt.replay(few, "easy", nodes=nodes)
    assert len(result) == 1_500 and not (result["state"] == tt.State.REFUSED).any()
