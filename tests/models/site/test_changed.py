"""A site with other settings is the site whose file says so; its machine is that of its parts."""

import pickle
import re
from dataclasses import replace
from pathlib import Path

import pytest

import thinktime as tt
from tests.models.site.made_up import SATURN
from thinktime.models.machine.configured import configured
from thinktime.models.site.changed import changed, settings_of
from thinktime.models.site.site import Site
from thinktime.models.site.tres import Tres
from thinktime.workloads.units import DAY


def after(text: str, site: Site = SATURN) -> Site:
    """The site after a change."""
    return changed(site, settings_of(text))


def test_settings() -> None:
    """Values are TOML or bare words; commas inside of values separate nothing."""
    assert settings_of('a.b=1, c = x-y ,d.e/f={ g = [1, 2], h = "i=j, k=l" },m=n[1-2],n5,o=2d 3h') == [
        ("a.b", 1), ("c", "x-y"), ("d.e/f", {"g": [1, 2], "h": "i=j, k=l"}), ("m", "n[1-2],n5"), ("o", "2d 3h"),
    ]  # fmt: skip
    for wrong in ("", "a", "a.b", "a..b=1", "=1", "a=", "a=1,b"):
        with (
            pytest.raises(ValueError, match="a change must be PATH=VALUE")
            if wrong != "a=1,b"
            else pytest.raises(ValueError, match="must be a whole number")
        ):
            changed(Site(), settings_of(wrong.replace("a=1,b", "max_array_size=1,b")))


def test_keys_of_tables() -> None:
    """Slurm's names of options are known; none is the default."""
    assert after("backfill.job_part_count_reserve=1") == after("backfill.bf_job_part_count_reserve=1")
    easy = after("backfill.bf_job_part_count_reserve=1").backfill
    assert easy == replace(SATURN.backfill, job_part_count_reserve=1)
    weighed = after("priority.weights.age=2000,priority.half_life=14d,priority.fairshare=none").priority
    assert weighed == replace(SATURN.priority, age=2000, half_life=14.0 * DAY, fairshare=0)
    assert after('max_array_size=7,enforce=["limits"]') == replace(
        SATURN, max_array_size=7, enforce=frozenset(["limits"])
    )
    assert after("priority.tres.cpu=5").priority.tres == Tres({**SATURN.priority.tres, "cpu": 5.0})


def test_parts_of_lists() -> None:
    """Parts are found by their names, users of accounts behind a stroke; new ones have a table."""
    limits = after("qos.short.max_tres_per_user.gres/gpu=2,qos.short.priority=7").quality("short")
    assert limits.limits.max_tres_per_user == Tres({"cpu": 8, "gres/gpu": 2}) and limits.priority == 7
    assert after("qos.normal.max_tres=64").quality("normal").limits.max_tres == Tres({"cpu": 64})
    tree = after("accounts.physics.shares=70,accounts.physics/ann.max_jobs=none").accounts
    ann = tree.find("physics", "ann")
    assert tree.account("physics").shares == 70 and ann is not None and ann.limits.max_jobs is None
    more = after('qos.express={ priority = 9, max_wall = "1h" },accounts.new={},accounts.new/eve={ shares = 3 }')
    assert more.quality("express").limits.max_wall == 3600 and [each.name for each in more.qos][-1] == "express"
    eve = more.accounts.find("new", "eve")
    assert eve is not None and eve.shares == 3
    wider = after("partitions.batch.nodes=n[1-2],gpu01", replace(SATURN, usage=()))
    assert wider.nodes_of("batch") == ("n1", "n2", "gpu01")
    assert after("nodes.n.resources.processors=64").nodes.total() == 4 * 64 + 32
    assert after("partitions.main.max_time=1h", Site()).partition().max_time == 3600


