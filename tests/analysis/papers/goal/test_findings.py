"""What the goal study finds: the paper's own numbers, one rule for all rows, and recounts on little logs."""

import numpy as np
import pytest

import thinktime as tt
from tests.analysis.little_log import DAY, HEADER, made
from thinktime.analysis.months import run_month
from thinktime.analysis.papers.goal import printed
from thinktime.analysis.papers.goal.findings import GAIN, SUFFER_SHARES, SUFFER_WAITS, Part, Row, by_shares, parts
from thinktime.analysis.papers.goal.runs import workload_of
from thinktime.analysis.papers.goal.study import POLICIES, GoalStudy
from thinktime.analysis.papers.goal.who_suffers import (
    Case,
    case_of,
    gainers,
    heavy,
    one_a_month,
    sufferers,
    worst_month,
)
from thinktime.analysis.study.base import StudiedLog

HOUR = 3600.0
LITTLE = made(seed=7)  # somebody suffers, and somebody gains
FCFS, FAIR, OURS = "easy", "relshare", "tradeoff-fs"


@pytest.fixture(scope="module")
def study():
    """Three months of a little machine."""
    return GoalStudy(log=StudiedLog("little.swf", LITTLE), processors=8, limit=50).run()


def rows_of(study):
    """All rows of the verdicts, by part and statement."""
    return {(part.title, row.says): row for part in parts(study) for row in part.rows}


# -- the paper's own numbers --------------------------------------------------------------------------------


def test_the_paper_by_its_own_criteria():
    """Of five rows of Table II, |dev| favours 3, and under-share and slowdown 4 each."""
    counts = {says: sum(map(true, printed.SUFFERERS)) for says, true in (SUFFER_WAITS | SUFFER_SHARES).items()}
    assert counts == {
        "RelShare: maximum wait far above FCFS": 5, "Tradeoff-fs: shorter maximum wait": 5,
        "Tradeoff-fs: shorter mean wait": 5, "Tradeoff-fs: lower mean slowdown": 4, "Tradeoff-fs: dev nearer to 0": 3,
        "Tradeoff-fs: under-share not larger": 4,
    }  # fmt: skip


def test_the_papers_gainers():
    """Of Table III, users 70 and 103 overshoot under RelShare, none under Tradeoff-fs, and all come nearer."""
    assert [case.user for case in printed.GAINERS if case.under(FAIR, "dev") > 0] == [70, 103]
    assert [sum(map(true, printed.GAINERS)) for true in GAIN.values()] == [2, 3, 3, 3]


def test_the_papers_tables_as_printed():
    """The printed cells of Tables I to III are as in the paper, and their products hold."""
    july = printed.WORKLOADS[1]
    assert (july.month, july.demand, july.users, july.jobs) == ("2003-07", 0.89, 68, 1400)
    assert (july.runtime.median, july.size.maximum, july.processors.mean) == (0.18, 1536, 23.5)
    for month in printed.WORKLOADS:
        assert month.jobs / month.users == pytest.approx(month.jobs_per_user.mean, abs=0.06)
    eight = printed.SUFFERERS[0]
    assert eight.under(FAIR, "max_wait") == 280.7 * HOUR
    assert eight.under("easy:order=lxf", "slowdown") == 34.7
    assert printed.GAINERS[1].under(OURS, "dev") == -302.2


# -- one rule -----------------------------------------------------------------------------------------------


def test_a_part_is_seen_in_part():
    """A part is seen where all rows are, in part where some are, and not where none is."""
    rows = {seen: Row("", "", "", seen) for seen in (True, False, None)}
    for chosen, verdict, count in (
        ((True, True), "seen", "2 of 2"),
        ((True, None), "in part", "1 of 2"),
        ((False, True), "in part", "1 of 2"),
        ((False, None), "NOT seen", "0 of 2"),
    ):
        part = Part("", [rows[each] for each in chosen])
        assert (part.verdict, part.count) == (verdict, count)


