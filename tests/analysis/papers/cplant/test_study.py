"""`thinktime study cplant`: the object, windows, files; classes of jobs and verdicts; cost on the paper's log."""

import json

import numpy as np
import pandas as pd
import pytest

import thinktime as tt
from tests.commands import refusal_of, stdout_of
from tests.how_many import few_or_many
from thinktime.analysis.fairness import hybrid_fst, unfairness
from thinktime.analysis.papers.cplant import study as model
from thinktime.analysis.papers.cplant.figures import by_decay
from thinktime.analysis.papers.cplant.findings import NEEDED, STATEMENTS, by_variant, findings, single_runs
from thinktime.analysis.papers.cplant.printed import (
    HOURS,
    JOBS,
    is_papers,
    length_classes,
    mean_by_width,
    tables,
    width_classes,
    window,
)
from thinktime.analysis.papers.cplant.runs import FAIR_ORDERS, Run
from thinktime.analysis.papers.cplant.tables import runs_of, verdicts_of
from thinktime.analysis.study.base import StudiedLog
from thinktime.models.orders.fairshare import fairshare
from thinktime.models.policies import SCHEDULERS

FOUR = ["percent_unfair", "average_miss_time", "average_response_time", "loss_of_capacity"]


@pytest.fixture(scope="module")
def small_log(tmp_path_factory):
    """A crowded fortnight on 16 processors in December 2002, with a few runs beyond 72 h and beyond estimates."""
    rng = np.random.default_rng(5)
    n = 120
    runtime = np.round(np.exp(rng.normal(9, 2, n))).clip(0, 500_000)
    start = 1_038_726_000  # 2002-12-01 in Denver
    trace = tt.Trace(
        {
            "submit": np.sort(rng.integers(0, 14 * 86_400, n)),
            "runtime": runtime,
            "requested_time": np.maximum(60, np.round(runtime * rng.choice([0.5, 1, 3], n))),
            "requested_processors": rng.integers(1, 17, n),
            "user": rng.integers(1, 6, n),
        }
    )
    header = trace.header.set("UnixStartTime", start).set("MaxProcs", 16)
    header = header.set("TimeZoneString", "America/Denver").set("Installation", "CPlant/Ross")
    path = tmp_path_factory.mktemp("log") / "small.swf"
    tt.write_swf(trace.with_header(header), path)
    return path


def run(*words):
    """What the command prints."""
    return stdout_of("study", "cplant", *words, "--workers", 1, "--quiet")


def test_the_json_object(small_log):
    """The object has exactly these keys, the paper's nine names, and segments beside the log's jobs."""
    found = json.loads(run(small_log, "--processors", 16, "--json"))
    assert list(found) == ["jobs", "processors", "policies"]
    assert (found["jobs"], found["processors"]) == (120, 16)
    assert list(found["policies"]) == list(SCHEDULERS)
    for name, policy in found["policies"].items():
        assert list(policy) == [*FOUR, "per_original"] and list(policy["per_original"]) == FOUR
        same = policy["per_original"] == {key: policy[key] for key in FOUR}
        assert same == ("72max" not in name), "only where jobs are split do segments and jobs differ"
        assert policy["per_original"]["average_response_time"] >= policy["average_response_time"]
        assert 0 <= policy["loss_of_capacity"] < 1 and 0 <= policy["percent_unfair"] <= 100


def test_the_numbers_are_those_of_a_replay(small_log):
    """Each policy's numbers are what the library measures of the log's replay under the policy's name."""
    found = json.loads(run(small_log, "--processors", 16, "--json"))["policies"]
    trace = tt.read_swf(small_log)
    for name in ("cplant24.nomax.fair", "consdyn.72max"):
        result = tt.replay(trace, name, 16, overrun="until_needed")
        miss = np.maximum(result["start"] - hybrid_fst(result), 0)
        assert found[name]["average_miss_time"] == pytest.approx(miss.mean())
        assert found[name]["percent_unfair"] == pytest.approx(100 * (miss > 0).mean())
        assert found[name]["average_response_time"] == pytest.approx((result["end"] - result["submit"]).mean())


