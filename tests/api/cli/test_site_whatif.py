"""`thinktime site whatif`: today's configuration against changes of it."""

import json
from pathlib import Path

import pytest

from .conftest import Fails, Run


def test_changes_against_today(site_log: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits and their differences are those of the machines, open-loop and with feedback; a page says the same."""
    pages: list[tuple[list[str], Path]] = []
    monkeypatch.setattr("thinktime.analysis.reports.report", lambda sweep, page: pages.append((sweep.policies, page)))
    page = site_log.with_name("page.html")
    words = ("site", "whatif", site_log.with_name("pluto.toml"), site_log, "--workers", 1, "--quiet", "--by", "group")
    changes = ("--change", "qos.high.priority=0", "--change", "partitions.debug=none", "--report", page)
    found = json.loads(run(*words, *changes, "--json", "--metric", "mean_wait").out)
    assert (found["site"], list(found["modes"])) == ("pluto", ["open", "feedback"])
    for of in found["modes"].values():
        assert list(of) == ["today", "qos.high.priority=0", "partitions.debug=none"]
        today, other, less = (each["mean_wait"] for each in of.values())
        assert today["mean"] == (140 + 80) / 5  # job 3 is before job 2
        assert (other["mean"], other["difference"]["mean"]) == ((90 + 130) / 5, 0)
        assert (less["mean"], less["difference"]["mean"]) == ((140 + 80 + 170) / 5, 34)  # job 4 is behind all others
        groups = [each[f"mean_wait@group={name}"]["mean"] for each in of.values() for name in ("a", "b")]
        assert groups == [140 / 3, 40, 30, 65, 140 / 3, 125]
    assert pages == [(["site", "site:qos.high.priority=0", "site:partitions.debug=none"], page)]
    outcome = run(*words, "--change", "partitions.debug=none", "--mode", "open")
    assert (outcome.status, outcome.err) == (0, "")
    assert max(map(len, outcome.out.splitlines())) <= 100
    lines = [" ".join(line.split()) for line in outcome.out.splitlines()]
    assert [line for line in lines if line.startswith("today")] == ["today 44s 2m 8s 1.88 71.4%", "today 47s 40s"]
    differences = ["against today +34s +36s +0.85 −8.9%", "against today 0s +1m 25s"]
    assert [line for line in lines if line.startswith("against")] == differences


def test_several_seeds(site_log: Path, tmp_path: Path, run: Run) -> None:
    """With replications users are drawn again, and differences are paired by seed; runs can be kept and resumed."""
    words = ("site", "whatif", site_log.with_name("pluto.toml"), site_log, "--workers", 1, "--quiet", "--mode", "open")
    more = ("--change", "maintenance=40/+100", "--replications", 3, "--out", tmp_path / "kept")
    outcome = run(*words, *more)
    assert outcome.status == 0, outcome.err
    said = " ".join(outcome.out.split())
    assert "95 % interval over 3 replications; differences: t-tests paired by seed" in said
    assert run(*words, *more).out == outcome.out


def test_who_is_left_out_is_told(site_log: Path, run: Run) -> None:
    """Waits are of jobs that started: those that never did, or were refused, are counted."""
    site = site_log.with_name("pluto.toml")
    site.write_text('enforce = ["limits"]' + site.read_text())
    words = ("--mode", "open", "--workers", 1, "--quiet", "--metric", "mean_wait")
    changes = ("qos.normal.max_tres.cpu=4", 'qos.normal.max_tres.cpu=4,qos.normal.flags=["DenyOnLimit"]')
    said = " ".join(
        run("site", "whatif", site, site_log, "--change", changes[0], "--change", changes[1], *words).out.split()
    )
    others = "waits and slowdowns are of the others."
    assert f"open, today: 1 was refused; {others}" in said  # that of a user whom the site does not know
    assert f"open, {changes[0]}: 2 jobs never started and 1 was refused; {others}" in said
    assert f"open, {changes[1]}: 3 were refused; {others}" in said


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("qos.hih.priority=1", "--change 'qos.hih.priority=1': there is no QOS 'hih'; did you mean 'high'?"),
        ("priority.weights.qs=1", "priority has no key 'qs'; did you mean 'qos'?"),
        ("priority.qos=1000", "--change 'priority.qos=1000': it is so today"),
        ("backfill", "a change must be PATH=VALUE"),
        ("maintenance=tomorrow", "maintenance must be BEGIN/END"),
    ],
)
def test_changes_that_are_none(site_log: Path, fails: Fails, change: str, said: str) -> None:
    """One sentence names the nearest key, or says that nothing would change."""
    assert said in fails("site", "whatif", site_log.with_name("pluto.toml"), site_log, "--change", change)


def test_what_is_refused(site_log: Path, fails: Fails) -> None:
    """Words of options are checked before anything runs."""
    words = ("site", "whatif", site_log.with_name("pluto.toml"), site_log, "--change", "priority.qos=1")
    assert "--mode" in fails(*words, "--mode", "closed") and "--by" in fails(*words, "--by", "account")
    assert "is given twice" in fails(*words, *words[-2:])
    assert "--report page.txt" in fails(*words, "--report", "page.txt")
    assert "there is no file" in fails("site", "whatif", site_log.with_name("pluto.toml"), "x.swf", *words[-2:])


def test_shaken_logs_and_windows(site_log: Path, run: Run, fails: Fails) -> None:
    """Each seed is a shaken log, and what is measured may be a window of it."""
    words = ("site", "whatif", site_log.with_name("pluto.toml"), site_log, "--workers", 1, "--quiet", "--mode", "open")
    change = ("--change", "partitions.debug=none", "--metric", "mean_wait", "--metric", "jobs")
    said = json.loads(run(*words, *change, "--shake", 3, "--measure-from", 10, "--json").out)
    today = said["modes"]["open"]["today"]
    assert said["replications"] == 3 and "times moved by up to 1 %" in said["notes"][0]
    assert 0 < today["jobs"]["mean"] < 5
    assert "--shake moves the times of one log" in fails(*words, *change, "--shake", 2, "--replications", 2)