def test_what_is_taken_away_is_forgotten() -> None:
    """Nothing goes by a partition or a QOS that is not there any more."""
    assert [each.name for each in after("partitions.gpu=none").partitions] == ["batch"]
    less = after("qos.short=none")
    assert [each.name for each in less.qos] == ["normal", "partition"]
    assert less.accounts.account("physics").qos == ("normal",)
    with pytest.raises(ValueError, match="partition gpu: there is no QOS 'partition'"):
        after("qos.partition=none,partitions.gpu.qos=partition")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("qoss.short.priority=5", "a site has no key 'qoss'; did you mean 'qos'?"),
        ("qos.shrt.priority=5", "there is no QOS 'shrt'; did you mean 'short'?"),
        ("qos.short.prority=5", "QOS short has no key 'prority'; did you mean 'priority'?"),
        ("qos.short=5", "QOS short must be a table of keys, or none, not 5"),
        ("priority.weights.ag=5", "priority has no key 'ag'; did you mean 'age'?"),
        ("backfill.bf_windw=2d", "backfill has no key 'windw'; did you mean 'window'?"),
        ("backfill.window=soon", "backfill: window is wrong"),
        ("accounts.physics/bob.shares=2", "there is no account 'physics/bob'; did you mean 'physics"),
        ("partitions.gpu.tier.x=2", "tier is 10, which has no keys such as 'x'"),
        ("partitions.batch=none,partitions.gpu=none", "a site needs a partition"),
        ("nodes.n=none", "partition batch: there is no node 'n1'"),
        ("name.x=2", "name is 'saturn', which has no keys such as 'x'"),
    ],
)
def test_what_is_unknown_or_wrong(text: str, said: str) -> None:
    """One sentence names the nearest known key."""
    with pytest.raises(ValueError) as error:
        after(text)
    assert said in str(error.value)


JUNO = """
nodes = [{ name = "n", names = "n[1-4]", resources = { processors = 16 } }]
partitions = [{ name = "batch", nodes = "n[1-3]", default = true }, { name = "debug", nodes = "n4" }]
qos = [{ name = "normal" }, { name = "short", priority = 100 }]
accounts = [{ account = "physics", shares = 60 }, { account = "biology", shares = 40 }]
"""
"""The site of the page."""


def test_the_changes_of_the_page_can_be_made() -> None:
    """All of the table in docs/how-to/site-whatif.md, on the site of that page."""
    page = (Path(__file__).parents[3] / "docs/how-to/site-whatif.md").read_text(encoding="utf-8")
    changes = re.findall(
        "`([^`]+)`", page.partition("## Changes to try")[2].partition("```")[0].replace("| change |", "")
    )
    made = [configured(Site.from_toml(JUNO), f"site:{text}") for text in changes if "=" in text]
    assert len(made) >= 12 and all(each != configured(Site.from_toml(JUNO), "site") for each in made)
    assert sum(bool(each.windows) for each in made) == 2


def test_a_change_needs_no_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings change the parts of the site, and never the text of its file."""

    def refuse(*given: object) -> None:
        raise AssertionError(given)

    for name in ("to_toml", "from_toml", "of_tables"):
        monkeypatch.setattr(Site, name, refuse)
    assert after("qos.short.priority=7").quality("short") == replace(SATURN.quality("short"), priority=7)
    assert after("qos.short.priority=7").partitions[0] == SATURN.partitions[0]


def test_settings_count_together() -> None:
    """What a setting makes wrong, a later one of the same change may mend."""
    text = "partitions.gpu.qos=express,qos.express={ priority = 9 },accounts.new/eve={},accounts.new={}"
    site = after(text)
    assert site.partition("gpu").qos == "express" and site.accounts.find("new", "eve") is not None


def test_a_site_gives_its_machine(tmp_path: Path) -> None:
    """However it was made: read, changed, replaced or sent to another process."""
    SATURN.write(tmp_path / "site.toml")
    site = tt.Site.read(tmp_path / "site.toml")
    assert site == SATURN and site == SATURN and hash(site) == hash(SATURN) and site != "saturn"
    assert site.machine() == tt.MachineSpec.of_site(SATURN)
    easy = changed(site, settings_of("backfill.bf_job_part_count_reserve=1"))
    assert easy.machine().policy == f"{site.machine().policy.replace(',', ',bf_job_part_count_reserve=1,', 1)}"
    for made in (replace(site, name="mars"), tt.Site(name="mars")):
        assert made.machine().site.name == "mars" and made != site
    assert pickle.loads(pickle.dumps(site)) == site
