"""What is wrong with Slurm's files is named with the file and the line."""

from pathlib import Path

import pytest

from tests.models.site.slurm.making import PARTITION, PLAIN, QOS, TREE, Make, site_maker


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Import a site whose files have these texts."""
    return site_maker(tmp_path)


WRONG: list[tuple[dict[str, str], str]] = [
    (
        {"conf": PLAIN + PARTITION + "PriorityWeightAge=lots\n"},
        "slurm.conf, line 4: priorityweightage: must be a whole number, not 'lots'",
    ),
    (
        {"conf": PLAIN + PARTITION + "PriorityMaxAge=soon\n"},
        "slurm.conf, line 4: prioritymaxage: 'soon' is not a duration such as 1-02:03:04",
    ),
    (
        {"conf": PLAIN + PARTITION + "what is this\n"},
        "slurm.conf, line 4: 'what is this' is neither Key=Value nor a comment",
    ),
    (
        {"conf": PLAIN + PARTITION + "EnforcePartLimits=maybe\n"},
        "slurm.conf: the settings: enforce_partition_limits cannot be 'MAYBE'; the choices are NO, ANY, ALL",
    ),
    ({"conf": PARTITION}, "slurm.conf has no NodeName lines; add slurm.conf, or what 'scontrol -o show node' prints"),
    ({"conf": PLAIN}, "slurm.conf has no partitions"),
    (
        {"conf": PLAIN + "PartitionName=p Nodes=n[1\n"},
        "slurm.conf, line 3: Nodes: 'n[1' is no list of nodes such as n[1-4,7]",
    ),
    (
        {"conf": PLAIN + "PartitionName=p State=AWAY\n"},
        "slurm.conf, line 3: this partition: partition p: the state cannot be 'AWAY'",
    ),
    (
        {"conf": PLAIN + "PartitionName=p TRESBillingWeights=CPU=x\n"},
        "slurm.conf, line 3: tresbillingweights: the weight of cpu must be a number, not 'x'",
    ),
    ({"conf": "NodeName=n1 CPUs=many\n" + PARTITION}, "slurm.conf, line 1: CPUs: must be a whole number, not 'many'"),
    (
        {"conf": PLAIN + PARTITION + "SchedulerParameters=bf_max_job_test=all\n"},
        "slurm.conf, line 4: bf_max_job_test: must be a whole number, not 'all'",
    ),
    (
        {"associations": "Cluster - 'saturn':Fairshare=1\nnonsense\n"},
        "associations, line 2: 'nonsense' is no line of a dump",
    ),
    (
        {"associations": "Cluster - 'saturn':Fairshare=half\n"},
        "associations, line 1: Fairshare: must be a whole number, not 'half'",
    ),
    (
        {"associations": TREE + "saturn|root||1|||||\nsaturn|physics||1|||||\n"},
        "no account is indented, so there is no tree; make it with 'sacctmgr -P show assoc tree'",
    ),
    (
        {"associations": TREE + "saturn|root||1|||||\nsaturn|a\n"},
        "associations, line 3: 2 cells, but 9 columns in the heading",
    ),
    (
        {"associations": TREE + "mars|root||1|||||\nvenus|root||1|||||\n"},
        "has the clusters mars, venus, but not saturn",
    ),
    (
        {"associations": TREE + "saturn|root||1||many|||\n"},
        "associations, line 2: maxjobs: must be a whole number, not 'many'",
    ),
    (
        {"qos": "Nam|Priority\nnormal|0\n"},
        "qos, line 1: there is no column 'name' in this heading; did you mean 'nam'?",
    ),
    ({"qos": QOS + "big|10||||||||soon||\n"}, "qos, line 2: maxwall: 'soon' is not a duration such as 1-02:03:04"),
    (
        {"usage": "Account|User\nroot|\n"},
        "usage, line 1: there is no column 'rawusage' in this heading; make it with 'sshare -a -l -P'",
    ),
    ({"nodes": "State=UP\n"}, "nodes, line 1: this is no output of 'scontrol -o show node'"),
    ({"partitions": "batch up\n"}, "partitions, line 1: this is no output of 'scontrol -o show', but 'batch up'"),
]


@pytest.mark.parametrize(("texts", "message"), WRONG, ids=[message for _, message in WRONG])
def test_what_is_wrong_is_named_with_file_and_line(make: Make, texts: dict[str, str], message: str) -> None:
    """And with what would be right."""
    with pytest.raises(ValueError) as caught:
        make(**texts)
    assert message in str(caught.value)
