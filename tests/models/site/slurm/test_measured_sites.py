"""Sites as a Slurm 22.05.8 had them are imported whole."""

from dataclasses import replace
from pathlib import Path

import pytest

from thinktime.models.site.accounts import PARENT, AccountTree
from thinktime.models.site.site import Site
from thinktime.models.site.slurm.importing import Imported, SlurmFiles, import_site

MEASURED = Path(__file__).parent / "measured"
ALL = ("fair_tree", "limits", "preemption")


def imported(name: str, associations: str = "dump.cfg") -> Imported:
    folder = MEASURED / name
    usage = folder / "sshare.psv"
    files = SlurmFiles(
        [folder / "slurm.conf"], folder / associations, folder / "qos.psv", usage=usage if usage.exists() else None
    )
    return import_site(files)


@pytest.mark.parametrize("name", ALL)
def test_dump_and_table_give_the_same_tree(name: str) -> None:
    """Associations and the order of children; only the dump knows default accounts."""
    dumped, shown = imported(name).site.accounts, imported(name, "assoc.psv").site.accounts
    assert {replace(each, default=False) for each in dumped} == set(shown)
    for account in dumped.accounts:
        assert [each.key for each in dumped.children(account)] == [each.key for each in shown.children(account)]


@pytest.mark.parametrize("name", ALL)
def test_everything_can_be_used_and_written(name: str) -> None:
    """Nothing is noted, and the file says the same."""
    found = imported(name)
    assert found.notes == []
    assert Site.from_toml(found.site.to_toml()) == found.site


def test_shares_and_usage() -> None:
    """Norm shares of sshare are shares of those of all siblings, the user root among them."""
    site = imported("fair_tree").site
    tree = site.accounts
    shares = {}
    for account in tree.accounts:
        children = tree.children(account)
        total = sum(int(each.shares) for each in children if each.shares != PARENT)
        shares |= {each.key[:2]: int(each.shares) / total for each in children if each.shares != PARENT}
    printed = {("a", None): 0.396040, ("root", "root"): 0.009901, ("a", "tt1"): 0.166667, ("a1", None): 0.333333}
    assert {key: round(shares[key], 6) for key in printed} == printed
    assert [site.used(*key) for key in (("root", None), ("a", None), ("a", "tt2"), ("root", "root"))] == [
        797, 655, 553, 0,
    ]  # fmt: skip
    assert tree.find("c", "tt6") is not None
    assert [each.shares for each in tree.users if each.user == "tt6"] == [PARENT]
    assert [tree.default_account(user) for user in ("tt1", "tt5", "tt6")] == ["a", "a1", "c"]
    assert (site.priority.half_life, site.priority.calc_period, site.priority.fairshare) == (60, 60, 10_000)
    assert site.enforce == {"associations", "limits"}


def test_limits_of_qos_and_users() -> None:
    """MaxTRESPU is of a user, MaxWall a time, and the partition has a QOS of its own."""
    site = imported("limits").site
    limits = {each.name: dict(each.limits.given()) for each in site.qos}
    assert limits == {
        "normal": {},
        "j1": {"max_jobs": 1},
        "c8": {"max_tres_per_user": {"cpu": 8}},
        "g8": {"group_tres": {"cpu": 8}},
        "deny": {"max_tres_per_user": {"cpu": 8}},
        "part": {"max_jobs": 2},
        "over": {"max_jobs": 3},
        "sub": {"max_submit": 1},
        "wall": {"max_wall": 120},
    }
    assert (site.quality("deny").flags, site.quality("over").flags) == ({"DenyOnLimit"}, {"OverPartQOS"})
    assert (site.partition("pq").qos, site.partition("short").max_time, site.partition().name) == ("part", 120, "main")
    tt6, tt1 = site.accounts.find("acc", "tt6"), site.accounts.find("acc", "tt1")
    assert tt6 and tt1
    assert [site.accounts.inherited(each, "max_jobs") for each in (tt6, tt1)] == [1, None]
    assert site.accounts.inherited(tt1, "qos") == ("c8", "deny", "g8", "j1", "normal", "over", "part", "sub", "wall")


def test_preemption_by_qos() -> None:
    """A mode of its own, the time for which jobs are exempt, and how long a requeued job stays away."""
    site = imported("preemption").site
    rules = site.preemption
    assert (rules.type, rules.mode, rules.exempt_time, rules.requeue_delay) == ("qos", "requeue", 20, 9)
    assert (site.quality("hi").preempts, site.quality("lo").preempt_mode, site.quality("hi").preempt_mode) == (
        ("lo",), "requeue", None,
    )  # fmt: skip


def test_without_tables_there_are_no_accounts() -> None:
    """The configuration alone is a site, too."""
    found = import_site(SlurmFiles([MEASURED / "limits" / "slurm.conf"]))
    assert found.site.accounts == AccountTree()
    assert [tuple(note) for note in found.notes] == [
        ("QOS part", "nothing says what it is (sacctmgr -P show qos), so it has no limits and priority 0")
    ]