def test_every_verdict_follows_from_its_count(study):
    """`Most` is more than half and `all` is all, for every row alike."""
    for row in rows_of(study).values():
        count, of = map(int, row.ours.split(" of "))
        assert row.criterion in ("most months", "most users", "all months", "all measures")
        assert row.seen is (count == of if row.criterion.startswith("all") else 2 * count > of)


def test_the_main_claim_needs_all_four_measures(study):
    """The main claim is seen only where the four rows above it are."""
    rows = rows_of(study)
    close = [row for (_, says), row in rows.items() if says.endswith("best or close")]
    main = next(row for (_, says), row in rows.items() if "main claim" in says)
    assert len(close) == 4
    assert main.ours == f"{sum(row.seen for row in close)} of 4"
    assert main.seen is all(row.seen for row in close)


def test_rows_are_counted_by_month(study):
    """Rows are counted by month from the outcomes, as worked out by hand."""
    rows = rows_of(study)
    for measure, name in (("mean_abs_deviation", "mean |dev|"), ("sum_abs_deviation", "sum |dev|")):
        for other, short in ((FCFS, "FCFS"), ("easy:order=lxf", "LXF")):
            wins = sum(
                getattr(month[OURS], measure)["maxmin"] < getattr(month[other], measure)["maxmin"]
                for month in study.outcomes.values()
            )
            assert rows["Fair shares (V.B)", f"Tradeoff-fs: {name} below {short}"].ours == f"{wins} of 3"


def test_close_and_far_are_a_fifth(study):
    """`Far below` is by a factor above 1.2, and `like` is within one."""
    rows, months = rows_of(study), study.outcomes.values()
    far = sum(1.2 * month[OURS].max_wait < month[FAIR].max_wait for month in months)
    assert rows["Scheduling performance (V.A)", "Tradeoff-fs: maximum wait far below RelShare"].ours == f"{far} of 3"
    like = sum(
        max(month[OURS].p99_wait, month["tradeoff"].p99_wait)
        <= 1.2 * min(month[OURS].p99_wait, month["tradeoff"].p99_wait)
        for month in months
    )
    assert rows["Tradeoff-fs beside Tradeoff (V.C)", "99 % wait like Tradeoff's"].ours == f"{like} of 3"


def test_shares_change_what_hangs_on_them_alone(study):
    """Under the study's own share, the rows of `by_shares` are those of the findings."""
    own = {row.says: row.ours for part in by_shares(study, "maxmin") for row in part.rows}
    whole = {}
    for (_, says), row in rows_of(study).items():
        whole[says] = row.ours
    assert own == {says: whole[says] for says in own}
    statements = [[row.says for part in by_shares(study, share) for row in part.rows] for share in ("maxmin", "equal")]
    assert statements[0] == statements[1]


# -- users --------------------------------------------------------------------------------------------------


def by_user(month, policy):
    """Waits, processors, run times and days of submission of every user of a month, from a run of its own."""
    run = run_month(LITTLE, policy, month)
    result, days = run.result, LITTLE.calendar.midnights(month.start, month.end)
    owner, found = result["user"][run.rows], {}
    for code, name in enumerate(result.names["user"]):
        rows = run.rows[owner == code]
        day = {sum(submit >= border for border in days) for submit in result["submit"][rows].tolist()}
        found[name] = (run.wait[owner == code], result["processors"][rows], run.run[owner == code], day)
    return found, result["processors"][run.rows], run.run


def test_users_of_a_month_by_hand(study):
    """Processor-hours, the share of difficult jobs and days of submission are those worked out by hand."""
    month = study.months[1]
    mine, processors, lengths = by_user(month, FCFS)
    wide, long = np.quantile(processors, 0.75), np.quantile(lengths, 0.75)
    users = study.outcomes[month.name][FCFS].users
    for at, name in enumerate(users.name):
        waits, n, run, day = mine[name]
        assert users.hours[at] == pytest.approx((n * run).sum() / HOUR)
        assert users.difficult[at] == pytest.approx(np.mean((n > wide) | (run > long)))
        assert users.days[at] == len(day)
        assert users.mean_wait[at] == pytest.approx(waits.mean())


