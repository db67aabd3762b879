"""Scenarios whose machine is that of a configured site, as it is and with other settings."""

from pathlib import Path

import numpy as np
import pytest

import thinktime as tt
from tests.models.site import pluto
from thinktime.analysis.experiments.measured_run import simulate
from thinktime.analysis.experiments.metrics import metric
from thinktime.analysis.experiments.plan import check, runs
from thinktime.analysis.experiments.window import Measured

TABLES = {"machine": {"site": "pluto.toml"}, "trace": {"file": "tiny.swf"}, "metrics": ["mean_wait"]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A log, the names of its numbers, and a site."""
    pluto.write(tmp_path)
    return tmp_path


def scenario(folder: Path, **tables: object) -> tt.Scenario:
    """A scenario in this folder."""
    return tt.Scenario.from_tables(TABLES | tables, folder=folder)


def starts(folder: Path, policy: str, **tables: object) -> list[float]:
    """When the jobs of the log start under a policy."""
    return simulate(scenario(folder, policies=[policy], **tables), policy, 1)["start"].tolist()


def test_the_sites_own_scheduler(folder: Path) -> None:
    """It is the policy unless others are listed; these run on the site's nodes, in its partitions."""
    made = scenario(folder)
    assert made.policies == ("site",) and made.resolved({}).policies == ("site",)
    assert starts(folder, "site") == starts(folder, "easy:order=multifactor") == [0, 150, 100, 30, 200]
    assert starts(folder, "fcfs") == [0, 100, 150, 150, 200]
    assert starts(folder, "site", trace={"file": "tiny.swf", "mode": "feedback"}) == [0, 150, 100, 30, 200]
    (folder / "other.csv").write_text(pluto.NAMES.replace("high", "low"))
    named = {"file": "tiny.swf", "names": "other.csv"}
    assert starts(folder, "site", trace=named) == [0, 100, 150, 30, 200]


def test_other_settings(folder: Path) -> None:
    """A policy of the site may change its settings, and bring maintenance."""
    assert starts(folder, "site:qos.high.priority=0") == [0, 100, 150, 30, 200]
    assert starts(folder, "site:partitions.debug=none") == [0, 150, 100, 200, 200]
    assert starts(folder, "site:priority.qos=0,partitions.debug.nodes=n[1-2],partitions.debug.tier=9")[3] == 100
    assert starts(folder, "site:maintenance=90/+30m/n1") == [1940, 10, 1890, 30, 200]
    assert starts(folder, "site:maintenance=160/200/debug") == [0, 150, 100, 30, 200]
    assert starts(folder, "site:maintenance=2001-09-09T01:48:20/+100") == [0, 250, 200, 30, 300]


def test_runs_depend_on_the_files(folder: Path) -> None:
    """Another configuration, or other names, are other runs."""
    made = [next(runs(scenario(folder)))]
    for name in ("pluto.toml", "tiny.names.csv"):
        file = folder / name
        file.write_text(file.read_text() + "\n")
        made.append(next(runs(scenario(folder))))
    assert len({each.digest for each in made}) == 3


def test_what_is_wrong_is_said_before_anything_runs(folder: Path) -> None:
    """One sentence names what is unknown."""
    with pytest.raises(
        ValueError, match=r"policy 'site:qos.hih.priority=1': there is no QOS 'hih'; did you mean 'high'"
    ):
        check(scenario(folder, policies=["site", "site:qos.hih.priority=1"]))
    with pytest.raises(ValueError, match="a change must be PATH=VALUE"):
        scenario(folder, policies=["site:qos"])
    with pytest.raises(ValueError, match="is the scheduler of a configured site"):
        scenario(folder, policies=["site"], machine={"processors": 4})
    with pytest.raises(ValueError, match="has both site and machines; give one description of the nodes"):
        scenario(folder, machine={"site": "pluto.toml", "machines": "x.machines"})
    with pytest.raises(ValueError, match=r"machine\.site: there is no file mars.toml beside"):
        check(scenario(folder, machine={"site": "mars.toml"}))
    with pytest.raises(ValueError, match="maintenance must be BEGIN/END"):
        check(scenario(folder, policies=["site:maintenance=soon"]))


def test_metrics_of_a_group_queue_or_partition(folder: Path) -> None:
    """They are those of its jobs; a run without such jobs has none."""
    names = ["mean_wait@group=b", "jobs@queue=high", "max_wait@partition=debug", "p95_wait@user=ann"]
    made = scenario(folder, metrics=names)
    measured = Measured(simulate(made, "site", 1))
    assert [each(measured) for each in made.measures] == [40, 1, 0, 140 - 0.05 * 140]
    assert (metric("mean_wait@queue=low")(measured), metric("jobs@queue=low")(measured)) == (None, 0)


def test_users_have_an_account_a_qos_and_a_partition(folder: Path) -> None:
    """Their jobs go by them."""
    site = (folder / "pluto.toml").read_text()
    (folder / "pluto.toml").write_text(
        site.replace('user = "ann" }', 'user = "ann" }, { account = "a", user = "some 1" }')
    )
    user = {"runtime": 20, "jobs": 1, "think_time": 5, "processors": 4, "group": "a"}
    users = {"some": user | {"queue": "high", "partition": "debug"}, "others": user}
    content = {"machine": {"site": "pluto.toml"}, "users": users, "horizon": 100, "metrics": ["jobs"]}
    result = simulate(tt.Scenario.from_tables(content, folder=folder), "site", 1)
    mine = result.labels("user") == "some 1"
    assert set(result.labels("queue")[mine]) == {"high"} and set(result.labels("group")) == {"a"}
    assert all(set(result.nodes.of(row)) == {2} for row in np.flatnonzero(mine & np.isfinite(result["start"])))
    assert (~mine).sum() == 4 and not any("some 1" in note for note in result.notes)
    assert any("without an association" in note and "others 1" in note for note in result.notes)


def test_jobs_wait_for_what_lies_beside_the_log(folder: Path) -> None:
    """In mode dependencies, and then runs depend on that file."""
    before = next(runs(scenario(folder, trace={"file": "tiny.swf", "mode": "dependencies"})))
    (folder / "tiny.conditions.csv").write_text("job,depends,begin,held,array,task,at_most\n4,afterany:1,,,,,\n")
    waiting = {"file": "tiny.swf", "mode": "dependencies"}
    assert starts(folder, "site", trace=waiting) == [0, 150, 100, 100, 200]
    assert starts(folder, "site") == [0, 150, 100, 30, 200]
    assert next(runs(scenario(folder, trace=waiting))).digest != before.digest
