"""Reports on experiments with users who give up, and with numbers that some runs do not have."""

import math
import re
from pathlib import Path

import pytest

from tests.commands import stdout_of
from thinktime.analysis.experiments import Scenario, Sweep, sweep
from thinktime.analysis.reports import checklist, compared
from thinktime.analysis.reports.page import html
from thinktime.analysis.reports.pictures import pictures
from thinktime.analysis.statistics import NOT_SIGNIFICANT, SIGNIFICANT, TOO_LITTLE

from ..experiments.test_giving_up import OFFICE

# Under EASY a number is there in two runs, one or none; under FCFS in all.
MODEL = '''
NAN = float("nan")
def numbers(policy, seed):
    """Some runs have no number."""
    luck = [3, 7, 4, 9, 6][seed - 1]
    have = {"two": 2, "one": 1, "none": 0}
    shy = policy == "easy"
    table = {name: luck - 0.5 * (seed % 2) if shy and seed <= most else NAN if shy else float(luck)
             for name, most in have.items()}
    return table | {"all": luck - shy * (2 + 0.1 * luck), "same": luck + shy * (-1) ** seed}
'''
KNOWN = """
policies = ["fcfs", "easy"]
metrics = ["all", "same", "two", "one", "none"]
replications = 5
model.function = "model.py:numbers"
"""


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Sweep:
    """Students of whom FCFS serves none, and EASY some."""
    return sweep(Scenario.from_text(OFFICE), tmp_path_factory.mktemp("office") / "out", processes=1)


@pytest.fixture(scope="module")
def office_page(office: Sweep) -> str:
    """The page of its report."""
    return html(office)


@pytest.fixture(scope="module")
def holes(tmp_path_factory: pytest.TempPathFactory) -> Sweep:
    """Numbers that some runs do not have."""
    folder = tmp_path_factory.mktemp("holes")
    (folder / "model.py").write_text(MODEL)
    return sweep(Scenario.from_text(KNOWN, folder=folder), folder / "out", processes=1)


def test_too_little_data_is_not_no_difference(holes: Sweep) -> None:
    """With fewer than two pairs a comparison has too little data, and is not called insignificant."""
    found = {each.metric: each.cells[0, "easy"] for each in compared(holes).measured}
    assert {name: cell.state for name, cell in found.items()} == {
        "all": SIGNIFICANT, "same": NOT_SIGNIFICANT, "two": NOT_SIGNIFICANT, "one": TOO_LITTLE, "none": TOO_LITTLE,
    }  # fmt: skip
    assert [(cell.runs, cell.finished, cell.incomplete) for cell in found.values()] == [
        (5, 5, False), (5, 5, False), (2, 5, True), (1, 5, True), (0, 5, True),
    ]  # fmt: skip


def test_the_page_says_how_many_runs_have_a_number(holes: Sweep) -> None:
    """The page gives the number of runs with a value, and too little data in words."""
    page = html(holes)
    for count in (2, 1, 0):
        assert f"{count} of 5 runs" in page
    assert "For 2 more there is too little data." in page
    assert page.count("<td>too little data</td>") == 2


def test_the_command_says_how_many_runs_have_a_number(holes: Sweep, capsys: pytest.CaptureFixture[str]) -> None:
    """The command's table gives n where some runs lack a value, and a sign for too little data."""
    from thinktime.cli.console import tell
    from thinktime.cli.sweep_table import report

    tell(report(holes), as_json=False)
    rows = {line.split()[0]: line for line in capsys.readouterr().out.splitlines() if line.strip()}
    assert "(n=2)" in rows["two"] and "‡" not in rows["two"]
    assert rows["one"].rstrip().endswith("(n=1) ‡")
    assert rows["none"].rstrip().endswith("– ‡")
    assert "(n=" not in rows["all"] and "‡" not in rows["same"]
    metrics = next(row for row in report(holes).values()["results"] if row["policy"] == "easy")["metrics"]
    assert [(each["n"], each["runs"], each["comparison"]) for each in metrics.values()] == [
        (5, 5, SIGNIFICANT), (5, 5, NOT_SIGNIFICANT), (2, 5, NOT_SIGNIFICANT), (1, 5, TOO_LITTLE), (0, 5, TOO_LITTLE),
    ]  # fmt: skip


def test_a_point_without_an_interval_is_hollow(holes: Sweep) -> None:
    """The mean of one run has a hollow marker without a bar."""
    drawn = {each.title: each for each in pictures(holes, compared(holes))}
    assert "Hollow: no interval." in drawn["One"].caption
    assert "Hollow" not in drawn["All"].caption
    faces = {
        title: [line.get_markerfacecolor() for line in drawn[title].figure.axes[0].lines if line.get_marker() != "|"]
        for title in ("All", "One")
    }
    assert "white" in faces["One"] and "white" not in faces["All"]


def test_too_little_data_stands_in_the_picture_of_differences(holes: Sweep) -> None:
    """The picture says why a difference is missing or has no interval."""
    (drawn,) = (each for each in pictures(holes, compared(holes)) if each.name == "differences")
    texts = [text.get_text() for text in drawn.figure.axes[0].texts]
    assert texts == [TOO_LITTLE]
    assert "A vertical stroke has no interval: too little data." in drawn.caption


