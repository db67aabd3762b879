"""`tt.Site` is the same value as the site of the lower modules, and gives its machine."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path

import thinktime as tt
from tests.models.site.made_up import SATURN
from thinktime.models.site.changed import changed, settings_of


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
