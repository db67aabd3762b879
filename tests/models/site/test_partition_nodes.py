"""Jobs on the machine of a site are on the nodes of their partitions."""

from dataclasses import replace

import pytest
import simpy

import thinktime as tt
from thinktime.models.machine.machine import Machine
from thinktime.models.results.swf_export import as_trace
from thinktime.models.site.accounts import AccountTree, Association
from thinktime.models.site.partitions import Partition
from thinktime.models.site.qos import QOS
from thinktime.models.site.site import Site

SITE = Site(
    nodes=tt.Nodes.uniform(4, 8),
    partitions=(
        Partition("batch", ("node1", "node2", "node3"), default=True),
        Partition("debug", ("node3", "node4")),
        Partition("whole", ("node4",), exclusive=True),
    ),
    qos=(QOS("normal"), QOS("short")),
)


def machine(policy: str = "easy", site: Site = SITE) -> Machine:
    """Its machine, under a policy."""
    return tt.MachineSpec.of_site(site).under(policy).open(simpy.Environment())


@pytest.mark.parametrize(
    "policy", ["none", "no-guarantee", "easy", "easy:reservations=2", "conservative", "conservative-dynamic", "slurm"]
)
def test_jobs_are_on_nodes_of_their_partition(policy: str) -> None:
    """Those that name none, or a QOS, are in the default one; a partition may give whole nodes only."""
    opened = machine(policy)
    for queue, processors in ((None, 24), ("debug", 2), ("short", 8), ("whole", 1), ("debug", 8), ("whole", 1)):
        opened.submit(tt.Job(runtime=10, processors=processors, queue=queue))
    opened.env.run()
    result = opened.result()
    allowed = [{0, 1, 2}, {2, 3}, {0, 1, 2}, {3}, {2, 3}, {3}]
    assert all(set(result.nodes.of(i)) <= those for i, those in enumerate(allowed))
    start = result["start"]
    assert (start[0], start[1]) == (0, 0)
    assert start[3] >= 10, "node 4 is not whole before"
    assert abs(start[5] - start[3]) >= 10


def test_logs_and_forecasts_know_partitions() -> None:
    """Rows of a log are confined by their queues, and predicted starts are those that come true."""
    log = tt.Trace(
        {
            "submit": [0.0, 0.0, 1.0], "runtime": [10.0, 10.0, 10.0], "requested_processors": [16, 16, 16],
            "requested_time": [10.0, 10.0, 10.0], "queue": [1, 1, 2],
        }
    )  # fmt: skip
    site = Site(
        nodes=tt.Nodes.uniform(4, 8),
        partitions=(Partition("1", ("node1", "node2"), default=True), Partition("2", ("node3", "node4"))),
    )
    result = tt.replay(log, tt.MachineSpec.of_site(site).under("easy"))
    assert result["start"].tolist() == [0, 10, 1]
    opened = machine("conservative", site)
    waiting = [opened.submit(tt.Job(runtime=10, processors=16)) for _ in range(2)]
    opened.env.run(until=1)
    sight = opened.sight("ann")
    assert sight.predicted_start(tt.Job(runtime=5, processors=16, queue="2")) == 1
    assert sight.predicted_start(tt.Job(runtime=5, processors=16, queue="1")) == 20
    opened.env.run()
    assert [event.value.start for event in waiting] == [0, 10]


def test_a_job_has_a_qos_and_a_partition() -> None:
    """Its partition is the one that it names, whatever its queue, unless the site has none of this name."""
    opened = machine()
    asked = [("short", "debug"), ("batch", "debug"), ("debug", "nowhere"), ("nowhere", "nowhere"), (None, "debug")]
    for queue, partition in asked:
        processors = 20 if queue == partition else 2  # more than the nodes of debug have
        opened.submit(tt.Job(runtime=1, processors=processors, queue=queue, partition=partition))
    hold = opened.request(processors=16, queue="short", partition="debug")
    opened.env.run()
    result = opened.result()
    assert [set(result.nodes.of(i)) <= {2, 3} for i in range(6)] == [True, True, True, False, True, True]
    assert result.labels("partition").tolist() == [partition for _, partition in asked] + ["debug"]
    assert result.labels("queue").tolist() == [queue for queue, _ in asked] + ["short"]
    hold.release()


def test_partitions_of_a_log() -> None:
    """SWF field 16 confines jobs, and stands in the result and its log."""
    site = Site(
        nodes=tt.Nodes.uniform(4, 8),
        partitions=(Partition("1", ("node1", "node2"), default=True), Partition("2", ("node3", "node4"))),
        qos=(QOS("7"),),
    )
    columns = {"submit": [0.0, 0.0, 1.0, 1.0], "runtime": [9.0] * 4, "requested_processors": [16] * 4}
    log = tt.Trace(columns | {"queue": [7, -1, 7, 7], "partition": [2, 1, 2, -1]})
    result = tt.replay(log, tt.MachineSpec.of_site(site).under("easy"))
    assert result["start"].tolist() == [0, 0, 9, 9]
    assert result.jobs["partition"].tolist()[:3] == [2, 1, 2]
    assert as_trace(result).partition.tolist() == [2, 1, 2, -1]


def test_names_of_a_log_come_before_words_after_its_fields() -> None:
    """Words cannot have blanks."""
    columns = {"submit": [0.0], "runtime": [9.0], "requested_processors": [4], "queue": [1], "user": [3]}
    log = tt.Trace(columns, extra=["- high_prio 1:ppn=4"])
    site = replace(
        SITE, qos=(QOS("normal"), QOS("high prio")), accounts=AccountTree([Association("a"), Association("a", "ann")])
    )
    found = [
        tt.replay(each, tt.MachineSpec.of_site(site)) for each in (log, log.with_names({"queue": {1: "high prio"}}))
    ]
    assert [result.labels("queue").tolist() for result in found] == [["high_prio"], ["high prio"]]
    nobody = "jobs without an association at the site, and so without a fair share: 1 of 1, such as those of user 3"
    assert [note for note in found[0].notes if "site" in note] == [
        nobody, "jobs whose queue is no QOS of the site, nor a partition: 1 of 1, such as those of high_prio",
    ]  # fmt: skip
    assert [note for note in found[1].notes if "site" in note] == [nobody]


def test_a_column_without_values_takes_no_memory() -> None:
    """Partitions have room only once a job has one, be it one that a user thinks about."""
    opened = machine()
    opened.submit(tt.Job(runtime=1))
    opened.sight("ann").predicted_start(tt.Job(runtime=1))
    assert opened.pool.requests.partition.strides == (0,)
    opened.sight("ann").predicted_start(tt.Job(runtime=1, partition="debug"))
    assert opened.pool.requests.partition.strides == (8,)


def test_a_job_that_no_node_of_its_partition_could_take() -> None:
    """It is refused, with its partition's name."""
    with pytest.raises(ValueError, match="in partition debug, which the nodes could not give even if they were idle"):
        machine().submit(tt.Job(runtime=10, processors=17, queue="debug"))


def test_a_machine_without_the_nodes_of_its_site() -> None:
    """One sentence says what would be right."""
    with pytest.raises(ValueError, match=r"partition batch .* is on node1, which the machine does not have"):
        tt.MachineSpec(nodes=tt.Nodes([tt.Cluster("a", 4, {"processors": 8})]), site=SITE).open(simpy.Environment())
