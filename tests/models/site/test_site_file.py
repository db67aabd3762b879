"""The file of a site: what is written is read, and what is wrong is named."""

import copy
import datetime
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import simpy
from hypothesis import given, settings

import thinktime as tt
from thinktime.models.site import site as site_module
from thinktime.models.site.site import Site

from .made_up import SATURN, sites


@settings(max_examples=40, deadline=None)
@given(sites())
def test_a_site_is_read_as_it_was_written(site: Site) -> None:
    """Whatever is in it."""
    assert Site.from_toml(site.to_toml()) == site


def test_a_file_has_only_what_is_no_default(tmp_path: Path) -> None:
    """Durations and memory as people write them."""
    SATURN.write(path := tmp_path / "site.toml")
    assert tt.Site.read(path) == SATURN
    assert [each.name for each in tmp_path.iterdir()] == ["site.toml"]
    text = path.read_text()
    assert '    { name = "short", priority = 100, preempts = ["normal"], flags = ["DenyOnLimit"], ' in text
    assert '    { name = "n", count = 4, resources = { processors = 32, memory = "128G" } },\n' in text
    assert 'nodes = "gpu[01,07]", tier = 10, max_time = "24h"' in text
    assert '[backfill]\nwindow = "48h"\nmax_job_user = 20\n' in text
    assert "accounting" not in text


def test_names_that_look_like_host_lists_are_kept() -> None:
    """A list of names is taken as it is."""
    site = Site(nodes=tt.Nodes([tt.Cluster("a", 2, {"processors": 1}, names=("x[1", "y,z"))]))
    assert 'names = ["x[1", "y,z"]' in site.to_toml()
    assert Site.from_toml(site.to_toml()) == site


def test_the_machine_of_a_site_has_its_nodes() -> None:
    """Without memory where jobs are not given any; under Slurm's scheduler with its options."""
    spec = tt.MachineSpec.of_site(SATURN)
    assert (spec.nodes, str(spec.policy)) == (SATURN.nodes, "slurm:bf_max_job_user=20,bf_window=48h,order=multifactor")
    table = "memory = false\n" + SATURN.to_toml().replace("[backfill]\n", "[backfill]\njob_part_count_reserve = 1\n")
    spec = tt.MachineSpec.of_site(Site.from_toml(table))
    assert spec.nodes is not None
    assert (spec.nodes.resources, spec.nodes.names) == (("processors", "gpus"), SATURN.nodes.names)
    assert "bf_job_part_count_reserve=1" in spec.policy
    builtin = Site.from_toml("[backfill]\nenabled = false\n")
    assert tt.MachineSpec.of_site(builtin).policy == "slurm:backfill=no"


def test_a_machine_names_the_file_of_its_site(tmp_path: Path) -> None:
    """In TOML a machine has the name of the site's file, which is read when the machine is opened."""
    with pytest.raises(ValueError, match="site is a value; write it to a file"):
        tt.MachineSpec.of_site(SATURN).to_toml()
    SATURN.write(tmp_path / "saturn.toml")
    spec = replace(tt.MachineSpec.of_site(SATURN), site=tmp_path / "saturn.toml")
    read = tt.MachineSpec.from_toml(spec.to_toml())
    assert (read.nodes, read.site, read.known_site) == (SATURN.nodes, str(tmp_path / "saturn.toml"), SATURN)
    assert read.open(simpy.Environment()).site == SATURN


