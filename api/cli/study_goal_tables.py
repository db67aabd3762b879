"""What `thinktime study goal` prints: the paper's Tables I to III with its own numbers, and what is seen of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from thinktime.cli.console import stdout
from thinktime.cli.durations import NONE, number, percentage
from thinktime.cli.study_common import study_table

if TYPE_CHECKING:
    from thinktime.analysis.papers.goal.findings import Part
    from thinktime.analysis.papers.goal.study import Study
    from thinktime.analysis.papers.goal.who_suffers import Case
    from thinktime.analysis.papers.goal.workload import Spread

HOUR = 3600.0
SHORT = {"maxmin": "max-min", "proportional": "demand", "equal": "equal"}


def show(found: Study) -> None:
    """All tables, from the workload to the verdicts."""
    from thinktime.analysis.papers.goal import printed
    from thinktime.analysis.papers.goal.findings import RULE, findings
    from thinktime.analysis.papers.goal.study import ENTITLED
    from thinktime.analysis.papers.goal.who_suffers import gainers, one_a_month, sufferers, worst_month

    console = stdout()
    for table in workload(found):
        console.print(table)
    console.print("mean / median / maximum; the paper's log is NCSA's IA-64 cluster, 128 nodes\n")
    console.print(comparison(found))
    source = "run times" if found.estimates == "runtimes" else "the users' requests"
    console.print(
        f"Means over {len(found.months)} months on {number(found.processors)} processors; estimates are {source};\n"
        "jobs submitted in the month, a week of warm-up; dev in processor-hours, from max-min fair shares\n"
        "(mean and sum), shares in proportion to demand, and equal ones (means).\n"
    )
    for title, cases, theirs in (
        (
            "Users who suffer most under RelShare (Table II)",
            worst_month(sufferers(found)),
            printed.SUFFERERS,
        ),
        (
            "Users with mixed jobs, spread over the month, who gain most under RelShare (Table III)",
            one_a_month(gainers(found)),
            printed.GAINERS,
        ),
    ):
        console.print(users(title, cases, theirs))
        console.print(f"dev in processor-hours, from {ENTITLED[found.entitled]}\n")
    console.print("What the paper finds, and whether it is seen here")
    console.print(RULE)
    console.print(
        f"Deviations are from {ENTITLED[found.entitled]}. Who suffers or gains under RelShare is compared with it "
        "where no other policy is named. paper: the same count of what its tables print.\n"
    )
    console.print(verdicts(findings(found)))
    console.print(
        'The paper says of dev that 4 of the 5 users of Table II are better off: that is the count of "under-share not '
        'larger", not of "nearer to 0". Both readings stand here.\n'
    )
    console.print(verdicts_by_share(found))


def workload(found: Study) -> list[Table]:
    """Table I in two parts, the paper's months below ours."""
    from thinktime.analysis.papers.goal.printed import WORKLOADS

    first, second = study_table("Workload (Table I)"), study_table("")
    for table in (first, second):
        table.add_column("month")
    for title in ("demand", "users", "jobs", "jobs per user", "processor-hours per user"):
        first.add_column(title, justify="right", no_wrap=True)
    for title in ("processor-hours of a job", "processors of a job", "hours of a job"):
        second.add_column(title, justify="right", no_wrap=True)

    def spread(values: Spread, digits: int = 0) -> str:
        return " / ".join(f"{each:,.{digits}f}" for each in (values.mean, values.median, values.maximum))

    for label, lines in (("ours", found.workloads), ("paper", WORKLOADS)):
        for at, line in enumerate(lines):
            whose = "" if at else label
            first.add_row(
                whose, line.month, percentage(line.demand), number(line.users), number(line.jobs),
                spread(line.jobs_per_user, 1), spread(line.demand_per_user, 1),
            )  # fmt: skip
            second.add_row(
                whose, line.month, spread(line.size, 1), spread(line.processors, 1), spread(line.runtime, 2)
            )
    return [first, second]


