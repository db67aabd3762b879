"""Users who are fitted to the log of a scenario: what they do beyond their model is said in every report."""

import json
from pathlib import Path

from tests.commands import stdout_of
from tests.workloads.calibration.users_of_logs import in_parts
from thinktime.analysis.experiments import Scenario, sweep
from thinktime.analysis.reports import compared, report
from thinktime.workloads import write_swf
from thinktime.workloads.calibration.beyond import sentence

LOG = """
policies = ["easy"]
metrics = ["mean_wait"]
machine.processors = 6
trace.file = "parts.swf"
[sweep.grid]
"trace.mode" = ["open", "calibrated"]
"""


def test_what_users_do_beyond_their_model_is_said(tmp_path: Path) -> None:
    """Workers find it, and the comparison, the table, JSON and the page say it; runs of other modes have nothing."""
    write_swf(in_parts(1), tmp_path / "parts.swf")
    scenario = Scenario.from_text(LOG, folder=tmp_path)
    found = sweep(scenario, tmp_path / "out", processes=1)
    told = {key: each.lacks for key, each in found.observed().items()}
    assert [lacks for key, lacks in told.items() if "open" in key] == [()]
    (lacks,) = (lacks for key, lacks in told.items() if "calibrated" in key)
    assert "parts" in lacks
    said = sentence(lacks)
    assert compared(found).warnings == [said]
    (tmp_path / "log.toml").write_text(LOG)
    words = ["run", str(tmp_path / "log.toml"), "--out", str(tmp_path / "out"), "--workers", "1", "--quiet"]
    assert said in " ".join(stdout_of(*words).split())
    assert said in json.loads(stdout_of(*words, "--json"))["notes"]
    assert said.capitalize().replace("'", "&#39;") in report(found).read_text()


def test_nothing_is_said_of_others(small: Scenario, tmp_path: Path) -> None:
    """A scenario without fitted users has no such sentence, and its stored runs are as they were."""
    found = sweep(small.model_copy(update={"seeds": (1,)}), tmp_path / "out", processes=1)
    assert compared(found).warnings == []
    assert all(each.lacks == () for each in found.observed().values())