def test_windows(small_log):
    """The default window is the paper's for its log, a date at the end is a whole day, and `all` is all."""
    jobs = [json.loads(run(small_log, "--json", "--window", each))["jobs"] for each in ("paper", "all")]
    assert jobs == [120, 120] and json.loads(run(small_log, "--json"))["processors"] == 1024
    trace = tt.read_swf(small_log)
    day = json.loads(run(small_log, "--json", "--processors", 16, "--window", "2002-12-03/2002-12-04"))["jobs"]
    assert day == ((trace.submit >= 2 * 86_400) & (trace.submit < 4 * 86_400)).sum()
    assert is_papers(trace) and len(window(trace, "2002-12-03", "2002-12-04")) == day


@pytest.mark.parametrize(
    "words, told",
    [
        (["--window", "winter"], "--window must be paper, all or FROM/TO"),
        (["--window", "2002-12-03/soon"], "--window 2002-12-03/soon"),
        (["--window", "2012-12-03/2012-12-04"], "has no jobs submitted then"),
        (["--processors", "none"], "--processors"),
    ],
)
def test_wrong_words_are_told(small_log, words, told):
    """A wrong word is refused in one sentence with exit status 2."""
    assert told in refusal_of("study", "cplant", str(small_log), *words, "--quiet")


def test_the_tables_and_files(small_log, tmp_path):
    """A quick study prints tables of 100 columns, with the rule before the verdicts, and writes its files.

    It judges by other fair orders at no further run. Text, object and table have every variant.
    """
    out = tmp_path / "study"
    printed = run(small_log, "--processors", 16, "--quick", "--out", out)
    assert max(map(len, printed.splitlines())) <= 100 and "…" not in printed
    for words in ("Nine schedulers", "Table I: jobs", "Table II", "Over 3 origins", "What the paper finds"):
        assert words in printed
    names = {path.name for path in out.iterdir()}
    expected = {f"figure-{k:02d}.{kind}" for k in range(4, 14) for kind in ("png", "pdf")}
    assert names == expected | {"runs.csv", "widths.csv", "classes.csv", "verdicts.csv", "answers.sqlite", "study.json"}
    before, after = printed.split("What the paper finds")
    assert "Rule: of nine runs" in before and after.count("undecided") == 23 + 1
    assert "If usage decays otherwise" in after and "FCFS" in after
    found = json.loads((out / "study.json").read_text())
    assert list(found) == ["jobs", "processors", "policies", "rule", "findings"]
    assert list(found["findings"]) == ["own", "fair: FCFS", "fair: 7 d"]
    for rows in found["findings"].values():
        assert len(rows) == 23 and {row["verdict"] for row in rows} == {"undecided"}
        assert all(0 <= row["holds"] <= row["runs"] == 3 for row in rows)


@pytest.mark.thorough
def test_a_full_study_has_all_parts(small_log):
    """A full study has nine origins, three overrun rules, four sizes and the other fair start times."""
    trace = tt.read_swf(small_log)
    few = StudiedLog("small", trace.select(np.arange(len(trace)) < 40))
    found = model.CPlantStudy(log=few, processors=16, window="all").run()
    assert len(found.shifts) == NEEDED == model.ORIGINS and list(found.overruns) == list(model.OVERRUNS)
    assert list(found.sizes) == [16, *model.SIZES]
    for each in found.outcomes.values():
        assert each.later_arrivals.jobs == each.cons_p.jobs == each.numbers.jobs
        assert each.equality >= 0 and len(each.weekly) == len(found.offered()[1])
    assert list(found.decays) == list(model.DECAYS)
    assert all(len(nines) == NEEDED for nines in found.decays.values())
    options = [nine["cons.nomax"].policy for nines in found.decays.values() for nine in nines]
    assert len(set(options)) == 3 * NEEDED
    assert "factor=0.95,decay_origin=160min" in options[NEEDED + 1] and "half_life=6d" in options[-7]
    assert [len(axes.collections) for axes in by_decay(found).axes] == [4, 4]
    judged = by_variant(found)
    assert list(judged) == ["own", *model.DECAYS, *FAIR_ORDERS]
    assert judged["own"] == findings(found)
    assert all(each.ours.endswith("of 9") for row in judged.values() for each in row)
    assert list(single_runs(found)) == ["extend", "kill", "P = 960", "P = 1,024", "P = 1,152", "P = 1,524"]
    table = pd.DataFrame(verdicts_of(found))
    assert len(table) == 23 * (6 + 6) and set(table["runs"]) == {1, 9}
    assert (table["verdict"][table["runs"] == 1] == "").all()
    runs = pd.DataFrame(runs_of(found))
    assert len(runs) == 9 * (9 + 2 + 4 + 27 + 18) and set(runs["fair_order"]) == {"own", "FCFS", "7 d"}
    assert {each.seen for each in findings(found)} <= {True, False, None}
    assert len(findings(found)) == len(STATEMENTS) == 23