def test_no_policy_is_called_better_for_students_it_did_not_serve(office: Sweep) -> None:
    """FCFS has no mean response time of students; the comparison has too little data, and no star."""
    found = {each.metric: each for each in compared(office).measured}
    students = found["mean_campaign_response_time@student"]
    assert math.isnan(students.cells[0, "fcfs"].interval.mean)
    assert (students.cells[0, "easy"].state, students.cells[0, "easy"].stars) == (TOO_LITTLE, "")
    assert students.cells[0, "fcfs"].observed is not None
    assert students.cells[0, "fcfs"].observed.n == 0
    assert students.cells[0, "easy"].partial
    assert not found["km_median_campaign_response_time"].cells[0, "easy"].partial


def test_policies_are_not_compared_by_a_lower_bound(office: Sweep, office_page: str) -> None:
    """Where users gave up, the estimate of response times has a sign and no difference; that of waits is compared."""
    found = {each.metric: each for each in compared(office).measured}
    bound, waits = found["km_median_campaign_response_time"], found["km_share_wait_above_600"]
    assert bound.cells[0, "fcfs"].bound and bound.cells[0, "easy"].bound
    assert (bound.cells[0, "easy"].difference, bound.cells[0, "easy"].stars) == (None, "")
    assert not waits.cells[0, "easy"].bound
    assert waits.cells[0, "easy"].difference is not None
    assert "\N{GREATER-THAN OR EQUAL TO}: only a lower bound, since users gave up; not compared" in office_page


def test_the_page_says_what_was_given_up(office_page: str) -> None:
    """The page says what was given up: in a sentence, in cells, with marks and in a curve."""
    page = office_page
    assert re.search(
        r"Users gave up [\d.]+ % under fcfs \([\d,]+ processor-hours in all runs\), [\d.]+ % under easy", page
    )
    assert re.search(r"n = 0 of [\d,]+ campaigns \([\d,]+ given up\); 0 of 3 runs", page)
    assert "†: only of what was served" in page
    assert "Kaplan-Meier estimate, averaged over the replications" in page
    assert re.search(r"n, campaigns: 0 of [\d,]+ in 0 of 3 runs under fcfs", page)


def test_the_tables_of_the_command_say_what_was_given_up(office: Sweep) -> None:
    """The command marks means and counts below, within 100 columns, what they are of."""
    out = stdout_of("run", _written(office), "--out", str(office.folder), "--workers", "1", "--quiet")
    assert re.search(r"n, campaigns@student +0\.0 of [\d.]+ +[\d.]+ of [\d.]+", out)
    assert re.search(r"abandoned_share +[\d.]+% ± ", out)
    assert "†" in out and "only of what was served" in " ".join(out.split())
    assert max(map(len, out.splitlines())) <= 100


def test_the_json_of_the_command_has_what_was_given_up(office: Sweep) -> None:
    """Shares, processor-hours and counts stand in every result, whatever was measured."""
    from thinktime.cli.sweep_table import report

    for row in report(office).values()["results"]:
        whole = row["observations"]
        assert whole["abandoned_share"] == whole["jobs"]["abandoned"] / sum(whole["jobs"].values())
        assert whole["lost_processor_hours"] > 0
        assert row["metrics"]["mean_wait"]["observations"] == whole["jobs"]


def test_the_users_view_needs_what_was_given_up(office: Sweep, holes: Sweep, tmp_path: Path) -> None:
    """Numbers by user avoid the pitfall only if abandonment is reported or no user gave up."""

    def verdict(found: Sweep) -> tuple[str, str]:
        (item,) = (each for each in checklist(found) if each.pitfall == "the users' view ignored")
        return item.verdict, item.reason

    assert verdict(office)[0] == "avoided"
    assert "abandoned_share" in verdict(office)[1]
    (tmp_path / "model.py").write_text(
        "from thinktime.analysis.experiments import Scenario\n"
        "from thinktime.analysis.experiments.measured_run import simulate as run\n"
        f"TEXT = '''{OFFICE}'''\n"
        "def simulate(policy, seed):\n    return run(Scenario.from_text(TEXT), policy, seed)\n"
        "def plain(policy, seed):\n    return {'mean_user_mean_wait': 1.0}\n"
    )
    for function, why in (("simulate", "users gave up jobs"), ("plain", "unknown")):
        metrics = 'policies = ["fcfs"]\nmetrics = ["mean_user_mean_wait"]\nseeds = [1]\n'
        text = f'{metrics}model.function = "model.py:{function}"\n'
        own = sweep(Scenario.from_text(text, folder=tmp_path), tmp_path / function, processes=1)
        assert verdict(own)[0] == "partly" and why in verdict(own)[1]
    calm = OFFICE.replace('behaviours.patience = { time = "30 min" }', "").replace("replications = 3", "seeds = [1]")
    served = sweep(Scenario.from_text(calm), tmp_path / "calm", processes=1)
    assert verdict(served) == (
        "avoided",
        "seen by users: mean_campaign_response_time@student, mean_user_mean_campaign_response_time; "
        "no user gave up a job",
    )


def _written(found: Sweep) -> str:
    path = found.folder.parent / "office.toml"
    path.write_text(OFFICE)
    return str(path)
