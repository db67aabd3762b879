"""The tables of the goal study: its page with Tables I to III, the object of ``--json``, and three files.

Deviations without a suffix are from max-min fair shares, whatever share the page shows.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

import pandas as pd

import thinktime as tt
from thinktime.analysis.deviation import SHARES
from thinktime.analysis.papers.goal import printed
from thinktime.analysis.papers.goal.findings import RULE, Part, by_shares, parts
from thinktime.analysis.papers.goal.runs import Outcome, Spread, Users
from thinktime.analysis.papers.goal.study import ENTITLED, POLICIES, TITLES, Evidence
from thinktime.analysis.papers.goal.who_suffers import Case, gainers, one_a_month, sufferers, worst_month
from thinktime.analysis.study import Report, Table, attributes, cell

SHORT = {"maxmin": "max-min", "proportional": "demand", "equal": "equal"}


def report(found: Evidence) -> Report:
    """All tables; month by month and policy by policy (seconds, processor-hours); every finding with its verdict."""
    return Report(lambda: _page(found), lambda: _values(found), lambda: _frames(found))


def _page(found: Evidence) -> Iterator[Table | str]:
    yield from workload(found)
    yield "mean / median / maximum; the paper's log is NCSA's IA-64 cluster, 128 nodes\n"
    yield comparison(found)
    source = "run times" if found.estimates == "exact" else "the users' requests"
    yield (
        f"Means over {len(found.months)} months on {found.processors:,} processors; estimates are {source};\n"
        "jobs submitted in the month, a week of warm-up; dev in processor-hours, from max-min fair shares\n"
        "(mean and sum), shares in proportion to demand, and equal ones (means).\n"
    )
    dev = f"dev in processor-hours, from {ENTITLED[found.entitled]}\n"
    title = "Users who suffer most under RelShare (Table II)"
    yield users(title, worst_month(sufferers(found)), printed.SUFFERERS)
    yield dev
    title = "Users with mixed jobs, spread over the month, who gain most under RelShare (Table III)"
    yield users(title, one_a_month(gainers(found)), printed.GAINERS)
    yield dev
    yield "What the paper finds, and whether it is seen here"
    yield RULE
    yield (
        f"Deviations are from {ENTITLED[found.entitled]}. Who suffers or gains under RelShare is compared with it "
        "where no other policy is named. paper: the same count of what its tables print.\n"
    )
    yield verdicts(parts(found))
    yield (
        'The paper says of dev that 4 of the 5 users of Table II are better off: that is the count of "under-share not '
        'larger", not of "nearer to 0". Both readings stand here.\n'
    )
    yield verdicts_by_share(found)


def workload(found: Evidence) -> list[Table]:
    """Table I in two parts, the paper's months below ours."""
    first, second = Table("Workload (Table I)"), Table("")
    for shown in (first, second):
        shown.texts("month", whole=False)
    first.numbers("demand", "users", "jobs", "jobs per user", "processor-hours per user")
    second.numbers("processor-hours of a job", "processors of a job", "hours of a job")

    def spread(values: Spread, digits: int = 0) -> str:
        return " / ".join(f"{each:,.{digits}f}" for each in (values.mean, values.median, values.maximum))

    for label, lines in (("ours", found.workloads), ("paper", printed.WORKLOADS)):
        for at, line in enumerate(lines):
            whose = "" if at else label
            first.row(
                whose, line.month, f"{100 * line.demand:.1f}%", f"{line.users:,}", f"{line.jobs:,}",
                spread(line.jobs_per_user, 1), spread(line.demand_per_user, 1),
            )  # fmt: skip
            second.row(whose, line.month, spread(line.size, 1), spread(line.processors, 1), spread(line.runtime, 2))
    return [first, second]


def comparison(found: Evidence) -> Table:
    """Every measure of every policy: the mean over months."""
    shown = Table("Five policies", "policy")
    columns = (
        ("slowdown", "mean_bounded_slowdown", None, ".2f"),
        ("mean wait", "mean_wait", None, "h"),
        ("max. wait", "max_wait", None, "h"),
        ("99 % wait", "p99_wait", None, "h"),
        ("|dev|", "mean_abs_deviation", "maxmin", ",.0f"),
        ("sum |dev|", "sum_abs_deviation", "maxmin", ",.0f"),
        ("proportional", "mean_abs_deviation", "proportional", ",.0f"),
        ("equal", "mean_abs_deviation", "equal", ",.0f"),
    )
    shown.numbers(*(title for title, *_ in columns))
    for policy in POLICIES:
        means = [_cell(found.series(policy, of, share).mean(), form) for _, of, share, form in columns]
        shown.row(TITLES[policy], *means)
    return shown