def test_other_fair_orders_judge_the_same_schedules(small_log):
    """Another fair order changes miss times alone, to those of `hybrid_fst`."""
    trace = tt.read_swf(small_log)
    found = Run("cplant24.nomax.all", trace, 16, orders=True).perform()
    result = tt.replay(trace, "cplant24.nomax.all", 16, overrun="until_needed")
    for name, order in (("fair: FCFS", "fcfs"), ("fair: 7 d", fairshare(half_life="7d"))):
        other = found.by_order[name]
        assert other.numbers.average_miss_time == unfairness(result, hybrid_fst(result, order)).average_miss
        assert other.numbers.average_response_time == found.numbers.average_response_time
        assert other.numbers.loss_of_capacity == found.numbers.loss_of_capacity
    assert found.by_order["fair: FCFS"].numbers.average_miss_time != found.numbers.average_miss_time


def test_another_decay_is_another_schedule(small_log):
    """A run with another decay is the replay of the policy with it, fair order included."""
    trace = tt.read_swf(small_log)
    found = Run("cons.72max", trace, 16, usage="half_life=7d").perform()
    result = tt.replay(trace, "cons.72max:half_life=7d", 16, overrun="until_needed")
    fst = hybrid_fst(result, fairshare(half_life="7d"))
    assert found.numbers.average_miss_time == unfairness(result, fst).average_miss
    assert "half_life=7d" in found.policy and "decay" not in found.policy


def test_verdicts():
    """A statement is seen if it fails for at most one of nine origins, not seen if it holds for at most one."""
    from thinktime.analysis.papers.cplant.findings import Statement, _judged

    for holds, verdict in (
        (9, "seen"),
        (8, "seen"),
        (7, "undecided"),
        (2, "undecided"),
        (1, "NOT seen"),
        (0, "NOT seen"),
    ):
        answers = iter([True] * holds + [False] * (9 - holds))
        statement = Statement("", "", lambda nine, answers=answers: next(answers))
        assert _judged(statement, [{}] * 9).verdict == verdict
    assert _judged(Statement("", "", lambda nine: True), [{}] * 3).verdict == "undecided"


def test_classes_of_jobs():
    """The borders of widths and lengths, and the two tables, are those worked out by hand."""
    assert width_classes([1, 2, 3, 4, 5, 8, 9, 512, 513, 1524]).tolist() == [0, 1, 2, 2, 3, 3, 4, 9, 10, 10]
    assert length_classes([0, 3599, 3600, 28_800, 57_600, 86_400, 172_799, 172_800]).tolist() == [
        0, 0, 1, 2, 3, 4, 4, 5,
    ]  # fmt: skip
    trace = tt.Trace({"submit": [0, 1, 2], "runtime": [1800, 7200, 3600], "allocated": [4, 4, 3]})
    jobs, hours = tables(trace)
    assert (jobs[2].tolist(), jobs.sum()) == ([1, 2, 0, 0, 0, 0], 3)
    assert (hours[2].tolist(), hours.sum()) == ([2, 11, 0, 0, 0, 0], 13)
    means = mean_by_width(np.array([1.0, 3.0, np.nan, 8.0]), [4, 3, 4, 600])
    assert (means[2], means[10]) == (2, 8) and np.isnan(means[0])


def test_the_printed_tables():
    """The paper's tables add up to 13,236 jobs (its text says 13,614) and 3.97 million processor-hours."""
    assert JOBS.sum() == 13_236 and HOURS.sum() == pytest.approx(3.97e6, rel=0.01)
    assert ((JOBS > 0) >= (HOURS > 0)).all()


@pytest.mark.compiled
@pytest.mark.parametrize("policy", few_or_many("easy", "cplant24.nomax.all"))
def test_the_papers_window(log, policy):
    """The cleaned log has 12,748 of the paper's 13,614 jobs, each with a hybrid fair start."""
    trace = window(log("Sandia"), "2002-12-01", "2003-07-14")
    assert is_papers(trace) and len(trace) == 12_748
    result = tt.replay(trace, policy, 1024, overrun="until_needed")
    fst = hybrid_fst(result)
    assert not np.isnan(fst).any()
