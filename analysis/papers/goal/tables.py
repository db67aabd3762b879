"""The tables of the goal study: its page with Tables I to III, the object of ``--json``, and three files.

Deviations without a suffix are from max-min fair shares, whatever share the page shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from thinktime.analysis.deviation import SHARES
from thinktime.analysis.named_table import NONE, Table
from thinktime.analysis.papers.goal import printed
from thinktime.analysis.papers.goal.findings import RULE, Part, by_shares, parts
from thinktime.analysis.papers.goal.runs import Outcome
from thinktime.analysis.papers.goal.study import ENTITLED, POLICIES, TITLES, Evidence
from thinktime.analysis.papers.goal.who_suffers import Case, gainers, one_a_month, sufferers, worst_month
from thinktime.analysis.papers.goal.workload_table import Spread
from thinktime.workloads.units import HOUR

if TYPE_CHECKING:
    import pandas as pd

SHORT = {"maxmin": "max-min", "proportional": "demand", "equal": "equal"}


def page(found: Evidence) -> Iterator[Table | str]:
    """All tables, from the workload to the verdicts."""
    yield from workload(found)
    yield "mean / median / maximum; the paper's log is NCSA's IA-64 cluster, 128 nodes\n"
    yield comparison(found)
    source = "run times" if found.estimates == "exact" else "the users' requests"
    yield (
        f"Means over {len(found.months)} months on {found.processors:,} processors; estimates are {source};\n"
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
        yield users(title, cases, theirs)
        yield f"dev in processor-hours, from {ENTITLED[found.entitled]}\n"
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
            second.row(
                whose, line.month, spread(line.size, 1), spread(line.processors, 1), spread(line.runtime, 2)
            )
    return [first, second]


def comparison(found: Evidence) -> Table:
    """Every measure of every policy: the mean over months."""
    shown = Table("Five policies", "policy")
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
        shown.numbers(title)
    for policy in POLICIES:
        means = [say(float(found.series(policy, measure, share).mean())) for _, measure, share, say in rows]
        shown.row(TITLES[policy], *means)
    return shown


def users(title: str, ours: Sequence[Case], paper: Sequence[Case]) -> Table:
    """Tables II and III: some users under the four policies of the paper's tables, measure by measure."""
    shown = Table(title)
    shown.texts("", "user", "month", whole=False)
    for policy in printed.POLICIES:
        shown.numbers(TITLES[policy])
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
                values = [case.under(policy, measure) for policy in printed.POLICIES]
                cells = [NONE if value != value else say(value) for value in values]
                shown.row(heading, "" if at else whose, str(case.user), case.month, *cells)
                heading = ""
            if not cases:
                shown.row(heading, whose, "nobody", "", *[NONE] * len(printed.POLICIES))
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
        "The same by entitlement: max-min fair shares, shares in proportion to demand, equal shares",
        whole=True,
    )
    for share in SHARES:
        shown.texts(SHORT[share], "")
    for several in zip(*(by_shares(found, share) for share in SHARES), strict=True):
        shown.row(several[0].title)
        for rows in zip(*(part.rows for part in several), strict=True):
            cells = [cell for row in rows for cell in (row.verdict, row.ours)]
            shown.row(f" {rows[0].says}", *cells)
    return shown


def hours(seconds: float) -> str:
    """A time in hours."""
    return f"{seconds / HOUR:.2f} h"


# -- the object of --json, and files ----------------------------------------------------------------------

SUFFIX = {"maxmin": "", "proportional": "_proportional", "equal": "_equal"}


def as_object(found: Evidence) -> dict[str, Any]:
    """Month by month and policy by policy (seconds, processor-hours), and every finding with its verdict."""
    return {
        "months": [
            {
                "month": month.name,
                "jobs": found.outcomes[month.name][POLICIES[0]].jobs,
                "policies": {
                    policy: _numbers(outcome) for policy, outcome in found.outcomes[month.name].items()
                },
            }
            for month in found.months
        ],
        "entitled": found.entitled,
        "findings": [
            {
                "part": part.title,
                "finding": row.says,
                "verdict": row.verdict,
                "ours": row.ours,
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
        "mean_wait": outcome.mean_wait,
        "max_wait": outcome.max_wait,
        "p99_wait": outcome.p99_wait,
    } | {
        f"{measure}{SUFFIX[share]}": value
        for measure in ("mean_abs_deviation", "sum_abs_deviation")
        for share, value in getattr(outcome, measure).items()
    }


def frames(found: Evidence) -> dict[str, pd.DataFrame]:
    """The months, the users and the workload."""
    return {"months": months_of(found), "users": users_of(found), "workload": workload_frame(found)}


def months_of(found: Evidence) -> pd.DataFrame:
    """One row per month and policy."""
    import pandas as pd

    rows = [
        {"month": month.name, "policy": policy, "jobs": outcome.jobs} | _numbers(outcome)
        for month in found.months
        for policy, outcome in found.outcomes[month.name].items()
    ]
    return pd.DataFrame(rows)


def users_of(found: Evidence) -> pd.DataFrame:
    """One row per month, user and policy: their jobs, dev (processor-hours), waits (s), mean bounded slowdown."""
    import pandas as pd

    parts = [
        pd.DataFrame(
            {
                "month": month.name,
                "policy": policy,
                "user": outcome.users.name,
                "jobs": outcome.users.jobs,
                "processor_hours": outcome.users.hours,
                "difficult": outcome.users.difficult,
                "days": outcome.users.days,
                **{f"dev{SUFFIX[share]}": dev for share, dev in outcome.users.dev.items()},
                "mean_wait": outcome.users.mean_wait,
                "max_wait": outcome.users.max_wait,
                "mean_bounded_slowdown_60": outcome.users.slowdown,
            }
        )
        for month in found.months
        for policy, outcome in found.outcomes[month.name].items()
    ]
    return pd.concat(parts, ignore_index=True)


def workload_frame(found: Evidence) -> pd.DataFrame:
    """Table I: one row per month."""
    import pandas as pd

    rows = []
    for line in found.workloads:
        flat: dict[str, Any] = {}
        for name, value in asdict(line).items():
            if isinstance(value, dict):
                flat |= {f"{name}_{kind}": number for kind, number in value.items()}
            else:
                flat[name] = value
        rows.append(flat)
    return pd.DataFrame(rows)