def test_who_suffers(study):
    """The table shows up to five users a month whose mean wait RelShare raises."""
    found = sufferers(study)
    for month in study.months:
        fcfs, fair = (study.outcomes[month.name][policy].users for policy in (FCFS, FAIR))
        more = {name: fair.mean_wait[fair.name.index(name)] - fcfs.mean_wait[at] for at, name in enumerate(fcfs.name)}
        worse = sorted((name for name in more if more[name] > 0), key=lambda name: -more[name])
        assert [case.user for case in found if case.month == month.name] == worse[:5]
    assert len({case.month for case in worst_month(found)}) == 1


def test_who_gains(study):
    """Gainers have mixed jobs on ten days or more, less than their share under FCFS and more under RelShare."""
    found = {(case.month, case.user) for case in gainers(study)}
    assert found
    for month in study.months:
        users = study.outcomes[month.name][FCFS].users
        for at, name in enumerate(users.name):
            case = case_of(study, month.name, name)
            chosen = (
                users.jobs[at] >= 10
                and 0.25 <= users.difficult[at] <= 0.75
                and users.days[at] >= 10
                and case.under(FCFS, "dev") < 0
                and case.under(FAIR, "dev") > case.under(FCFS, "dev")
                and case.under(FAIR, "mean_wait") <= case.under(FCFS, "mean_wait")
            )
            assert ((month.name, name) in found) == chosen


def test_the_table_of_gainers_has_a_month_each():
    """The table has the first case of every month, in order of gain, and three of these."""
    cases = [Case(user, month, {}) for user, month in ((1, "a"), (2, "a"), (3, "b"), (4, "c"), (5, "d"))]
    assert [case.user for case in one_a_month(cases)] == [1, 3, 4]
    assert worst_month([]) == one_a_month([]) == []


def test_the_heaviest_user(study):
    """The heaviest user of a month has the most processor-hours."""
    for month, case in zip(study.months, heavy(study), strict=True):
        mine = by_user(month, FCFS)[0]
        assert case.user == max(mine, key=lambda name: (mine[name][1] * mine[name][2]).sum())


def test_jobs_started_per_day(study):
    """Starts per day count days on which the user's jobs wait at midnight or are submitted."""
    month = study.months[0].name
    for policy in POLICIES:
        outcome = study.outcomes[month][policy]
        days, at = outcome.days, 0
        asked = [d for d in range(days.used.shape[1]) if days.waiting[at, d] or days.submitted[at, d]]
        case = case_of(study, month, outcome.users.name[at])
        assert case.under(policy, "started") == pytest.approx(sum(days.started[at, d] for d in asked) / len(asked))
        assert case.under(policy, "backlog") == pytest.approx(days.waiting[at].mean())


def test_the_study_of_a_real_log(log):
    """A month of SDSC-SP2, of every eighth user, has a verdict in every row."""
    trace = log("SDSC")
    few = trace.select(trace.user % 8 == 0)
    asked = GoalStudy(log=StudiedLog("SDSC", few), months="1999-11", processors=128, limit=1)
    assert all(row.seen is not None for row in asked.findings(asked.run()))


def test_the_workload_table():
    """Demand over capacity, means, medians and maxima of a month are those worked out by hand."""
    trace = tt.Trace(
        {"submit": [0.0, 10.0, 20.0, 40 * DAY], "runtime": [3600.0, 7200.0, 36_000.0, 5.0], "user": [1, 1, 2, 3],
         "requested_processors": [1, 2, 8, 1]}, HEADER,
    )  # fmt: skip
    line = workload_of(trace, trace.calendar.months(0, 1)[0], 8)
    assert line.demand == pytest.approx((1 + 4 + 80) / (8 * 31 * 24))
    assert (line.users, line.jobs) == (2, 3)
    assert line.jobs_per_user == (type(line.jobs_per_user))(1.5, 1.5, 2)
    assert (line.demand_per_user.mean, line.demand_per_user.maximum) == (42.5, 80)
    assert (line.size.mean, line.size.median, line.size.maximum) == (pytest.approx(85 / 3), 4, 80)
    assert (line.processors.median, line.runtime.maximum) == (2, 10)