def test_a_run_reads_the_file_of_its_site_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not read again for the check and for the machine, between which it might change."""
    SATURN.write(tmp_path / "saturn.toml")
    spec = replace(tt.MachineSpec.of_site(SATURN), site=tmp_path / "saturn.toml")
    opened, text_of = list[Path](), site_module.text_of
    monkeypatch.setattr(site_module, "text_of", lambda path: opened.append(path) or text_of(path))
    tt.replay(tt.Trace({"submit": [0], "runtime": [60], "allocated": [1]}), spec)
    assert opened == [tmp_path / "saturn.toml"]


WRONG = {
    "nam = 1": "a site has no key 'nam'; did you mean 'name'?",
    "name = 1": "name must be a text, not 1",
    "accounting = 1": "accounting must be true or false, not 1",
    "x": "this is not TOML: Expected '=' after a key in a key/value pair (at end of document)",
    "priority = 3": "priority must be a table, not 3",
    "[priority]\nagee = 1": "priority has no key 'agee'; did you mean 'age'?",
    "[priority]\nage = 1.5": "priority: age must be a whole number, not 1.5",
    "[priority]\nmax_age = 0": "priority: max_age must be above 0, not 0.0",
    "[priority]\nflags = ['MAX']": "priority has no flag 'MAX'; did you mean 'MAX_TRES'?",
    "nodes = [{name = 'n'}]": "cluster n needs a name and resources such as { processors = 8, memory = '16G' }",
    "nodes = []": "a machine of nodes needs at least one cluster",
    "nodes = [{name = 'n', cont = 1}]": "cluster n has no key 'cont'; did you mean 'count'?",
    "nodes = [{name = 'n', count = 1, resources = {processors = 1, memory = '3X'}}]": (
        "cluster n: memory must be a number of bytes or a text such as '16G', not '3X'"
    ),
    "partitions = [{name = 'p'}, {nam = 'q'}]": "partition number 2 has no key 'nam'; did you mean 'name'?",
    "partitions = [{name = 'p', max_tim = 3}]": "partition p has no key 'max_tim'; did you mean 'max_time'?",
    "partitions = [{name = 'p', nodes = 'n[1'}]": "partition p: nodes is wrong: 'n[1' is no list of nodes such as n[",
    "partitions = [{name = 'p', state = 'OPEN'}]": "partition p: the state cannot be 'OPEN'; the choices are UP, ",
    "partitions = {name = 'p'}": "partition: must be a list of tables, not {'name': 'p'}",
    "qos = [{name = 'q', max_jobs = -1}]": "QOS q: max_jobs must be at least 0, not -1",
    "qos = [{name = 'q', max_wall = 'soon'}]": "QOS q: max_wall is wrong: a duration must be a number of seconds, ",
    "qos = [{name = 'q', group_tres = {cpus = 3}}]": (
        "QOS q: group_tres is wrong: 'cpus' is no trackable resource; did you mean 'cpu'?"
    ),
    "qos = [{name = 'q', max_tres_seconds = {cpu = 0.5}}]": "QOS q: max_tres_seconds is wrong: cpu must be whole",
    "accounts = [{user = 'u'}]": "account number 1 needs account",
    "accounts = [{account = 'a', user = 'u', shares = 'half'}]": (
        "user u of account a: shares must be a whole number or 'parent', not 'half'"
    ),
    "accounts = [{account = 'a', user = 'u'}]": "user u of account a: there is no account 'a'; the accounts are root",
    "usage = [{account = 'a', amount = 3}]": "usage of all in account 'a', which is not in the tree",
}


@pytest.mark.parametrize("text", WRONG, ids=str)
def test_what_is_wrong_is_named_with_its_file_and_its_place(text: str, tmp_path: Path) -> None:
    """And with what would be right."""
    path = tmp_path / "site.toml"
    path.write_text(text)
    with pytest.raises(ValueError) as caught:
        tt.Site.read(path)
    assert str(caught.value).startswith(f"{path}: {WRONG[text]}")


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    """It does not exist, or is no text."""
    with pytest.raises(FileNotFoundError, match=r"there is no file .*none\.toml"):
        tt.Site.read(tmp_path / "none.toml")
    with pytest.raises(FileNotFoundError, match=r"there is no folder .*nowhere to write site\.toml to"):
        SATURN.write(tmp_path / "nowhere" / "site.toml")
    (tmp_path / "latin.toml").write_bytes(b'name = "caf\xe9"')
    with pytest.raises(ValueError, match=r"latin\.toml is in LATIN1, but must be in UTF-8"):
        tt.Site.read(tmp_path / "latin.toml")


WHOLE = {
    "name": "x", "enforce": ["limits"], "accounting": True, "max_array_size": 5, "not_modelled": ["a"],
    "nodes": [{"name": "n", "count": 2, "resources": {"processors": 8, "memory": "4G", "gpus": 2}, "properties": ["a"],
               "names": "n[1-2]"}],
    "partitions": [{"name": "p", "nodes": "n[1-2]", "default": True, "state": "UP", "tier": 1, "max_time": "1d",
                    "max_nodes": 2, "allow_accounts": ["a"], "billing_weights": {"cpu": 1.0}}],
    "qos": [{"name": "q", "priority": 1, "preempts": ["q"], "grace": 5, "flags": ["NoDecay"], "usage_factor": 1.0,
             "max_jobs": 1, "max_wall": "1h", "max_tres": {"cpu": 1}, "max_tres_seconds": {"cpu": "1h"}}],
    "accounts": [{"account": "a", "shares": 1, "qos": ["q"], "default_qos": "q"}, {"account": "a", "user": "u"}],
    "usage": [{"account": "a", "user": "u", "amount": 5.0}],
    "priority": {"type": "multifactor", "age": 1, "tres": {"cpu": 1.0}, "max_age": "1d", "flags": ["MAX_TRES"]},
    "backfill": {"enabled": True, "interval": "30s", "max_job_test": 5},
    "preemption": {"type": "qos", "mode": "requeue", "exempt_time": 0, "requeue": True},
    "time_limits": {"kept": "slurm", "sweep": 30, "catch": True},
}  # fmt: skip
"""A site with a key of every type."""
ODD = ("8", "", -1, 1.5, float("nan"), True, [], ["a"], [[]], [{}], {}, {"a": 1}, 10**30, datetime.date(2024, 1, 1))


def keys(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all that is inside a value."""
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield (*path, key)
        yield from keys(value[key], (*path, key))


def test_a_key_of_another_type_gets_a_sentence() -> None:
    """Whatever stands anywhere in a file, it is a site, or there is a ValueError of one line."""
    for path in keys(WHOLE):
        for odd in ODD:
            table = copy.deepcopy(WHOLE)
            inside: Any = table
            for key in path[:-1]:
                inside = inside[key]
            inside[path[-1]] = odd
            try:
                Site.of_tables(table).to_toml()
            except ValueError as error:
                assert "\n" not in str(error), (path, odd)


def test_processors_are_numbers() -> None:
    """A text is none, and the cluster is named."""
    with pytest.raises(ValueError, match=r"^cluster 'n': processors must be a whole number of at least 0, not '8'$"):
        Site.from_toml('nodes = [{ name = "n", count = 1, resources = { processors = "8" } }]')
