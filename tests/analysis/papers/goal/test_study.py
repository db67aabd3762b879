"""`thinktime study goal`: its object, tables and files, on a little log made here."""

import json
from functools import partial

import numpy as np
import pytest

from tests.analysis.little_log import made
from tests.commands import refusal_of, stdout_of
from thinktime.analysis.deviation import deviation
from thinktime.analysis.months import run_month, whole_months
from thinktime.analysis.papers.goal.study import chosen_months
from thinktime.workloads.swf.write import write_swf

POLICIES = ["easy", "easy:order=lxf", "relshare", "tradeoff", "tradeoff-fs"]
KEYS = {
    "mean_bounded_slowdown_60", "mean_floored_slowdown_60", "mean_wait", "max_wait", "p99_wait",
    "mean_abs_deviation", "sum_abs_deviation", "mean_abs_deviation_proportional",
    "sum_abs_deviation_proportional", "mean_abs_deviation_equal", "sum_abs_deviation_equal",
}  # fmt: skip


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """The log of a little machine, three whole months long."""
    file = tmp_path_factory.mktemp("logs") / "little.swf"
    write_swf(made(), file)
    return file


@pytest.fixture(scope="module")
def run(path):
    """A function that runs the command on it, in this process."""
    return partial(stdout_of, "study", "goal", path, "--workers", 1, "--quiet")


@pytest.fixture(scope="module")
def found(run):
    """The object of the first two months."""
    return json.loads(run("--quick", "--json", "--limit", "100"))


def test_the_object(found):
    """The object has months in order, all policies by name, and exactly the promised numbers."""
    assert set(found) == {"months", "entitled", "findings"}
    assert found["entitled"] == "maxmin"
    assert {each["verdict"] for each in found["findings"]} <= {"seen", "NOT seen", "undecided"}
    assert all(set(each) == {"part", "finding", "verdict", "ours", "paper", "seen_if"} for each in found["findings"])
    assert [month["month"] for month in found["months"]] == ["1998-03", "1998-04"]
    for month in found["months"]:
        assert set(month) == {"month", "jobs", "policies"}
        assert list(month["policies"]) == POLICIES
        assert all(set(numbers) == KEYS for numbers in month["policies"].values())


def test_the_numbers_are_those_of_the_month(found):
    """Waits, percentile and the sum over users of |dev| are those of the month recounted by hand."""
    trace = made()
    month = whole_months(trace)[1]
    numbers = found["months"][1]["policies"]["easy:order=lxf"]
    mine = run_month(trace, "easy:order=lxf", month)
    assert found["months"][1]["jobs"] == len(mine.rows)
    assert numbers["mean_wait"] == pytest.approx(mine.wait.mean())
    assert numbers["max_wait"] == mine.wait.max()
    assert numbers["p99_wait"] == pytest.approx(np.percentile(mine.wait, 99))
    dev = deviation(mine.result, trace.calendar.midnights(month.start, month.end)).dev
    assert numbers["sum_abs_deviation"] == pytest.approx(np.abs(dev).sum())
    assert numbers["mean_abs_deviation"] == pytest.approx(np.abs(dev).sum() / 5)  # five users, all active


@pytest.mark.parametrize("text", [None, "5"])
def test_a_log_without_whole_months_is_refused(text):
    """A study needs a whole month."""
    with pytest.raises(ValueError, match=r"a\.swf holds no whole month; name one with --months, such as 1998-0"):
        chosen_months(made(), "a.swf", text, [])


def test_months_can_be_chosen(run):
    """Months are chosen by name, as a range or by number, and user estimates make another run."""
    for text, names in (("1998-04", ["1998-04"]), ("1998-03..1998-04", ["1998-03", "1998-04"]), ("1", ["1998-03"])):
        seen = json.loads(run("--months", text, "--json", "--limit", "20"))
        assert [month["month"] for month in seen["months"]] == names
    other = json.loads(run("--months", "1998-06", "--json", "--limit", "20", "--estimates", "requested"))
    assert other["months"][0]["month"] == "1998-06"


def test_tables_and_files(run, tmp_path):
    """The command prints Tables I to III and the findings, and writes figures, tables and object."""
    shown = run("--quick", "--out", tmp_path / "out", "--limit", "50")
    for words in ("Table I", "Five policies", "Tradeoff-fs", "1998-03", "seen", "most months"):
        assert words in shown
    for words in (
        "One rule for all rows",
        "in part",
        "paper  8     2003-07",
        "-7,245.0",
        "paper  2003-06   82.0%",
        "…",
    ):
        assert (words in shown) is (words != "…")
    assert shown.index("One rule for all rows") < shown.index("Scheduling performance (V.A)")
    assert max(len(line) for line in shown.splitlines()) <= 100
    written = {file.name for file in (tmp_path / "out").iterdir()}
    figures = {f"figure-{number}.{kind}" for number in range(1, 6) for kind in ("png", "pdf")}
    assert written == figures | {"months.csv", "users.csv", "workload.csv", "answers.sqlite", "study.json"}
    table = (tmp_path / "out" / "months.csv").read_text().splitlines()
    assert len(table) == 1 + 2 * len(POLICIES)


def test_another_entitlement_is_in_tables_and_pictures(run, tmp_path):
    """With `--entitled proportional`, Tables II and III use it, and all three shares follow."""
    shown = run("--quick", "--limit", "20", "--entitled", "proportional")
    assert shown.count("dev in processor-hours, from shares in proportion to demand") == 2
    assert "max-min" in shown[shown.index("The same by entitlement") :]
    other = json.loads(run("--quick", "--limit", "20", "--entitled", "proportional", "--json"))
    assert other["entitled"] == "proportional"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--months", "1997-01"), "has no month '1997-01'"),
        (("--months", "1998-04..1998-03"), "goes backwards"),
        (("--estimates", "mine"), "--estimates cannot be 'mine'; the choices are exact, requested"),
        (("--entitled", "half"), "--entitled cannot be 'half'; the choices are equal, maxmin, proportional"),
        (("--limit", "0"), "--limit must be a whole number"),
    ],
)
def test_wrong_options_are_named(path, words, says):
    """A wrong option is named in one sentence."""
    assert says in refusal_of("study", "goal", path, "--quiet", *words)


def test_a_month_of_a_real_log(log):
    """A month of SDSC-SP2 is measured over the jobs submitted in it; the week before only fills the machine."""
    trace = log("SDSC")
    month = next(each for each in whole_months(trace) if each.name == "1999-03")
    run = run_month(trace, "none", month)
    assert len(run.rows) == 2917
    assert run.result.processors == 128


def test_a_number_of_months_needs_a_whole_one(tmp_path):
    """A log that is shorter than a month is refused by the command."""
    path = tmp_path / "short.swf"
    path.write_text("; MaxProcs: 4\n1 0 0 100 2 -1 -1 2 100 -1 1 1 1 -1 -1 -1 -1 -1\n")
    assert "holds no whole month" in refusal_of("study", "goal", path, "--months", "2")