def users(title: str, ours: Sequence[Case], paper: Sequence[Case]) -> Table:
    """Tables II and III: some users under the four policies of the paper's tables, measure by measure."""
    shown = Table(title)
    shown.texts("", "user", "month", whole=False)
    shown.numbers(*(TITLES[policy] for policy in printed.POLICIES))
    nobody = [Case("nobody", "", {})]
    for title, measure, form in (
        ("dev", "dev", ",.1f"),
        ("maximum wait", "max_wait", "h"),
        ("mean wait", "mean_wait", "h"),
        ("mean slowdown", "slowdown", ",.1f"),
    ):
        heading = title
        for whose, cases in (("ours", ours), ("paper", paper)):
            for at, case in enumerate(cases or nobody):
                cells = [_cell(case.under(policy, measure), form) for policy in printed.POLICIES]
                shown.row(heading, "" if at else whose, str(case.user), case.month, *cells)
                heading = ""
    return shown


def verdicts(parts: Sequence[Part]) -> Table:
    """Every finding of every part, and how much of the part is seen."""
    shown = Table("", whole=True)
    shown.texts("", "ours", "paper", "seen if")
    for at, part in enumerate(parts):
        if at:
            shown.row("")
        shown.row(part.title, part.verdict, part.count)
        for row in part.rows:
            shown.row(f"  {row.says}", row.verdict, row.ours, row.paper, row.criterion)
    return shown


def verdicts_by_share(found: Evidence) -> Table:
    """The findings on fair shares under each of the shares that users may be entitled to."""
    shown = Table(
        "The same by entitlement: max-min fair shares, shares in proportion to demand, equal shares", whole=True
    )
    shown.texts(*(head for share in SHARES for head in (SHORT[share], "")))
    for several in zip(*(by_shares(found, share) for share in SHARES), strict=True):
        shown.row(several[0].title)
        for rows in zip(*(part.rows for part in several), strict=True):
            cells = [cell for row in rows for cell in (row.verdict, row.ours)]
            shown.row(f" {rows[0].says}", *cells)
    return shown


def _cell(value: float, form: str) -> str:
    """A number in a format; ``h`` shows a time in hours."""
    return cell(value / tt.HOUR, ".2f", " h") if form == "h" else cell(value, form)


SUFFIX = {"maxmin": "", "proportional": "_proportional", "equal": "_equal"}


def _values(found: Evidence) -> dict[str, Any]:
    return {
        "months": [
            {
                "month": month.name,
                "jobs": found.outcomes[month.name][POLICIES[0]].jobs,
                "policies": {policy: _numbers(outcome) for policy, outcome in found.outcomes[month.name].items()},
            }
            for month in found.months
        ],
        "entitled": found.entitled,
        "findings": [
            {
                "part": part.title,
                "finding": row.says,
                **attributes(row, "verdict", "ours"),
                "paper": row.paper or None,
                "seen_if": row.criterion,
            }
            for part in parts(found)
            for row in part.rows
        ],
    }


def _numbers(outcome: Outcome) -> dict[str, float]:
    return {
        "mean_bounded_slowdown_60": outcome.mean_bounded_slowdown,
        "mean_floored_slowdown_60": outcome.mean_floored_slowdown,
        **attributes(outcome, "mean_wait", "max_wait", "p99_wait"),
    } | {
        f"{measure}{SUFFIX[share]}": value
        for measure in ("mean_abs_deviation", "sum_abs_deviation")
        for share, value in getattr(outcome, measure).items()
    }


def _frames(found: Evidence) -> dict[str, Any]:
    """A row per month and policy, per month, policy and user, and per month (Table I)."""
    return {
        "months": [
            {"month": month.name, "policy": policy, "jobs": outcome.jobs} | _numbers(outcome)
            for month in found.months
            for policy, outcome in found.outcomes[month.name].items()
        ],
        "users": pd.concat(
            [
                pd.DataFrame({"month": month.name, "policy": policy} | _users(outcome.users))
                for month in found.months
                for policy, outcome in found.outcomes[month.name].items()
            ],
            ignore_index=True,
        ),
        "workload": pd.json_normalize([asdict(line) for line in found.workloads], sep="_"),
    }


def _users(users: Users) -> dict[str, Any]:
    return {
        "user": users.name,
        "jobs": users.jobs,
        "processor_hours": users.hours,
        **attributes(users, "difficult", "days"),
        **{f"dev{SUFFIX[share]}": dev for share, dev in users.dev.items()},
        **attributes(users, "mean_wait", "max_wait"),
        "mean_bounded_slowdown_60": users.slowdown,
    }