def comparison(found: Study) -> Table:
    """Every measure of every policy: the mean over months."""
    from thinktime.analysis.papers.goal.study import POLICIES, TITLES

    table = study_table("Five policies", "policy")
    rows: list[tuple[str, str, str | None, Callable[[float], str]]] = [
        ("slowdown", "mean_bounded_slowdown", None, lambda x: f"{x:.2f}"),
        ("mean wait", "mean_wait", None, hours),
        ("max. wait", "max_wait", None, hours),
        ("99 % wait", "p99_wait", None, hours),
        ("|dev|", "mean_abs_deviation", "maxmin", lambda x: f"{x:,.0f}"),
        ("sum |dev|", "sum_abs_deviation", "maxmin", lambda x: f"{x:,.0f}"),
        ("proportional", "mean_abs_deviation", "proportional", lambda x: f"{x:,.0f}"),
        ("equal", "mean_abs_deviation", "equal", lambda x: f"{x:,.0f}"),
    ]
    for title, *_ in rows:
        table.add_column(title, justify="right", no_wrap=True)
    for policy in POLICIES:
        means = [say(float(found.series(policy, measure, share).mean())) for _, measure, share, say in rows]
        table.add_row(TITLES[policy], *means)
    return table


def users(title: str, ours: Sequence[Case], paper: Sequence[Case]) -> Table:
    """Tables II and III: some users under the four policies of the paper's tables, measure by measure."""
    from thinktime.analysis.papers.goal.printed import POLICIES
    from thinktime.analysis.papers.goal.study import TITLES

    table = study_table(title)
    for heading in ("", "user", "month"):
        table.add_column(heading)
    for policy in POLICIES:
        table.add_column(TITLES[policy], justify="right", no_wrap=True)
    measures: list[tuple[str, str, Callable[[float], str]]] = [
        ("dev", "dev", lambda x: f"{x:,.1f}"),
        ("maximum wait", "max_wait", hours),
        ("mean wait", "mean_wait", hours),
        ("mean slowdown", "slowdown", lambda x: f"{x:,.1f}"),
    ]
    for label, measure, say in measures:
        heading = label
        for whose, cases in (("ours", ours), ("paper", paper)):
            for at, case in enumerate(cases):
                values = [case.under(policy, measure) for policy in POLICIES]
                cells = [NONE if value != value else say(value) for value in values]
                table.add_row(heading, "" if at else whose, str(case.user), case.month, *cells)
                heading = ""
            if not cases:
                table.add_row(heading, whose, "nobody", "", *[NONE] * len(POLICIES))
                heading = ""
    return table


def verdicts(parts: Sequence[Part]) -> Table:
    """Every finding of every part, and how much of the part is seen."""
    table = study_table("")
    table.columns[0].no_wrap = True
    for title in ("", "ours", "paper", "seen if"):
        table.add_column(title, no_wrap=True)
    for at, part in enumerate(parts):
        if at:
            table.add_row("")
        table.add_row(Text(part.title, "bold"), Text(part.verdict, "bold"), Text(part.count, "bold"))
        for row in part.rows:
            table.add_row(f"  {row.says}", row.verdict, row.ours, row.paper, row.criterion)
    return table


def verdicts_by_share(found: Study) -> Table:
    """The findings on fair shares under each of the shares that users may be entitled to."""
    from thinktime.analysis.deviation import SHARES as shares
    from thinktime.analysis.papers.goal.findings import by_shares

    table = study_table(
        "The same by entitlement: max-min fair shares, shares in proportion to demand, equal shares"
    )
    table.columns[0].no_wrap = True
    for share in shares:
        table.add_column(SHORT[share], no_wrap=True)
        table.add_column("", no_wrap=True)
    for parts in zip(*(by_shares(found, share) for share in shares), strict=True):
        table.add_row(Text(parts[0].title, "bold"))
        for rows in zip(*(part.rows for part in parts), strict=True):
            cells = [cell for row in rows for cell in (row.verdict, row.ours)]
            table.add_row(f" {rows[0].says}", *cells)
    return table


def hours(seconds: float) -> str:
    """A time in hours."""
    return f"{seconds / HOUR:.2f} h"
