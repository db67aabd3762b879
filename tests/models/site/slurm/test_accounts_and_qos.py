"""What Slurm's tables of accounts, QOS and usage mean, although they look otherwise."""

from pathlib import Path

import pytest

from tests.models.site.slurm.making import GB, PLAIN, QOS, TREE, Make, noted, site_maker
from thinktime.models.site.accounts import Association


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Import a site whose files have these texts."""
    return site_maker(tmp_path)


def test_the_dump_names_qos_without_saying_what_they_are(make: Make) -> None:
    """They are noted, and have no limits; a plus adds to those of the account above."""
    found = make(
        associations=(
            "# To edit this file start with a cluster line for the new cluster\n"
            "Cluster - 'saturn':Fairshare=1:QOS='normal'\n"
            "Parent - 'root'\n"
            "User - 'root':DefaultAccount='root':AdminLevel='Administrator':Fairshare=1\n"
            "Account - 'Physics':Description='phys: a lot':Organization='x':Fairshare=40:QOS='+long,+short'\n"
            "Parent - 'Physics'\n"
            "Account - 'theory':Description='t':Organization='x':Fairshare=2:QOS='-long'\n"
            "User - 'ann':DefaultAccount='theory':Fairshare=1:MaxWallDurationPerJob=40:GrpTRESMins=cpu=4,mem=1\n"
            "Parent - 'theory'\n"
            "User - 'ann':DefaultAccount='theory':Fairshare=2147483647:DefaultQOS='short'\n"
            "User - 'ann':Partition='main':DefaultAccount='theory':Fairshare=7\n"
        )
    )
    tree = found.site.accounts
    assert list(tree.accounts) == ["root", "physics", "theory"]
    assert [tree.inherited(tree.account(name), "qos") for name in tree.accounts] == [
        ("normal",), ("long", "normal", "short"), ("normal", "short"),
    ]  # fmt: skip
    ann = tree.find("physics", "ann")
    assert ann is not None
    assert ann.limits.given() == [("max_wall", 2_400), ("group_tres_seconds", {"cpu": 240, "mem": 60 * 2**20})]
    assert [each.shares for each in tree.children("theory")] == ["parent", 7]
    assert (tree.default_account("ann"), tree.account("theory").above) == ("theory", "physics")
    assert noted(found) == [
        f"QOS {name}: nothing says what it is (sacctmgr -P show qos), so it has no limits and priority 0"
        for name in ("long", "short")
    ]


def test_the_tree_of_a_table_is_in_the_blanks_or_in_a_column(make: Make) -> None:
    """A column Par Name is the safer one; inherited limits are empty."""
    blanks = TREE + (
        "saturn|root||1||||normal|\n"
        "saturn| root|root|1||||normal|\n"
        "saturn| physics||40||5||normal|\n"
        "saturn|  theory||2|cpu=10||1-00:00:00|normal|\n"
        "saturn|   theory|ann|parent||||normal|\n"
        "saturn| biology||60||||normal|\n"
    )
    tree = make(associations=blanks).site.accounts
    assert [tree.account(name).above for name in ("physics", "theory", "biology")] == ["root", "physics", "root"]
    ann = tree.find("theory", "ann")
    assert ann is not None
    assert [tree.inherited(ann, name) for name in ("max_jobs", "max_wall", "qos")] == [5, 86_400, ("normal",)]
    assert tree.account("theory").limits.group_tres_seconds == {"cpu": 600}
    lines = blanks.replace(" ", "").replace("DefQOS", "Def QOS").splitlines()
    parents = ["Par Name", "", "", "root", "physics", "", "root"]
    column = "".join(f"{line}|{parent}\n" for line, parent in zip(lines, parents, strict=True))
    assert make(associations=column).site.accounts == tree


def test_columns_are_known_by_their_headings(make: Make) -> None:
    """Those of newer versions that are not known are noted, if there is something in them."""
    found = make(
        associations=(
            "User|Account|Share|Cluster|Lineage|Novelty|Other\n"
            "|root|1|saturn|/||\n"
            "| physics|40|saturn|/physics/||x\n"
            "ann|  physics|3|saturn|/physics/ann/|7|x\n"
        )
    )
    assert found.site.accounts.find("physics", "ann") == Association("physics", "ann", shares=3)
    assert noted(found) == [
        "associations, line 3: column 'other' (x) is not known",
        "associations, line 4: column 'novelty' (7) is not known",
    ]


def test_limits_of_a_qos(make: Make) -> None:
    """MaxTRES is of a job, MaxTRESPU of a user, MaxWall a clock; PreemptMode cluster is that of the site."""
    found = make(
        qos=QOS
        + "normal|0|00:00:00||cluster||1.000000|||||\n"
        + "big|10|00:05:00|normal|requeue|DenyOnLimit,NoDecay,Sparkling|2.000000|"
        + "cpu=60|cpu=64,mem=1T|2-00:00:00|gres/gpu=2|7\n"
    )
    normal, big = found.site.qos
    assert (normal.preempt_mode, normal.limits.given(), normal.usage_factor) == (None, [], 1)
    assert (big.priority, big.grace, big.preempts, big.preempt_mode) == (10, 300, ("normal",), "requeue")
    assert (big.flags, big.usage_factor) == ({"DenyOnLimit", "NoDecay"}, 2)
    assert dict(big.limits.given()) == {
        "max_submit": 7,
        "max_wall": 2 * 86_400,
        "max_tres": {"cpu": 64, "mem": 1024 * GB},
        "max_tres_per_user": {"gres/gpu": 2},
        "group_tres_seconds": {"cpu": 3_600},
    }
    assert noted(found) == ["qos, line 3: QOS big: the flag Sparkling is not known"]


def test_usage_is_that_of_the_associations(make: Make) -> None:
    """RawUsage of sshare, whose columns depend on the priority; that of strangers is noted."""
    tree = TREE + "saturn|root||1||||normal|\nsaturn| physics||40||||normal|\nsaturn|  physics|ann|1||||normal|\n"
    found = make(
        associations=tree,
        usage=(
            "Account|User|RawShares|NormShares|RawUsage|EffectvUsage|FairShare\n"
            "root|||0.000000|1512||1.000000\n"
            " physics||40|0.975610|1512|1.000000|\n"
            "  physics|ann|1|1.000000|1500|1.000000|0.5\n"
            "  physics|bob|1|1.000000|12|0.000000|1.0\n"
        ),
    )
    assert [found.site.used(*key) for key in (("root",), ("physics",), ("physics", "ann"))] == [1_512, 1_512, 1_500]
    assert noted(found) == ["usage, line 5: usage of bob in account physics, which is not in the tree"]


def test_a_snapshot_of_the_accounts_may_name_partitions_that_are_no_more(make: Make) -> None:
    """Such associations are left out; QOS are lower case, too."""
    found = make(
        PLAIN + "PartitionName=main Nodes=ALL Default=YES QOS=Part\nPartitionName=new Nodes=ALL Default=YES\n",
        associations=(
            "Cluster|Account|User|Partition|Share|QOS\nsaturn|root|||1|normal\nsaturn| a|||1|normal,part\n"
            "saturn|  a|ann|main|1|normal\nsaturn|  a|ann|old|1|normal\n"
        ),
        qos="Name|Priority\nnormal|0\npart|5\n",
    )
    assert [str(each) for each in found.site.accounts.users] == ["user ann of account a in partition main"]
    assert (found.site.partition("main").qos, found.site.partition().name) == ("part", "new")
    assert noted(found) == [
        "partition main: it is not the default partition, since new is",
        "user ann of account a in partition old: it is left out, since there is no such partition",
    ]
